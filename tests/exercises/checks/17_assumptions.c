#include <stdlib.h>
#include <string.h>

#include "autograd/optim.h"
#include "model/train/measure.h"
#include "tests/exercises/check.h"
#include "tests/exercises/cycle.h"
#include "tests/setup.h"

enum { HEADS = 3, STEPS = 500, SEEDS = 8, SENTENCES = 64, LAYERS = 8 };

static const int target[3] = {1, 2, 0};

static Tensor *symmetric(Tape *tape, Tensor *B) {
    return scale(tape, add(tape, B, transpose(tape, B)), 0.5);
}

// ---- several heads -----------------------------------------------------------------------------

static float right_weight(const Tensor *A, int i) {  // the sum over heads
    float total = 0;
    for (int h = 0; h < A->shape[0]; h++) total += A->data[9 * h + 3 * i + target[i]];
    return total;
}

static void mean_nll_backward(Tensor *out) {
    Tensor *A = out->in[0];
    for (int i = 0; i < 3; i++)
        for (int h = 0; h < A->shape[0]; h++)
            A->grad[9 * h + 3 * i + target[i]] -= out->grad[0] / (3 * right_weight(A, i));
}

// () the mean of -log of the mean weight of the heads; A is (H, 3, 3)
static Tensor *mean_nll(Tape *tape, Tensor *A) {
    Tensor *out = tape_record(tape, "mean_nll", 0, NULL, mean_nll_backward, A, NULL, NULL);
    double nll = 0;
    for (int i = 0; i < 3; i++) nll -= log((double)right_weight(A, i) / A->shape[0]) / 3;
    out->data[0] = (float)nll;
    return out;
}

// The lowest NLL of H symmetric heads in a training.
static double train_heads(int H, uint64_t seed) {
    Params params = {0};
    Tape tape = {0};
    Optim adam = optim_adam(0);
    Rng rng = rng_new(seed, 17);
    double least = INFINITY;
    Tensor *B = params_add(&params, "B", true, 3, (const int[]){H, 3, 3});
    params_seal(&params);
    fill_normal(B, &rng, 1);
    for (int step = 0; step < STEPS; step++) {
        tape_reset(&tape);
        params_zero_grad(&params);
        Tensor *loss = mean_nll(&tape, softmax(&tape, symmetric(&tape, B)));
        least = fmin(least, (double)loss->data[0]);
        tape_backward(&tape, loss);
        optim_step(&adam, &params, 0.1);
    }
    tape_free(&tape);
    params_free(&params);
    return least;
}

static void check_heads(void) {
    double nll[HEADS + 1];
    int enough = 0;
    trying("heads_enough");
    for (int H = HEADS; H >= 1; H--) {
        nll[H] = INFINITY;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) nll[H] = fmin(nll[H], train_heads(H, seed));
        if (nll[H] < log(2) - 0.01) enough = H;
    }
    measured("symmetric heads, 8 seeds: lowest NLL %.4f with one, %.4f with two, %.4f with three",
             nll[1], nll[2], nll[3]);
    if (heads_enough() < enough)
        wrong("heads_enough says %d; no training of one head got below ln 2 = %.4f", heads_enough(),
              log(2));
    if (heads_enough() > enough)
        wrong("heads_enough says %d, but %d reached %.4f", heads_enough(), enough, nll[enough]);
    check_bound("two_heads_nll", two_heads_nll(), nll[2]);
}

// ---- a mask ------------------------------------------------------------------------------------

static unsigned char links[9];  // where the learner's mask is true

static Tensor *masked_score(Tape *tape, Tensor *B, Tensor *bias) {
    (void)bias;
    Tensor *S = reshape(tape, symmetric(tape, B), 4, (const int[]){1, 1, 3, 3});
    return reshape(tape, mask(tape, S, links, 1), 2, (const int[]){3, 3});
}

