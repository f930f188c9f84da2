// The one attention that serves every arm. It is put together from ops, so it has no backward of
// its own. Read arms.h before, and attention() first: it is all that happens in a forward pass. The
// rest may be skipped at first: which weights an arm has, where they start, and what its M is.
#include "attention.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "autograd/fatal.h"

int attention_query_width(const Attention *a) {
    return score_trains(a->arm->score) ? a->config.d_k : a->config.D / a->config.H;
}

bool attention_symmetric(const Attention *a) { return a->arm->score->symmetric && !a->R; }

// ---- the forward pass --------------------------------------------------------------------------

// X W, or X itself where the arm has no such matrix.
static Tensor *project(Tape *tape, Tensor *X, Tensor *W) { return W ? matmul(tape, X, W) : X; }

static Tensor *heads(Tape *tape, const Attention *a, Tensor *X, Tensor *W) {
    return split_heads(tape, project(tape, X, W), a->config.H);
}

// Checked here, so that the message speaks of attention and not of the op that would fail first.
static void check_sequences(const Attention *a, const Tensor *X, const Tensor *Z) {
    char asks[64], answers[64];
    int D = a->config.D;
    tensor_shape(X, asks);
    tensor_shape(Z, answers);
    bool fit = X->rank == 3 && Z->rank == 3 && X->shape[2] == D && Z->shape[2] == D;
    if (!fit || Z->shape[0] != X->shape[0])
        fatal("attention: X %s and Z %s: (B, L, %d) and (B, M, %d) are needed", asks, answers, D,
              D);
    if (a->R && Z->shape[1] != X->shape[1])
        fatal("attention: X %s and Z %s: relative distances need as many keys as queries; did you "
              "mean Z = X, or relative 0?", asks, answers);
}

// What makes the values; NULL: they are Z itself.
static Tensor *value_matrix(const Attention *a) {
    Value value = a->arm->value;
    return value == VALUE_KEY ? a->W_K : value == VALUE_QUERY ? a->W_Q : a->W_V;
}

Attended attention(Tape *tape, const Attention *a, Tensor *X, Tensor *Z,
                   const unsigned char *allowed, int allowed_B) {
    check_sequences(a, X, Z);
    const Score *score = a->arm->score;
    // `tied` and X Xᵀ have one projection for both, so in self-attention Q and K are one tensor.
    bool key = a->arm->value == VALUE_KEY, query = a->arm->value == VALUE_QUERY;
    bool unread = score->own && !a->R && !key && !query;  // score->own takes X and Z
    Tensor *Q = unread ? NULL : heads(tape, a, X, a->W_Q);                       // (B, H, L, d_k)
    Tensor *K = X == Z && a->W_K == a->W_Q ? Q : heads(tape, a, Z, a->W_K);      // (B, H, M, d_k)
    Tensor *V = key ? K : query && X == Z ? Q : heads(tape, a, Z, value_matrix(a));

    Tensor *S = score->own ? score->own(tape, X, Z, a->B, a->config.H)           // (B, H, L, M)
                           : matmul_t(tape, Q, K);
    // What distance adds to a score: q_i · R_{j-i} (Shaw et al. 2018, eq. 4)
    if (a->R) S = add(tape, S, relative(tape, matmul_t(tape, Q, a->R)));
    if (a->config.scaled) S = scale(tape, S, 1 / sqrt(attention_query_width(a)));
    Attended out = {.X = X, .Z = Z, .S = S, .masked = mask(tape, S, allowed, allowed_B)};
    if (a->config.points_at_answer) return out;

    out.A = softmax(tape, out.masked);
    out.Y = merge_heads(tape, matmul(tape, out.A, V));                           // (B, L, H d_v)
    if (a->W_O) out.Y = matmul(tape, out.Y, a->W_O);                             // (B, L, D)
    return out;
}

// ---- the weights -------------------------------------------------------------------------------

static Tensor *matrix(Params *params, const char *prefix, const char *name, int rows, int columns) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return params_add(params, full, true, 2, (const int[]){rows, columns});
}

static int value_width(const Attention *a) {
    if (a->arm->value == VALUE_X) return a->config.D / a->config.H;
    return a->arm->value == VALUE_V ? a->config.d_v : a->config.d_k;
}

void attention_add(Attention *a, Params *params, const char *prefix, const Arm *arm,
                   AttentionConfig config) {
    const Score *score = arm->score;
    int D = config.D, H = config.H, keys = H * config.d_k;
    *a = (Attention){.arm = arm, .config = config};
    if (H < 1 || D % H)
        fatal("attention: width %d in %d heads: the heads must divide the width", D, H);
    if (score->W_Q) a->W_Q = a->W_K = matrix(params, prefix, score->W_Q, D, keys);
    if (score->W_K) a->W_K = matrix(params, prefix, score->W_K, D, keys);
    if (score->B) a->B = matrix(params, prefix, score->B, D, H * D);
    if (config.relative && score_trains(score))  // X Xᵀ stays without parameters
        a->R = matrix(params, prefix, "R", 2 * config.relative + 1, a->W_Q ? config.d_k : D / H);
    if (config.points_at_answer) return;
    int values = H * value_width(a);
    if (arm->value == VALUE_V) a->W_V = matrix(params, prefix, "W_V", D, values);
    if (values != D || config.output) a->W_O = matrix(params, prefix, "W_O", values, D);
}

