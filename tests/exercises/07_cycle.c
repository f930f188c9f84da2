// Exercise 7: the cycle.
// The page is 07_cycle.md; check with `make exercise-07`.
#include <math.h>

#include "tests/exercises/exercises.h"

// YOURS: the mean of -log A_01, -log A_12 and -log A_20. One library op does it, with targets.
Tensor *cycle_nll(Tape *tape, Tensor *S) {
    const int target[] = {NO_TARGET, NO_TARGET, NO_TARGET};
    return cross_entropy(tape, S, target);
}

// YOURS: a symmetric score, made from the free matrix B.
Tensor *cycle_score(Tape *tape, Tensor *B) { return scale(tape, B, 1); }

// YOURS: from the argument on the page, or from what the check measures.
double cycle_bound(void) { return 0; }
int cycle_found_at_most(void) { return 3; }
