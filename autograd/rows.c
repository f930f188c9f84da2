// Ops over the last dimension, row by row: what attention and its loss are made of. Read ops.c
// before it.
//
// A row r of width n starts at r * n. What the forward computes and the backward needs again
// (normalised rows, probabilities) lies in the arena of the tape, and out->saved points to it.
#include <math.h>
#include <string.h>

#include "fatal.h"
#include "ops.h"
#include "simd/kernels.h"
#include "simd/loops.h"
#include "tiny.h"

// The width of a row; a scalar is a row of one number.
static size_t width_of(const Tensor *x) { return x->rank ? (size_t)x->shape[x->rank - 1] : 1; }

// out = x where allowed, else -inf: dx += dout where out isn't -inf
static void mask_backward(Tensor *out) {
    Tensor *x = out->in[0];
    bool add = grad_started(x);
    loops()->mask_backward(out->size, out->data, out->grad, x->grad, add);
}

Tensor *mask(Tape *tape, Tensor *x, const unsigned char *allowed, int allowed_B) {
    char text[64];
    if ((x->rank != 3 && x->rank != 4) || (allowed_B != x->shape[0] && allowed_B != 1))
        fatal("mask: scores %s and %d masks: (B, L, M) or (B, H, L, M) is needed, and B masks or 1",
              tensor_shape(x, text), allowed_B);
    size_t H = x->rank == 4 ? (size_t)x->shape[1] : 1, L = (size_t)x->shape[x->rank - 2],
           M = width_of(x), rows = x->size / M;
    Tensor *out = tape_record(tape, "mask", x->rank, x->shape, mask_backward, x, NULL, NULL);
    out->writes_grad = true;
    for (size_t r = 0; r < rows; r++) {
        size_t b = allowed_B == 1 ? 0 : r / (H * L);
        const unsigned char *may = allowed + (b * L + r % L) * M;  // for all heads the same
        size_t seen = loops()->mask(M, may, x->data + r * M, out->data + r * M);
        if (!seen) fatal("mask: query %zu of sentence %zu may attend to nothing; "
                         "each needs a key that is allowed", r % L, b);
    }
    tape_release(tape, x);
    return out;
}

// y = softmax(x), with dy_i / dx_j = y_i ([i = j] - y_j): dx_i += y_i (dy_i - sum_j y_j dy_j),
// where that is not tiny (tiny.h)
static void softmax_backward(Tensor *out) {
    Tensor *x = out->in[0];
    size_t n = width_of(x);
    bool add = grad_started(x);
    loops()->softmax_backward(x->size / n, n, out->data, out->grad, x->grad, add);
}

Tensor *softmax(Tape *tape, Tensor *x) {
    Tensor *out = tape_record(tape, "softmax", x->rank, x->shape, softmax_backward, x, NULL, NULL);
    out->writes_grad = true;
    kernels()->softmax(x->size / width_of(x), width_of(x), x->data, out->data);
    return out;
}

// y = g u + b with u = (x - mean) / sd, where sd = sqrt(variance + 1e-5) of a row. The two
// subtracted terms of dx are there because mean and sd depend on x, too.
//   db += dy, dg += dy u, du = dy g, dx += (du - mean(du) - u mean(du u)) / sd
static void layer_norm_backward(Tensor *out) {
    Tensor *x = out->in[0], *gain = out->in[1], *bias = out->in[2];
    const float *unit = out->saved, *inverse = unit + x->size;  // (rows, D) u; (rows) 1 / sd
    size_t D = width_of(x);
    pass_grad(bias, out);
    if (gain->wants_grad) grad_start(gain);
    for (size_t i = 0; gain->wants_grad && i < x->size; i += D)
        loops()->product(D, out->grad + i, unit + i, gain->grad, true);
    if (!x->wants_grad) return;
    bool add = grad_started(x);
    loops()->norm_backward(x->size / D, D, unit, inverse, out->grad, gain->data, x->grad, add);
}

Tensor *layer_norm(Tape *tape, Tensor *x, Tensor *gain, Tensor *bias) {
    size_t D = width_of(x), rows = x->size / D;
    char text[3][64];
    if (x->rank < 1 || gain->rank != 1 || bias->rank != 1 || gain->size != D || bias->size != D)
        fatal("layer_norm: x %s, gain %s, bias %s: both must be (%zu), as wide as x's rows",
              tensor_shape(x, text[0]), tensor_shape(gain, text[1]), tensor_shape(bias, text[2]),
              D);
    Tensor *out = tape_record(tape, "layer_norm", x->rank, x->shape, layer_norm_backward, x, gain,
                              bias);
    float *unit = arena_alloc(&tape->arena, x->size + rows, sizeof *unit);
    out->writes_grad = true;
    out->saved = unit;
    loops()->norm(rows, D, x->data, gain->data, bias->data, unit, unit + x->size, out->data);
    return out;
}

