// The training loop of one arm. Read from the end: trainer_run takes steps; a step runs its
// batches, adds up the gradients of their shards and follows the sum; a shard runs forward and
// backward over its sentences. evaluate.c measures what was learned.
#include "trainer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/train/clock.h"
#include "model/train/threads.h"

// Above so many multiplications a batch is cut into four parts, by sentence. The cut does not
// depend on the number of threads, so neither do the sums.
enum { WORTH_SPLITTING = 50000000 };

// Weights in matrix products. An embedding table counts only if it also reads the logits.
static size_t multiplied(const Model *model) {
    size_t n = model->params.size;
    for (int f = 0; f < FEATURES; f++)
        if (model->table[f] && model->table[f]->grad) n -= model->table[f]->size;
    if (model->P && model->P->grad) n -= model->P->size;
    if (!model->task->points_at_answer && !model->U) n += model->table[FEATURE_WORD]->size;
    return n;
}

static void free_shards(Trainer *t, int from) {
    for (int i = from; i < t->shards; i++) {
        Shard *s = &t->shard[i];
        tape_free(&s->tape);
        tape_free(&s->measuring);
        batch_free(&s->batch);
        model_free(&s->model);
    }
}

void trainer_split(Trainer *t, int shards) {
    free_shards(t, 1);
    t->shards = shards < t->config.batch ? shards : t->config.batch;
    for (int i = 1; i < t->shards; i++) {
        t->shard[i] = (Shard){.measuring.no_gradients = true, .tape.recycles = true};
        model_share(&t->shard[i].model, &t->model);
    }
}

void trainer_init(Trainer *t, TrainConfig config, const Task *task, const Arm *arm) {
    *t = (Trainer){.config = config, .task = task, .rng = rng_new(config.seed, STREAM_BATCHES)};
    t->measuring.no_gradients = t->tape.recycles = true;
    model_init(&t->model, task, arm, config.model, config.seed);
    bool adam = config.optimizer == OPTIM_ADAM;
    t->optim = adam ? optim_adam(config.decay) : optim_sgd(config.momentum);
    t->optim.decay = config.decay;
    double tokens = (double)config.batch * (task->max_length ? task->max_length : task->key_count);
    bool large = (double)multiplied(&t->model) * tokens >= WORTH_SPLITTING;
    trainer_split(t, large ? TRAINER_SHARDS : 1);
}

void trainer_free(Trainer *t) {
    free_shards(t, 0);
    sampler_free(&t->sampler);
}

// ---- numbers that are not finite ---------------------------------------------------------------

static bool is_finite(const Tensor *x) {
    for (size_t i = 0; i < x->size; i++)
        if (!isfinite(x->data[i])) return false;
    return true;
}

const Tensor *trainer_not_finite(const Trainer *t, const Tape *tape) {
    const Tensor *first = params_not_finite(&t->model.params, false);
    if (first) return first;
    for (const Tensor *x = tape->last; x; x = x->prev)
        if (strcmp(x->name, "mask") && !is_finite(x)) first = x;  // the mask's -INFINITY is meant
    return first;
}

bool trainer_fail(Trainer *t, int step, const char *what, const Tensor *where) {
    char shape[64] = "";
    snprintf(t->failure, sizeof t->failure, "step %d, arm %s: the %s is not finite, first in %s %s",
             step, model_attention(&t->model)->arm->name, what, where ? where->name : "the loss",
             where ? tensor_shape(where, shape) : "");
    return false;
}

// Adam keeps a mean of g². Where a square overflows, that mean stays infinite, every later step of
// its weight is 0, and training would come to rest without a word.
static bool is_too_steep(const Trainer *t, double norm) {
    double limit = t->config.clip, left = limit > 0 && norm > limit ? limit : norm;
    return t->optim.kind == OPTIM_ADAM && left * left > (double)FLT_MAX;
}

static const Tensor *steepest(const Params *p) {
    const Tensor *at = NULL;
    float most = -1;
    for (int i = 0; i < p->count; i++)
        for (size_t j = 0; p->tensor[i]->grad && j < p->tensor[i]->size; j++)
            if (fabsf(p->tensor[i]->grad[j]) > most) {
                most = fabsf(p->tensor[i]->grad[j]);
                at = p->tensor[i];
            }
    return at;
}

static uint32_t below(void *rng, uint32_t n) { return rng_below(rng, n); }

RandomSource random_source(Rng *rng) { return (RandomSource){below, rng}; }

// ---- the learning rate ---------------------------------------------------------------------------

double schedule_lr(Schedule schedule, double lr, long step, long steps, long warmup) {
    if (step < warmup) return lr * (double)(step + 1) / (double)(warmup + 1);
    if (schedule == SCHEDULE_CONSTANT || steps - warmup < 2) return lr;
    double through = (double)(step - warmup) / (double)(steps - 1 - warmup);  // 0 to 1
    return lr * (0.1 + 0.45 * (1 + cos(3.141592653589793 * through)));
}

