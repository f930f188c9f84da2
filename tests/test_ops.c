// The tape and the ops at their edges: cases from bug reports of other
// autograds, infinities, masks.
#include "autograd/ops.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "test.h"
#include "autograd/params.h"

// A tensor with a gradient, outside of any tape. Lives until the test's process ends.
static Tensor *trained(int rank, const int *shape, const float *numbers) {
    static Params all[64];
    static int used;
    CHECK(used < 64, "too many tensors in a test");
    Params *p = &all[used++];
    Tensor *x = params_add(p, "x", true, rank, shape);
    params_seal(p);
    for (size_t i = 0; i < x->size; i++) x->data[i] = numbers ? numbers[i] : (float)i + 1;
    return x;
}

static Tensor *number(float value) { return trained(0, NULL, &value); }

static Tensor *row(int n, const float *numbers) { return trained(2, (const int[]){1, n}, numbers); }

#define ROW(...) row(sizeof((float[]){__VA_ARGS__}) / sizeof(float), (const float[]){__VA_ARGS__})

static void same_numbers(const char *what, const float *got, const float *expected, size_t n) {
    for (size_t i = 0; i < n; i++)
        CHECK(got[i] == expected[i] || (isnan(got[i]) && isnan(expected[i])),
              "%s[%zu]: expected %g, got %g", what, i, (double)expected[i], (double)got[i]);
}

static void all_finite(const char *what, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) CHECK(isfinite(x[i]), "%s[%zu] is %g", what, i, (double)x[i]);
}

// ---- the tape -----------------------------------------------------------------------------------

static void used_twice(void) {
    Tape tape = {0};
    Tensor *a = number(1), *b = add(&tape, a, a), *c = add(&tape, b, b);
    tape_backward(&tape, c);
    CHECK_NEAR(c->data[0], 4, 0);
    CHECK_NEAR(a->grad[0], 4, 0);
    tape_free(&tape);
}

// f = x (x a) + x x a + x (x a)
static void used_on_many_paths(void) {
    Tape tape = {0};
    Tensor *x = number(1), *a = number(1), *xa = mul(&tape, x, a);
    Tensor *first = mul(&tape, x, xa), *second = mul(&tape, mul(&tape, x, x), a);
    Tensor *f = add(&tape, add(&tape, first, second), mul(&tape, x, xa));
    tape_backward(&tape, f);
    CHECK_NEAR(f->data[0], 3, 0);
    CHECK_NEAR(x->grad[0], 6, 0);
    CHECK_NEAR(a->grad[0], 3, 0);
    tape_free(&tape);
}

static void views_share(void) {
    Tape tape = {0};
    Tensor *x = trained(1, (const int[]){4}, NULL);
    Tensor *view = reshape(&tape, x, 2, (const int[]){2, 2});
    CHECK(view->data == x->data && view->grad == x->grad, "reshape copied");
    tape_backward(&tape, sum(&tape, add(&tape, mul(&tape, view, view), view)));  // d = 2 x + 1
    same_numbers("gradient", x->grad, (const float[]){3, 5, 7, 9}, 4);
    tape_free(&tape);
}

// Each call looks into its caller's frame, so that no compiler makes a loop of it.
static int recurse(int depth, const volatile char *caller) {
    volatile char frame[1024];
    frame[0] = (char)depth;
    int below = depth ? recurse(depth - 1, frame) : 0;
    return (below + frame[0] + caller[0]) & 127;
}

static void recurse_1_mib(void *unused) {
    (void)unused;
    volatile char first = 0;
    volatile int result = recurse(1024, &first);
    (void)result;
}

static void long_chain(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = 256 << 10;
    CHECK(!setrlimit(RLIMIT_STACK, &limit), "the stack can't be limited");
    int status;
    test_stderr_of(recurse_1_mib, NULL, &status);
    CHECK(status != 0, "a recursion of 1 MiB survives a stack of 256 KiB: the limit doesn't bind");

    Tape tape = {0};
    Tensor *a = number(1), *x = a;
    for (int i = 0; i < 1000000; i++) x = add(&tape, x, a);
    tape_backward(&tape, x);
    CHECK_NEAR(x->data[0], 1000001, 0);
    CHECK_NEAR(a->grad[0], 1000001, 0);
    tape_free(&tape);
}

