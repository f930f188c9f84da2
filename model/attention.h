#ifndef MODEL_ATTENTION_H
#define MODEL_ATTENTION_H

#include "autograd/ops.h"
#include "autograd/params.h"
#include "model/arms.h"

typedef enum Start {
    START_TIED,    // W_Q = W_K with orthonormal columns (rows, if H d_k > D), the identity if
                   // H d_k = D; W_V by the same rule
    START_RANDOM,  // independent normal draws of standard deviation 1/sqrt(D), as a framework does
} Start;

typedef struct AttentionConfig {
    int D, H;               // model width, heads
    int d_k, d_v;           // width of a key and of a value, in each head
    bool points_at_answer;  // the scores are the answer: there is no value
    bool output;            // W_O even where H d_v is D already, as in a block
    bool scaled;            // scores are divided by sqrt(d_k)
    int relative;           // n > 0: scores also depend on the distance j - i, clipped to -n .. n
    Start start;
} AttentionConfig;

// One attention layer of one arm. A weight that the arm doesn't have is NULL. Several heads stand
// side by side in one matrix: head h has columns h d_k .. (h + 1) d_k - 1 of W_Q (Vaswani et al.
// 2017, section 3.2.2).
typedef struct Attention {
    const Arm *arm;
    AttentionConfig config;
    Tensor *W_Q, *W_K;  // (D, H d_k)  the same matrix twice if the arm has one for both
    Tensor *B;          // (D, H D)    of scores that have a B
    Tensor *W_V;        // (D, H d_v)
    Tensor *W_O;        // (H d_v, D)  only where H d_v isn't D already, or `output`
    Tensor *R;          // (2n + 1, d_k) one row a distance; (2n + 1, D / H) where there is no W_Q
} Attention;

typedef struct Attended {
    Tensor *X, *Z;   // (B, L, D) that asks, (B, M, D) that answers; the same in self-attention
    Tensor *S;       // (B, H, L, M) scores, scaled, neither masked nor softmaxed
    Tensor *masked;  // (B, H, L, M) -INFINITY where not allowed
    Tensor *A;       // (B, H, L, M) each row sums to 1; NULL if points_at_answer
    Tensor *Y;       // (B, L, D)    NULL if points_at_answer
} Attended;

// softmax(Q Kᵀ / sqrt(d_k)) V (Vaswani et al. 2017, eq. 1): queries from X (B, L, D), keys and
// values from Z (B, M, D), which is X in self-attention. `allowed` is as in ops.h, (allowed_B, L,
// M); a row that allows nothing ends the program.
Attended attention(Tape *tape, const Attention *a, Tensor *X, Tensor *Z,
                   const unsigned char *allowed, int allowed_B);

// Adds the arm's weights to `params`, named PREFIX"W_Q", ... H must divide D, or the program ends.
void attention_add(Attention *a, Params *params, const char *prefix, const Arm *arm,
                   AttentionConfig config);
void attention_fill(const Attention *a, Rng *rng);  // after params_seal

int attention_query_width(const Attention *a);  // of one head: d_k, or D / H for X Xᵀ
// Is S = Sᵀ in self-attention, whatever the weights? Distances break the symmetry of any score.
bool attention_symmetric(const Attention *a);
// M of head h, (D, D) row-major doubles: S sqrt(d_k) = X M Xᵀ, where distances don't count.
void attention_m(const Attention *a, int h, double *M);

#endif
