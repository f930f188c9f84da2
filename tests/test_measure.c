// The figures of a matrix against what is known of it, and what no symmetric score can do.
#include <stdlib.h>
#include <string.h>

#include "layer.h"
#include "setup.h"
#include "test.h"
#include "autograd/rng.h"
#include "model/train/measure.h"
#include "model/train/threads.h"
#include "model/view/report/m_by_role.h"

enum { N = 9 };

static void draw(Rng *rng, float *S, size_t n) {
    for (size_t i = 0; i < n; i++) S[i] = (float)rng_normal(rng);
}

// S = (S +- Sᵀ) / 2, exactly symmetric or antisymmetric.
static void halve(float *S, size_t n, float sign) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            float half = (S[i * n + j] + sign * S[j * n + i]) / 2;
            S[i * n + j] = half;
            S[j * n + i] = sign * half;
        }
}

static void asymmetry_of_known_matrices(void) {
    Rng rng = rng_new(1, 1);
    float S[N * N];
    double sum = 0;
    draw(&rng, S, N * N);
    halve(S, N, 1);
    CHECK_NEAR(measure_direction(S, N, N).asymmetry, 0, 0);
    CHECK_NEAR(measure_direction(S, N, N).circulation, 0, 0);
    draw(&rng, S, N * N);
    halve(S, N, -1);
    CHECK_NEAR(measure_direction(S, N, N).asymmetry, 1, 1e-15);
    for (int k = 0; k < 200; k++) {
        draw(&rng, S, N * N);
        sum += measure_direction(S, N, N).asymmetry / 200;
    }
    CHECK_NEAR(sum, sqrt(0.5 * (N - 1) / N), 0.02);  // the diagonal is no part of N = (S - Sᵀ)/2
}

static void one_token_and_none(void) {
    const float one = 3, zeros[4] = {0};
    Direction d = measure_direction(&one, 1, 1);
    CHECK_NEAR(d.asymmetry, 0, 0);
    CHECK_NEAR(d.circulation, 0, 0);
    d = measure_direction(zeros, 2, 2);
    CHECK_NEAR(d.asymmetry, 0, 0);
    CHECK_NEAR(d.circulation, 0, 0);
}

// i -> j -> k -> i: S_01 = S_12 = S_20 = 1, all else 0. N is +-1/2, and it all turns.
static void a_cycle_by_hand(void) {
    const float S[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    Direction d = measure_direction(S, 3, 3);
    CHECK_NEAR(d.asymmetry, sqrt(6 * 0.25 / 3), 1e-15);
    CHECK_NEAR(d.circulation, sqrt(6 * 0.25 / 3), 1e-15);
    const float half[9] = {0, 2, 0, 0, 0, 0, 0, 0, 0};  // one arrow: N_01 = 1, p = (1/3, -1/3, 0)
    d = measure_direction(half, 3, 3);
    CHECK_NEAR(d.asymmetry, sqrt(2.0 / 4), 1e-15);
    CHECK_NEAR(d.circulation, sqrt(6 * (1 / 9.0) / 4), 1e-15);
}

static double norm(const float *S, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)S[i] * S[i];
    return sqrt(sum);
}

static void biases_do_not_turn(void) {
    Rng rng = rng_new(2, 1);
    float S[N * N], before[N * N], row[N], column[N];
    for (int k = 0; k < 50; k++) {
        draw(&rng, S, N * N);
        draw(&rng, row, N);
        draw(&rng, column, N);
        memcpy(before, S, sizeof S);
        for (int i = 0; i < N * N; i++) S[i] += 3 * row[i / N] + 2 * column[i % N];
        double expected = measure_direction(before, N, N).circulation * norm(before, N * N);
        CHECK(expected > 1, "a random matrix of circulation %g; expected more", expected);
        CHECK_NEAR(measure_direction(S, N, N).circulation * norm(S, N * N), expected,
                   1e-5 * expected);
        memcpy(S, before, sizeof S);
        halve(S, N, 1);
        for (int i = 0; i < N * N; i++) S[i] += 3 * row[i / N] + 2 * column[i % N];
        CHECK_NEAR(measure_direction(S, N, N).circulation, 0, 1e-6);
        CHECK(measure_direction(S, N, N).asymmetry > 0.1, "a bias is asymmetric");
    }
}

