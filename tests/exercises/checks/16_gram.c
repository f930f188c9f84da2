// Line 2 must be the one bound that is linear and exact where the scores are equal; there is no
// other. Line 1 may be any bound that lets the proof end.
#include "tests/exercises/check.h"
#include "tests/exercises/cycle.h"

enum { DRAWS = 20000, WIDEST = 4 };

typedef double Scores[3][3];

static const double tolerance = 1e-9;

// Scores (X W)(X W)ᵀ of three tokens of width 1 to 4, with keys of width 1 to 4.
static void draw_gram(Rng *rng, Scores S) {
    int D = 1 + (int)(rng_uniform(rng) * WIDEST), d_k = 1 + (int)(rng_uniform(rng) * WIDEST);
    double size = 3 * rng_uniform(rng), W[WIDEST][WIDEST], k[3][WIDEST] = {{0}};
    for (int a = 0; a < D; a++)
        for (int b = 0; b < d_k; b++) W[a][b] = size * rng_normal(rng);
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < D; a++) {
            double x = rng_normal(rng);
            for (int b = 0; b < d_k; b++) k[i][b] += x * W[a][b];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            S[i][j] = 0;
            for (int b = 0; b < d_k; b++) S[i][j] += k[i][b] * k[j][b];
        }
}

static double trace(Scores S) { return S[0][0] + S[1][1] + S[2][2]; }
static double around(Scores S) { return S[0][1] + S[1][2] + S[2][0]; }

static double log_Z(const double *row) {
    double most = fmax(row[0], fmax(row[1], row[2]));
    return most + log(exp(row[0] - most) + exp(row[1] - most) + exp(row[2] - most));
}

static double cycle_nll_of(Scores S) {
    return (log_Z(S[0]) + log_Z(S[1]) + log_Z(S[2]) - around(S)) / 3;
}

static bool below(double bound, double x) { return bound <= x + tolerance * (1 + fabs(x)); }

static void check_line_1(Scores S) {
    double line = diagonal_at_least(S), diagonal = trace(S);
    Scores other;
    for (int i = 0; i < 9; i++) other[i / 3][i % 3] = S[i / 3][i % 3] + (i % 4 == 0);
    if (line == -INFINITY)
        wrong("diagonal_at_least: \"at least minus infinity\" is true, but it says nothing");
    if (diagonal_at_least(other) != line)
        wrong("diagonal_at_least reads S_ii; write it in S_01, S_12 and S_20 alone");
    if (!below(line, diagonal))
        wrong("line 1 is false: there are keys with S_01 + S_12 + S_20 = %.3f whose diagonal sums "
              "to %.3f, and diagonal_at_least says %.3f", around(S), diagonal, line);
}

// Asked after no draw has made line 1 false.
static void check_closes(Scores S) {
    double line = diagonal_at_least(S);
    if (!below(around(S), line))
        wrong("line 1 is true, but too weak: where S_01 + S_12 + S_20 = %.3f it says %.3f, and the "
              "proof ends at NLL >= %.3f, not at ln 3", around(S), line,
              log(3) + (line - around(S)) / 9);
}

static void check_line_2(const double *row) {
    double line = log_Z_at_least(row), right = log_Z(row), zero[3] = {0}, half[3], at_zero;
    for (int i = 0; i < 3; i++) half[i] = row[i] / 2;
    at_zero = log_Z_at_least(zero);
    if (line == -INFINITY)
        wrong("log_Z_at_least: \"at least minus infinity\" is true, but it says nothing");
    if (!below(line, right))
        wrong("line 2 is false: for the scores %.2f, %.2f, %.2f the log of Z is %.3f, and "
              "log_Z_at_least says %.3f", row[0], row[1], row[2], right, line);
    if (!below(log(3), at_zero))
        wrong("line 2 is true, but too weak: for three scores of 0 the log of Z is ln 3 = %.4f, "
              "and log_Z_at_least says %.4f", log(3), at_zero);
    if (fabs(log_Z_at_least(half) - at_zero - (line - at_zero) / 2) > tolerance * (1 + fabs(line)))
        wrong("line 2 is true, but it is no sum of scores: nothing can cancel at the end of the "
              "proof");
}

// ---- the experiment ----------------------------------------------------------------------------

static Tensor *gram(Tape *tape, Tensor *X, Tensor *bias) {
    return (void)bias, matmul_t(tape, X, X);
}
static Tensor *symmetric(Tape *tape, Tensor *B, Tensor *bias) {
    return (void)bias, scale(tape, add(tape, B, transpose(tape, B)), 0.5);
}

// The fraction of random symmetric scores for which line 1 is false.
static double line_1_fails(Rng *rng) {
    int fails = 0;
    for (int n = 0; n < DRAWS; n++) {
        Scores S;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= i; j++) S[i][j] = S[j][i] = rng_normal(rng);
        fails += !below(diagonal_at_least(S), trace(S));
    }
    return (double)fails / DRAWS;
}

void check(void) {
    Rng rng = rng_new(1, 16);
    double least = INFINITY;
    trying("diagonal_at_least and log_Z_at_least");
    for (int n = 0; n < DRAWS; n++) {
        Scores S;
        draw_gram(&rng, S);
        check_line_1(S);
        least = fmin(least, cycle_nll_of(S));
    }
    rng = rng_new(1, 16);
    for (int n = 0; n < DRAWS; n++) {
        Scores S;
        draw_gram(&rng, S);
        check_closes(S);
        for (int i = 0; i < 3; i++) check_line_2(S[i]);
    }
    measured("%d random (X W)(X W)ᵀ: both lines hold each time; lowest NLL %.4f, ln 3 = %.4f",
             DRAWS, least, log(3));
    measured("trained keys: lowest NLL %.4f", cycle_best(gram).attention_nll);
    measured("any symmetric score: line 1 is false for %.0f %% of random ones; trained, the lowest "
             "NLL is %.4f, ln 2 = %.4f", 100 * line_1_fails(&rng),
             cycle_best(symmetric).attention_nll, log(2));
}
