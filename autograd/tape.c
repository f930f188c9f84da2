#include "tape.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fatal.h"

void tape_reset(Tape *tape) {
    arena_reset(&tape->arena);
    tape->last = NULL;
}

void tape_free(Tape *tape) {
    arena_free(&tape->arena);
    *tape = (Tape){0};
}

static Tensor *append(Tape *tape, const char *name, int rank, const int *shape) {
    if (rank < 0 || rank > 4) fatal("%s: rank %d; a tensor has 0 to 4 dimensions", name, rank);
    Tensor *x = arena_alloc(&tape->arena, 1, sizeof *x);
    *x = (Tensor){.rank = rank, .size = 1, .name = name, .prev = tape->last};
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 1)
            fatal("%s: dimension %d is %d; it must be at least 1%s", name, i, shape[i],
                  shape[i] == -1 ? ", and none is worked out from the others" : "");
        if (x->size > SIZE_MAX / sizeof(float) / (size_t)shape[i])
            fatal("%s: a tensor with more floats than can be addressed", name);
        x->shape[i] = shape[i];
        x->size *= (size_t)shape[i];
    }
    return tape->last = x;
}

Tensor *tape_tensor(Tape *tape, int rank, const int *shape) {
    Tensor *x = append(tape, "input", rank, shape);
    x->data = arena_alloc(&tape->arena, x->size, sizeof(float));
    return x;
}

Tensor *tape_record(Tape *tape, const char *name, int rank, const int *shape,
                    void (*backward)(Tensor *), Tensor *a, Tensor *b, Tensor *c) {
    Tensor *out = append(tape, name, rank, shape);
    out->data = arena_alloc(&tape->arena, out->size, sizeof(float));
    out->in[0] = a;
    out->in[1] = b;
    out->in[2] = c;
    out->backward = backward;
    bool wanted = (a && a->grad) || (b && b->grad) || (c && c->grad);
    if (wanted && !tape->no_gradients) {
        out->grad = arena_alloc(&tape->arena, out->size, sizeof(float));
        out->grad_unset = true;
    }
    return out;
}

Tensor *tape_view(Tape *tape, const char *name, Tensor *x, int rank, const int *shape) {
    Tensor *view = append(tape, name, rank, shape);
    char from[64], to[64];
    if (view->size != x->size)
        fatal("%s: %s holds %zu numbers, %s would hold %zu; a view keeps them all", name,
              tensor_shape(x, from), x->size, tensor_shape(view, to), view->size);
    view->data = x->data;
    view->grad = tape->no_gradients ? NULL : x->grad;
    view->in[0] = x;
    return view;
}

bool grad_started(Tensor *x) {
    while (!x->backward && x->in[0]) x = x->in[0];  // a view's gradient is that of what it views
    bool begun = !x->grad_unset;
    x->grad_unset = false;
    return begun;
}

// Gradients are cleared at the last moment, when they are about to be in the nearest cache anyway.
static void clear_grad(Tensor *x) {
    if (x && x->grad && !grad_started(x)) memset(x->grad, 0, x->size * sizeof *x->grad);
}

void tape_backward(Tape *tape, Tensor *loss) {
    char shape[64];
    if (loss->size != 1)
        fatal("backward: the loss has shape %s; it must be a single number; did you "
              "mean the sum or the mean of it?", tensor_shape(loss, shape));
    if (!loss->grad)
        fatal("backward: nothing that the loss depends on wants a gradient%s",
              tape->no_gradients ? "; the tape has no_gradients set"
                                 : "; parameters that params_add calls trained do");
    clear_grad(loss);
    loss->grad[0] += 1;
    for (Tensor *x = tape->last; x; x = x->prev) {
        if (!x->grad || !x->backward) continue;
        // the loss doesn't depend on it: 0, and 0 times anything is not to be added
        if (!grad_started(x)) {
            memset(x->grad, 0, x->size * sizeof *x->grad);
            continue;
        }
        for (int i = 0; i < 3 && !x->overwrites_grad; i++) clear_grad(x->in[i]);
        x->backward(x);
    }
}

const char *tensor_shape(const Tensor *x, char text[64]) {
    int n = snprintf(text, 64, "(");
    for (int i = 0; i < x->rank; i++)
        n += snprintf(text + n, 64 - (size_t)n, i ? ", %d" : "%d", x->shape[i]);
    snprintf(text + n, 64 - (size_t)n, ")");
    return text;
}
