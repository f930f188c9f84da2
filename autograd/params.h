#ifndef AUTOGRAD_PARAMS_H
#define AUTOGRAD_PARAMS_H

#include <stdbool.h>

#include "rng.h"
#include "tape.h"

// Named tensors over flat arrays. All trained tensors lie in `data` and `grad`, all frozen ones in
// `frozen_data`. So optimiser, clipping and saving are single loops.
// Start with {0}; add every tensor, then call params_seal once, then fill the tensors.
typedef struct Params {
    Arena arena;
    int count;
    Tensor **tensor;        // (count) in the order in which they were added
    size_t size;            // trained numbers
    size_t frozen;          // numbers that don't train
    bool sealed;            // params_seal or params_share was called
    float *data, *grad;     // (size)
    float *moment[2];       // (size) of the optimiser: mean, and mean of squares, of the gradient
    float *frozen_data;     // (frozen)
} Params;

// A tensor of that shape; its data, and its grad if it is trained, come with params_seal. `name` is
// copied. A name that is there already, or a call after params_seal, ends the program.
Tensor *params_add(Params *p, const char *name, bool trained, int rank, const int *shape);

// Allocates all arrays and sets them to 0. A use of the tensors before this call ends the program,
// and so does a second call, which would clear the weights.
void params_seal(Params *p);

// Instead of params_seal: share the weights of `of`, with separate gradients and no optimiser
// state. Both must have the same tensors in the same order.
void params_share(Params *p, const Params *of);

Tensor *params_find(const Params *p, const char *name);       // or NULL
// Clears nothing yet: the next backward writes most gradients instead of adding to them, and what
// it leaves out becomes 0 in params_need_grad. Whatever reads gradients here or in optim.h calls
// that first; so must you before you read `grad` without them.
void params_zero_grad(Params *p);
void params_need_grad(const Params *p, const char *call);     // ends the program if not sealed
double params_grad_norm(const Params *p);                     // |g|_2 over all, summed in double

// g = factor (g + the gradients of `count` others). It joins the gradients of a batch that was cut
// into parts.
void params_gather_grad(Params *p, const Params *const *from, int count, double factor);
void params_clip_grad(Params *p, double norm, double limit);  // g *= limit/norm if norm > limit > 0
                                                              // (Pascanu et al. 2013, algorithm 1)
const Tensor *params_not_finite(const Params *p, bool grad);  // the first tensor with a NaN or an
                                                              // infinity in data or grad, or NULL
void params_free(Params *p);

// Threads share the work on the flat arrays in pieces of PIECE numbers. With few parameters, one
// thread is done before the others wake up.
enum { PIECE = 1 << 14 };
bool params_worth_sharing(const Params *p);
size_t params_piece(const Params *p, size_t at);  // how many numbers the piece at `at` has

// Starts for a matrix (rows, columns), or for any tensor. Draws fill it in the order of memory.
// Independent draws of standard deviation 1/sqrt(rows) keep the variance of what the matrix
// multiplies (Glorot and Bengio 2010, section 4.2).
void fill_normal(Tensor *x, Rng *rng, double standard_deviation);
void fill_identity(Tensor *x);                  // 1 where row = column
void fill_orthonormal(Tensor *x, Rng *rng);     // columns are orthonormal, or rows if there are
                                                // fewer (Gram-Schmidt); if square: the identity

#endif
