// One attention layer: what makes a score symmetric, and where arms start.
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "layer.h"
#include "setup.h"
#include "test.h"
#include "autograd/simd/kernels.h"

// ---- symmetry ----------------------------------------------------------------------------------

static bool symmetric(int arm) { return arm_table[arm].score->symmetric; }

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
    char error[KERNELS_ERROR];
    if (strcmp(path, "plain") && !kernels_known(error, sizeof error)) test_skip("%s", error);
    CHECK_STRING(kernels()->name, path);
    for (size_t s = 0; s < sizeof size / sizeof *size; s++)
        for (int arm = 0; arm < arm_count; arm++) {
            Layer layer;
            if (!symmetric(arm)) continue;
            layer_open(&layer, arm_table[arm].name,
                       layer_config(size[s].D, size[s].H, size[s].d_k, size[s].D / size[s].H), 2,
                       size[s].L, 0);
            layer_run(&layer);
            check_symmetric_bits(arm_table[arm].name, layer.out.S);
            layer_close(&layer);
        }
}

static void symmetric_scores_plain(void) { symmetric_scores_with("plain"); }
static void symmetric_scores_avx2(void) { symmetric_scores_with("avx2"); }
static void symmetric_scores_avx512(void) { symmetric_scores_with("avx512"); }

static void symmetric_scores_after_training(void) {
    Setup s;
    setup_open(&s, "train --d-model 24 --d-k 5 --batch 4 --held-out 8 --steps 1000");
    for (int arm = 0; arm < arm_count; arm++) {
        Trainer t;
        if (!symmetric(arm)) continue;
        trainer_init(&t, options_config(&s.options), &s.task, &arm_table[arm]);
        for (int step = 0; step <= 30; step += 10) {
            trainer_run(&t, step, NULL);
            setup_batch(&s, &t.batch, 8, 0);
            tape_reset(&t.measuring);
            check_symmetric_bits(arm_table[arm].name,
                                 model_forward(&t.model, &t.measuring, &t.batch).attended.S);
        }
        trainer_free(&t);
    }
    setup_close(&s);
}

// The least v S vᵀ / |v|² of many random v.
static double least_form(const float *S, int n) {
    Rng rng = rng_new(9, 9);
    double least = INFINITY;
    for (int draw = 0; draw < 1000; draw++) {
        double v[8], form = 0, length = 0;
        for (int i = 0; i < n; i++) v[i] = rng_normal(&rng);
        for (int i = 0; i < n; i++) {
            length += v[i] * v[i];
            for (int j = 0; j < n; j++) form += v[i] * (double)S[i * n + j] * v[j];
        }
        least = fmin(least, form / length);
    }
    return least;
}

// With random weights and 8 tokens of width 8, no matrix is symmetric or positive by chance.
static void rows_tell_the_truth(void) {
    enum { L = 8 };
    for (int i = 0; i < arm_count; i++) {
        const Score *score = arm_table[i].score;
        Layer layer;
        layer_open(&layer, arm_table[i].name, layer_config(L, 1, 4, 8), 1, L, 0);
        layer_run(&layer);
        const float *S = layer.out.S->data;
        bool same = true, gram = least_form(S, L) > -1e-6;
        for (int k = 0; k < L * L; k++) same = same && S[k] == S[k % L * L + k / L];
        CHECK(same == score->symmetric, "%s: S %s", arm_table[i].name,
              same ? "is symmetric, its row says no" : "isn't symmetric, its row says it is");
        CHECK((same && gram) == score->gram, "%s: v S v^T of %g; its row says gram is %s",
              arm_table[i].name, least_form(S, L), score->gram ? "true" : "false");
        CHECK(attention_symmetric(&layer.a) == same, "%s: not as its row", arm_table[i].name);
        layer_close(&layer);
    }
}

// `tied` and `sym` are symmetric no longer; X X^T gets no distances.
static void distances_break_the_symmetry(void) {
    for (int i = 0; i < arm_count; i++) {
        Layer layer;
        AttentionConfig config = layer_config(8, 1, 4, 8);
        config.relative = 2;
        layer_open(&layer, arm_table[i].name, config, 1, 5, 0);
        layer_run(&layer);
        const float *S = layer.out.S->data;
        bool same = S[1] == S[5] && S[2] == S[10] && S[7] == S[11];
        CHECK(attention_symmetric(&layer.a) == same, "%s with distances: S_12 %g, S_21 %g",
              arm_table[i].name, (double)S[7], (double)S[11]);
        layer_close(&layer);
    }
}