static void padding_is_left_out(void) {
    Rng rng = rng_new(3, 1);
    float S[5 * 5], wide[5 * 8];
    draw(&rng, S, 25);
    for (int i = 0; i < 40; i++) wide[i] = i % 8 < 5 ? S[i / 8 * 5 + i % 8] : NAN;
    Direction a = measure_direction(S, 5, 5), b = measure_direction(wide, 5, 8);
    CHECK_NEAR(b.asymmetry, a.asymmetry, 0);
    CHECK_NEAR(b.circulation, a.circulation, 0);
    CHECK(measure_direction(S, 4, 5).asymmetry != a.asymmetry, "n is not looked at");
}

// ---- what no symmetric score can do ------------------------------------------------------------

static void kolmogorov(void) {
    Rng rng = rng_new(4, 1);
    float S[N * N];
    for (int k = 0; k < 100; k++) {
        draw(&rng, S, N * N);
        halve(S, N, 1);
        Tape tape = {0};
        Tensor *x = tape_tensor(&tape, 2, (const int[]){N, N});
        for (int i = 0; i < N * N; i++) x->data[i] = 2 * S[i];
        const float *A = softmax(&tape, x)->data;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++)
                for (int l = 0; l < j; l++) {
                    double there = (double)A[i * N + j] * A[j * N + l] * A[l * N + i];
                    double back = (double)A[i * N + l] * A[l * N + j] * A[j * N + i];
                    CHECK_NEAR(there / back, 1, 3e-6);
                }
        tape_free(&tape);
    }
}

static double nll_of_cycle(const float *S, size_t n, int *right) {
    double nll = 0;
    *right = 0;
    for (size_t i = 0; i < 3; i++) {
        *right += measure_argmax(S + i * n, n) == (i + 1) % 3;
        nll += measure_nll(S + i * n, n, (i + 1) % 3) / 3;
    }
    return nll;
}

static void bounds_of_symmetric_scores(void) {
    Rng rng = rng_new(5, 1);
    float S[N * N];
    int right, most = 0;
    double least = 10;
    for (int k = 0; k < 1000; k++) {
        size_t n = k % 2 ? 3 : N;
        draw(&rng, S, n * n);
        halve(S, n, 1);
        for (size_t i = 0; i < n * n; i++) S[i] *= k % 5 == 4 ? 20 : 1;
        for (size_t i = 0; i < n && k % 3; i++) S[i * n + i] -= 8;  // as with --mask-self
        double nll = nll_of_cycle(S, n, &right);
        most = right > most ? right : most;
        least = nll < least ? nll : least;
    }
    CHECK_INT(most, 2);
    CHECK(least >= log(2) - 1e-6, "an attention NLL of %.9g; expected at least ln 2", least);
    CHECK(least < 0.8, "the least of 1000 attention NLLs is %g; expected some near ln 2", least);
    const float touching[9] = {-99, 5, 5, 5, -99, 5, 5, 5, -99};
    CHECK_NEAR(nll_of_cycle(touching, 3, &right), log(2), 1e-12);
    const float turning[9] = {0, 9, 0, 0, 0, 9, 9, 0, 0};
    CHECK(nll_of_cycle(turning, 3, &right) < 0.001, "a cycle of scores has an NLL above 0.001");
    CHECK_INT(right, 3);
}

enum { TOKENS = 8, WIDE = 3 };

// S = K Kᵀ of TOKENS words, the first n of them so far `apart`, all others `off` from those.
static void draw_square(Rng *rng, int n, double apart, double off, float S[TOKENS * TOKENS]) {
    double K[TOKENS][WIDE];
    for (int i = 0; i < TOKENS; i++) {
        for (int c = 0; c < WIDE; c++) K[i][c] = (i < n ? apart : 1) * rng_normal(rng);
        K[i][0] += i < n ? off : -off;
    }
    for (int i = 0; i < TOKENS; i++)
        for (int j = 0; j < TOKENS; j++) {
            double dot = 0;
            for (int c = 0; c < WIDE; c++) dot += K[i][c] * K[j][c];
            S[i * TOKENS + j] = (float)dot;
        }
}

// The least mean NLL on a cycle of the first n. `barred`: no word attends to itself.
static double least_of_squares(int n, bool barred) {
    Rng rng = rng_new(8, (uint64_t)n);
    double least = INFINITY;
    for (int k = 0; k < 2000; k++) {
        float S[TOKENS * TOKENS];
        double nll = 0;
        draw_square(&rng, n, 2 * rng_uniform(&rng), k % 2 ? 6 : 0, S);
        for (int i = 0; i < TOKENS && barred; i++) S[i * TOKENS + i] = -INFINITY;
        for (int i = 0; i < n; i++)
            nll += measure_nll(S + i * TOKENS, TOKENS, (size_t)((i + 1) % n)) / n;
        least = fmin(least, nll);
    }
    return least;
}

