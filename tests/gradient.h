#ifndef TESTS_GRADIENT_H
#define TESTS_GRADIENT_H

#include <stdbool.h>

#include "autograd/ops.h"

// One case of one op for the gradient test. An op without a row here has an untested derivative.
typedef struct GradientRow {
    const char *op;                                    // as recorded in Tensor.name
    Tensor *(*build)(Tape *tape, Tensor **in, int n);  // the op on its inputs
    int n;                                             // what `build` needs to know besides, or 0
    struct { int rank, shape[4]; } in[3];              // rank -1 and what follows: no input
    bool flat;                                         // the derivative is 0, rightly
} GradientRow;

extern const GradientRow gradient_rows[];
extern const int gradient_row_count;

int gradient_inputs(const GradientRow *row);  // how many
int gradient_has_row(const char *op);

#endif
