// Parameters: names, the flat arrays, gradients over all of them, and how they start.
#include "autograd/params.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "autograd/ops.h"
#include "autograd/optim.h"
#include "test.h"

static Tensor *matrix(Params *p, const char *name, bool is_trained, int rows, int columns) {
    return params_add(p, name, is_trained, 2, (const int[]){rows, columns});
}

static void flat_arrays(void) {
    Params p = {0};
    Tensor *a = matrix(&p, "a", true, 2, 3), *still = matrix(&p, "still", false, 5, 7);
    Tensor *b = params_add(&p, "b", true, 0, NULL);
    Tensor *also = params_add(&p, "also", false, 1, (const int[]){4});
    params_seal(&p);
    CHECK_INT((long long)p.size, 7);
    CHECK_INT((long long)p.frozen, 39);
    CHECK(a->data == p.data && b->data == p.data + 6, "trained data isn't side by side");
    CHECK(a->grad == p.grad && b->grad == p.grad + 6, "gradients aren't side by side");
    CHECK(still->data == p.frozen_data && also->data == p.frozen_data + 35,
          "frozen data isn't side by side");
    CHECK(!still->grad && !also->grad, "a frozen tensor has a gradient");
    CHECK_INT(p.count, 4);
    for (size_t i = 0; i < p.size; i++)
        CHECK(p.data[i] == 0 && p.grad[i] == 0 && p.moment[0][i] == 0 && p.moment[1][i] == 0,
              "number %zu isn't 0 at first", i);
    for (size_t i = 0; i < p.frozen; i++) CHECK_NEAR(p.frozen_data[i], 0, 0);
    params_free(&p);
    CHECK_INT(p.count, 0);
}

static void names(void) {
    Params p = {0};
    char name[32];
    // more than the first array of pointers holds; the buffer is reused
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "tensor %d", i);
        matrix(&p, name, i % 2, 1, i + 1);
    }
    params_seal(&p);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "tensor %d", i);
        Tensor *x = params_find(&p, name);
        CHECK(x && x == p.tensor[i], "%s isn't found", name);
        CHECK_STRING(x->name, name);
        CHECK_INT((long long)x->size, i + 1);
    }
    CHECK(!params_find(&p, "tensor"), "a name's beginning is found");
    params_free(&p);
}

static void add_twice(void *p) { matrix(p, "W", false, 1, 1); }
static void add_late(void *p) { params_seal(p); matrix(p, "late", true, 1, 1); }
static void add_empty(void *p) { matrix(p, "empty", true, 3, 0); }
static void add_deep(void *p) { params_add(p, "deep", true, 5, (const int[]){1, 1, 1, 1, 1}); }

static void add_huge(void *p) {
    params_add(p, "huge", true, 4, (const int[]){INT_MAX, INT_MAX, INT_MAX, INT_MAX});
}
// Each could be addressed, both of them not: a half of that at a time.
static void add_many(void *p) {
    const int side = SIZE_MAX > 0xFFFFFFFF ? 1 << 29 : 1 << 13;
    matrix(p, "a", false, side, side);
    matrix(p, "b", false, side, side);
}

static void share_others(void *p) {
    Params of = {0};
    matrix(&of, "W", false, 2, 3);
    params_seal(&of);
    params_share(p, &of);
}

static void seal_twice(void *p) {
    params_seal(p);
    params_seal(p);
}

static void share_sealed(void *p) {
    Params of = {0};
    matrix(&of, "W", true, 2, 3);
    params_seal(&of);
    params_seal(p);
    params_share(p, &of);
}

static void share_unsealed(void *p) {
    Params of = {0};
    matrix(&of, "W", true, 2, 3);
    params_share(p, &of);
}

static void normal_unsealed(void *p) { fill_normal(params_find(p, "W"), &(Rng){1}, 1); }
static void identity_unsealed(void *p) { fill_identity(params_find(p, "W")); }
static void orthonormal_unsealed(void *p) { fill_orthonormal(params_find(p, "W"), &(Rng){1}); }

static void zero_unsealed(void *p) { params_zero_grad(p); }
static void norm_unsealed(void *p) { params_grad_norm(p); }
static void clip_unsealed(void *p) { params_clip_grad(p, 2, 1); }

static void step_unsealed(void *p) {
    Optim optim = optim_adam(0);
    optim_step(&optim, p, 0.1);
}

static void step_shared(void *p) {
    Params of = {0};
    matrix(&of, "W", true, 2, 3);
    params_seal(&of);
    params_share(p, &of);
    step_unsealed(p);
}