// ---- where the weights start -------------------------------------------------------------------

// x = fromᵀ
static void fill_transposed(Tensor *x, const Tensor *from) {
    size_t rows = (size_t)x->shape[0], columns = (size_t)x->shape[1];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) x->data[i * columns + j] = from->data[j * rows + i];
}

// B_h = W_h W_hᵀ for an orthonormal W, so that `sym` scores at first as `tied` does.
static void fill_projection(Tensor *B, int heads, int width, Rng *rng) {
    Tape tape = {0};
    Tensor *W = tape_tensor(&tape, 2, (const int[]){B->shape[0], heads * width});
    size_t D = (size_t)B->shape[0], H = (size_t)heads, d_k = (size_t)width;
    fill_orthonormal(W, rng);
    for (size_t i = 0; i < D; i++)
        for (size_t h = 0; h < H; h++)
            for (size_t j = 0; j < D; j++) {
                const float *u = W->data + (i * H + h) * d_k, *v = W->data + (j * H + h) * d_k;
                double dot = 0;
                for (size_t k = 0; k < d_k; k++) dot += (double)u[k] * v[k];
                B->data[(i * H + h) * D + j] = (float)dot;
            }
    tape_free(&tape);
}

static void fill_random(const Attention *a, Rng *rng) {
    double D = a->config.D, deviation = 1 / sqrt(D);
    // (B + Bᵀ)/2 is then as large as W_Q W_Kᵀ.
    if (a->B) fill_normal(a->B, rng, sqrt(2.0 * a->config.d_k) / D);
    if (a->W_Q) fill_normal(a->W_Q, rng, deviation);
    if (a->W_K != a->W_Q) fill_normal(a->W_K, rng, deviation);
    if (a->W_V) fill_normal(a->W_V, rng, deviation);
    if (a->W_O) fill_normal(a->W_O, rng, 1 / sqrt(a->W_O->shape[0]));
}

// W_Q = W_K: every arm starts symmetric, so any asymmetry at the end comes from training.
static void fill_tied(const Attention *a, Rng *rng) {
    if (a->B) fill_projection(a->B, a->config.H, a->config.d_k, rng);
    if (a->W_Q) fill_orthonormal(a->W_Q, rng);
    if (a->W_Q) memmove(a->W_K->data, a->W_Q->data, a->W_Q->size * sizeof(float));
    if (a->W_V) fill_orthonormal(a->W_V, rng);
    if (!a->W_O) return;
    // W_O starts as the inverse of what made the value, as far as there is one.
    const Tensor *value = value_matrix(a);
    if (value) fill_transposed(a->W_O, value);
    else fill_identity(a->W_O);
}

// R stays 0: at first, distance says nothing.
void attention_fill(const Attention *a, Rng *rng) {
    if (a->config.start == START_RANDOM) fill_random(a, rng);
    else fill_tied(a, rng);
}

// ---- M -----------------------------------------------------------------------------------------

// M of a score with a formula of its own: with X = Z = I, the score I M Iᵀ is M itself.
static void score_of_identity(const Attention *a, size_t h, double *M) {
    Tape tape = {.no_gradients = true};
    int D = a->config.D;
    Tensor *I = tape_tensor(&tape, 2, (const int[]){D, D});
    fill_identity(I);
    I = reshape(&tape, I, 3, (const int[]){1, D, D});
    Tensor *Q = project(&tape, I, a->W_Q), *K = project(&tape, I, a->W_K);
    const Tensor *S = a->arm->score->own(&tape, Q, K, a->B, a->config.H);  // (1, H, D, D)
    size_t size = (size_t)D * (size_t)D;
    for (size_t i = 0; i < size; i++) M[i] = S->data[h * size + i];
    tape_free(&tape);
}

// W_Q W_Kᵀ in double: rounded to floats, the singular values past d_k would not be near 0.
static void product_of_projections(const Attention *a, size_t h, double *M) {
    size_t D = (size_t)a->config.D, H = (size_t)a->config.H, d = (size_t)attention_query_width(a);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            double m = !a->W_Q && i == j && i / d == h;  // without them, the identity on h's slice
            for (size_t k = 0; a->W_Q && k < d; k++)
                m += (double)a->W_Q->data[(i * H + h) * d + k]
                   * (double)a->W_K->data[(j * H + h) * d + k];
            M[i * D + j] = m;
        }
}

void attention_m(const Attention *a, int h, double *M) {
    if (a->arm->score->own) score_of_identity(a, (size_t)h, M);
    else product_of_projections(a, (size_t)h, M);
}
