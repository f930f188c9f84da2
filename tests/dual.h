#ifndef TESTS_DUAL_H
#define TESTS_DUAL_H

#include "autograd/ops.h"

// A dual number (Clifford 1873): a value, and its derivative along one direction of the inputs.
// Arithmetic by the rules of calculus gives that derivative without any step size, to the last
// digits of a double.
typedef struct Dual { double x, d; } Dual;

enum { DUAL_MOST = 256 };  // elements of an input or of an output

typedef struct DualShape { int rank, shape[4]; } DualShape;
typedef struct DualArray { DualShape is; int size; Dual at[DUAL_MOST]; } DualArray;

// One op at one set of shapes, three times: as the tape has it; in dual numbers, written from the
// reference in autograd/ops.h; and its rule for going backward, in double.
typedef struct DualRow DualRow;
struct DualRow {
    const char *op;                                 // as recorded in Tensor.name
    Tensor *(*tape)(Tape *tape, Tensor **in);
    void (*forward)(const DualRow *row, const DualArray *in, DualArray *y);
    // Adds to `grad` of each input, where dy is the gradient of y. NULL: the row is of several ops.
    void (*backward)(const DualRow *row, const DualArray *in, const DualArray *y, const double *dy,
                     double grad[3][DUAL_MOST]);
    int (*from)(const DualArray *x, int i);  // for ops that only move numbers: y_i = x_from(i),
                                             // or -infinity where it is -1
    DualShape in[3], out;                    // rank -1: no such input
};

extern const DualRow dual_rows[];
extern const int dual_row_count;

int dual_size(DualShape s);

#endif