typedef struct Answers { int *target; float *probability; } Answers;  // (rows), (rows, V)

// With z_r a row of logits, t its target, and `count` rows that have a target:
// loss = mean_r (log sum_j exp z_rj - z_rt): dz_rj += (softmax(z_r)_j - [j = t]) dloss / count.
// What is tiny in the first term counts as 0 (tiny.h).
static void cross_entropy_backward(Tensor *out) {
    Tensor *logits = out->in[0];
    const Answers *saved = out->saved;
    size_t V = width_of(logits), rows = logits->size / V;
    float each = out->grad[0] * out->factor;  // factor = 1 / count
    bool add = grad_started(logits);
    for (size_t r = 0; r < rows; r++) {
        float *dz = logits->grad + r * V, factor = saved->target[r] == NO_TARGET ? 0 : each;
        loops()->larger(V, factor, saved->probability + r * V, TINY_LOSS_GRAD, dz, add);
        if (saved->target[r] != NO_TARGET) dz[saved->target[r]] -= each;
    }
}

Tensor *cross_entropy(Tape *tape, Tensor *logits, const int *targets) {
    size_t V = width_of(logits), rows = logits->size / V, count = 0;
    Tensor *out = tape_record(tape, "cross_entropy", 0, NULL, cross_entropy_backward, logits, NULL,
                              NULL);
    Answers *saved = arena_alloc(&tape->arena, 1, sizeof *saved);
    saved->target = arena_alloc(&tape->arena, rows, sizeof(int));
    saved->probability = arena_alloc(&tape->arena, logits->size, sizeof(float));
    out->writes_grad = true;
    memcpy(saved->target, targets, rows * sizeof *targets);
    double total = 0;
    for (size_t r = 0; r < rows; r++) {
        if (targets[r] == NO_TARGET) {
            memset(saved->probability + r * V, 0, V * sizeof(float));
            continue;
        }
        char text[64];
        if (targets[r] < 0 || (size_t)targets[r] >= V)
            fatal("cross_entropy: target %d of row %zu, logits %s: classes are 0 to %zu, or -1 for "
                  "none%s", targets[r], r, tensor_shape(logits, text), V - 1,
                  (size_t)targets[r] == V ? "; did you count from 1?" : "");
        const float *z = logits->data + r * V;
        float *p = saved->probability + r * V, most = kernels()->largest(V, z);
        double exps = kernels()->exp_sum(V, z, most, p);  // p_j = exp(z_j - most)
        loops()->shrink(V, (float)(1 / exps), 0, p);
        total += log(exps) + ((double)most - z[targets[r]]);
        count++;
    }
    out->factor = count ? (float)(1 / (double)count) : 0;
    out->data[0] = count ? (float)(total / (double)count) : 0;
    out->saved = saved;
    return out;
}

// n + clip(j - i, -n, n): the place of that distance in a row of r
static size_t place_of(size_t i, size_t j, size_t n) {
    if (j > i) return n + (j - i < n ? j - i : n);
    return n - (i - j < n ? i - j : n);
}

// out_ij = r_i,n+clip(j-i): dr_i,n+clip(j-i) += dout_ij
static void relative_backward(Tensor *out) {
    Tensor *r = out->in[0];
    size_t L = width_of(out), width = width_of(r), rows = r->size / width;
    for (size_t row = 0; row < rows; row++)
        for (size_t j = 0; j < L; j++)
            r->grad[row * width + place_of(row % L, j, width / 2)] += out->grad[row * L + j];
}

Tensor *relative(Tape *tape, Tensor *r) {
    char text[64];
    if (r->rank < 2 || r->rank > 4 || r->shape[r->rank - 1] % 2 == 0)
        fatal("relative: r %s: (..., L, 2n + 1) is needed, an odd number of distances -n to n",
              tensor_shape(r, text));
    int shape[4];
    memcpy(shape, r->shape, sizeof shape);
    shape[r->rank - 1] = shape[r->rank - 2];
    Tensor *out = tape_record(tape, "relative", r->rank, shape, relative_backward, r, NULL, NULL);
    size_t L = width_of(out), width = width_of(r), rows = r->size / width;
    for (size_t row = 0; row < rows; row++)
        for (size_t j = 0; j < L; j++)
            out->data[row * L + j] = r->data[row * width + place_of(row % L, j, width / 2)];
    return out;
}
