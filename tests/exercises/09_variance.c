// Exercise 9: the variance of q·k.
// The page is 09_variance.md; check with `make exercise-09`.
#include <math.h>

#include "tests/exercises/exercises.h"

// YOURS: draw q and k `draws` times (rng_normal(rng) draws one number). Return the mean and the
// variance of their dot products. If they are tied, k is q.
Moments dot_measured(int draws, int d_k, bool tied, Rng *rng) {
    (void)draws, (void)d_k, (void)tied, (void)rng;
    return (Moments){0, 0};
}

// YOURS: the same by a formula, for numbers of any standard deviation.
Moments dot_predicted(int d_k, double std, bool tied) {
    (void)d_k, (void)std, (void)tied;
    return (Moments){0, 0};
}

// YOURS: for standard deviation 1, and q and k independent.
double score_factor(int d_k) { return d_k > 0; }
