// Exercise 8: asymmetric, and still bound.
// The page is 08_circulation.md; check with `make exercise-08`.
#include <math.h>

#include "tests/exercises/exercises.h"

// YOURS: bias_j is to be added to all scores of key j, so to column j.
Tensor *biased_score(Tape *tape, Tensor *B, Tensor *bias) {
    (void)bias;
    return scale(tape, add(tape, B, transpose(tape, B)), 0.5);
}

// YOURS: N = (S - Sᵀ)/2, p_i = mean_j N_ij, C_ij = N_ij - (p_i - p_j): the sizes of N and C over
// that of S.
void directions(int n, const double *S, double *asymmetry, double *circulation) {
    (void)n, (void)S;
    *asymmetry = 0;
    *circulation = 0;
}

// YOURS: the surprise that such a score doesn't get below on the cycle.
double biased_bound(void) { return 0; }
