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

// A tensor of that shape, whose data and grad (NULL if frozen) are there once sealed. `name` is
// copied; one that is there already, or a call after params_seal, ends the program.
Tensor *params_add(Params *p, const char *name, bool trained, int rank, const int *shape);
void params_seal(Params *p);                                  // once: allocates; everything is 0
// Instead: the numbers are `of`'s, the gradients its own, and nothing of it is optimised.
void params_share(Params *p, const Params *of);
Tensor *params_find(const Params *p, const char *name);       // or NULL
void params_zero_grad(Params *p);
double params_grad_norm(const Params *p);                     // |g|_2 over all, summed in double
// g = factor (g + the gradients of `count` others): of a batch that was
// split, from those of its parts
void params_gather_grad(Params *p, const Params *const *from, int count, double factor);
void params_clip_grad(Params *p, double norm, double limit);  // g *= limit/norm if norm > limit > 0
                                                              // (Pascanu et al. 2013, algorithm 1)
const Tensor *params_not_finite(const Params *p, bool grad);  // the first that has one, or NULL
void params_free(Params *p);

// What is done to each number alone, threads share by the PIECE; where there are few, one does all
// sooner than others would have been woken.
enum { PIECE = 1 << 14 };
bool params_worth_sharing(const Params *p);
size_t params_piece(const Params *p, size_t at);  // how many numbers the piece at `at` has

// Starts for a matrix (rows, columns) or any tensor. All draw in the order of memory. Independent
// draws of deviation 1/sqrt(rows) keep the variance of what is multiplied by them (Glorot and
// Bengio 2010, section 4.2).
void fill_normal(Tensor *x, Rng *rng, double deviation);
void fill_identity(Tensor *x);                  // 1 where row = column
void fill_orthonormal(Tensor *x, Rng *rng);     // columns, or rows if there are fewer of those, are
                                                // orthonormal (Gram-Schmidt); square: the identity
void fill_copy(Tensor *x, const Tensor *from);  // shapes must agree

#endif
