// One attention layer: the numbers of the claims, what makes a score symmetric, and where arms
// start.
#include <stdlib.h>
#include <string.h>

#include "autograd/kernels.h"
#include "layer.h"
#include "setup.h"
#include "test.h"

// What X W gave, found on the tape.
static Tensor *product_with(const Layer *layer, const Tensor *W) {
    for (Tensor *x = layer->tape.last; x; x = x->before)
        if (x->in[1] == W && !strcmp(x->name, "matmul")) return x;
    CHECK(0, "nothing was multiplied by %s", W->name);
}

static void check_numbers(const Tensor *x, const float *expected, size_t n) {
    CHECK_INT(x->size, n);
    setup_same_bits(x->name, x->data, expected, n);
}

static void set(Tensor *x, const float *numbers) {
    memcpy(x->data, numbers, x->size * sizeof *numbers);
}

static void the_token_of_claim_9(void) {
    Layer layer;
    layer_open(&layer, "qkv", layer_config(2, 1, 2, 2), 1, 1, 0);
    set(layer.X, (const float[]){1, 0.5f});
    set(layer.a.W_Q, (const float[]){1, 0, 0, 1});
    set(layer.a.W_K, (const float[]){0, 1, 1, 0});
    set(layer.a.W_V, (const float[]){2, 0, 0, 2});
    layer_run(&layer);
    check_numbers(product_with(&layer, layer.a.W_Q), (const float[]){1, 0.5f}, 2);
    check_numbers(product_with(&layer, layer.a.W_K), (const float[]){0.5f, 1}, 2);
    check_numbers(product_with(&layer, layer.a.W_V), (const float[]){2, 1}, 2);
    CHECK_NEAR(layer.out.S->data[0], 1 / sqrt(2), 1e-7);
    check_numbers(layer.out.A, (const float[]){1}, 1);
    check_numbers(layer.out.Y, (const float[]){2, 1}, 2);
    layer_close(&layer);
}

static void the_shapes_of_claim_10(void) {
    Layer layer;
    layer_open(&layer, "qkv", layer_config(8, 1, 4, 4), 1, 5, 0);
    layer_run(&layer);
    layer_shape(product_with(&layer, layer.a.W_Q), "(1, 5, 4)");
    layer_shape(product_with(&layer, layer.a.W_K), "(1, 5, 4)");
    layer_shape(product_with(&layer, layer.a.W_V), "(1, 5, 4)");
    layer_shape(layer.out.S, "(1, 1, 5, 5)");
    layer_shape(layer.out.A, "(1, 1, 5, 5)");
    layer_shape(layer.out.Y, "(1, 5, 8)");
    layer_close(&layer);
}

// The rank of M (n, n) by elimination with full pivoting; M is overwritten.
static int rank_of(double *M, int n) {
    int rank = 0;
    for (; rank < n; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < n; i++)
            for (int j = rank; j < n; j++)
                if (fabs(M[i * n + j]) > fabs(M[r * n + c])) r = i, c = j;
        if (fabs(M[r * n + c]) < 1e-10) return rank;
        for (int j = 0; j < n; j++) {
            double kept = M[r * n + j];
            M[r * n + j] = M[rank * n + j];
            M[rank * n + j] = kept;
        }
        for (int i = 0; i < n; i++) {
            double kept = M[i * n + c];
            M[i * n + c] = M[i * n + rank];
            M[i * n + rank] = kept;
        }
        for (int i = rank + 1; i < n; i++) {
            double times = M[i * n + rank] / M[rank * n + rank];
            for (int j = rank; j < n; j++) M[i * n + j] -= times * M[rank * n + j];
        }
    }
    return rank;
}

static void eight_heads_at_width_512(void) {
    Layer layer;
    layer_open(&layer, "qkv", layer_config(512, 8, 64, 64), 1, 3, 0);
    layer_run(&layer);
    layer_shape(layer.a.W_Q, "(512, 512)");
    layer_shape(layer.out.S, "(1, 8, 3, 3)");
    layer_shape(layer.out.Y, "(1, 3, 512)");
    CHECK(!layer.a.W_O, "8 heads of 64 fill the width; expected no W_O");
    double *M = malloc(512 * 512 * sizeof *M);
    attention_m(&layer.a, 7, M);
    CHECK_INT(rank_of(M, 512), 64);
    free(M);
    layer_close(&layer);
}

// ---- symmetry ----------------------------------------------------------------------------------

static const char *const symmetric_arms[] = {"xxt", "xxt-v", "tied", "sym"};

static void check_symmetric_bits(const char *arm, const Tensor *S) {
    size_t L = (size_t)S->shape[3];
    for (size_t m = 0; m < S->size; m += L * L)
        for (size_t i = 0; i < L; i++)
            for (size_t j = 0; j < i; j++) {
                const float *a = S->data + m + i * L + j, *b = S->data + m + j * L + i;
                CHECK(!memcmp(a, b, sizeof *a),
                      "%s: S[%zu][%zu] is %.9g, S[%zu][%zu] %.9g, of %zu tokens", arm, i, j,
                      (double)*a, j, i, (double)*b, L);
            }
}

