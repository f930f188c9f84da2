#include <math.h>

#include "tests/exercises/exercises.h"

// 1 / r of a row
static double inverse(const float *x, size_t D) {
    double squares = 0;
    for (size_t i = 0; i < D; i++) squares += (double)x[i] * (double)x[i];
    return 1 / sqrt(squares / (double)D + 1e-5);
}

// y_i = g_i u_i with u = x / r, r = sqrt(mean(x²) + 1e-5), row by row:
//   dg += dy u, du = dy g, dx += (du - u mean(du u)) / r
static void my_rms_norm_backward(Tensor *out) {
    Tensor *x = out->in[0], *gain = out->in[1];
    size_t D = gain->size, rows = x->size / D;
    for (size_t row = 0; row < rows; row++) {
        const float *dy = out->grad + row * D, *from = x->data + row * D;
        double by = inverse(from, D), mean = 0;
        for (size_t i = 0; i < D; i++)
            mean += (double)dy[i] * gain->data[i] * from[i] * by / (double)D;
        for (size_t i = 0; i < D; i++) {
            double u = from[i] * by, du = (double)dy[i] * gain->data[i];
            if (gain->grad) gain->grad[i] += (float)(dy[i] * u);
            if (x->grad) x->grad[row * D + i] += (float)((du - u * mean) * by);
        }
    }
}

Tensor *my_rms_norm(Tape *tape, Tensor *x, Tensor *gain) {
    Tensor *out =
        tape_record(tape, "my_rms_norm", x->rank, x->shape, my_rms_norm_backward, x, gain, NULL);
    size_t D = gain->size, rows = x->size / D;
    for (size_t row = 0; row < rows; row++) {
        double by = inverse(x->data + row * D, D);
        for (size_t i = 0; i < D; i++)
            out->data[row * D + i] = (float)(x->data[row * D + i] * by) * gain->data[i];
    }
    return out;
}
