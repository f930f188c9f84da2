// Exercise 13: momentum and Adam.
// The page is 13_optimisers.md; check with `make exercise-13`.
#include <math.h>

#include "tests/exercises/exercises.h"

// YOURS: v = momentum v + g, w -= rate v
void my_momentum(size_t n, const float *g, float *v, float *w, double rate, double momentum) {
    (void)n, (void)g, (void)v, (void)w, (void)rate, (void)momentum;
}

// YOURS: with m and v as means of g and g², unbiased
void my_adam(size_t n, const float *g, float *m, float *v, float *w, double rate, int step) {
    (void)n, (void)g, (void)m, (void)v, (void)w, (void)rate, (void)step;
}

// YOURS: below which rate do steps of my_momentum on L = curvature w²/2 come to rest?
double stable_rate(double curvature, double momentum) { return 0 * curvature * momentum; }

// YOURS: how far does w go in Adam's first step, whose gradient is this?
double adam_first_step(double rate, double gradient) { return 0 * rate * gradient; }
