#include <math.h>

#include "tests/exercises/exercises.h"

static double draw(int d_k, bool tied, Rng *rng) {
    double dot = 0;
    for (int i = 0; i < d_k; i++) {
        double q = rng_normal(rng), k = tied ? q : rng_normal(rng);
        dot += q * k;
    }
    return dot;
}

Moments dot_measured(int draws, int d_k, bool tied, Rng *rng) {
    double sum = 0, squares = 0;
    for (int i = 0; i < draws; i++) {
        double dot = draw(d_k, tied, rng);
        sum += dot;
        squares += dot * dot;
    }
    double mean = sum / draws;
    return (Moments){mean, squares / draws - mean * mean};
}

// Each of the d_k terms q_i k_i has mean 0 and variance s⁴. If tied, each term is q_i², which has
// mean s² and variance 2 s⁴.
Moments dot_predicted(int d_k, double s, bool tied) {
    if (tied) return (Moments){d_k * s * s, 2 * d_k * pow(s, 4)};
    return (Moments){0, d_k * pow(s, 4)};
}

double score_factor(int d_k) { return 1 / sqrt(d_k); }