static void bounds_of_squares(void) {
    for (int n = 3; n <= 5; n++) {
        double least = least_of_squares(n, false);
        CHECK(least >= log(3) - 1e-5, "a cycle of %d: %.9g; expected at least ln 3", n, least);
    }
    CHECK_NEAR(least_of_squares(3, false), log(3), 0.01);
    CHECK_NEAR(least_of_squares(3, true), log(2), 0.01);   // as of any symmetric score
    CHECK_NEAR(least_of_squares(2, false), log(2), 0.01);  // a pair: i has one neighbour
    const float K[] = {0.5f, 0, 1, 1, 0.9f, 2};  // ever longer: a square finds 2 of 3, too
    float S[9];
    int right;
    for (int i = 0; i < 9; i++)
        S[i] = K[i / 3 * 2] * K[i % 3 * 2] + K[i / 3 * 2 + 1] * K[i % 3 * 2 + 1];
    CHECK(nll_of_cycle(S, 3, &right) > log(3), "below ln 3");
    CHECK_INT(right, 2);
}

static void nll_and_argmax(void) {
    const float scores[] = {1, 3, -INFINITY, 3, 0};
    CHECK_INT(measure_argmax(scores, 5), 1);
    CHECK_NEAR(measure_nll(scores, 5, 3), -log(exp(3) / (exp(1) + 2 * exp(3) + 1)), 1e-12);
    CHECK(measure_nll(scores, 5, 2) == INFINITY, "the NLL of a masked token is finite");
    const float large[] = {1000, 999};
    CHECK_NEAR(measure_nll(large, 2, 0), log1p(exp(-1)), 1e-12);
}

// Weights of 0.5 and 0.9 on the target are 0.7 in the mean; of 0.5 and nearly 0, half of 0.5.
static void nll_of_heads(void) {
    const float scores[] = {0, 0, -1, (float)log(9), 0, -1, -20000, 0};  // rows of 2, 3 apart
    CHECK_NEAR(measure_mean_nll(scores, 2, 3, 2, 0), -log(0.7), 1e-7);
    CHECK_NEAR(measure_mean_nll(scores, 1, 3, 2, 0), log(2), 1e-12);
    CHECK_NEAR(measure_mean_nll(scores, 2, 6, 2, 0), log(4), 1e-12);
    CHECK_NEAR(measure_mean_nll(scores + 6, 1, 3, 2, 0), 20000, 1e-9);
    const float masked[] = {-INFINITY, 0, -INFINITY, 1};
    CHECK(measure_mean_nll(masked, 2, 2, 2, 0) == INFINITY,
          "the NLL of a token that all heads mask is finite");
}

// ---- M -----------------------------------------------------------------------------------------

static void symmetry_of_known_matrices(void) {
    Rng rng = rng_new(6, 1);
    float S[N * N];
    double M[N * N];
    for (int kind = -1; kind <= 1; kind++) {
        draw(&rng, S, N * N);
        if (kind) halve(S, N, (float)kind);
        for (int i = 0; i < N * N; i++) M[i] = S[i];
        double asymmetry = measure_direction(S, N, N).asymmetry, got = measure_symmetry(M, N);
        CHECK_NEAR(got, 1 - 2 * asymmetry * asymmetry, 1e-12);
        if (kind) CHECK_NEAR(got, kind, 1e-12);
    }
    memset(M, 0, sizeof M);
    CHECK_NEAR(measure_symmetry(M, N), 0, 0);
}

static void check_values(double *M, size_t n, const double *expected, double tolerance) {
    double value[64];
    measure_singular_values(M, n, value);
    for (size_t i = 0; i < n; i++) CHECK_NEAR(value[i], expected[i], tolerance);
}

