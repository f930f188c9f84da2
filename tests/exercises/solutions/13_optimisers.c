#include <math.h>

#include "tests/exercises/exercises.h"

void my_momentum(size_t n, const float *g, float *v, float *w, double lr, double momentum) {
    for (size_t i = 0; i < n; i++) {
        v[i] = (float)(momentum * v[i] + g[i]);
        w[i] -= (float)(lr * v[i]);
    }
}

void my_adam(size_t n, const float *g, float *m, float *v, float *w, double lr, int step) {
    const double b1 = 0.9, b2 = 0.999;
    for (size_t i = 0; i < n; i++) {
        m[i] = (float)(b1 * m[i] + (1 - b1) * g[i]);
        v[i] = (float)(b2 * v[i] + (1 - b2) * g[i] * g[i]);
        double mean = m[i] / (1 - pow(b1, step)), square = v[i] / (1 - pow(b2, step));
        w[i] -= (float)(lr * mean / (sqrt(square) + 1e-8));
    }
}

double stable_lr(double curvature, double momentum) { return 2 * (1 + momentum) / curvature; }

double adam_first_step(double lr, double gradient) { return gradient == 0 ? 0 : lr; }
