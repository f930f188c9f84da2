#ifndef MODEL_VIEW_MATRIX_H
#define MODEL_VIEW_MATRIX_H

#include <stdio.h>

#include "model/history.h"
#include "model/view/term.h"

// What became of M = W_Q W_Kᵀ: a row an arm, its symmetry and its singular values.
void matrix_print(FILE *out, Term term, const History *history);

#endif
