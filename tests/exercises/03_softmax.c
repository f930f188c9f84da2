// Exercise 3: the backward of softmax.
// The page is 03_softmax.md; check with `make exercise-03`.
#include "tests/exercises/exercises.h"

// y = softmax(x), one row of n: dx_i += ?
void my_softmax_backward(size_t n, const float *y, const float *dy, float *dx) {
    for (size_t i = 0; i < n; i++) dx[i] += 0 * y[i] * dy[i];  // YOURS
}
