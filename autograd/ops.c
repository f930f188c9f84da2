// Ops that work element by element, and how every op is built. Read ops.h and mul, the shortest op
// with two inputs; then shape.c, matmul.c and rows.c in any order.
//
// Where b is repeated, out->size is a multiple of b->size: the loops take b->size elements at a
// time, and each repeat adds to the same gradient of b.
#include "ops.h"

#include <math.h>
#include <string.h>

#include "fatal.h"
#include "simd/kernels.h"
#include "simd/loops.h"

// Is b's shape, without its first `skip` dimensions, the end of a's?
static bool is_end(const Tensor *a, const Tensor *b, int skip) {
    int same = b->rank - skip, fits = a->rank >= same;
    for (int i = 1; fits && i <= same; i++) fits = a->shape[a->rank - i] == b->shape[b->rank - i];
    return fits;
}

// A hint for the message: what was probably meant.
static const char *hint_of_suffix(const char *op, const Tensor *a, const Tensor *b) {
    int ones = 0;
    while (ones < b->rank && b->shape[ones] == 1) ones++;
    if (ones && is_end(a, b, ones)) return "; did you mean to reshape b without its leading 1s?";
    if (!is_end(b, a, 0)) return "";
    return strcmp(op, "sub") ? "; did you mean a and b the other way round?"
                             : "; did you mean scale(sub(b, a), -1)?";
}

static void check_suffix(const char *op, const Tensor *a, const Tensor *b) {
    char left[64], right[64];
    if (!is_end(a, b, 0))
        fatal("%s: a %s and b %s; b's shape must be the end of a's%s", op, tensor_shape(a, left),
              tensor_shape(b, right), hint_of_suffix(op, a, b));
}

void pass_grad(Tensor *x, const Tensor *out) {
    for (size_t i = 0; x->wants_grad && i < out->size; i += x->size) {
        bool add = grad_started(x);
        loops()->scale(x->size, 1, out->grad + i, x->grad, add);
    }
}

// out = a + b: da += dout, db += dout summed over the repeats of b
static void add_backward(Tensor *out) {
    pass_grad(out->in[0], out);
    pass_grad(out->in[1], out);
}

Tensor *add(Tape *tape, Tensor *a, Tensor *b) {
    check_suffix("add", a, b);
    Tensor *out = tape_record(tape, "add", a->rank, a->shape, add_backward, a, b, NULL);
    out->writes_grad = out->releasable = true;
    for (size_t i = 0; i < a->size; i += b->size)
        loops()->add(b->size, a->data + i, b->data, out->data + i);
    tape_release(tape, a);
    tape_release(tape, b);
    return out;
}

// out = a - b: da += dout, db -= dout summed over the repeats of b
static void sub_backward(Tensor *out) {
    Tensor *a = out->in[0], *b = out->in[1];
    for (size_t i = 0; a->grad && i < out->size; i++) a->grad[i] += out->grad[i];
    for (size_t i = 0; b->grad && i < out->size; i += b->size)
        for (size_t j = 0; j < b->size; j++) b->grad[j] -= out->grad[i + j];
}

Tensor *sub(Tape *tape, Tensor *a, Tensor *b) {
    check_suffix("sub", a, b);
    Tensor *out = tape_record(tape, "sub", a->rank, a->shape, sub_backward, a, b, NULL);
    for (size_t i = 0; i < a->size; i += b->size)
        for (size_t j = 0; j < b->size; j++) out->data[i + j] = a->data[i + j] - b->data[j];
    return out;
}

// out = a b: da += b dout, db += a dout summed over the repeats of b
static void mul_backward(Tensor *out) {
    Tensor *a = out->in[0], *b = out->in[1];
    for (size_t i = 0; i < out->size; i += b->size)
        for (size_t j = 0; j < b->size; j++) {
            if (a->grad) a->grad[i + j] += b->data[j] * out->grad[i + j];
            if (b->grad) b->grad[j] += a->data[i + j] * out->grad[i + j];
        }
}

Tensor *mul(Tape *tape, Tensor *a, Tensor *b) {
    check_suffix("mul", a, b);
    Tensor *out = tape_record(tape, "mul", a->rank, a->shape, mul_backward, a, b, NULL);
    for (size_t i = 0; i < a->size; i += b->size)
        for (size_t j = 0; j < b->size; j++) out->data[i + j] = a->data[i + j] * b->data[j];
    return out;
}

// out = factor a: da += factor dout
static void scale_backward(Tensor *out) {
    Tensor *a = out->in[0];
    bool add = grad_started(a);
    loops()->scale(out->size, out->factor, out->grad, a->grad, add);
}

Tensor *scale(Tape *tape, Tensor *a, double factor) {
    Tensor *out = tape_record(tape, "scale", a->rank, a->shape, scale_backward, a, NULL, NULL);
    out->writes_grad = out->releasable = true;
    out->factor = (float)factor;
    loops()->scale(a->size, out->factor, a->data, out->data, false);
    tape_release(tape, a);
    return out;
}

// out = max(0, a): da += dout where a > 0
static void relu_backward(Tensor *out) {
    Tensor *a = out->in[0];
    for (size_t i = 0; i < out->size; i++)
        if (a->data[i] > 0) a->grad[i] += out->grad[i];
}

Tensor *relu(Tape *tape, Tensor *a) {
    Tensor *out = tape_record(tape, "relu", a->rank, a->shape, relu_backward, a, NULL, NULL);
    for (size_t i = 0; i < a->size; i++)
        out->data[i] = a->data[i] < 0 ? 0 : a->data[i];  // NaN < 0 is false: a NaN stays one
    return out;
}

// out = gelu(a): da += gelu'(a) dout. The forward saves the slope gelu'(a) (simd/kernels.c).
static void gelu_backward(Tensor *out) {
    Tensor *a = out->in[0];
    bool add = grad_started(a);
    loops()->product(out->size, out->saved, out->grad, a->grad, add);
}

Tensor *gelu(Tape *tape, Tensor *a) {
    Tensor *out = tape_record(tape, "gelu", a->rank, a->shape, gelu_backward, a, NULL, NULL);
    float *slope = arena_alloc(&tape->arena, a->size, sizeof *slope);
    out->writes_grad = true;
    kernels()->gelu(a->size, a->data, out->data, slope);
    out->saved = slope;
    tape_release(tape, a);
    return out;
}

// out = factor sum_i a_i: da_i += factor dout. The factor is 1 for sum, 1 / size for mean.
static void sum_backward(Tensor *out) {
    Tensor *a = out->in[0];
    for (size_t i = 0; i < a->size; i++) a->grad[i] += out->factor * out->grad[0];
}

static Tensor *sum_times(Tape *tape, const char *name, Tensor *a, double factor) {
    Tensor *out = tape_record(tape, name, 0, NULL, sum_backward, a, NULL, NULL);
    double total = 0;
    for (size_t i = 0; i < a->size; i++) total += (double)a->data[i];
    out->factor = (float)factor;
    out->data[0] = (float)(factor * total);
    return out;
}

Tensor *sum(Tape *tape, Tensor *a) { return sum_times(tape, "sum", a, 1); }

Tensor *mean(Tape *tape, Tensor *a) { return sum_times(tape, "mean", a, 1 / (double)a->size); }