static void no_gradients(void) {
    Tape tape = {.no_gradients = true};
    Tensor *x = trained(3, (const int[]){1, 2, 4}, NULL),
           *gain = trained(1, (const int[]){4}, NULL);
    Tensor *y = merge_heads(&tape, split_heads(&tape, layer_norm(&tape, x, gain, gain), 1));
    Tensor *scores = softmax(&tape,
                             matmul_t(&tape, y, reshape(&tape, x, 3, (const int[]){1, 2, 4})));
    cross_entropy(&tape, scores, (const int[]){0, 1});
    for (Tensor *t = tape.last; t; t = t->prev)
        CHECK(!t->grad, "%s has a gradient", t->name);
    tape_free(&tape);
}

static void same_memory(void) {
    Tape tape = {0};
    Arena first = {0};
    Tensor *x = trained(3, (const int[]){4, 8, 16}, NULL),
           *gain = trained(1, (const int[]){16}, NULL);
    for (int step = 0; step < 5; step++) {
        tape_reset(&tape);
        CHECK_INT((long long)tape.arena.used, 0);
        Tensor *y = x;
        for (int layer = 0; layer < 20; layer++) y = gelu(&tape, layer_norm(&tape, y, gain, gain));
        tape_backward(&tape, mean(&tape, y));
        if (step == 1) first = tape.arena;
        if (step < 2) continue;
        CHECK(tape.arena.block == first.block, "step %d moved to another block", step);
        CHECK_INT((long long)tape.arena.used, (long long)first.used);
        CHECK_INT((long long)tape.arena.peak, (long long)first.peak);
    }
    tape_free(&tape);
}

// The backward of an op that nobody asked is not called: it has no gradients to add into.
static void constants_between(void) {
    Tape tape = {0};
    Tensor *x = number(3), *constant = tape_tensor(&tape, 0, NULL);
    constant->data[0] = 2;
    Tensor *factor = softmax(&tape,
                             gelu(&tape, relu(&tape, scale(&tape, mean(&tape, constant), 2))));
    CHECK(!factor->grad, "a constant has a gradient");
    tape_backward(&tape, mul(&tape, x, factor));
    CHECK_NEAR(x->grad[0], 1, 0);
    tape_free(&tape);
}

static void repeated_operand(void) {
    Tape tape = {0};
    Tensor *a = trained(3, (const int[]){2, 2, 3}, NULL), *b = trained(1, (const int[]){3}, NULL);
    Tensor *out = add(&tape, mul(&tape, a, b), b);
    CHECK_INT(out->rank, 3);
    CHECK_INT((long long)b->size, 3);
    tape_backward(&tape, sum(&tape, out));
    const float expected[] = {1 + 4 + 7 + 10 + 4, 2 + 5 + 8 + 11 + 4, 3 + 6 + 9 + 12 + 4};
    same_numbers("gradient", b->grad, expected, 3);
    tape_free(&tape);
}

// ---- infinities and masks -----------------------------------------------------------------------

static void softmax_of_nothing(void) {
    Tape tape = {0};
    Tensor *x = ROW(-INFINITY, -INFINITY, -INFINITY), *y = softmax(&tape, x);
    same_numbers("softmax", y->data, (const float[]){0, 0, 0}, 3);
    tape_backward(&tape, sum(&tape, mul(&tape, y, ROW(1, 2, 3))));
    same_numbers("gradient", x->grad, (const float[]){0, 0, 0}, 3);
    tape_free(&tape);
}

static void hidden_future(void) {
    Tape tape = {0};
    const unsigned char causal[] = {1, 0, 0, 1, 1, 0, 1, 1, 1};
    Tensor *x = trained(3, (const int[]){1, 3, 3}, NULL);
    for (int i = 0; i < 9; i++) x->data[i] = i % 3 > i / 3 ? 20000 : -20000;
    Tensor *y = softmax(&tape, mask(&tape, x, causal, 1));
    const float third = 1 / 3.0f;
    same_numbers("softmax", y->data, (const float[]){1, 0, 0, 0.5f, 0.5f, 0, third, third, third},
                 9);
    tape_backward(&tape, sum(&tape, mul(&tape, y, trained(3, (const int[]){1, 3, 3}, NULL))));
    all_finite("gradient", x->grad, 9);
    for (int i = 0; i < 9; i++)
        if (!causal[i]) CHECK_NEAR(x->grad[i], 0, 0);
    tape_free(&tape);
}

// Whatever is not 0 allows.
static void mask_of_other_bytes(void) {
    Tape tape = {0};
    Tensor *x = trained(3, (const int[]){1, 1, 3}, NULL);
    Tensor *out = mask(&tape, x, (const unsigned char[]){0, 2, 255}, 1);
    same_numbers("mask", out->data, (const float[]){-INFINITY, 2, 3}, 3);
    tape_free(&tape);
}

