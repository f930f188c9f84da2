// Every op's backward against central differences of its forward. The loss is a random projection
// of the output; its difference quotient is summed in double from the output, so that what is left
// of noise is the rounding of the op alone.
#include "gradient.h"

#include <string.h>

#include "test.h"
#include "autograd/params.h"

static const double STEP = 1e-2, TOLERANCE = 2e-3;

// The inputs of a row: those in the set `trained` are parameters with a gradient, the others leaves
// without. Values keep away from 0, where relu has its edge.
typedef struct Case {
    const GradientRow *row;
    Params params;
    Tape leaves, tape;
    Tensor *in[3];
    Rng rng;
} Case;

static float away_from_zero(Rng *rng) {
    float x = (float)(0.1 + 1.4 * rng_uniform(rng));
    return rng_next(rng) & 1 ? x : -x;
}

static Case case_new(const GradientRow *row, unsigned trained) {
    const char *names[] = {"a", "b", "c"};
    Case c = {.row = row, .rng = rng_new(7, (uint64_t)(row - gradient_rows))};
    for (int i = 0; i < gradient_inputs(row); i++)
        if (trained >> i & 1)
            c.in[i] = params_add(&c.params, names[i], true, row->in[i].rank, row->in[i].shape);
    params_seal(&c.params);
    for (int i = 0; i < gradient_inputs(row); i++) {
        if (!c.in[i]) c.in[i] = tape_tensor(&c.leaves, row->in[i].rank, row->in[i].shape);
        for (size_t j = 0; j < c.in[i]->size; j++) c.in[i]->data[j] = away_from_zero(&c.rng);
    }
    return c;
}

static void case_free(Case *c) {
    params_free(&c->params);
    tape_free(&c->leaves);
    tape_free(&c->tape);
}

// Not in the Case's generator: the projection is the same at each call.
static Tensor *projection(Case *c, const Tensor *out) {
    Tensor *p = tape_tensor(&c->tape, out->rank, out->shape);
    Rng rng = rng_new(8, 0);
    for (size_t i = 0; i < p->size; i++) p->data[i] = away_from_zero(&rng);
    return p;
}

static Tensor *build(Case *c) {
    tape_reset(&c->tape);
    return c->row->build(&c->tape, c->in, c->row->n);
}

static void backward(Case *c) {
    Tensor *out = build(c);
    tape_backward(&c->tape, sum(&c->tape, mul(&c->tape, out, projection(c, out))));
}

// What is forbidden is -infinity whatever the inputs are: a constant, left out.
static double projected(Case *c) {
    Tensor *out = build(c), *p = projection(c, out);
    double total = 0;
    for (size_t i = 0; i < out->size; i++)
        if (out->data[i] != -INFINITY) total += (double)p->data[i] * out->data[i];
    return total;
}

static double quotient(Case *c, float *x) {
    float middle = *x;
    *x = (float)(middle + STEP);
    double width = *x, above = projected(c);
    *x = (float)(middle - STEP);
    width -= *x;
    double below = projected(c);
    *x = middle;
    return (above - below) / width;
}

static const char *describe(const Case *c, int input) {
    static char text[256];
    char shape[64];
    int n = snprintf(text, sizeof text, "row %d: %s of", (int)(c->row - gradient_rows), c->row->op);
    for (int i = 0; i < gradient_inputs(c->row); i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %s", tensor_shape(c->in[i], shape));
    snprintf(text + n, sizeof text - (size_t)n, ", gradient of input %d", input);
    return text;
}

// Gives the largest quotient. A small one is held to a tenth of that: its rounding is no smaller.
static double compare(Case *c, int input) {
    Tensor *x = c->in[input];
    double expected[512], largest = 0;
    CHECK(x->size <= 512, "%s: too large a row", describe(c, input));
    for (size_t j = 0; j < x->size; j++) {
        expected[j] = quotient(c, x->data + j);
        if (!(fabs(expected[j]) <= largest)) largest = fabs(expected[j]);
    }
    for (size_t j = 0; j < x->size; j++) {
        double got = x->grad[j], floor = fmax(0.1 * largest, 0.02);
        double error = fabs(got - expected[j]) / fmax(floor, fmax(fabs(expected[j]), fabs(got)));
        CHECK(error <= TOLERANCE, "%s[%zu]: expected %.6g, got %.6g", describe(c, input), j,
              expected[j], got);
    }
    return largest;
}

static void check_subset(const GradientRow *row, unsigned trained) {
    Case c = case_new(row, trained);
    CHECK_STRING(build(&c)->name, row->op);
    CHECK(!trained == !build(&c)->grad, "%s: a gradient of the output is %s", describe(&c, 0),
          trained ? "missing" : "there, and nobody wants it");
    if (trained) backward(&c);
    double largest = 0;
    for (int i = 0; i < gradient_inputs(row); i++) {
        if (trained >> i & 1) largest = fmax(largest, compare(&c, i));
        else CHECK(!c.in[i]->grad, "%s: it wants none and has one", describe(&c, i));
    }
    bool all = trained + 1 == 1u << gradient_inputs(row);
    CHECK(!all || row->flat == (largest < 1e-3), "%s: the largest is %g", describe(&c, 0), largest);
    case_free(&c);
}

static void check_adding(const GradientRow *row) {
    Case c = case_new(row, 7);
    float once[2048];
    CHECK(c.params.size <= 2048, "%s: too large a row", describe(&c, 0));
    backward(&c);
    memcpy(once, c.params.grad, c.params.size * sizeof *once);
    double largest = 0;
    for (size_t i = 0; i < c.params.size; i++) largest = fmax(largest, fabs((double)once[i]));
    backward(&c);
    for (size_t i = 0; i < c.params.size; i++)
        CHECK(fabs(c.params.grad[i] - 2.0 * once[i]) <= 1e-5 * largest,
              "%s: number %zu, expected twice %.9g, got %.9g", describe(&c, 0), i, (double)once[i],
              (double)c.params.grad[i]);
    case_free(&c);
}

static void check_measuring(const GradientRow *row) {
    Case c = case_new(row, 7);
    c.tape.no_gradients = true;
    build(&c);
    for (Tensor *x = c.tape.last; x; x = x->prev)
        CHECK(!x->grad, "%s: without gradients, %s has one", describe(&c, 0), x->name);
    case_free(&c);
}

static const char *op;  // the one that is being tested

static void gradient(void) {
    for (int i = 0; i < gradient_row_count; i++) {
        const GradientRow *row = gradient_rows + i;
        if (strcmp(row->op, op)) continue;
        for (unsigned trained = 0; trained < 1u << gradient_inputs(row); trained++)
            check_subset(row, trained);
        check_adding(row);
        check_measuring(row);
    }
}

static void has_row(void) {
    CHECK(gradient_has_row("matmul_t"), "matmul_t has rows");
    CHECK(!gradient_has_row("matmul_"), "matmul_ is no op");
    CHECK(!gradient_has_row("input"), "a leaf is no op");
}

void tests_gradient(void) {
    for (int i = 0; i < gradient_row_count; i++) {
        if (i && !strcmp(gradient_rows[i].op, gradient_rows[i - 1].op)) continue;
        char sentence[128];
        op = gradient_rows[i].op;
        snprintf(sentence, sizeof sentence, "the gradient of %s is its difference quotient", op);
        test(sentence, gradient);
    }
    test("the gradient test knows which ops it has rows for", has_row);
}
