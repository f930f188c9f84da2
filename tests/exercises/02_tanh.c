// Exercise 2: the derivative of tanh.
// The page is 02_tanh.md; check with `make exercise-02`.
#include <math.h>

#include "tests/exercises/exercises.h"

// y = tanh(a): da += ?
static void my_tanh_backward(Tensor *out) {
    Tensor *a = out->in[0];
    for (size_t i = 0; i < out->size; i++) a->grad[i] += 0;  // YOURS
}

Tensor *my_tanh(Tape *tape, Tensor *a) {
    Tensor *out = tape_record(tape, "my_tanh", a->rank, a->shape, my_tanh_backward, a, NULL, NULL);
    for (size_t i = 0; i < out->size; i++) out->data[i] = tanhf(a->data[i]);
    return out;
}
