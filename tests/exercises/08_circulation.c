// Exercise 8: asymmetric, and still bounded.
// The page is 08_circulation.md; check with `make exercise-08`.
#include <math.h>

#include "tests/exercises/exercises.h"

// YOURS: add bias_j to all scores of key j, which are column j.
Tensor *biased_score(Tape *tape, Tensor *B, Tensor *bias) {
    (void)bias;
    return scale(tape, add(tape, B, transpose(tape, B)), 0.5);
}

// YOURS: |N| / |S| and |C| / |S|, with N = (S - Sᵀ)/2, p_i = mean_j N_ij,
// C_ij = N_ij - (p_i - p_j), and |.| the root of the sum of squares.
void directions(int n, const double *S, double *asymmetry, double *circulation) {
    (void)n, (void)S;
    *asymmetry = 0;
    *circulation = 0;
}

// YOURS: the least NLL that such a score can have on the cycle.
double biased_bound(void) { return 0; }
