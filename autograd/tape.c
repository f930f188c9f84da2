// Reverse-mode differentiation. Read arena.c before it and ops.c after it.
//
// While ops run, tape_record makes a list of their outputs. tape_backward walks that list once,
// from the newest to the oldest. When the walk meets a tensor, all tensors that read it have been
// met before, since they are newer: its gradient is complete and can go on to its own inputs.
#include "tape.h"

#include <stdio.h>
#include <string.h>

#include "fatal.h"

Tensor *tensor_new(Arena *arena, const char *name, int rank, const int *shape) {
    if (rank < 0 || rank > 4) fatal("%s: rank %d; a tensor has 0 to 4 dimensions", name, rank);
    Tensor *x = arena_alloc(arena, 1, sizeof *x);
    *x = (Tensor){.rank = rank, .size = 1, .name = name};
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 1)
            fatal("%s: dimension %d is %d; it must be at least 1%s", name, i, shape[i],
                  shape[i] == -1 ? ", and none is worked out from the others" : "");
        if (x->size > TENSOR_MOST / (size_t)shape[i])
            fatal("%s: more numbers than can be addressed", name);
        x->shape[i] = shape[i];
        x->size *= (size_t)shape[i];
    }
    return x;
}

void tensor_need_data(const Tensor *x, const char *call) {
    char shape[64];
    if (x->data) return;
    if (!x->tape) fatal("%s: parameter %s has no data yet; call params_seal first", call, x->name);
    fatal("%s: the memory of %s %s is in use again, since an op that read it has released it; read "
          "it before that op, or unset `recycles` of the tape", call, x->name,
          tensor_shape(x, shape));
}

const char *tensor_shape(const Tensor *x, char text[64]) {
    int n = snprintf(text, 64, "(");
    for (int i = 0; i < x->rank; i++)
        n += snprintf(text + n, 64 - (size_t)n, i ? ", %d" : "%d", x->shape[i]);
    snprintf(text + n, 64 - (size_t)n, ")");
    return text;
}

// ---- memory that is used again -----------------------------------------------------------------

// A piece of the arena that nobody needs any more. This stands in its first bytes.
typedef struct Spare { struct Spare *next; size_t size; } Spare;

static void give_back(Tape *tape, float *numbers, size_t size) {
    Spare *spare = (Spare *)(void *)numbers;
    *spare = (Spare){tape->spare, size};
    tape->spare = spare;
}

// Room for that many numbers: the smallest piece that fits, if it isn't much too large.
static float *numbers_new(Tape *tape, size_t size) {
    Spare *best = NULL, **to_best = &tape->spare, **to = &tape->spare;
    for (Spare *s = tape->spare; s; to = &s->next, s = s->next)
        if (s->size >= size && (!best || s->size < best->size)) best = s, to_best = to;
    if (!best || best->size > 2 * size + 16)
        return arena_alloc(&tape->arena, size, sizeof(float));
    *to_best = best->next;
    return (float *)(void *)best;
}

void tape_release(Tape *tape, Tensor *x) {
    if (!tape->recycles || x->tape != tape || !x->releasable || x->reads > 1) return;
    give_back(tape, x->data, x->size);
    x->data = NULL;
}

// ---- forward: the list grows -------------------------------------------------------------------

static Tensor *append(Tape *tape, const char *name, int rank, const int *shape) {
    if (tape->walked)
        fatal("%s: the tape has run backward; call tape_reset before the next forward", name);
    Tensor *x = tensor_new(&tape->arena, name, rank, shape);
    x->tape = tape;
    x->prev = tape->last;
    return tape->last = x;
}

Tensor *tape_tensor(Tape *tape, int rank, const int *shape) {
    Tensor *x = append(tape, "input", rank, shape);
    x->data = arena_alloc(&tape->arena, x->size, sizeof(float));
    return x;
}

// What a view views, through any number of views; x itself if it is none.
static Tensor *base(Tensor *x) {
    while (!x->backward && x->in[0]) x = x->in[0];
    return x;
}

