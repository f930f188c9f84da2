#include "tests/exercises/check.h"

enum { N = 6 };

static void fill(const float *x, const float *y, double *product) {
    for (size_t i = 0; i < N; i++) product[i] = (double)x[i] * (double)y[i];
}

// One gradient, with the guesses that a factor is missing or is the wrong one.
static void check_side(const char *what, const char *lost, const char *own, Tensor *out, Tensor *x,
                       const Tensor *other) {
    double expected[N], factor[N], dout[N], wrong_one[N];
    fill(other->data, out->grad, expected);
    copied(out->grad, N, factor);
    copied(other->data, N, dout);
    fill(x->data, out->grad, wrong_one);
    compare_gradient(
        what, out, x, expected,
        (const Guess[]){
            {lost, factor},
            {"is missing the factor dout, the gradient of the product", dout},
            {own, wrong_one},
            {0}});
}

static void check_twice(Tape *tape, Tensor *a) {
    double expected[N];
    clear(a);
    Tensor *square = my_mul(tape, a, a);
    for (size_t i = 0; i < N; i++) square->grad[i] = 1, expected[i] = 2 * (double)a->data[i];
    square->backward(square);
    compare("d(a a)/da", a->grad, expected, N, NULL);
}

void check(void) {
    Tape tape = {0};
    const int shape[] = {2, 3};
    double product[N], sum[N];
    // All positive, so that a missing factor does not change the sign; all different.
    Tensor *a = leaf(&tape, 2, shape, 1, 1), *b = leaf(&tape, 2, shape, 2, 1);
    for (int i = 0; i < N; i++)
        a->data[i] = 0.5f + 0.3f * (float)i, b->data[i] = 2.7f - 0.4f * (float)i;
    trying("my_mul");
    Tensor *out = my_mul(&tape, a, b);
    check_recorded("my_mul", out, a);
    fill(a->data, b->data, product);
    for (int i = 0; i < N; i++) sum[i] = (double)a->data[i] + (double)b->data[i];
    compare("a b", out->data, product, N, (const Guess[]){{"is the sum a + b", sum}, {0}});
    if (!out->backward || !out->grad)
        wrong("my_mul records no backward, so no gradient passes through it");
    trying("the backward of my_mul");
    for (int i = 0; i < N; i++) out->grad[i] = 1.1f + 0.7f * (float)(i * i % 4);
    check_side("dL/da", "has the right sign but is missing the factor b",
               "has the factor a; it should be b", out, a, b);
    check_side("dL/db", "has the right sign but is missing the factor a",
               "has the factor b; it should be a", out, b, a);
    trying("the backward of my_mul(a, a)");
    check_twice(&tape, a);
    trying("the backward of my_mul, if b needs no gradient (b->grad is NULL),");
    b->grad = NULL;
    out->backward(out);
    tape_free(&tape);
}