#define NO_DATA "parameter W has no data yet; call params_seal first\n"
#define NO_SEAL "the parameters have no data yet; call params_seal first\n"
#define NO_STATE "train: optim_step: no optimiser state; params_seal gives it, params_share " \
                 "doesn't\n"

static void wrong_calls(void) {
    static const struct { void (*call)(void *); const char *says; } wrong[] = {
        {add_twice, "train: W: there is a parameter of that name already\n"},
        {add_late, "train: late: added to parameters that are sealed; params_seal comes last\n"},
        {add_empty, "train: empty: dimension 1 is 0; it must be at least 1\n"},
        {add_deep, "train: deep: rank 5; a tensor has 0 to 4 dimensions\n"},
        {add_huge, "train: huge: more numbers than can be addressed\n"},
        {add_many, "train: b: with those before it more numbers than can be addressed\n"},
        {share_others, "train: parameters of 6 and 0 numbers can't share them with 0 and 6\n"},
        {seal_twice, "train: params_seal: these parameters are sealed already; a second time would "
                     "clear them\n"},
        {share_sealed, "train: params_share: call it instead of params_seal, not after it\n"},
        {share_unsealed, "train: params_share: " NO_SEAL},
        {normal_unsealed, "train: fill_normal: " NO_DATA},
        {identity_unsealed, "train: fill_identity: " NO_DATA},
        {orthonormal_unsealed, "train: fill_orthonormal: " NO_DATA},
        {zero_unsealed, "train: params_zero_grad: " NO_SEAL},
        {norm_unsealed, "train: params_grad_norm: " NO_SEAL},
        {clip_unsealed, "train: params_gather_grad: " NO_SEAL},
        {step_unsealed, NO_STATE},
        {step_shared, NO_STATE},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Params p = {0};
        int status;
        matrix(&p, "W", true, 2, 3);
        CHECK_STRING(test_stderr_of(wrong[i].call, &p, &status), wrong[i].says);
        CHECK_INT(status, 1);
        params_free(&p);
    }
}

static void gradient_norm(void) {
    Params p = {0};
    Tensor *a = matrix(&p, "a", true, 1, 2), *b = matrix(&p, "b", true, 1, 1);
    params_seal(&p);
    a->grad[0] = 2, a->grad[1] = -3, b->grad[0] = 6;
    CHECK_NEAR(params_grad_norm(&p), 7, 1e-12);
    params_clip_grad(&p, 7, 0);  // no limit
    params_clip_grad(&p, 7, 7);
    params_clip_grad(&p, 7, 8);
    CHECK_NEAR(params_grad_norm(&p), 7, 0);
    params_clip_grad(&p, 7, 3.5);
    CHECK_NEAR(a->grad[0], 1, 1e-7);
    CHECK_NEAR(a->grad[1], -1.5, 1e-7);
    CHECK_NEAR(b->grad[0], 3, 1e-7);
    params_zero_grad(&p);
    CHECK_NEAR(params_grad_norm(&p), 0, 0);
    a->grad[0] = 1e30f;  // its square is more than a float holds
    CHECK_NEAR(params_grad_norm(&p) / 1e30, 1, 1e-6);
    params_free(&p);
}

// Two steps; the second reaches only a.
static void unwritten_gradients(void) {
    Params p = {0};
    Tensor *a = matrix(&p, "a", true, 1, 2), *b = matrix(&p, "b", true, 1, 2);
    params_seal(&p);
    for (int step = 0; step < 2; step++) {
        Tape tape = {0};
        params_zero_grad(&p);
        tape_backward(&tape, sum(&tape, step ? scale(&tape, a, 3) : add(&tape, a, b)));
        params_need_grad(&p, "test");
        CHECK_NEAR(a->grad[1], step ? 3 : 1, 0);
        CHECK_NEAR(b->grad[1], step ? 0 : 1, 0);
        tape_free(&tape);
    }
    params_zero_grad(&p);
    CHECK_NEAR(params_grad_norm(&p), 0, 0);
    params_free(&p);
}