static void need_input(const Tape *tape, const char *name, Tensor *x) {
    char shape[64];
    tensor_need_data(x, name);
    x->reads++;
    if (base(x)->backward && x->wants_grad && x->tape != tape)
        fatal("%s: %s %s was computed on another tape; backward would not get there", name, x->name,
              tensor_shape(x, shape));
}

Tensor *tape_record(Tape *tape, const char *name, int rank, const int *shape,
                    void (*backward)(Tensor *), Tensor *a, Tensor *b, Tensor *c) {
    Tensor *out = append(tape, name, rank, shape), *in[] = {a, b, c};
    out->data = numbers_new(tape, out->size);
    out->backward = backward;
    for (int i = 0; i < 3 && in[i]; i++) {
        need_input(tape, name, in[i]);
        out->in[i] = in[i];
        out->wants_grad |= in[i]->wants_grad && !tape->no_gradients;
    }
    out->grad_unset = out->wants_grad;
    if (out->wants_grad && !tape->recycles) out->grad = numbers_new(tape, out->size);
    return out;
}

Tensor *tape_view(Tape *tape, const char *name, Tensor *x, int rank, const int *shape) {
    Tensor *view = append(tape, name, rank, shape);
    char from[64], to[64];
    if (view->size != x->size)
        fatal("%s: %s holds %zu numbers, %s would hold %zu; a view keeps them all", name,
              tensor_shape(x, from), x->size, tensor_shape(view, to), view->size);
    need_input(tape, name, x);
    view->data = x->data;
    view->wants_grad = x->wants_grad && !tape->no_gradients;
    view->grad = view->wants_grad ? x->grad : NULL;
    view->in[0] = x;
    return view;
}

// ---- backward: one walk in reverse -------------------------------------------------------------

bool grad_started(Tensor *x) {
    Tensor *of = base(x);
    bool started = !of->grad_unset;
    of->grad_unset = false;
    if (!of->grad && of->tape) of->grad = numbers_new(of->tape, of->size);
    x->grad = of->grad;
    return started;
}

// Called right before backward adds to x->grad, so that the zeros are still in the nearest cache.
void grad_start(Tensor *x) {
    if (!grad_started(x)) memset(x->grad, 0, x->size * sizeof *x->grad);
}

void tape_backward(Tape *tape, Tensor *loss) {
    char shape[64];
    if (tape->walked)
        fatal("backward: a second time on one tape would count the first gradients twice; call "
              "tape_reset before the next step");
    if (loss->tape && loss->tape != tape)
        fatal("backward: the loss was computed on another tape; pass the tape that recorded it");
    if (loss->size != 1)
        fatal("backward: the loss has shape %s; it must be a single number; did you "
              "mean the sum or the mean of it?", tensor_shape(loss, shape));
    if (!loss->wants_grad)
        fatal("backward: nothing that the loss depends on wants a gradient%s",
              tape->no_gradients ? "; the tape has no_gradients set"
                                 : "; parameters that params_add calls trained do");
    tape->walked = true;
    grad_start(loss);
    loss->grad[0] += 1;  // d loss / d loss
    for (Tensor *x = tape->last; x; x = x->prev) {
        if (!x->wants_grad || !x->backward) continue;  // a constant, a leaf or a view
        // The loss doesn't depend on x: its gradient is 0, and backward would add 0 times anything,
        // which is NaN if that is infinite.
        if (x->grad_unset) {
            grad_start(x);
            continue;
        }
        for (int i = 0; i < 3 && x->in[i] && !x->writes_grad; i++)
            if (x->in[i]->wants_grad) grad_start(x->in[i]);
        x->backward(x);
        if (!tape->recycles) continue;
        give_back(tape, x->grad, x->size);
        if (x->data) give_back(tape, x->data, x->size);
        x->data = x->grad = NULL;
    }
}

void tape_reset(Tape *tape) {
    arena_reset(&tape->arena);
    tape->last = NULL;
    tape->spare = NULL;
    tape->walked = false;
}

void tape_free(Tape *tape) {
    arena_free(&tape->arena);
    *tape = (Tape){0};
}
