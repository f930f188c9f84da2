// Exercise 6: a symmetric score that points.
// The page is 06_pronoun.md; check with `make exercise-06`.
#include "tests/exercises/exercises.h"

// YOURS: vectors of equal length cannot do it.
void pronoun_vectors(double X[3][2]) {
    X[0][0] = 1, X[0][1] = 0;   // the pronoun
    X[1][0] = 1, X[1][1] = 0;   // its antecedent
    X[2][0] = 0, X[2][1] = 1;   // another noun
}

// YOURS: an arm with a symmetric score that can learn.
const char *pronoun_options(void) { return "--arms xxt"; }

// YOURS: why can it? One of the Whys of exercises.h.
Why pronoun_why(void) { return WHY_NOT_SAID; }
