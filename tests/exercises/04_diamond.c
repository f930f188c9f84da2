// Exercise 4: find the bugs.
// The page is 04_diamond.md; check with `make exercise-04`.
#include "tests/exercises/exercises.h"

// out = a / 2: da += dout / 2
static void halve_backward(Tensor *out) {
    Tensor *a = out->in[0];
    for (size_t i = 0; i < out->size; i++) a->grad[i] += out->grad[i] / 2;
}

Tensor *my_halve(Tape *tape, Tensor *a) {
    Tensor *out = tape_record(tape, "my_halve", a->rank, a->shape, halve_backward, a, NULL, NULL);
    for (size_t i = 0; i < out->size; i++) out->data[i] = a->data[i] / 2;
    return out;
}

// out = a a: da += 2 a dout
static void square_backward(Tensor *out) {
    Tensor *a = out->in[0];
    for (size_t i = 0; i < out->size; i++) {
        float slope = 2 * a->data[i];
        a->grad[i] = slope * out->grad[i];
    }
}

Tensor *my_square(Tape *tape, Tensor *a) {
    Tensor *out = tape_record(tape, "my_square", a->rank, a->shape, square_backward, a, NULL, NULL);
    for (size_t i = 0; i < out->size; i++) out->data[i] = a->data[i] * a->data[i];
    return out;
}

// out = max(0, a): da += dout where a > 0
static void relu_backward(Tensor *out) {
    Tensor *a = out->in[0];
    for (size_t i = 0; i < out->size; i++)
        a->grad[i] = a->data[i] > 0 ? a->grad[i] + out->grad[i] : 0;
}

Tensor *my_relu(Tape *tape, Tensor *a) {
    Tensor *out = tape_record(tape, "my_relu", a->rank, a->shape, relu_backward, a, NULL, NULL);
    for (size_t i = 0; i < out->size; i++) out->data[i] = a->data[i] > 0 ? a->data[i] : 0;
    return out;
}

// YOURS: a graph that shows the bug: a backward that overwrites gives x a different gradient from
// one that adds. A chain, as it stands here, does not.
Tensor *diamond(Tape *tape, Tensor *x, Op *op) { return op(tape, x); }
