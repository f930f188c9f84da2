#include "tests/exercises/check.h"
#include "tests/setup.h"

enum { B = 2, L = 3, M = 3, D = 6, D_K = 4, OUT = B * L * D, SEEDS = 2, WIDTHS = 4 };

static const int width[WIDTHS] = {3, 4, 6, 8};

// ---- the head ----------------------------------------------------------------------------------

typedef enum Variant {
    RIGHT, NO_SCALE, READS_QUERY, SAME, NO_SOFTMAX, NOT_YET, VARIANTS,
} Variant;

static const char *const words[VARIANTS] = {
    [NO_SCALE] = "comes from scores that are not divided by sqrt(d_k)",
    [READS_QUERY] = "uses the queries as values: here the value is the key",
    [SAME] = "has keys made from X: make them from Z",
    [NO_SOFTMAX] = "comes from scores used as weights: there is no softmax",
    [NOT_YET] = "is the query of each token itself: no token attends to another yet",
};

static Tensor *variant(Tape *t, Tensor *const in[5], Variant v) {
    Tensor *Q = matmul(t, in[0], in[2]), *K = matmul(t, in[v == SAME ? 0 : 1], in[3]);
    Tensor *S = scale(t, matmul_t(t, Q, K), v == NO_SCALE ? 1 : 1 / sqrt(D_K));
    Tensor *A = v == NO_SOFTMAX ? S : softmax(t, S);
    return matmul(t, v == NOT_YET ? Q : matmul(t, A, v == READS_QUERY ? Q : K), in[4]);
}

static void check_head(void) {
    Tape tape = {0};
    double x[VARIANTS][OUT];
    Guess guess[VARIANTS] = {{0}};
    const int rows[] = {B, L, D}, down[] = {D, D_K}, up[] = {D_K, D};
    Tensor *in[] = {leaf(&tape, 3, rows, 1, 1), leaf(&tape, 3, rows, 2, 1),
                    leaf(&tape, 2, down, 3, 0.6), leaf(&tape, 2, down, 4, 0.6),
                    leaf(&tape, 2, up, 5, 0.6)};
    for (int v = RIGHT; v < VARIANTS; v++) {
        copied(variant(&tape, in, (Variant)v)->data, OUT, x[v]);
        if (v > RIGHT) guess[v - 1] = (Guess){words[v], x[v]};
    }
    trying("key_value_head");
    Tensor *out = key_value_head(&tape, in[0], in[1], in[2], in[3], in[4]);
    check_recorded("key_value_head", out, in[0]);
    compare("the output", out->data, x[RIGHT], OUT, guess);
    if (!out->grad)
        wrong("the output of key_value_head has no gradient: it is not made from X, Z and the "
              "weights by ops");
    tape_free(&tape);
}

// ---- the width at which it hurts ---------------------------------------------------------------

static double accuracy(const char *arm, int d_k, uint64_t seed) {
    Setup s;
    Trainer t;
    char command[96];
    snprintf(command, sizeof command, "train search --d-k %d --seed %d", d_k, (int)seed);
    setup_open(&s, command);
    trainer_init(&t, options_config(&s.options), &s.task, arm_find(arm));
    trainer_run(&t, s.options.steps, NULL);
    double right = evaluate(&t, SIZE_MAX, NULL).accuracy;
    measured("search, d_k %d, seed %d: accuracy of %s %.2f", d_k, (int)seed, arm, right);
    trainer_free(&t);
    setup_close(&s);
    return right;
}

// Over the seeds.
typedef struct Range {
    double min, max;
} Range;

static Range range(const char *arm, int d_k) {
    Range r = {1, 0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double right = accuracy(arm, d_k, seed);
        r.min = fmin(r.min, right);
        r.max = fmax(r.max, right);
    }
    return r;
}

static int place(const char *name, int d_k) {
    for (int i = 0; i < WIDTHS; i++)
        if (width[i] == d_k) return i;
    wrong("%s says %d; it is one of 3, 4, 6, 8", name, d_k);
}

void check(void) {
    check_head();
    trying("the training");
    int hurts = place("key_value_hurts", key_value_hurts()),
        enough = place("key_value_enough", key_value_enough());
    Range kv[WIDTHS + 1] = {{0}}, qkv = range("qkv", width[hurts]);
    bool known[WIDTHS + 1] = {false};
    // The two widths of the learner, the one above the first and the one below the second.
    for (int i = 0; i < WIDTHS; i++) {
        known[i] = i == hurts || i == hurts + 1 || i == enough || i == enough - 1;
        if (known[i]) kv[i] = range("kv", width[i]);
    }
    if (kv[hurts].max > qkv.min / 2)
        wrong("key_value_hurts says %d: there the accuracy of kv is %.2f, more than half of the "
              "%.2f of qkv",
              width[hurts], kv[hurts].max, qkv.min);
    if (known[hurts + 1] && kv[hurts + 1].max < 0.5)
        wrong("key_value_hurts says %d; it hurts at %d too", width[hurts], width[hurts + 1]);
    if (kv[enough].min < 0.98)
        wrong("key_value_enough says %d: there the accuracy of kv is %.2f", width[enough],
              kv[enough].min);
    if (enough && kv[enough - 1].min >= 0.98)
        wrong("key_value_enough says %d; %d is enough already", width[enough], width[enough - 1]);
}
