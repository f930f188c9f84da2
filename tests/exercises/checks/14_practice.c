#include "model/train/measure.h"
#include "tests/exercises/check.h"
#include "tests/exercises/cycle.h"
#include "tests/setup.h"

enum { SENTENCES = 64, SEEDS = 3 };

// ---- X is fixed --------------------------------------------------------------------------------

// Sums over tokens, then means: whether a token attends most to itself, and the cosine of its Y
// with its own X, with the X of its answer, and with the mean X of the sentence.
typedef struct Seen {
    double tokens, on_itself, itself, answers, answer, mean;
} Seen;

static double cosine(const float *x, const double *y, size_t D) {
    double both = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < D; i++)
        both += (double)x[i] * y[i], xx += (double)x[i] * (double)x[i], yy += y[i] * y[i];
    return both / sqrt(xx * yy);
}

static void add_token(const Batch *batch, const Attended *a, size_t b, size_t i, Seen *seen) {
    size_t L = (size_t)batch->L, D = (size_t)a->X->shape[2], n = (size_t)batch->length[b],
           row = b * L + i;
    double Y[256], X[256], mean[256] = {0};
    copied(a->Y->data + row * D, D, Y);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < D; k++)
            mean[k] += (double)a->X->data[(b * L + j) * D + k] / (double)n;
    seen->tokens++;
    seen->on_itself += measure_argmax(a->masked->data + row * L, n) == i;
    seen->itself += cosine(a->X->data + row * D, Y, D);
    seen->mean += cosine(a->Y->data + row * D, mean, D);
    if (batch->target[row] < 0) return;
    copied(a->X->data + (b * L + (size_t)batch->target[row]) * D, D, X);
    seen->answers++;
    seen->answer += cosine(a->Y->data + row * D, X, D);
}

static Seen look(Trainer *t) {
    size_t which[SENTENCES];
    Seen s = {0};
    for (size_t i = 0; i < SENTENCES; i++) which[i] = i;
    task_batch(t->task, which, SENTENCES, &t->batch);
    tape_reset(&t->measuring);
    Attended a = model_forward(&t->model, &t->measuring, &t->batch).attended;
    for (size_t b = 0; b < SENTENCES; b++)
        for (size_t i = 0; i < (size_t)t->batch.length[b]; i++) add_token(&t->batch, &a, b, i, &s);
    s.on_itself /= s.tokens, s.itself /= s.tokens, s.mean /= s.tokens, s.answer /= s.answers;
    return s;
}

static void check_near(const char *what, double said, double measured, double tolerance) {
    if (!(fabs(said - measured) <= tolerance))
        wrong("%s: you say %.4g, but it is %.4g", what, said, measured);
}

static void check_comes_back(ComesBack said, const Seen *s) {
    double most = fmax(s->itself, fmax(s->answer, s->mean));
    double yours = said == COMES_ITSELF     ? s->itself
                 : said == COMES_THE_ANSWER ? s->answer
                                            : s->mean;
    if (yours < most)
        wrong("comes_back: the output of a token has a cosine of %.2f with that, and of %.2f with "
              "another of the three",
              yours, most);
}

static void check_still(const Practice *p, uint64_t seed) {
    Setup s;
    Trainer t;
    char command[64];
    snprintf(command, sizeof command, "train --seed %d", (int)seed);
    setup_open(&s, command);
    trainer_init(&t, options_config(&s.options), &s.task, arm_find("xxt"));
    trainer_run(&t, s.options.steps, NULL);
    Measurement end = evaluate(&t, SIZE_MAX, NULL);
    Seen seen = look(&t);
    measured("xxt, seed %d: %zu trained parameters, asymmetry %g, accuracy %.2f", (int)seed,
             t.model.params.size, end.asymmetry, end.accuracy);
    measured("  %.2f of the tokens attend most to themselves; cosine of the output with the token "
             "itself %.2f, with the mean %.2f, with the answer %.2f",
             seen.on_itself, seen.itself, seen.mean, seen.answer);
    check_near("parameters", p->parameters, (double)t.model.params.size, 0);
    check_near("asymmetry", p->asymmetry, end.asymmetry, 1e-6);
    check_near("on_itself", p->on_itself, seen.on_itself, 0.1);
    check_near("accuracy", p->accuracy, end.accuracy, 0.1);
    check_comes_back(p->comes_back, &seen);
    trainer_free(&t);
    setup_close(&s);
}

// ---- X may learn -------------------------------------------------------------------------------

static Tensor *gram(Tape *tape, Tensor *X, Tensor *bias) {
    return (void)bias, matmul_t(tape, X, X);
}

static void check_learning(const Practice *p) {
    double point = INFINITY;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        point = fmin(point, cycle_train(gram, (const int[]){1, NO_TARGET, NO_TARGET}, seed)
                                .attention_nll);
    CycleRun cycle = cycle_best(gram);
    measured("X Xᵀ, X learned: lowest NLL %.4f if token 0 asks for 1, %.4f if all three ask",
             point, cycle.attention_nll);
    check_near("point_nll", p->point_nll, point, 0.01);
    check_bound("cycle_nll", p->cycle_nll, cycle.attention_nll);
}

// Every prediction is made before anything is measured.
static void check_said(const Practice *p) {
    if (p->parameters < 0) wrong("parameters: no prediction yet");
    if (isnan(p->asymmetry)) wrong("asymmetry: no prediction yet");
    if (isnan(p->on_itself)) wrong("on_itself: no prediction yet");
    if (isnan(p->accuracy)) wrong("accuracy: no prediction yet");
    if (p->comes_back == COMES_NOT_SAID)
        wrong("comes_back: no prediction yet; name one of ComesBack in exercises.h");
    if (isnan(p->point_nll)) wrong("point_nll: no prediction yet");
    if (isnan(p->cycle_nll)) wrong("cycle_nll: no prediction yet");
}

void check(void) {
    trying("practice");
    Practice p = practice();
    check_said(&p);
    trying("the training");
    for (uint64_t seed = 1; seed <= SEEDS; seed++) check_still(&p, seed);
    check_learning(&p);
}
