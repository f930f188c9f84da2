#ifndef AUTOGRAD_TINY_H
#define AUTOGRAD_TINY_H

#include <math.h>

// A float other than 0 whose absolute value is below 2^-126 is subnormal: some processors take a
// hundred times as long to compute with it. Late in training, probabilities, their gradients and
// the means of an optimiser go towards 0 without end. So they become 0 early, by these rules for
// absolute values, which are the same on every processor. "Moves" is what the number, as a
// gradient, could move a parameter by in one step of Adam, whose epsilon is 1e-8.
#define TINY_EXP 0x1p-56f             // exp in softmax and gelu, where the largest term is 1
#define TINY_LOSS_GRAD 0x1p-56f       // of cross_entropy: moves less than 2^-29 lr
#define TINY_SOFTMAX_GRAD 0x1p-62f    // moves less than 2^-35 lr
#define TINY_MEAN 0x1p-100f           // Adam's m, SGD's velocity, a weight that decays
#define TINY_FOR_SQUARE 0x1p-51f      // a gradient adds nothing to Adam's v below this, and
#define TINY_SQUARE 0x1p-112f         // v is 0 below this: its root is lost beside epsilon
// The product of two such numbers, as in dV = Aᵀ dY, is still a normal float. In a deep model a
// product of more of them can be subnormal; no training has been seen to do that.

// x, or 0 if |x| < least. A NaN stays one.
static inline float or_zero(float x, float least) { return fabsf(x) < least ? 0 : x; }

#endif
