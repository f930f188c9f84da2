// Exercise 17: break the theorem.
// The page is 17_assumptions.md; check with `make exercise-17`.
#include <math.h>

#include "tests/exercises/exercises.h"

// YOURS: several heads.
int heads_enough(void) { return 1; }
double two_heads_nll(void) { return log(2); }

// YOURS: forbid as few as possible.
void cycle_mask(bool allowed[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) allowed[i][j] = true;
}

// YOURS: a symmetric score that answers the cycle.
const char *depth_options(void) { return "--arms sym --steps 300"; }

// YOURS: does a layer's attention pass the bound? One of the Depths of exercises.h.
Depth depth_does(void) { return DEPTH_NOT_SAID; }
