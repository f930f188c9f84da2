#ifndef AUTOGRAD_TAPE_H
#define AUTOGRAD_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

// Masked scores are -INFINITY, NaNs must be noticed, sums keep their order: -ffast-math breaks this.
#if defined __FAST_MATH__ || __FINITE_MATH_ONLY__ || __ASSOCIATIVE_MATH__ || __RECIPROCAL_MATH__
#error "compile without -ffast-math and -Ofast: they drop infinities and NaN, and reorder sums"
#endif

// Dimensions, everywhere: B batch, L sequence length, D model width, H heads, V vocabulary,
// d_k width of a query and a key, d_v width of a value.

// An array of floats, row-major and contiguous, with what the walk backward needs.
typedef struct Tensor Tensor;
typedef struct Tape Tape;
struct Tensor {
    int rank;                        // 0 (a scalar) to 4
    int shape[4];                    // shape[rank - 1] varies fastest
    size_t size;                     // product of shape
    float *data;                     // (size) owned by the arena of a Tape or of a Params; NULL for
                                     // a parameter before params_seal, and after tape_release
    float *grad;                     // (size) d loss / d data; NULL: not wanted, or (if the tape
                                     // recycles) not there yet
    bool wants_grad;                 // trained, or computed from what is
    bool grad_unset;                 // nothing was written to grad yet, not even 0
    bool writes_grad;                // backward asks grad_started() for each input (see there)
    bool releasable;                 // its own backward doesn't read data
    int reads;                       // how many ops and views took it as an input
    const char *name;                // of the parameter, or of the op that made the tensor
    Tensor *in[3];                   // the inputs of the op; NULL where it has fewer
    void (*backward)(Tensor *out);   // adds to the gradients of in[]; NULL for a leaf or a view
    Tape *tape;                      // that recorded it; NULL for a parameter
    const void *saved;               // what backward needs from the forward
    float factor;                    // the same, where one number is enough
    Tensor *prev;                    // the tensor recorded before this one
};

// A tensor without data and gradient. A Tape and a Params start from it. A rank beyond 0 .. 4, a
// dimension below 1 or more than TENSOR_MOST numbers end the program: so no size in bytes that is
// computed from one tensor overflows.
#define TENSOR_MOST (SIZE_MAX / 32)
Tensor *tensor_new(Arena *arena, const char *name, int rank, const int *shape);

// Ends the program if x is a parameter that `call` reads or fills before params_seal.
void tensor_need_data(const Tensor *x, const char *call);

const char *tensor_shape(const Tensor *x, char text[64]);  // "(2, 3, 4)", in `text`

// The tape is the order: an op runs at once and appends its output; backward is one loop over all
// outputs in reverse. Everything on the tape lives until the next reset. Start with {0}.
struct Tape {
    Arena arena;
    Tensor *last;        // the newest tensor; its `prev` leads to the older ones
    bool no_gradients;   // measure only: no op gets a gradient
    bool recycles;       // memory is used again as soon as training doesn't need it (tape_release)
    struct Spare *spare; // that memory
    bool walked;         // tape_backward ran since the last reset: nothing may be recorded
};

void tape_reset(Tape *tape);   // forgets all tensors, keeps the memory
void tape_free(Tape *tape);

// A leaf without gradient, contents undefined: the caller fills `data`.
Tensor *tape_tensor(Tape *tape, int rank, const int *shape);

// The output of an op, contents undefined. It gets a gradient if any input has one. An input that
// an op computed must lie on this tape. Backward walks one tape, so it would not reach an input on
// another tape.
Tensor *tape_record(Tape *tape, const char *name, int rank, const int *shape,
                    void (*backward)(Tensor *), Tensor *a, Tensor *b, Tensor *c);

// `x` under another shape of the same size (another size ends the program): data and gradient are
// shared, nothing is copied.
Tensor *tape_view(Tape *tape, const char *name, Tensor *x, int rank, const int *shape);

// For a forward that has read `x`, and whose backward won't: a tape that recycles uses the memory of
// x->data again, if x is releasable and no other op has read it. An op that reads x later ends the
// program. The same tape gives up each value and each gradient when backward has passed it: then
// only parameters keep their gradients. It takes a third of the memory, and most of that is still
// in the cache.
void tape_release(Tape *tape, Tensor *x);

// Sets d loss / d loss = 1 and adds every d loss / d tensor into the gradients of the tape and of
// the parameters that it read (reverse mode: Baydin et al. 2018, section 3.2). `loss` must have one
// element, and an input with a gradient. Call it once between two resets: a second walk would count
// the first again, and ends the program. Parameters keep their gradients: params_zero_grad.
void tape_backward(Tape *tape, Tensor *loss);

// For the backward of an op that writes large gradients. It provides x->grad, for an x that wants
// it, and says whether that holds a sum already; if not, the caller must write (=), not add (+=).
// From now on the answer is true. An op that asks this for all its inputs sets `writes_grad`, and
// tape_backward then doesn't set their gradients to 0 first. A view shares the answer of its base.
bool grad_started(Tensor *x);
void grad_start(Tensor *x);  // x->grad is ready for +=: set to 0 if it holds no sum yet

#endif
