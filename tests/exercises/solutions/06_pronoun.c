#include "tests/exercises/exercises.h"

// The antecedent is long. The pronoun scores 4 with it and 1 with itself; it scores 16 with itself.
void pronoun_vectors(double X[3][2]) {
    X[0][0] = 1, X[0][1] = 0;   // the pronoun
    X[1][0] = 4, X[1][1] = 0;   // its antecedent
    X[2][0] = 0, X[2][1] = 4;   // another noun
}

const char *pronoun_options(void) { return "--arms sym"; }

Why pronoun_why(void) { return WHY_ROWS_ARE_NORMALISED; }
