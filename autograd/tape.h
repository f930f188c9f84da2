#ifndef AUTOGRAD_TAPE_H
#define AUTOGRAD_TAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

// A masked score is -INFINITY, a NaN has to be noticed, and sums keep their order.
#if defined __FAST_MATH__ || __FINITE_MATH_ONLY__ || __ASSOCIATIVE_MATH__ || __RECIPROCAL_MATH__
#error "compile without -ffast-math and -Ofast: they drop infinities and NaN, and reorder sums"
#endif

// Dimensions, everywhere: B batch, L sequence length, D model width, H heads, V vocabulary,
// d_k width of a query and a key, d_v width of a value.

// An array of floats, row-major and contiguous, with what the tape needs
// to walk backward through it.
typedef struct Tensor Tensor;
struct Tensor {
    int rank;                        // 0 (a scalar) to 4
    int shape[4];                    // shape[rank - 1] varies fastest
    size_t size;                     // product of shape
    float *data;                     // (size) owned by the arena of a tape or of a Params
    float *grad;                     // (size) d loss / d data; NULL: no gradient is wanted
    bool grad_unset;                      // nothing has been written to grad yet, not even 0
    bool overwrites_grad;                   // this op's backward asks grad_started() where the others add
    const char *name;                // of the parameter, or of the op that made it
    Tensor *in[3];                   // what the op read; NULL where it read fewer
    void (*backward)(Tensor *out);   // adds to the gradients of in[]; NULL for a leaf
    const void *saved;               // what this op's backward wants from its forward
    float factor;                    // the same, where a number is enough
    Tensor *prev;                    // the tensor recorded before this one
};

// The tape is the order: ops run at once and append themselves, backward is one loop over them in
// reverse. Everything on it lives until the next reset. Start with {0}.
typedef struct Tape {
    Arena arena;
    Tensor *last;        // the newest tensor; the others hang behind it
    bool no_gradients;   // measure only: no op gets a gradient
} Tape;

void tape_reset(Tape *tape);   // forgets all tensors, keeps the memory
void tape_free(Tape *tape);

// A leaf without gradient, contents undefined: the caller fills `data`. A rank beyond 0 .. 4, or a
// dimension below 1, ends the program, here and in the two below.
Tensor *tape_tensor(Tape *tape, int rank, const int *shape);

// The output of an op, contents undefined. It gets a gradient if any input has one.
Tensor *tape_record(Tape *tape, const char *name, int rank, const int *shape,
                    void (*backward)(Tensor *), Tensor *a, Tensor *b, Tensor *c);

// `x` under another shape of the same size (another size ends the program): data and gradient are
// shared, nothing is copied.
Tensor *tape_view(Tape *tape, const char *name, Tensor *x, int rank, const int *shape);

// Sets d loss / d loss = 1 and adds every d loss / d tensor into the gradients of the tape and of
// the parameters that it read (reverse mode: Baydin et al. 2018, section 3.2). `loss` has one
// element, and some input with a gradient, or the program ends. Once a tape: a second walk would
// count the first again. Parameters' gradients are cleared by params_zero_grad.
void tape_backward(Tape *tape, Tensor *loss);

// For a backward that can replace as well as add: whether the gradient of x holds something
// already. From now on it does. An op that asks this of all its inputs sets `replaces`, and they
// aren't cleared for it. (Of a view, that of what it views is asked.)
bool grad_started(Tensor *x);

// "(2, 3, 4)", in `text` of at least 64 bytes.
const char *tensor_shape(const Tensor *x, char text[64]);

#endif
