#ifndef AUTOGRAD_PARAMS_H
#define AUTOGRAD_PARAMS_H

#include <stdbool.h>

#include "rng.h"
#include "tape.h"

// Named tensors over flat arrays: those that train over (data, grad, and the optimiser's moments),
// the frozen ones over an array of their own. Optimiser, clipping and saving are single loops.
// Start with {0}; add every tensor, then call params_seal once, then fill them.
typedef struct Params {
    Arena arena;
    int count, capacity;
    Tensor **tensor;        // (count) in the order in which they were added
    size_t size;            // trained numbers
    size_t frozen;          // numbers that don't train
    float *data, *grad;     // (size) NULL before params_seal
    float *moment[2];       // (size) the optimiser's: mean, and mean of squares, of the gradient
    float *frozen_data;     // (frozen)
} Params;

Tensor *params_add(Params *p, const char *name, bool trained, int rank, const int *shape);
void params_seal(Params *p);                                  // allocates; everything is 0
void params_share(Params *p, const Params *of);               // instead: the numbers are `of`'s, the gradients
                                                              // its own, and nothing of it is optimised
Tensor *params_find(const Params *p, const char *name);       // or NULL
void params_zero_grad(Params *p);
double params_grad_norm(const Params *p);                     // |g|_2 over all, summed in double
void params_add_grad(Params *p, const Params *from);          // g += from's g
void params_scale_grad(Params *p, double factor);              // g *= factor
void params_clip_grad(Params *p, double norm, double limit);  // g *= limit/norm if norm > limit > 0
const Tensor *params_not_finite(const Params *p, bool grad);  // the first with a number that isn't, or NULL
void params_free(Params *p);

// Starts for a matrix (rows, columns) or any tensor. All draw in the order of memory.
void fill_normal(Tensor *x, Rng *rng, double deviation);
void fill_identity(Tensor *x);                  // 1 where row = column
void fill_orthonormal(Tensor *x, Rng *rng);     // columns, or rows if there are fewer of those, are
                                                // orthonormal (Gram-Schmidt); square: the identity
void fill_copy(Tensor *x, const Tensor *from);  // shapes must agree

#endif
