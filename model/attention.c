#include "attention.h"

#include <math.h>
#include <stdio.h>

#include "autograd/fatal.h"

int attention_query_width(const Attention *a) {
    return a->arm->score == SCORE_X ? a->config.D / a->config.H : a->config.d_k;
}

static int value_width(const Attention *a) {
    if (a->arm->value == VALUE_X) return a->config.D / a->config.H;
    return a->arm->value == VALUE_KEY ? a->config.d_k : a->config.d_v;
}

static Tensor *matrix(Params *params, const char *prefix, const char *name, int rows, int columns) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return params_add(params, full, true, 2, (const int[]){rows, columns});
}

void attention_add(Attention *a, Params *params, const char *prefix, const Arm *arm,
                   AttentionConfig config) {
    int D = config.D, H = config.H, keys = H * config.d_k;
    *a = (Attention){.arm = arm, .config = config};
    if (H < 1 || D % H)
        fatal("attention: width %d in %d heads: the heads must divide the width", D, H);
    if (arm->score == SCORE_TIED) a->W_Q = matrix(params, prefix, "W", D, keys);
    if (arm->score == SCORE_QK) a->W_Q = matrix(params, prefix, "W_Q", D, keys);
    if (arm->score == SCORE_QK) a->W_K = matrix(params, prefix, "W_K", D, keys);
    if (arm->score == SCORE_SYM) a->B = matrix(params, prefix, "B", D, H * D);
    if (config.relative && arm->score != SCORE_X)
        a->R = matrix(params, prefix, "R", 2 * config.relative + 1, a->W_Q ? config.d_k : D / H);
    if (config.points_at_answer) return;
    int values = H * value_width(a);
    if (arm->value == VALUE_V) a->W_V = matrix(params, prefix, "W_V", D, values);
    if (values != D || config.output) a->W_O = matrix(params, prefix, "W_O", values, D);
}

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
    if (a->W_K) fill_normal(a->W_K, rng, deviation);
    if (a->W_V) fill_normal(a->W_V, rng, deviation);
    if (a->W_O) fill_normal(a->W_O, rng, 1 / sqrt(a->W_O->shape[0]));
}

static void fill_tied(const Attention *a, Rng *rng) {
    if (a->B) fill_projection(a->B, a->config.H, a->config.d_k, rng);
    if (a->W_Q) fill_orthonormal(a->W_Q, rng);
    if (a->W_K) fill_copy(a->W_K, a->W_Q);
    if (a->W_V) fill_orthonormal(a->W_V, rng);
    const Tensor *taken = a->W_V ? a->W_V : a->arm->value == VALUE_KEY ? a->W_K : NULL;
    if (a->W_O && taken) fill_transposed(a->W_O, taken);  // hands back what the value took
    else if (a->W_O) fill_identity(a->W_O);
}

// R stays 0: at first, distance says nothing.
void attention_fill(const Attention *a, Rng *rng) {
    if (a->config.start == START_RANDOM) fill_random(a, rng);
    else fill_tied(a, rng);
}

// Q Kᵀ with queries and keys of one width: (B, H, L, d) (B, H, M, d) -> (B, H, L, M)
static Tensor *dot_products(Tape *tape, const Attention *a, Tensor *Q, Tensor *K) {
    int H = a->config.H;
    return matmul_t(tape, split_heads(tape, Q, H), split_heads(tape, K, H));
}

// X B_h Zᵀ for every head: the rows (H L, D) of all heads meet the same Z at once.
static Tensor *bilinear(Tape *tape, const Attention *a, Tensor *X, Tensor *Z) {
    int H = a->config.H, batch = X->shape[0], L = X->shape[1], D = X->shape[2], M = Z->shape[1];
    Tensor *XB = split_heads(tape, matmul(tape, X, a->B), H);                    // (B, H, L, D)
    Tensor *S = matmul_t(tape, reshape(tape, XB, 3, (const int[]){batch, H * L, D}), Z);
    return reshape(tape, S, 4, (const int[]){batch, H, L, M});
}

// X M Zᵀ, M = (B + Bᵀ)/2, as half the sum of a score and its mirror image: S_ij and S_ji then have
// the same bits, which rounding would not grant to (X M) Xᵀ.
static Tensor *symmetric(Tape *tape, const Attention *a, Tensor *X, Tensor *Z) {
    Tensor *S = bilinear(tape, a, X, Z), *mirror = X == Z ? S : bilinear(tape, a, Z, X);
    return scale(tape, add(tape, S, transpose(tape, mirror)), 0.5);
}

// What distance adds to a score: q_i · R_{j-i}
static Tensor *distances(Tape *tape, const Attention *a, Tensor *Q) {
    return relative(tape, matmul_t(tape, split_heads(tape, Q, a->config.H), a->R));
}

// X W, or X itself where the arm has no such matrix.
static Tensor *project(Tape *tape, Tensor *X, Tensor *W) { return W ? matmul(tape, X, W) : X; }

// Said here, in the words of an attention, and not by the first op that X or Z doesn't suit.
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

Attended attention(Tape *tape, const Attention *a, Tensor *X, Tensor *Z,
                   const unsigned char *allowed, int allowed_B) {
    check_sequences(a, X, Z);
    Tensor *W_K = a->W_K ? a->W_K : a->W_Q;  // `tied` has one matrix for both, `xxt` none
    Tensor *Q = project(tape, X, a->W_Q);                                        // (B, L, H d_k)
    Tensor *K = X == Z && W_K == a->W_Q ? Q : project(tape, Z, W_K);             // (B, M, H d_k)
    Tensor *V = a->arm->value == VALUE_KEY ? K : project(tape, Z, a->W_V);       // (B, M, H d_v)

    Tensor *S = a->B ? symmetric(tape, a, X, Z) : dot_products(tape, a, Q, K);   // (B, H, L, M)
    if (a->R) S = add(tape, S, distances(tape, a, Q));
    if (a->config.scaled) S = scale(tape, S, 1 / sqrt(attention_query_width(a)));
    Attended out = {.X = X, .Z = Z, .S = S, .masked = mask(tape, S, allowed, allowed_B)};
    if (a->config.points_at_answer) return out;

    out.A = softmax(tape, out.masked);
    out.Y = merge_heads(tape, matmul(tape, out.A, split_heads(tape, V, a->config.H)));
    if (a->W_O) out.Y = matmul(tape, out.Y, a->W_O);
    return out;
}

void attention_m(const Attention *a, int head, double *M) {
    size_t D = (size_t)a->config.D, H = (size_t)a->config.H, h = (size_t)head;
    size_t d = (size_t)attention_query_width(a);
    const Tensor *Q = a->W_Q, *K = a->W_K ? a->W_K : a->W_Q;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            double m = 0;
            if (a->B) {
                double mirror = (double)a->B->data[(j * H + h) * D + i];
                m = ((double)a->B->data[(i * H + h) * D + j] + mirror) / 2;
            } else if (!Q) {
                m = i == j && i / d == h;
            } else {
                for (size_t k = 0; k < d; k++)
                    m += (double)Q->data[(i * H + h) * d + k]
                         * (double)K->data[(j * H + h) * d + k];
            }
            M[i * D + j] = m;
        }
}
