// Exercise 13: momentum and Adam.
// The page is 13_optimisers.md; check with `make exercise-13`.
#include <math.h>

#include "tests/exercises/exercises.h"

// YOURS: v = momentum v + g, w -= lr v
void my_momentum(size_t n, const float *g, float *v, float *w, double lr, double momentum) {
    (void)n, (void)g, (void)v, (void)w, (void)lr, (void)momentum;
}

// YOURS: m and v are running means of g and g², corrected for their start at 0
void my_adam(size_t n, const float *g, float *m, float *v, float *w, double lr, int step) {
    (void)n, (void)g, (void)m, (void)v, (void)w, (void)lr, (void)step;
}

// YOURS: below which learning rate does my_momentum converge on L = curvature w²/2?
double stable_lr(double curvature, double momentum) { return 0 * curvature * momentum; }

// YOURS: how far does Adam's first step move w, given this gradient?
double adam_first_step(double lr, double gradient) { return 0 * lr * gradient; }
