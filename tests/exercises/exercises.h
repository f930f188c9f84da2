#ifndef TESTS_EXERCISES_EXERCISES_H
#define TESTS_EXERCISES_EXERCISES_H

#include "autograd/ops.h"
#include "autograd/rng.h"
#include "data/task.h"

// What the exercises ask for, in their order: each file NN_name.c defines its part of this.

// 1
Tensor *my_mul(Tape *tape, Tensor *a, Tensor *b);  // a * b, element by element; a and b have one shape

// 2
Tensor *my_tanh(Tape *tape, Tensor *a);            // tanh(a), element by element

// 3: dx += what softmax's backward gives to one row of n, out of y = softmax(x) and dy = dL/dy
void my_softmax_backward(size_t n, const float *y, const float *dy, float *dx);

// 4: ops of one input, two of them with a bug; and a graph that shows it
typedef Tensor *Op(Tape *tape, Tensor *a);
Op my_halve, my_square, my_relu;                   // a / 2, a * a, max(0, a)
Tensor *diamond(Tape *tape, Tensor *x, Op *op);    // of any shape: made of x and op, and of other ops

// 5: X (B, L, D), W_Q and W_K (D, d_k), W_V (D, d_v) -> (B, L, d_v)
Tensor *my_attention(Tape *tape, Tensor *X, Tensor *W_Q, Tensor *W_K, Tensor *W_V);

#endif
