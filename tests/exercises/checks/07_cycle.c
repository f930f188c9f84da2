#include <string.h>

#include "autograd/optim.h"
#include "model/train/measure.h"
#include "tests/exercises/check.h"
#include "tests/exercises/cycle.h"
#include "tests/layer.h"

enum { TRIES = 6 };

// ---- the learner's two ops ---------------------------------------------------------------------

// Mean of -log A over target, or of -A, in double.
static double nll(const float *S, int a, int b, int c, bool logs) {
    const int target[] = {a, b, c};
    double mean = 0;
    for (size_t i = 0; i < 3; i++) {
        double log_A = -measure_nll(S + 3 * i, 3, (size_t)target[i]);
        mean -= (logs ? log_A : exp(log_A)) / 3;
    }
    return mean;
}

static void check_nll(void) {
    Tape tape = {0};
    float got[TRIES];
    double right[TRIES], back[TRIES], self[TRIES], no_log[TRIES];
    trying("cycle_nll");
    for (int i = 0; i < TRIES; i++) {
        Tensor *S = leaf(&tape, 2, (const int[]){3, 3}, 1 + (uint64_t)i, 1),
               *out = cycle_nll(&tape, S);
        check_recorded("cycle_nll", out, tape_tensor(&tape, 0, NULL));
        if (!out->grad) wrong("cycle_nll has no gradient: it is not made from S by ops");
        got[i] = out->data[0];
        right[i] = nll(S->data, 1, 2, 0, true);
        back[i] = nll(S->data, 2, 0, 1, true);
        self[i] = nll(S->data, 0, 1, 2, true);
        no_log[i] = nll(S->data, 1, 2, 0, false);
    }
    compare("cycle_nll", got, right, TRIES,
            (const Guess[]){{"goes the other way: 0 asks for 1, 1 for 2, 2 for 0", back},
                            {"is the NLL of each token finding itself", self},
                            {"is the mean of -A: the log is missing", no_log},
                            {0}});
    tape_free(&tape);
}

static void check_symmetric(void) {
    Tape tape = {0};
    trying("cycle_score");
    Tensor *B = leaf(&tape, 2, (const int[]){3, 3}, 1, 1), *S = cycle_score(&tape, B);
    check_recorded("cycle_score", S, B);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs((double)S->data[3 * i + j] - (double)S->data[3 * j + i]) <= 1e-6))
                wrong("cycle_score is not symmetric: S[%d][%d] is %.4g, S[%d][%d] is %.4g", i, j,
                      (double)S->data[3 * i + j], j, i, (double)S->data[3 * j + i]);
    tape_free(&tape);
}

// ---- the experiment ----------------------------------------------------------------------------

static Tensor *learner(Tape *tape, Tensor *B, Tensor *bias) {
    return (void)bias, cycle_score(tape, B);
}
static Tensor *anything(Tape *tape, Tensor *B, Tensor *bias) {
    return (void)bias, scale(tape, B, 1);
}

// Trains an arm of the model on three fixed tokens of width 8.
static CycleRun train_arm(const char *arm, uint64_t seed) {
    Layer layer;
    Optim adam = optim_adam(0);
    AttentionConfig config = layer_config(8, 1, 4, 8);
    CycleRun c = {.attention_nll = INFINITY};
    config.points_at_answer = true;
    layer_open(&layer, arm, config, 1, 3, 0);
    Rng rng = rng_new(seed, 79);
    float X[3 * 8];
    fill_normal(layer.X, &rng, 1);
    memcpy(X, layer.X->data, sizeof X);
    for (int step = 0; step < 500; step++) {
        tape_reset(&layer.tape);
        params_zero_grad(&layer.params);
        layer.X = layer.Z = tape_tensor(&layer.tape, 3, (const int[]){1, 3, 8});
        memcpy(layer.X->data, X, sizeof X);
        memset(layer.allowed = arena_alloc(&layer.tape.arena, 9, 1), 1, 9);
        layer_run(&layer);
        Tensor *loss =
            cycle_nll(&layer.tape, reshape(&layer.tape, layer.out.S, 2, (const int[]){3, 3}));
        int found = 0;
        for (size_t i = 0; i < 3; i++)
            found += measure_argmax(layer.out.S->data + 3 * i, 3) == (i + 1) % 3;
        c.attention_nll = fmin(c.attention_nll, loss->data[0]);
        c.found = found > c.found ? found : c.found;
        tape_backward(&layer.tape, loss);
        optim_step(&adam, &layer.params, 0.03);
    }
    layer_close(&layer);
    return c;
}

static CycleRun arm_best(const char *arm) {
    CycleRun best = {.attention_nll = INFINITY};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        CycleRun c = train_arm(arm, seed);
        best.attention_nll = fmin(best.attention_nll, c.attention_nll);
        best.found = c.found > best.found ? c.found : best.found;
    }
    measured("the arm %s, 4 seeds: lowest NLL %.4f, at most %d of 3 found", arm, best.attention_nll,
             best.found);
    return best;
}

void check(void) {
    check_nll();
    check_symmetric();
    trying("the training");
    CycleRun free_score = cycle_best(anything), yours = cycle_best(learner);
    measured("a free score, 8 seeds: lowest NLL %.4f, at most %d of 3 found",
             free_score.attention_nll, free_score.found);
    measured("yours, symmetric, 8 seeds: lowest NLL %.4f, at most %d of 3 found",
             yours.attention_nll, yours.found);
    CycleRun qk = arm_best("qk"), sym = arm_best("sym"), tied = arm_best("tied");
    if (free_score.attention_nll > 0.05 || qk.attention_nll > 0.05)
        wrong("the experiment itself fails: a free score should learn the cycle");
    if (yours.attention_nll > 0.75)
        wrong("cycle_score is symmetric, but its NLL stays at %.3f: are all six of its numbers "
              "free?",
              yours.attention_nll);
    check_bound("cycle_bound", cycle_bound(),
                fmin(yours.attention_nll, fmin(sym.attention_nll, tied.attention_nll)));
    int most = cycle_found_at_most();
    if (most > 2)
        wrong("cycle_found_at_most says %d; no symmetric training found more than %d at any step",
              most, yours.found);
    if (most < yours.found)
        wrong("cycle_found_at_most says %d; a symmetric training found %d", most, yours.found);
}