static void check_mask(void) {
    bool allowed[3][3];
    int forbidden = 0, mutual = 1;
    memset(allowed, 1, sizeof allowed);
    trying("cycle_mask");
    cycle_mask(allowed);
    for (int i = 0; i < 3; i++) {
        if (!allowed[i][target[i]])
            wrong("cycle_mask: token %d may not attend to %d, which it asks for", i, target[i]);
        for (int j = 0; j < 3; j++) {
            links[3 * i + j] = allowed[i][j];
            forbidden += !allowed[i][j];
            mutual &= allowed[i][j] == allowed[j][i];
        }
    }
    CycleRun run = cycle_best(masked_score);
    measured("your mask forbids %d of 9 links: lowest NLL %.4f, at most %d of 3 found", forbidden,
             run.attention_nll, run.found);
    if (!forbidden) wrong("cycle_mask forbids nothing yet");
    if (mutual)
        wrong("cycle_mask: the mask is mutual, so the theorem holds: no training found more than "
              "%d", run.found);
    if (forbidden > 1)
        wrong("cycle_mask follows the cycle, but it forbids %d links; fewer are enough", forbidden);
}

// ---- depth -------------------------------------------------------------------------------------

static void open(Setup *s) {
    char command[256];
    trying("depth_options");
    snprintf(command, sizeof command, "train %s", depth_options());
    setup_open(s, command);
    const Options *o = &s->options;
    if (strcmp(o->task->name, "pronoun") || o->steps > 400)
        wrong("depth_options: train `pronoun`, in at most 400 steps");
    if (o->arms != 1 || strcmp(o->arm[0]->name, "sym"))
        wrong("depth_options: train the arm sym alone");
    if (o->heads != 1)
        wrong("depth_options: with %d heads it is not depth that helps; take one", o->heads);
    if (o->relative) wrong("depth_options: with --relative the score is not symmetric");
    if (o->layers > LAYERS) wrong("depth_options: at most %d layers", LAYERS);
}

// The fraction of the cycle's questions whose largest weight, in one layer, is on the right token.
static double found_by(const Trainer *t, const Attended *a) {
    const Batch *batch = &t->batch;
    size_t L = (size_t)batch->L, asked = 0, found = 0;
    for (size_t row = 0; row < (size_t)batch->B * L; row++) {
        if (batch->target[row] < 0 || !task_in_cycle(t->task, batch->relation[row])) continue;
        asked++;
        found += measure_argmax(a->masked->data + row * L, L) == (size_t)batch->target[row];
    }
    return (double)found / (double)asked;
}

static double best_layer(Trainer *t) {
    size_t which[SENTENCES];
    double best = 0;
    for (size_t i = 0; i < SENTENCES; i++) which[i] = i;
    task_batch(t->task, which, SENTENCES, &t->batch);
    tape_reset(&t->measuring);
    Forward f = model_forward(&t->model, &t->measuring, &t->batch);
    for (int i = 0; i < model_layers(&t->model); i++) {
        double found = found_by(t, &f.layer[i]);
        measured("  the attention of layer %d finds %.2f of the cycle", i + 1, found);
        best = fmax(best, found);
    }
    return best;
}

static void check_depth(void) {
    Setup s;
    Trainer t;
    ArmHistory arm = {0};
    open(&s);
    trying("the training");
    trainer_init(&t, options_config(&s.options), &s.task, s.options.arm[0]);
    trainer_run(&t, s.options.steps, NULL);
    evaluate(&t, SIZE_MAX, &arm);
    free(arm.relation);
    measured("sym, %d layers: answers %.2f of the cycle's questions", s.options.layers,
             arm.cycle_accuracy);
    double best = best_layer(&t);
    trainer_free(&t);
    setup_close(&s);
    if (!(arm.cycle_accuracy >= 0.9))
        wrong("depth_options: %.2f of the cycle's questions are answered, which should be 0.9 or "
              "more: take another number of layers", arm.cycle_accuracy);
    if (depth_does() == DEPTH_NOT_SAID)
        wrong("depth_does: no answer yet; look at the last measured lines");
    if (depth_does() != (best <= 2.0 / 3 ? DEPTH_GOES_ROUND_IT : DEPTH_BREAKS_IT))
        wrong("depth_does: the answers are right, but no layer finds more than %.2f: each layer "
              "computes its scores from some X, and the proof takes any X", best);
}

void check(void) {
    check_heads();
    check_mask();
    check_depth();
}