static void equal_and_low(void) {
    Tape tape = {0};
    Tensor *y = softmax(&tape, ROW(-20000, -20000, -20000, -20000, -20000));
    for (int i = 0; i < 5; i++) CHECK_NEAR(y->data[i], 0.2, 1e-7);
    tape_free(&tape);
}

static void far_apart(void) {
    Tape tape = {0};
    Tensor *x = ROW(1000, -1000), *loss = cross_entropy(&tape, x, (const int[]){1});
    CHECK_NEAR(loss->data[0], 2000, 0);
    tape_backward(&tape, loss);
    same_numbers("gradient", x->grad, (const float[]){1, -1}, 2);
    tape_free(&tape);
}

// The largest number is subtracted wherever it stands.
static void large_anywhere(void) {
    Tape tape = {0};
    for (int at = 0; at < 3; at++) {
        float x[] = {-1000, -1000, -1000}, expected[] = {0, 0, 0};
        x[at] = 1000;
        expected[at] = 1;
        same_numbers("softmax", softmax(&tape, row(3, x))->data, expected, 3);
        for (int target = 0; target < 3; target++)
            CHECK_NEAR(cross_entropy(&tape, row(3, x), &target)->data[0], target == at ? 0 : 2000,
                       0);
    }
    tape_free(&tape);
}

static void no_targets(void) {
    Tape tape = {0};
    Tensor *x = trained(2, (const int[]){2, 3}, NULL);
    Tensor *loss = cross_entropy(&tape, x, (const int[]){NO_TARGET, NO_TARGET});
    CHECK_NEAR(loss->data[0], 0, 0);
    tape_backward(&tape, loss);
    same_numbers("gradient", x->grad, (const float[6]){0}, 6);
    tape_free(&tape);
}

static void constant_rows(void) {
    const float values[] = {0, 0.1f, -3.3f, 12345.678f, 1e-20f, 1e30f};
    for (int D = 1; D <= 33; D += D < 8 ? 1 : 5)
        for (int v = 0; v < 6; v++) {
            Tape tape = {0};
            Params p = {0};
            Tensor *x = params_add(&p, "x", true, 2, (const int[]){1, D});
            Tensor *gain = params_add(&p, "gain", true, 1, (const int[]){D});
            Tensor *bias = params_add(&p, "bias", true, 1, (const int[]){D});
            params_seal(&p);
            for (int i = 0; i < D; i++) {
                x->data[i] = values[v];
                gain->data[i] = 2;
                bias->data[i] = (float)(v % 2);
            }
            Tensor *y = layer_norm(&tape, x, gain, bias);
            same_numbers("layer_norm", y->data, bias->data, (size_t)D);
            tape_backward(&tape, sum(&tape, mul(&tape, y, y)));
            all_finite("gradient", p.grad, p.size);
            params_free(&p);
            tape_free(&tape);
        }
}

static void gelu_far_out(void) {
    Tape tape = {0};
    const float large[] = {1000, 1e20f, 3e38f, INFINITY, -1000, -1e20f, -3e38f, -INFINITY};
    Tensor *x = row(8, large), *y = gelu(&tape, x);
    same_numbers("gelu", y->data, (const float[]){1000, 1e20f, 3e38f, INFINITY, 0, 0, 0, 0}, 8);
    tape_backward(&tape, sum(&tape, y));
    same_numbers("slope", x->grad, (const float[]){1, 1, 1, 1, 0, 0, 0, 0}, 8);
    float steps[401];
    for (int i = 0; i <= 400; i++) steps[i] = (float)(i - 200) / 10;
    Tensor *near = row(401, steps);
    tape_reset(&tape);
    tape_backward(&tape, sum(&tape, gelu(&tape, near)));
    for (int i = 0; i <= 400; i++)
        CHECK(near->grad[i] >= -0.2f && near->grad[i] <= 1.2f, "slope at %g: %g", (double)steps[i],
              (double)near->grad[i]);
    tape_free(&tape);
}

static void nan_spreads(void) {
    Tape tape = {0};
    CHECK(isnan(relu(&tape, ROW(NAN))->data[0]), "relu swallows a NaN");
    CHECK(isnan(gelu(&tape, ROW(NAN))->data[0]), "gelu swallows a NaN");
    for (int at = 0; at < 3; at++) {
        float x[] = {1, 100, -INFINITY};
        x[at] = NAN;
        const Tensor *y = softmax(&tape, row(3, x));
        for (int i = 0; i < 3; i++) CHECK(isnan(y->data[i]), "softmax swallows the NaN at %d", at);
        CHECK(isnan(cross_entropy(&tape, row(3, x), (const int[]){1})->data[0]),
              "cross_entropy swallows the NaN at %d", at);
    }
    tape_free(&tape);
}