static void singular_values_of_known_matrices(void) {
    double diagonal[16] = {0};
    diagonal[0] = -2;
    diagonal[5] = 0.5;
    diagonal[10] = 7;
    check_values(diagonal, 4, (const double[]){7, 2, 0.5, 0}, 1e-15);
    double one[9];  // (1, 2, 2) (3, 0, 4)ᵀ: 3 times 5
    const double u[] = {1, 2, 2}, v[] = {3, 0, 4};
    for (int i = 0; i < 9; i++) one[i] = u[i / 3] * v[i % 3];
    check_values(one, 3, (const double[]){15, 0, 0}, 1e-12);
    double turn[4] = {cos(1), -sin(1), sin(1), cos(1)};
    check_values(turn, 2, (const double[]){1, 1}, 1e-15);
    double shear[4] = {3, 0, 4, 5};  // sqrt(45), sqrt(5)
    check_values(shear, 2, (const double[]){sqrt(45), sqrt(5)}, 1e-13);
    double single[1] = {-4};
    check_values(single, 1, (const double[]){4}, 0);
    double zeros[9] = {0};
    check_values(zeros, 3, (const double[]){0, 0, 0}, 0);
}

static void rank_of_m_is_d_k(void) {
    const int widths[][2] = {{33, 1}, {33, 5}, {64, 16}, {64, 63}, {16, 16}};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        int D = widths[w][0], d_k = widths[w][1];
        Layer layer;
        double value[64], frobenius = 0, squares = 0;
        double *M = malloc((size_t)(D * D) * sizeof *M);
        layer_open(&layer, "qk", layer_config(D, 1, d_k, D), 1, 2, 0);
        attention_m(&layer.a, 0, M);
        for (int i = 0; i < D * D; i++) frobenius += M[i] * M[i];
        measure_singular_values(M, (size_t)D, value);
        for (int i = 0; i < D; i++) {
            squares += value[i] * value[i];
            CHECK(i < d_k ? value[i] > 1e-4 : value[i] < 1e-10,
                  "D %d, d_k %d: singular value %d is %g", D, d_k, i, value[i]);
            CHECK(!i || value[i] <= value[i - 1], "singular value %d is larger than the one before",
                  i);
        }
        CHECK_NEAR(squares / frobenius, 1, 1e-12);
        layer_close(&layer);
        free(M);
    }
}

// A step of four parts is measured in four batches. One thread runs them one after the other, on one
// tape. Of a context of 256, roles are read from fewer windows at once than of one of 64.
static void measuring_memory(void) {
    Setup s;
    Trainer t;
    int before = threads_most();
    setup_open(&s, "train text --text README.md --layers 2 --heads 2 --d-model 16 --context 256 "
                   "--batch 4");
    trainer_init(&t, options_config(&s.options), &s.task, arm_find("qkv"));
    trainer_split(&t, 4);
    threads_set(1);
    evaluate(&t, 4, NULL);
    threads_set(before);
    size_t one = t.measuring.arena.peak;
    CHECK(one > 0, "nothing was measured");
    for (int i = 1; i < 4; i++) CHECK_INT(t.shard[i].measuring.arena.peak, 0);
    MByRole roles = m_by_role_of(&t.model, &t.measuring, &t.batch);
    CHECK(t.measuring.arena.peak <= 2 * one, "%zu bytes for two windows, %zu for one",
          t.measuring.arena.peak, one);
    m_by_role_free(&roles);
    trainer_free(&t);
    setup_close(&s);
}

void tests_measure(void) {
    test("asymmetry is 0 for symmetric, 1 for antisymmetric, 0.7 for random scores",
         asymmetry_of_known_matrices);
    test("one token, or scores of 0, have no direction", one_token_and_none);
    test("the circulation of a cycle of three is all of its asymmetry", a_cycle_by_hand);
    test("no bias on rows or columns circulates", biases_do_not_turn);
    test("padding is left out of asymmetry and circulation", padding_is_left_out);
    test("attention by a symmetric score is as likely around a cycle as back", kolmogorov);
    test("no symmetric score attends to a whole cycle, nor gets an NLL below ln 2 on it", bounds_of_symmetric_scores);
    test("no square K K^T gets below ln 3 on a cycle, unless its diagonal is barred",
         bounds_of_squares);
    test("attention NLL is -log softmax, argmax the first of the largest", nll_and_argmax);
    test("the attention NLL of several heads is that of their mean attention", nll_of_heads);
    test("M's symmetry is 1, -1, or 1 - 2 asymmetry^2", symmetry_of_known_matrices);
    test("singular values of known matrices", singular_values_of_known_matrices);
    test("W_Q W_K^T has d_k singular values, the others are 0", rank_of_m_is_d_k);
    test("measuring takes a tape for each thread, and roles at most two long windows at once",
         measuring_memory);
}
