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
    for (size_t i = 0; i < out->size; i++) a->grad[i] += 2 * a->data[i] * out->grad[i];
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
        if (a->data[i] > 0) a->grad[i] += out->grad[i];
}

Tensor *my_relu(Tape *tape, Tensor *a) {
    Tensor *out = tape_record(tape, "my_relu", a->rank, a->shape, relu_backward, a, NULL, NULL);
    for (size_t i = 0; i < out->size; i++) out->data[i] = a->data[i] > 0 ? a->data[i] : 0;
    return out;
}

// Two paths lead from x to the output; their gradients add up in x.
Tensor *diamond(Tape *tape, Tensor *x, Op *op) { return add(tape, op(tape, x), op(tape, x)); }
