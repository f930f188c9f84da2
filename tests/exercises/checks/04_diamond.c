#include <string.h>

#include "tests/exercises/check.h"

enum { N = 5 };

static const float at[N] = {-1.5f, -0.4f, 0.3f, 0.8f, 1.7f};

// ---- does the learner's graph show the bug? ----------------------------------------------------

static void adds(Tensor *out) {
    for (size_t i = 0; i < out->size; i++) out->in[0]->grad[i] += 3 * out->grad[i];
}

static void overwrites(Tensor *out) {
    for (size_t i = 0; i < out->size; i++) out->in[0]->grad[i] = 3 * out->grad[i];
}

static Tensor *triple(Tape *tape, Tensor *a, void (*backward)(Tensor *)) {
    Tensor *out = tape_record(tape, "triple", a->rank, a->shape, backward, a, NULL, NULL);
    for (size_t i = 0; i < out->size; i++) out->data[i] = 3 * a->data[i];
    return out;
}

static Tensor *good_triple(Tape *tape, Tensor *a) { return triple(tape, a, adds); }
static Tensor *bad_triple(Tape *tape, Tensor *a) { return triple(tape, a, overwrites); }

static void gradient(Tensor *(*graph)(Tape *, Tensor *, Op *), Op *op, float dx[N]) {
    Tape tape = {0};
    Tensor *x = leaf(&tape, 1, (const int[]){N}, 1, 1);
    memcpy(x->data, at, sizeof at);
    Tensor *end = graph(&tape, x, op);
    if (!end) wrong("diamond returns NULL: nothing is written there yet");
    if (!end->grad) wrong("the output of diamond has no gradient: it is not made from x by ops");
    tape_backward(&tape, sum(&tape, end));
    memcpy(dx, x->grad, N * sizeof *dx);
    tape_free(&tape);
}

static void check_diamond(void) {
    float good[N], bad[N];
    trying("diamond");
    gradient(diamond, good_triple, good);
    gradient(diamond, bad_triple, bad);
    if (!memcmp(good, bad, sizeof good))
        wrong("diamond does not show the bug: a backward that overwrites and one that adds both "
              "give dL/dx = %g. A chain has nothing to overwrite; let two paths lead from x to the "
              "output",
              (double)good[0]);
}

// ---- do the ops add? ---------------------------------------------------------------------------

// x + op(x): the backward of the sum has written into x->grad before that of op runs.
static Tensor *beside(Tape *tape, Tensor *x, Op *op) { return add(tape, x, op(tape, x)); }

static Tensor *alone(Tape *tape, Tensor *x, Op *op) { return op(tape, x); }

static void check_op(const char *name, Op *op, const double slope[N]) {
    double both[N], erased_below[N];
    float dx[N];
    char what[64];
    for (int i = 0; i < N; i++) {
        both[i] = 1 + slope[i];
        erased_below[i] = at[i] > 0 ? both[i] : 0;
    }
    snprintf(what, sizeof what, "%s alone: dL/dx", name);
    trying(name);
    gradient(alone, op, dx);
    compare(what, dx, slope, N, NULL);
    snprintf(what, sizeof what, "x + %s(x): dL/dx", name);
    gradient(beside, op, dx);
    compare(
        what, dx, both, N,
        (const Guess[]){
            {"is what the op adds; what the other path had added is overwritten", slope},
            {"is right where x > 0; elsewhere what the other path had added is overwritten",
             erased_below},
            {0}});
}

void check(void) {
    double half[N], square[N], step[N];
    for (int i = 0; i < N; i++) {
        half[i] = 0.5;
        square[i] = 2 * (double)at[i];
        step[i] = at[i] > 0;
    }
    check_diamond();
    check_op("my_halve", my_halve, half);
    check_op("my_square", my_square, square);
    check_op("my_relu", my_relu, step);
}
