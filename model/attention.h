#ifndef MODEL_ATTENTION_H
#define MODEL_ATTENTION_H

#include "autograd/ops.h"
#include "autograd/params.h"
#include "model/arms.h"

typedef enum Start {
    START_TIED,    // W_Q = W_K = an orthonormal (D, d_k), the identity if d_k = D; W_V the identity
    START_RANDOM,  // independent normal draws of deviation 1/sqrt(D), as a framework would
} Start;

typedef struct AttentionConfig {
    int D, H;           // model width, heads
    int d_k, d_v;       // of each head
    bool points_at_answer;        // the scores are the answer: no value
    bool output;        // W_O even where H d_v is D already, as in a block
    bool scaled;        // scores divided by sqrt(d_k)
    int relative;       // n > 0: scores also see the distance j - i, clipped to -n .. n
    Start start;
} AttentionConfig;

// One attention layer of one arm. A weight that the arm doesn't have is NULL.
typedef struct Attention {
    const Arm *arm;
    AttentionConfig config;
    Tensor *W_Q, *W_K;  // (D, H d_k); `tied` has W_Q alone
    Tensor *B;          // (D, H D)    `sym`
    Tensor *W_V;        // (D, H d_v)
    Tensor *W_O;        // (H d_v, D)  only where H d_v isn't D already, or `output`
    Tensor *R;          // (2n + 1, d_k) relative distances; `sym`, which
                        // has no queries: (2n + 1, D / H)
} Attention;

// Several heads stand side by side in one matrix: head h has columns h d_k .. (h + 1) d_k - 1 of
// W_Q (Vaswani et al. 2017, section 3.2.2).
//
// Adds the arm's weights to `params`, named PREFIX"W_Q", ..., then (params_seal) fills them. H must
// divide D, or the program ends.
void attention_add(Attention *a, Params *params, const char *prefix, const Arm *arm,
                   AttentionConfig config);
// The width of one head's queries and keys: d_k, but D / H for X Xᵀ.
int attention_query_width(const Attention *a);
void attention_fill(const Attention *a, Rng *rng);

typedef struct Attended {
    Tensor *X, *Z;   // (B, L, D) what asks, (B, M, D) what answers: the same, or not
    Tensor *S;       // (B, H, L, M) scores, scaled, neither masked nor softmaxed
    Tensor *masked;  // (B, H, L, M) -INFINITY where not allowed
    Tensor *A;       // (B, H, L, M) each row sums to 1; NULL if `points`
    Tensor *Y;       // (B, L, D)    NULL if `points`
} Attended;

// softmax(Q Kᵀ / sqrt(d_k)) V (Vaswani et al. 2017, eq. 1): queries from X (B, L, D), keys and
// values from Z (B, M, D), which is X itself in self-attention. `allowed` as in ops.h: (allowed_B,
// L, M), a row that allows nothing ends the program. It is put together from ops, and has no
// backward of its own.
Attended attention(Tape *tape, const Attention *a, Tensor *X, Tensor *Z,
                   const unsigned char *allowed, int allowed_B);

// M of head h, (D, D) row-major doubles, such that S sqrt(d_k) = X M Xᵀ:
// W_Q W_Kᵀ, (B + Bᵀ)/2, or I.
void attention_m(const Attention *a, int h, double *M);

#endif