// Enough numbers that threads share them, and no round number of them: each counts once.
static void norm_in_parts(void) {
    Params p = {0}, shard[2] = {0};
    const Params *const shards[] = {&shard[0], &shard[1]};
    int rows = 8 * PIECE / 256 + 1, columns = 257;
    matrix(&p, "a", true, rows, columns);
    params_seal(&p);
    for (int i = 0; i < 2; i++) {
        matrix(&shard[i], "a", true, rows, columns);
        params_seal(&shard[i]);
    }
    CHECK(params_worth_sharing(&p) && p.size % 16, "%zu numbers show nothing", p.size);
    for (size_t i = 0; i < p.size; i++) {
        p.grad[i] = 1, shard[0].grad[i] = 2;
        shard[1].grad[i] = i + 1 < p.size ? 3 : 7;
    }
    CHECK_NEAR(params_grad_norm(&p), sqrt((double)p.size), 1e-9);
    params_gather_grad(&p, shards, 2, 0.5);
    for (size_t i = 0; i + 1 < p.size; i++) CHECK(p.grad[i] == 3, "number %zu is %g", i, p.grad[i]);
    CHECK_NEAR(p.grad[p.size - 1], 5, 0);
    CHECK_NEAR(params_grad_norm(&p), sqrt(9.0 * (double)(p.size - 1) + 25), 1e-9);
    for (int i = 0; i < 2; i++) params_free(&shard[i]);
    params_free(&p);
}

static void not_finite(void) {
    Params p = {0};
    matrix(&p, "frozen", false, 1, 1);
    Tensor *a = matrix(&p, "a", true, 1, 2), *b = matrix(&p, "b", true, 1, 2);
    params_seal(&p);
    p.frozen_data[0] = NAN;
    CHECK(!params_not_finite(&p, true), "all gradients are 0");
    b->grad[1] = NAN;
    CHECK(params_not_finite(&p, true) == b, "b has a NaN");
    a->grad[1] = -INFINITY;
    CHECK(params_not_finite(&p, true) == a, "a has an infinity, and comes first");
    params_free(&p);
}

// u_i · u_j of the columns, or of the rows if there are fewer of those.
static void orthonormal(int rows, int columns) {
    Params p = {0};
    Tensor *x = matrix(&p, "x", true, rows, columns);
    params_seal(&p);
    Rng rng = rng_new(4, (uint64_t)(rows * 100 + columns));
    fill_orthonormal(x, &rng);
    int n = rows < columns ? rows : columns, length = rows < columns ? columns : rows;
    int step = rows < columns ? columns : 1, stride = rows < columns ? 1 : columns;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double dot = 0;
            for (int k = 0; k < length; k++)
                dot += (double)x->data[i * step + k * stride] * x->data[j * step + k * stride];
            CHECK(fabs(dot - (i == j)) <= 1e-6, "(%d, %d): %d and %d: expected %d, got %g", rows,
                  columns, i, j, i == j, dot);
        }
    if (rows == columns)
        for (int i = 0; i < rows * rows; i++) CHECK_NEAR(x->data[i], i % (rows + 1) == 0, 0);
    params_free(&p);
}

static void orthonormal_starts(void) {
    static const int shapes[][2] = {{1, 1}, {4, 4}, {5, 2},   {2, 5},
                                    {1, 7}, {7, 1}, {32, 31}, {16, 64}};
    for (int i = 0; i < 8; i++) orthonormal(shapes[i][0], shapes[i][1]);
}

static void starts(void) {
    Params p = {0};
    Tensor *x = matrix(&p, "x", true, 100, 200), *wide = matrix(&p, "wide", true, 2, 3);
    params_seal(&p);
    Rng rng = rng_new(4, 0);
    fill_normal(x, &rng, 0.3);
    double mean = 0, variance = 0;
    for (size_t i = 0; i < x->size; i++) mean += x->data[i] / 20000.0;
    for (size_t i = 0; i < x->size; i++) variance += x->data[i] * x->data[i] / 20000.0;
    CHECK_NEAR(mean, 0, 5 * 0.3 / sqrt(20000));
    CHECK_NEAR(variance, 0.09, 5 * 0.09 * sqrt(2.0 / 20000));
    for (size_t i = 0; i < wide->size; i++) wide->data[i] = 9;
    fill_identity(wide);
    const float expected[] = {1, 0, 0, 0, 1, 0};
    for (int i = 0; i < 6; i++) CHECK_NEAR(wide->data[i], expected[i], 0);
    params_free(&p);
}

void tests_params(void) {
    test("trained and frozen tensors lie in flat arrays of their own", flat_arrays);
    test("parameters are found by name", names);
    test("a parameter added twice, late, with a wrong shape or used before its seal is an error",
         wrong_calls);
    test("the norm of the gradient is over all parameters, and clipping bounds it", gradient_norm);
    test("a gradient that no backward has written is 0", unwritten_gradients);
    test("the norm of the gradient is the same in parts, and so is what shards add", norm_in_parts);
    test("the first tensor whose gradient isn't finite is named", not_finite);
    test("orthonormal starts are orthonormal, square ones the identity", orthonormal_starts);
    test("normal and identity starts are what they say", starts);
}