// Scores of a model of a task as it starts.
static float *first_scores(const Setup *s, const char *arm, size_t *size) {
    Model model;
    Tape tape = {.no_gradients = true};
    Batch batch = {0};
    model_init(&model, &s->task, arm_find(arm), options_config(&s->options).model,
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
    for (int i = 0; i < arm_count; i++) {
        const Arm *arm = &arm_table[i];
        if (!score_trains(arm->score) && !xxt_too) continue;
        if (arm->score->own && !arm->score->symmetric) continue;  // that start is symmetric
        float *got = first_scores(&s, arm->name, &m);
        CHECK_INT(m, n);
        double largest = 0;
        for (size_t k = 0; k < n; k++) largest = fmax(largest, fabs((double)expected[k]));
        if (arm->score->own && !xxt_too)  // rounds B, not W_Q and W_K
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

// The mean square of each kind of weight, drawn at random: D 64, d_ff 256, three blocks, W_O of 24 rows.
static void random_starts(void) {
    static const struct { const char *arm, *weight; double square; } start[] = {
        {"qkv", "block.0.W_Q", 1 / 64.0}, {"qkv", "block.1.W_K", 1 / 64.0},
        {"qkv", "block.2.W_V", 1 / 64.0}, {"qkv", "block.1.W_O", 1 / 24.0},
        {"sym", "block.1.B", 2 * 8 / (64.0 * 64)},  // half the sum of two is as M of qkv
        {"qkv", "block.0.W_1", 1 / 64.0}, {"qkv", "block.2.W_2", 1 / 256.0 / (2 * 3)}};
    Setup s;
    setup_open(&s, "train text --text README.md --init random --d-model 64 --heads 2 --d-k 8 "
                   "--d-v 12 --layers 3");
    for (size_t i = 0; i < sizeof start / sizeof *start; i++) {
        Model model;
        double square = 0;
        model_init(&model, &s.task, arm_find(start[i].arm), options_config(&s.options).model, 3);
        const Tensor *x = params_find(&model.params, start[i].weight);
        CHECK(x, "%s has no %s", start[i].arm, start[i].weight);
        double n = (double)x->size;
        for (size_t k = 0; k < x->size; k++) square += (double)x->data[k] * x->data[k] / n;
        CHECK(fabs(square / start[i].square - 1) < 5 * sqrt(2 / n), "%s: %g, expected %g",
              start[i].weight, square, start[i].square);
        model_free(&model);
    }
    setup_close(&s);
}

// ---- sizes -------------------------------------------------------------------------------------

// Heads of W_Q and W_K so wide that the last numbers lie past 2^31 others. Of the 12 GB hardly a
// page is touched, so that none has to be there.
static void wide_heads(void) {
    const int D = 3, H = 1 << 15, d = 1 << 15;
    const size_t row = (size_t)H * (size_t)d, size = (size_t)D * row;
    float *x = SIZE_MAX / sizeof *x < size
                   ? MAP_FAILED
                   : mmap(NULL, size * sizeof *x, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (x == MAP_FAILED) test_skip("no room for %zu numbers", size);
    Tensor W = {.rank = 2, .shape = {D, H * d}, .size = size, .data = x};
    const Attention a = {.arm = arm_find("tied"), .config = {.D = D, .H = H, .d_k = d}, .W_Q = &W,
                         .W_K = &W};
    double M[9];
    for (int i = 0; i < D; i++) x[(size_t)(i + 1) * row - 1] = (float)(i + 2);
    attention_m(&a, H - 1, M);
    for (int i = 0; i < 9; i++) CHECK_NEAR(M[i], (i / 3 + 2) * (i % 3 + 2), 0);
    munmap(x, size * sizeof *x);
}

void tests_attention(void) {
    test("a symmetric arm gives S_ij and S_ji the same bits: plain kernels",
         symmetric_scores_plain);
    test("a symmetric arm gives S_ij and S_ji the same bits: avx2 kernels", symmetric_scores_avx2);
    test("a symmetric arm gives S_ij and S_ji the same bits: avx512 kernels",
         symmetric_scores_avx512);
    test("a symmetric arm stays symmetric to the bit while it trains",
         symmetric_scores_after_training);
    test("an arm's row says truly if its scores are symmetric and positive", rows_tell_the_truth);
    test("distances break the symmetry of tied and sym", distances_break_the_symmetry);
    test("arms with a projection start from the same scores", arms_start_from_one_score);
    test("all arms start from the bits of X X^T where d_k is d_model",
         arms_start_at_xxt_where_square);
    test("random starts are as large as their formulas say, in blocks too", random_starts);
    test("M is that of the last head even where numbers lie past 2^31 others", wide_heads);
}
