#include <math.h>

#include "tests/exercises/exercises.h"

Tensor *cycle_nll(Tape *tape, Tensor *S) {
    const int target[] = {1, 2, 0};
    return cross_entropy(tape, S, target);
}

Tensor *cycle_score(Tape *tape, Tensor *B) {
    return scale(tape, add(tape, B, transpose(tape, B)), 0.5);
}

double cycle_bound(void) { return log(2); }
int cycle_found_at_most(void) { return 2; }
