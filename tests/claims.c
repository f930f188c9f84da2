#include "claims.h"

#include <stdlib.h>

#include "test.h"

const char *const claims_text[CLAIMS + 1] = {
    [1] = "X X^T is symmetric, to the bit",
    [2] = "a symmetric score is mutual; two projections give direction",
    [3] = "X X^T has no parameter and cannot improve",
    [4] = "all that a head learns is in W_Q, W_K, W_V; X X^T is the case M = I",
    [5] = "at one width, one vector cannot serve both to be matched and to be read",
    [6] = "d_k bounds the rank of M; apart from W_Q and W_K no shape depends on it",
    [7] = "d_v is bound to the rest of the block, d_k is free",
    [8] = "eight heads at width 512 have d_k 64",
    [9] = "x = [1, 0.5] gives q = [1, 0.5], k = [0.5, 1], v = [2, 1]",
    [10] = "width 8, d_k 4: X (1, 5, 8) gives Q, K, V (1, 5, 4)",
    [11] = "attention is a soft mixture: every value contributes",
    [12] = "Q can come from one sequence, K and V from another",
    [13] = "the projections are ordinary weights, trained by backprop",
    [14] = "the variance of q.k is d_k, hence 1/sqrt(d_k)",
    [15] = "real pronouns: one word asks, and one matrix does as well as two",
    [16] = "real text where words ask and answer: two projections find more",
    [17] = "in a small language model, W_Q = W_K costs more than leaving out W_V",
    [18] = "in one sequence, too, a narrow key did not serve as its value",
};

// The slowest first, so that no thread still works on a slow one when the others are done.
const Experiment *const claims[] = {
    &claims_mixed,  &claims_recall,   &claims_nearest,    &claims_nouns,    &claims_projections,
    &claims_rank,   &claims_no_scale, &claims_symmetric,  &claims_search,   &claims_value,
    &claims_square, &claims_qkv,      &claims_variance,   &claims_qk,       &claims_xxt,
    &claims_block,  &claims_gradient, &claims_saturation, &claims_width,    &claims_cross,
    &claims_token,  &claims_shapes,
};
const int claims_count = sizeof claims / sizeof *claims;

void figure_add(Figure *f, double value) {
    if (!f->count || value < f->min || isnan(value)) f->min = value;
    if (!f->count || value > f->max || isnan(value)) f->max = value;
    f->count++;
}

void figure_join(Figure *f, const Figure *other) {
    if (!other->count) return;
    long count = f->count + other->count;
    figure_add(f, other->min);
    figure_add(f, other->max);
    f->count = count;
}

// A figure that was never measured does not hold; neither does a NaN.
bool claim_holds(const Row *row, const Figure *figure) {
    return figure->count && figure->min >= row->low && figure->max <= row->high;
}

int claims_seeds(void) {
    const char *given = getenv("QKV_SEEDS");
    return given ? atoi(given) : 5;
}

void claims_open(Setup *s, const char *options, uint64_t seed) {
    char command[256];
    snprintf(command, sizeof command, "train %s --seed %llu", options, (unsigned long long)seed);
    setup_open(s, command);
}

Measurement claims_trained(const char *options, const char *arm, uint64_t seed) {
    Setup s;
    Trainer t;
    claims_open(&s, options, seed);
    trainer_init(&t, options_config(&s.options), &s.task, arm_find(arm));
    trainer_run(&t, s.options.steps, NULL);
    CHECK(!t.failure[0], "%s, seed %llu: %s", options, (unsigned long long)seed, t.failure);
    Measurement last = evaluate(&t, SIZE_MAX, NULL);
    trainer_free(&t);
    setup_close(&s);
    return last;
}