// Both ways, with a first gradient that is replaced and one that is added to: x is used twice.
static void linear_is_composed(void) {
    enum { SIZE = 3 * 20 };
    float numbers[4 * 20], out[2][SIZE], gradient[2][SIZE];
    for (int i = 0; i < 4 * 20; i++) numbers[i] = (float)(i * 37 % 23) / 7 - 1;
    for (int composed = 0; composed < 2; composed++) {
        Tape tape = {0};
        Tensor *x = trained(2, (const int[]){3, 4}, numbers),
               *W = trained(2, (const int[]){4, 20}, numbers);
        Tensor *bias = trained(1, (const int[]){20}, numbers + 20), *twice = scale(&tape, x, 2);
        Tensor *y = composed ? add(&tape, matmul(&tape, twice, W), bias)
                             : linear(&tape, twice, W, bias);
        tape_backward(&tape, sum(&tape, mul(&tape, y, matmul(&tape, twice, W))));
        memcpy(out[composed], y->data, sizeof *out);
        memcpy(gradient[composed], x->grad, 12 * sizeof(float));
        memcpy(gradient[composed] + 12, bias->grad, 20 * sizeof(float));
        memcpy(gradient[composed] + 32, W->grad, 20 * sizeof(float));
        tape_free(&tape);
    }
    same_numbers("linear", out[0], out[1], SIZE);
    same_numbers("gradient", gradient[0], gradient[1], 52);
}

// ---- losses -----------------------------------------------------------------------------------

// 0 times infinity, from where the loss doesn't look, spoils nothing.
static void branches_without_a_loss(void) {
    Tape tape = {0};
    Params p = {0};
    Tensor *w = params_add(&p, "w", true, 1, (const int[]){4});
    params_seal(&p);
    Tensor *k = tape_tensor(&tape, 1, (const int[]){4});
    for (int i = 0; i < 4; i++) k->data[i] = i ? 1 : INFINITY;
    mul(&tape, w, k);
    tape_backward(&tape, sum(&tape, w));
    for (int i = 0; i < 4; i++) CHECK_NEAR(w->grad[i], 1, 0);
    tape_free(&tape);
    params_free(&p);
}

// A loss that is a parameter has a gradient already.
static void a_loss_that_is_a_parameter(void) {
    Tape tape = {0};
    Params p = {0};
    Tensor *w = params_add(&p, "w", true, 0, NULL);
    params_seal(&p);
    w->grad[0] = 10;
    tape_backward(&tape, w);
    CHECK_NEAR(w->grad[0], 11, 0);
    tape_free(&tape);
    params_free(&p);
}

void tests_ops(void) {
    test("what the loss doesn't depend on adds nothing to gradients, not even 0 times infinity",
         branches_without_a_loss);
    test("the gradient of a loss that is a parameter is added to", a_loss_that_is_a_parameter);
    test("a tensor used twice gets both gradients", used_twice);
    test("a tensor on three paths gets the gradients of all", used_on_many_paths);
    test("a view shares data and gradient with its origin", views_share);
    test("a chain of 1,000,000 adds runs backward on a stack of 256 KiB", long_chain);
    test("a tape without gradients gives none to any tensor", no_gradients);
    test("from the second step on, equal steps take no new memory", same_memory);
    test("ops on constants get no gradient and are passed over", constants_between);
    test("a repeated operand's gradient has its shape and is summed", repeated_operand);
    test("softmax of a row of -infinities is zeros, and so is its gradient", softmax_of_nothing);
    test("scores of -20000 lose against nothing: a causal mask hides the future exactly",
         hidden_future);
    test("a mask allows where its byte is anything but 0", mask_of_other_bytes);
    test("equal logits of -20000 share alike", equal_and_low);
    test("cross entropy of logits 2000 apart is 2000", far_apart);
    test("softmax and cross entropy bear a large number anywhere", large_anywhere);
    test("cross entropy without a target is 0, and so is its gradient", no_targets);
    test("layer norm of a constant row is the bias exactly", constant_rows);
    test("gelu is exact and its slope finite far from 0", gelu_far_out);
    test("a NaN passes through relu, gelu, softmax and cross entropy", nan_spreads);
    test("linear is matmul and add, bit for bit", linear_is_composed);
}
