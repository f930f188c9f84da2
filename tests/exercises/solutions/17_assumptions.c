#include <math.h>

#include "tests/exercises/exercises.h"

int heads_enough(void) { return 2; }
double two_heads_nll(void) { return 2 * log(2) / 3; }

// With S_20 > S_12 > S_01, token 0 would prefer 2 to 1.
void cycle_mask(bool allowed[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) allowed[i][j] = true;
    allowed[0][2] = false;
}

const char *depth_options(void) { return "--arms sym --steps 300 --layers 2"; }

Depth depth_does(void) { return DEPTH_GOES_ROUND_IT; }