static void symmetric_scores_with(const char *path) {
    static const struct { int D, H, d_k, L; } size[] = {
        {1, 1, 1, 2}, {7, 1, 3, 5}, {33, 1, 17, 13}, {64, 1, 16, 15},
        {31, 1, 31, 37}, {30, 3, 7, 9}, {65, 5, 9, 67},
    };
    setenv("QKV_KERNELS", path, 1);
    if (strcmp(kernels()->name, path)) {
        CHECK(strcmp(path, "plain"), "the kernels are %s although plain was asked for",
              kernels()->name);
        test_skip("this processor has no %s", path);
    }
    for (size_t s = 0; s < sizeof size / sizeof *size; s++)
        for (int arm = 0; arm < 4; arm++) {
            Layer layer;
            layer_open(&layer, symmetric_arms[arm],
                       layer_config(size[s].D, size[s].H, size[s].d_k, size[s].D / size[s].H), 2,
                       size[s].L, 0);
            layer_run(&layer);
            check_symmetric_bits(symmetric_arms[arm], layer.out.S);
            layer_close(&layer);
        }
}

static void symmetric_scores_plain(void) { symmetric_scores_with("plain"); }
static void symmetric_scores_avx2(void) { symmetric_scores_with("avx2"); }
static void symmetric_scores_avx512(void) { symmetric_scores_with("avx512"); }

static void symmetric_scores_after_training(void) {
    Setup s;
    setup_open(&s, "train --d-model 24 --d-k 5 --batch 4 --held-out 8 --steps 1000");
    for (int arm = 0; arm < 4; arm++) {
        Trainer t;
        trainer_init(&t, &s.options, &s.task, arm_find(symmetric_arms[arm]));
        for (int step = 0; step <= 30; step += 10) {
            trainer_run(&t, step, NULL);
            setup_batch(&s, &t.batch, 8, 0);
            tape_reset(&t.measuring);
            check_symmetric_bits(symmetric_arms[arm],
                                 model_forward(&t.model, &t.measuring, &t.batch).attended.S);
        }
        trainer_free(&t);
    }
    setup_close(&s);
}

static void two_projections_are_not_symmetric(void) {
    Layer layer;
    layer_open(&layer, "qkv", layer_config(8, 1, 4, 8), 1, 5, 0);
    layer_run(&layer);
    CHECK(layer.out.S->data[1] != layer.out.S->data[5],
          "S_01 = S_10 = %g with independent W_Q and W_K", (double)layer.out.S->data[1]);
    layer_close(&layer);
}

// Scores of a model of a task as it starts.
static float *first_scores(const Setup *s, const char *arm, size_t *size) {
    Model model;
    Tape tape = {.no_gradients = true};
    Batch batch = {0};
    model_init(&model, &s->task, arm_find(arm), trainer_config(&s->options, &s->task),
               s->options.seed);
    setup_batch(s, &batch, 6, 0);
    const Tensor *S = model_forward(&model, &tape, &batch).attended.S;
    float *copy = malloc(S->size * sizeof *copy);
    memcpy(copy, S->data, S->size * sizeof *copy);
    *size = S->size;
    batch_free(&batch);
    tape_free(&tape);
    model_free(&model);
    return copy;
}

static void same_first_scores(const char *command, const char *of, bool xxt_too) {
    Setup s;
    size_t n, m;
    setup_open(&s, command);
    float *expected = first_scores(&s, of, &n);
    for (int i = 0; i < ARMS; i++) {
        const Arm *arm = &arm_table[i];
        if (arm->score == SCORE_X && !xxt_too) continue;
        float *got = first_scores(&s, arm->name, &m);
        CHECK_INT(m, n);
        double largest = 0;
        for (size_t k = 0; k < n; k++) largest = fmax(largest, fabs((double)expected[k]));
        if (arm->score == SCORE_SYM && !xxt_too)
            for (size_t k = 0; k < n; k++) CHECK_NEAR(got[k], expected[k], 2e-6 * largest);
        else setup_same_bits(arm->name, got, expected, n);
        free(got);
    }
    free(expected);
    setup_close(&s);
}

static void arms_start_from_one_score(void) {
    same_first_scores("train --held-out 8", "qkv", false);
    same_first_scores("train heads --d-model 32 --d-k 7", "qk", false);
}

static void arms_start_at_xxt_where_square(void) {
    same_first_scores("train --held-out 8 --d-k 64", "xxt", true);
    same_first_scores("train --held-out 8 --d-model 17 --d-k 17 --no-scale", "xxt", true);
    same_first_scores("train heads --d-model 32 --d-k 32 --relative 3", "xxt", true);
}

void tests_attention(void) {
    test("x = [1, 0.5] gives q = [1, 0.5], k = [0.5, 1], v = [2, 1]", the_token_of_claim_9);
    test("width 8 and d_k 4 turn X (1, 5, 8) into Q, K, V of (1, 5, 4)", the_shapes_of_claim_10);
    test("eight heads at width 512 have d_k 64, and M of rank 64", eight_heads_at_width_512);
    test("a symmetric arm gives S_ij and S_ji the same bits: plain kernels",
         symmetric_scores_plain);
    test("a symmetric arm gives S_ij and S_ji the same bits: avx2 kernels", symmetric_scores_avx2);
    test("a symmetric arm gives S_ij and S_ji the same bits: avx512 kernels",
         symmetric_scores_avx512);
    test("a symmetric arm stays symmetric to the bit while it trains",
         symmetric_scores_after_training);
    test("independent W_Q and W_K are not symmetric", two_projections_are_not_symmetric);
    test("arms with a projection start from the same scores", arms_start_from_one_score);
    test("all arms start from the bits of X X^T where d_k is d_model",
         arms_start_at_xxt_where_square);
}
