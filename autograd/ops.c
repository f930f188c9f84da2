// Ops that work element by element.
#include "ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fatal.h"
#include "simd/kernels.h"
#include "simd/loops.h"

// Is b's shape, but for its first `skip` dimensions, the end of a's?
static bool is_end(const Tensor *a, const Tensor *b, int skip) {
    int same = b->rank - skip, fits = a->rank >= same;
    for (int i = 1; fits && i <= same; i++) fits = a->shape[a->rank - i] == b->shape[b->rank - i];
    return fits;
}

// What was probably meant: b without its leading ones, or the two in the other order.
static const char *meant(const char *op, const Tensor *a, const Tensor *b, char text[128]) {
    int ones = 0;
    while (ones < b->rank && b->shape[ones] == 1) ones++;
    char shape[64];
    Tensor rest = {.rank = b->rank - ones};
    for (int i = 0; i < rest.rank; i++) rest.shape[i] = b->shape[ones + i];
    if (ones && is_end(a, b, ones))
        snprintf(text, 128, "; did you mean b reshaped to %s?", tensor_shape(&rest, shape));
    else if (is_end(b, a, 0))
        snprintf(text, 128, strcmp(op, "sub") ? "; did you mean %s(b, a)?"
                                              : "; did you mean scale(%s(b, a), -1)?", op);
    else text[0] = '\0';
    return text;
}

static void check_suffix(const char *op, const Tensor *a, const Tensor *b) {
    char left[64], right[64], hint[128];
    if (!is_end(a, b, 0))
        fatal("%s: a %s and b %s; b's shape must be the end of a's%s", op, tensor_shape(a, left),
              tensor_shape(b, right), meant(op, a, b, hint));
}

// out = a + b: da += dout, db += dout summed over the repeats of b
static void add_backward(Tensor *out) {
    Tensor *a = out->in[0], *b = out->in[1];
    if (a->grad) loops()->add_to(out->size, out->grad, a->grad);
    for (size_t i = 0; b->grad && i < out->size; i += b->size)
        loops()->add_to(b->size, out->grad + i, b->grad);
}

Tensor *add(Tape *tape, Tensor *a, Tensor *b) {
    check_suffix("add", a, b);
    Tensor *out = tape_record(tape, "add", a->rank, a->shape, add_backward, a, b, NULL);
    for (size_t i = 0; i < a->size; i += b->size)
        loops()->add(b->size, a->data + i, b->data, out->data + i);
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
    loops()->add_scaled(out->size, out->factor, out->grad, a->grad);
}

Tensor *scale(Tape *tape, Tensor *a, double factor) {
    Tensor *out = tape_record(tape, "scale", a->rank, a->shape, scale_backward, a, NULL, NULL);
    out->factor = (float)factor;
    loops()->scale(a->size, out->factor, a->data, out->data);
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

// out = gelu(a): da += gelu'(a) dout, the slope being saved by the forward (kernels.c)
static void gelu_backward(Tensor *out) {
    Tensor *a = out->in[0];
    loops()->add_product(out->size, out->saved, out->grad, a->grad);
}

Tensor *gelu(Tape *tape, Tensor *a) {
    Tensor *out = tape_record(tape, "gelu", a->rank, a->shape, gelu_backward, a, NULL, NULL);
    float *slope = arena_alloc(&tape->arena, a->size, sizeof *slope);
    kernels()->gelu(a->size, a->data, out->data, slope);
    out->saved = slope;
    return out;
}

// out = factor sum_i a_i: da_i += factor dout
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
