// Every op's gradient against dual numbers: a third reading of the calculus, after the difference
// quotients of test_gradient.c and PyTorch's of test_golden.c. It has no step size, so the rule of
// each backward must agree to 1e-10 in double, and the tape within the rounding of floats.
#include "dual.h"

#include <string.h>

#include "gradient.h"
#include "test.h"
#include "autograd/params.h"

// Of a gradient's largest element. The tape rounds to 6e-8 at each of some tens of operations.
static const double RULE = 1e-10, FLOATS = 2e-6;

// The gradient of sum_i dy_i y_i with respect to all inputs, each way.
typedef struct Gradients {
    const DualRow *row;
    DualArray in[3], y;
    double dy[DUAL_MOST], dual[3][DUAL_MOST], rule[3][DUAL_MOST], tape[3][DUAL_MOST];
} Gradients;

static int inputs(const DualRow *row) {
    int n = 0;
    while (n < 3 && row->in[n].rank >= 0) n++;
    return n;
}

// A float, away from 0, where relu has its edge; so float and double begin with the same number.
static double draw(Rng *rng) {
    float x = (float)(0.1 + 1.4 * rng_uniform(rng));
    return rng_next(rng) & 1 ? (double)x : -(double)x;
}

static Gradients *begin(const DualRow *row) {
    static Gradients g;
    Rng rng = rng_new(11, (uint64_t)(row - dual_rows));
    g = (Gradients){.row = row, .y = {.is = row->out, .size = dual_size(row->out)}};
    for (int k = 0; k < inputs(row); k++) {
        g.in[k] = (DualArray){.is = row->in[k], .size = dual_size(row->in[k])};
        CHECK(g.in[k].size <= DUAL_MOST, "%s: too large a row", row->op);
        for (int i = 0; i < g.in[k].size; i++) g.in[k].at[i].x = draw(&rng);
    }
    CHECK(g.y.size <= DUAL_MOST, "%s: too large a row", row->op);
    for (int i = 0; i < g.y.size; i++) g.dy[i] = draw(&rng);
    return &g;
}

// One direction after another: that of each element of each input.
static void by_duals(Gradients *g) {
    for (int k = 0; k < inputs(g->row); k++)
        for (int i = 0; i < g->in[k].size; i++) {
            g->in[k].at[i].d = 1;
            g->row->forward(g->row, g->in, &g->y);
            for (int j = 0; j < g->y.size; j++) g->dual[k][i] += g->dy[j] * g->y.at[j].d;
            g->in[k].at[i].d = 0;
        }
}

// The values of the tape's forward are compared on the way.
static void by_tape(Gradients *g) {
    static const char *const name[] = {"a", "b", "c"};
    Params params = {0};
    Tape tape = {0};
    Tensor *in[3];
    int n = inputs(g->row);
    for (int k = 0; k < n; k++)
        in[k] = params_add(&params, name[k], true, g->in[k].is.rank, g->in[k].is.shape);
    params_seal(&params);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < g->in[k].size; i++) in[k]->data[i] = (float)g->in[k].at[i].x;
    Tensor *y = g->row->tape(&tape, in), *dy = tape_tensor(&tape, y->rank, y->shape);
    CHECK_STRING(y->name, g->row->op);
    CHECK_INT(y->rank, g->row->out.rank);
    CHECK(!memcmp(y->shape, g->row->out.shape, sizeof(int) * (size_t)y->rank), "%s: another shape",
          y->name);
    for (int i = 0; i < g->y.size; i++) {
        double expected = g->y.at[i].x, got = y->data[i];
        dy->data[i] = (float)g->dy[i];
        CHECK(got == expected || fabs(got - expected) <= FLOATS * fmax(1, fabs(expected)),
              "%s: y[%d]: expected %.9g, got %.9g", y->name, i, expected, got);
    }
    tape_backward(&tape, sum(&tape, mul(&tape, y, dy)));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < g->in[k].size; i++) g->tape[k][i] = in[k]->grad[i];
    params_free(&params);
    tape_free(&tape);
}

static void compare(const Gradients *g, double (*got)[DUAL_MOST], double most, const char *by) {
    for (int k = 0; k < inputs(g->row); k++) {
        double largest = 0;
        for (int i = 0; i < g->in[k].size; i++) largest = fmax(largest, fabs(g->dual[k][i]));
        CHECK(largest > 0.01, "%s: input %d has no gradient", g->row->op, k);
        for (int i = 0; i < g->in[k].size; i++) {
            double error = fabs(got[k][i] - g->dual[k][i]) / largest;
            CHECK(error <= most, "%s, row %d: gradient of input %d[%d] by %s: expected %.12g, "
                  "got %.12g", g->row->op, (int)(g->row - dual_rows), k, i, by, g->dual[k][i],
                  got[k][i]);
        }
    }
}

static void rules(void) {
    for (const DualRow *row = dual_rows; row < dual_rows + dual_row_count; row++) {
        Gradients *g = begin(row);
        if (!row->backward) continue;
        by_duals(g);
        row->backward(row, g->in, &g->y, g->dy, g->rule);
        compare(g, g->rule, RULE, "the rule");
    }
}

static void tapes(void) {
    for (const DualRow *row = dual_rows; row < dual_rows + dual_row_count; row++) {
        Gradients *g = begin(row);
        by_duals(g);
        by_tape(g);
        compare(g, g->tape, FLOATS, "the tape");
    }
}

static void every_op(void) {
    for (int i = 0; i < gradient_row_count; i++) {
        bool there = false;
        for (int k = 0; k < dual_row_count; k++)
            there |= !strcmp(dual_rows[k].op, gradient_rows[i].op);
        CHECK(there, "%s: no row in tests/dual.c", gradient_rows[i].op);
    }
}

void tests_dual(void) {
    test("every op that has a gradient test is there in dual numbers", every_op);
    test("the rule of each op's backward is the derivative by dual numbers to 1e-10", rules);
    test("the tape's gradient of each op is that by dual numbers, within the rounding of floats",
         tapes);
}