// ---- the loop ----------------------------------------------------------------------------------

// What a shard's part of a batch came to.
typedef struct Part { int questions; double loss; bool finite; } Part;

// Forward and backward. The gradient is that of the mean over the part's questions, or, where a
// step has several parts, of the sum, so that parts add up.
static Part run_part(Trainer *t, Tape *tape, int shard, bool one_of_many) {
    int B = t->batch.B;
    Batch rows = batch_rows(&t->batch, B * shard / t->shards, B * (shard + 1) / t->shards);
    tape_reset(tape);
    if (!rows.B) return (Part){0, 0, true};
    Forward f = model_forward(&t->shard[shard].model, tape, &rows);
    Part part = {f.questions, f.loss->data[0], isfinite(f.loss->data[0])};
    if (f.loss->wants_grad && part.finite)
        tape_backward(tape, one_of_many ? scale(tape, f.loss, f.questions) : f.loss);
    return part;
}

// Shards that one thread runs one after the other share its tape, which is then in the cache. So
// there are no more threads than tapes.
static Tape *thread_tape(Trainer *t) { return &t->shard[threads_self()].tape; }

// Adds a batch's gradient to those of the shards, which the first batch of a step clears.
static bool run_batch(Trainer *t, bool first, long *questions) {
    bool one_of_many = t->shards > 1 || t->config.accumulate > 1;
    Part part[TRAINER_SHARDS];
    sampler_next(&t->sampler, t->task, random_source(&t->rng), t->config.batch, &t->batch);
    if (!t->model.params.size) return true;  // X Xᵀ has nothing to learn with
    for (int b = 0; b < t->batch.B; b++) t->tokens += t->batch.length[b];
    #pragma omp parallel for schedule(dynamic, 1) num_threads(threads_for(t->shards)) \
        if (t->shards > 1)
    for (int i = 0; i < t->shards; i++) {
        if (first) params_zero_grad(&t->shard[i].model.params);
        part[i] = run_part(t, thread_tape(t), i, one_of_many);
    }
    for (int i = 0; i < t->shards; i++) {
        *questions += part[i].questions;
        if (!part[i].finite) {
            t->tape.recycles = false;
            run_part(t, &t->tape, i, one_of_many);  // once more, to see where
            return trainer_fail(t, t->step + 1, "loss", trainer_not_finite(t, &t->tape));
        }
        t->trained_loss += part[i].loss * part[i].questions;
        t->trained += part[i].questions;
    }
    return true;
}

bool trainer_stopped(const Trainer *t) {
    return t->stop && *t->stop && clock_now() >= t->grace;
}

// The batches of a step, up to the last, or until it is broken off: then they are taken back.
static bool run_batches(Trainer *t, long *questions) {
    const Trainer before = *t;
    int batches = t->config.accumulate, done = 0;
    bool good = true, may_stop = t->stop && batches > 1;
    Sampler sampler = may_stop ? sampler_copy(&t->sampler, t->task) : (Sampler){0};
    while (good && done < batches && !(done && trainer_stopped(t)))
        good = run_batch(t, !done++, questions);
    bool broken_off = good && done < batches;
    if (broken_off) {
        sampler_restore(&t->sampler, sampler);
        t->rng = before.rng;
        t->tokens = before.tokens;
        t->trained_loss = before.trained_loss;
        t->trained = before.trained;
    } else {
        sampler_free(&sampler);
    }
    return good && !broken_off;
}

static bool train_step(Trainer *t) {
    const TrainConfig *c = &t->config;
    Params *params = &t->model.params;
    const Params *others[TRAINER_SHARDS];
    long questions = 0;
    if (!run_batches(t, &questions)) return false;
    if (!questions) return true;
    for (int i = 1; i < t->shards; i++) others[i - 1] = &t->shard[i].model.params;
    if (t->shards > 1 || c->accumulate > 1)  // from the sum over questions to their mean
        params_gather_grad(params, others, t->shards - 1, 1 / (double)questions);
    double norm = params_grad_norm(params);
    if (!isfinite(norm))
        return trainer_fail(t, t->step + 1, "gradient", params_not_finite(params, true));
    if (is_too_steep(t, norm))
        return trainer_fail(t, t->step + 1, "square of the gradient", steepest(params));
    params_clip_grad(params, norm, c->clip);
    optim_step(&t->optim, params, schedule_lr(c->schedule, c->lr, t->step, c->steps, c->warmup));
    return true;
}

void trainer_run(Trainer *t, int step, const double *until) {
    double began = clock_now();
    while (t->step < step && !t->failure[0] && !trainer_stopped(t) && train_step(t)) {
        t->step++;
        if (until && clock_now() >= *until) break;
    }
    t->seconds += clock_now() - began;
}
