// Exercise 11: RMSNorm.
// The page is 11_rms_norm.md; check with `make exercise-11`.
#include <math.h>

#include "tests/exercises/exercises.h"

// y_i = g_i u_i with u = x / r, r = sqrt(mean(x²) + 1e-5), row by row: dg += ?, dx += ?
static void my_rms_norm_backward(Tensor *out) {
    Tensor *x = out->in[0], *gain = out->in[1];
    size_t D = gain->size, rows = x->size / D;
    for (size_t row = 0; row < rows; row++) {
        const float *dy = out->grad + row * D;
        for (size_t i = 0; i < D; i++) {
            if (gain->grad) gain->grad[i] += 0 * dy[i];           // YOURS
            if (x->grad) x->grad[row * D + i] += 0 * dy[i];       // YOURS
        }
    }
}

Tensor *my_rms_norm(Tape *tape, Tensor *x, Tensor *gain) {
    Tensor *out =
        tape_record(tape, "my_rms_norm", x->rank, x->shape, my_rms_norm_backward, x, gain, NULL);
    size_t D = gain->size, rows = x->size / D;
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < D; i++) out->data[row * D + i] = x->data[row * D + i];  // YOURS
    return out;
}
