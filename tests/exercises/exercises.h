#ifndef TESTS_EXERCISES_EXERCISES_H
#define TESTS_EXERCISES_EXERCISES_H

#include "autograd/ops.h"
#include "autograd/rng.h"
#include "data/task.h"

// What the exercises ask for, in their order: each file NN_name.c defines its part of this.

// 1
Tensor *my_mul(Tape *tape, Tensor *a, Tensor *b);  // a * b, element by element; a and b have one shape

#endif
