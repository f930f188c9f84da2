#include "trainer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "autograd/fatal.h"
#include "model/measure.h"
#include "model/model.h"
#include "model/train/clock.h"
#include "model/train/tasks.h"

enum { MEASURED_AT_ONCE = 32 };

ModelConfig trainer_config(const Options *o, const Task *task) {
    return (ModelConfig){
        .attention = {.D = o->d_model, .H = o->heads, .d_k = o->d_k, .d_v = o->d_v,
                      .points_at_answer = task->points_at_answer, .scaled = !o->no_scale, .relative = o->relative,
                      .start = (Start)o->init},
        .layers = o->layers,
        .embed_rms = o->embed_rms,
        .positions = (Positions)o->positions,
        .readout = (Readout)o->readout,
        .freeze_embeddings = o->freeze_embeddings,
        .mask_self = o->mask_self,
    };
}

// Weights that a token is multiplied by: of a table it only looks up a row, unless it is read by
// all of them.
static size_t multiplied(const Model *model) {
    size_t n = model->params.size;
    for (int f = 0; f < FEATURES; f++)
        if (model->table[f] && model->table[f]->grad) n -= model->table[f]->size;
    if (model->P && model->P->grad) n -= model->P->size;
    if (!model->task->points_at_answer && !model->U) n += model->table[FEATURE_WORD]->size;
    return n;
}

static Model *shard_model(Trainer *t, int i) { return i ? &t->shard[i - 1].model : &t->model; }
static Tape *shard_tape(Trainer *t, int i) { return i ? &t->shard[i - 1].tape : &t->tape; }
static Tape *shard_measuring(Trainer *t, int i) {
    return i ? &t->shard[i - 1].measuring : &t->measuring;
}
static Batch *shard_batch(Trainer *t, int i) { return i ? &t->shard[i - 1].batch : &t->batch; }

static void close_lanes(Trainer *t) {
    for (int i = 1; i < t->shards; i++) {
        tape_free(shard_tape(t, i));
        tape_free(shard_measuring(t, i));
        batch_free(shard_batch(t, i));
        model_free(shard_model(t, i));
    }
    free(t->shard);
}

void trainer_split(Trainer *t, int shards) {
    close_lanes(t);
    t->shards = shards < 1 ? 1 : shards > SHARDS ? SHARDS : shards;
    if (t->shards > t->options->batch) t->shards = t->options->batch;
    t->shard = grow(NULL, (size_t)t->shards - 1, sizeof *t->shard);
    for (int i = 0; i < t->shards - 1; i++) {
        t->shard[i] = (Shard){.measuring.no_gradients = true};
        model_share(&t->shard[i].model, &t->model);
    }
}

void trainer_init(Trainer *t, const Options *o, const Task *task, const Arm *arm) {
    *t = (Trainer){.options = o, .task = task, .rng = rng_new(o->seed, STREAM_BATCHES)};
    t->measuring.no_gradients = true;
    model_init(&t->model, task, arm, trainer_config(o, task), o->seed);
    t->optim = o->optimizer == OPTIM_ADAM ? optim_adam(o->decay) : optim_sgd(o->momentum);
    if (o->optimizer == OPTIM_SGD) t->optim.decay = o->decay;
    double tokens = (double)o->batch * (task->max_length ? task->max_length : task->key_count);
    trainer_split(t, (double)multiplied(&t->model) * tokens < WORTH_SPLITTING ? 1 : SHARDS);
    t->order = grow(NULL, task_held_out(task), sizeof *t->order);
}

void trainer_free(Trainer *t) {
    close_lanes(t);
    tape_free(&t->tape);
    tape_free(&t->measuring);
    batch_free(&t->batch);
    model_free(&t->model);
    sampler_free(&t->sampler);
    free(t->order);
}

// A weight with a number that isn't finite, or the oldest such tensor on the tape; the mask's
// -INFINITY is meant.
static const Tensor *first_not_finite(const Trainer *t, const Tape *tape) {
    const Tensor *first = params_not_finite(&t->model.params, false);
    if (first) return first;
    for (const Tensor *x = tape->last; x; x = x->prev) {
        if (!strcmp(x->name, "mask")) continue;
        for (size_t i = 0; i < x->size; i++)
            if (!isfinite(x->data[i])) {
                first = x;
                break;
            }
    }
    return first;
}

static bool fail(Trainer *t, int step, const char *what, const Tensor *where) {
    char shape[64] = "";
    snprintf(t->failure, sizeof t->failure, "step %d, arm %s: the %s is not finite, first in %s %s",
             step, model_attention(&t->model)->arm->name, what, where ? where->name : "the loss",
             where ? tensor_shape(where, shape) : "");
    return false;
}

// Shards that one thread runs one after the other share a tape, and what of it is in the caches.
static Tape *thread_tape(Trainer *t) {
#ifdef _OPENMP
    return shard_tape(t, omp_get_thread_num());
#else
    return &t->tape;
#endif
}

// What a shard's part of a batch came to.
typedef struct Part { int questions; double loss; bool finite; } Part;

// Adds the part's gradient to the shard's. Where a step has several parts, that is the gradient of
// the sum over its questions, so that parts add up.
static Part run_part(Trainer *t, Tape *tape, int shard, bool of_many) {
    int B = t->batch.B;
    Batch rows = batch_rows(&t->batch, B * shard / t->shards, B * (shard + 1) / t->shards);
    tape_reset(tape);
    if (!rows.B) return (Part){0, 0, true};
    Forward f = model_forward(shard_model(t, shard), tape, &rows);
    double loss = f.loss->data[0];
    if (!isfinite(loss)) return (Part){f.questions, loss, false};
    if (f.loss->grad) tape_backward(tape, of_many ? scale(tape, f.loss, f.questions) : f.loss);
    return (Part){f.questions, loss, true};
}

// Adds a batch's gradient to those of the shards, which the first batch of a step clears.
static bool run_batch(Trainer *t, bool first, long *questions) {
    bool of_many = t->shards > 1 || t->options->accumulate > 1;
    Part part[SHARDS];
    sampler_next(&t->sampler, t->task, random_source(&t->rng), t->options->batch, &t->batch);
    if (!t->model.params.size) return true;  // X Xᵀ has nothing to learn with
    for (int b = 0; b < t->batch.B; b++) t->tokens += t->batch.length[b];
    #pragma omp parallel for schedule(static, 1) if (t->shards > 1)
    for (int i = 0; i < t->shards; i++) {
        if (first) params_zero_grad(&shard_model(t, i)->params);
        part[i] = run_part(t, thread_tape(t), i, of_many);
    }
    for (int i = 0; i < t->shards; i++) {
        *questions += part[i].questions;
        if (part[i].finite) {
            t->trained_loss += part[i].loss * part[i].questions;
            t->trained += part[i].questions;
            continue;
        }
        run_part(t, &t->tape, i, of_many);  // once more, to see where
        return fail(t, t->step + 1, "loss", first_not_finite(t, &t->tape));
    }
    return true;
}

// Adam keeps a mean of g². Where a square overflows that is infinity from then on, every step of
// its number is 0, and training would have come to rest without a word.
static bool is_too_steep(const Trainer *t, double norm) {
    double limit = t->options->clip, left = limit > 0 && norm > limit ? limit : norm;
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

static bool train_step(Trainer *t) {
    const Options *o = t->options;
    Params *params = &t->model.params;
    long questions = 0;
    for (int i = 0; i < o->accumulate; i++)
        if (!run_batch(t, i == 0, &questions)) return false;
    if (!questions) return true;
    const Params *shard[SHARDS];
    for (int i = 1; i < t->shards; i++) shard[i - 1] = &shard_model(t, i)->params;
    if (t->shards > 1 || o->accumulate > 1)
        params_gather_grad(params, shard, t->shards - 1, 1 / (double)questions);
    double norm = params_grad_norm(params);
    if (!isfinite(norm)) return fail(t, t->step + 1, "gradient", params_not_finite(params, true));
    if (is_too_steep(t, norm))
        return fail(t, t->step + 1, "square of the gradient", steepest(params));
    params_clip_grad(params, norm, o->clip);
    optim_step(&t->optim, params,
               schedule_rate((Schedule)o->schedule, o->lr, t->step, o->steps, o->warmup));
    return true;
}

void trainer_run(Trainer *t, int step, const Pause *pause) {
    double began = clock_now();
    while (t->step < step && !t->failure[0] && !(pause && *pause->stop) && train_step(t)) {
        t->step++;
        if (pause && clock_now() >= pause->until) break;
    }
    t->seconds += clock_now() - began;
}

// Sums over questions; [relation], and all of them. Those with a right
// token to attend to are `pointed`.
typedef struct Tally { long questions, pointed, attended, answered; double nll; } Tally;

static double share(double part, long whole) { return whole ? part / (double)whole : NAN; }

// What query i of sentence b attends to, (M): the scores, or, of several heads, the log of their
// mean attention. Both have the argmax and the surprise of the attention itself.
static const float *row_scores(const Tensor *masked, size_t b, size_t i, float *mean) {
    size_t H = (size_t)masked->shape[1], L = (size_t)masked->shape[2], M = (size_t)masked->shape[3];
    if (H == 1) return masked->data + (b * L + i) * M;
    const float *first = masked->data + (b * H * L + i) * M;
    for (size_t j = 0; j < M; j++) mean[j] = (float)-measure_mean_nll(first, H, L * M, M, j);
    return mean;
}

static void tally_batch(Trainer *t, Tape *tape, const Batch *batch, const Forward *f,
                        Tally *relation) {
    size_t L = (size_t)batch->L, keys = (size_t)t->task->key_count, M = (size_t)f->attended.S->shape[3];
    float *mean = arena_alloc(&tape->arena, M, sizeof *mean);
    for (int q = 0; q < f->questions; q++) {
        size_t r = (size_t)f->row[q];
        Tally *to = &relation[batch->relation[r]];
        to->questions++;
        if (f->logits) {
            size_t V = (size_t)f->logits->shape[2];
            to->answered += (int)measure_argmax(f->logits->data + (size_t)q * V, V) == f->answer[q];
        }
        if (batch->target[r] < 0) continue;
        size_t target = (size_t)batch->target[r];
        const float *scores = row_scores(f->attended.masked, r / L, r % L - keys, mean);
        to->pointed++;
        to->attended += measure_argmax(scores, M) == target;
        to->nll += measure_nll(scores, M, target);
    }
}

// Means over heads, added up over sentences.
static void add_directions(const Batch *batch, const Forward *f, Direction *sum) {
    size_t L = (size_t)batch->L, H = (size_t)f->attended.S->shape[1];
    for (size_t i = 0; i < (size_t)batch->B * H; i++) {
        Direction d = measure_direction(f->attended.S->data + i * L * L,
                                        (size_t)batch->length[i / H], L);
        sum->asymmetry += d.asymmetry / (double)H;
        sum->circulation += d.circulation / (double)H;
    }
}

static Tally tally_total(const Task *task, const Tally *relation, bool cycle_only) {
    Tally all = {0};
    for (int i = 0; i < task->relations.count; i++) {
        if (cycle_only && !task_in_cycle(task, i)) continue;
        all.questions += relation[i].questions;
        all.pointed += relation[i].pointed;
        all.attended += relation[i].attended;
        all.answered += relation[i].answered;
        all.nll += relation[i].nll;
    }
    return all;
}

static void fill_relations(ArmHistory *arm, const Task *task, const Tally *relation,
                           const Tally *cycle) {
    arm->cycle_attention_accuracy = share((double)cycle->attended, cycle->pointed);
    arm->cycle_accuracy = task->points_at_answer ? NAN : share((double)cycle->answered, cycle->questions);
    arm->relations = task->relations.count;
    arm->relation = grow(arm->relation, (size_t)arm->relations, sizeof *arm->relation);
    for (int i = 0; i < arm->relations; i++) {
        const Tally *r = &relation[i];
        arm->relation[i] = (RelationScore){
            .name = task->relations.word[i],
            .cycle = task_in_cycle(task, i),
            .questions = r->questions,
            .attention_accuracy = share((double)r->attended, r->pointed),
            .accuracy = task->points_at_answer ? NAN : share((double)r->answered, r->questions),
            .attention_nll = share(r->nll, r->pointed),
        };
    }
}

// What is measured of a batch goes into these.
typedef struct Sums { double loss; Direction direction; Tally *relation; } Sums;

static void add_batch(Trainer *t, int shard, const Forward *f, Sums *sums) {
    const Batch *batch = shard_batch(t, shard);
    if (!isfinite(f->loss->data[0]) && !t->failure[0])  // the last update was one too many
        fail(t, t->step, "loss of held-out sentences",
             first_not_finite(t, shard_measuring(t, shard)));
    sums->loss += (double)f->loss->data[0] * f->questions;
    tally_batch(t, shard_measuring(t, shard), batch, f, sums->relation);
    if (!t->task->key_count) add_directions(batch, f, &sums->direction);
}

// The first n of `order`, a batch a shard at once.
static void run_all(Trainer *t, size_t n, Sums *sums) {
    size_t shards = (size_t)t->shards, most = ((size_t)t->options->batch + shards - 1) / shards;
    if (most > MEASURED_AT_ONCE) most = MEASURED_AT_ONCE;
    size_t batches = (n + most - 1) / most;
    for (size_t first = 0; first < batches; first += shards) {
        Forward f[SHARDS];
        int busy = (int)(batches - first < shards ? batches - first : shards);
        #pragma omp parallel for schedule(static, 1) if (busy > 1)
        for (int i = 0; i < busy; i++) {
            size_t at = (first + (size_t)i) * most;
            task_batch(t->task, t->order + at, (int)(n - at < most ? n - at : most),
                       shard_batch(t, i));
            tape_reset(shard_measuring(t, i));
            f[i] = model_forward(shard_model(t, i), shard_measuring(t, i), shard_batch(t, i));
        }
        for (int i = 0; i < busy; i++) add_batch(t, i, &f[i], sums);
    }
}

Measurement trainer_measure(Trainer *t, size_t sentences, ArmHistory *arm) {
    const Task *task = t->task;
    size_t n = sentences < task_held_out(task) ? sentences : task_held_out(task);
    size_t bytes = (size_t)task->relations.count * sizeof(Tally);
    Tally *relation = zeroed(1, bytes);
    Sums sums = {.relation = relation};
    task_choose(task, n, t->order);
    run_all(t, n, &sums);
    // one that no sentence met with
    const Tensor *lost = params_not_finite(&t->model.params, false);
    if (lost && !t->failure[0]) fail(t, t->step, "weight", lost);
    Tally all = tally_total(task, relation, false), cycle = tally_total(task, relation, true);
    const Tally *surprised = cycle.questions ? &cycle : &all;
    if (arm) fill_relations(arm, task, relation, &cycle);
    free(relation);
    return (Measurement){
        .step = t->step, .loss = share(sums.loss, all.questions),
        .attention_accuracy = share((double)all.attended, all.pointed),
        .accuracy = task->points_at_answer ? NAN : share((double)all.answered, all.questions),
        .attention_nll = share(surprised->nll, surprised->pointed),
        .asymmetry = task->key_count ? NAN : sums.direction.asymmetry / (double)n,  // of a square S
        .circulation = task->key_count ? NAN : sums.direction.circulation / (double)n,
        .symmetry = NAN,
        .seconds = t->seconds,
    };
}

ArmHistory trainer_history(const Trainer *t) {
    const Model *model = &t->model;
    const Arm *arm = model_attention(model)->arm;
    bool pointing = t->task->points_at_answer && !model->config.layers;
    ArmHistory out = {.name = arm->name, .formula = pointing ? arm->pointing : arm->formula,
                      .colour = arm->colour, .letter = arm->letter, .cycle_attention_accuracy = NAN,
                      .cycle_accuracy = NAN, .parameters = (long)model->params.size};
    for (int i = 0; i < model_layers(model); i++) {
        int H = model_layer(model, i)->config.H;
        out.layer_of = grow(out.layer_of, (size_t)(out.heads + H), sizeof *out.layer_of);
        for (int h = 0; h < H; h++) out.layer_of[out.heads++] = i;
    }
    return out;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *x, int n) {
    double *sorted = grow(NULL, (size_t)n, sizeof *sorted);
    memcpy(sorted, x, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    double middle = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    free(sorted);
    return middle;
}

// How symmetric each head's M is, layer after layer.
static void measure_heads(const Trainer *t, double *symmetry) {
    size_t D = (size_t)t->options->d_model;
    double *M = grow(NULL, D * D, sizeof *M);
    for (int i = 0; i < model_layers(&t->model); i++) {
        const Attention *a = model_layer(&t->model, i);
        for (int h = 0; h < a->config.H; h++) {
            attention_m(a, h, M);
            *symmetry++ = measure_symmetry(M, D);
        }
    }
    free(M);
}

void trainer_note(Trainer *t, size_t sentences, ArmHistory *arm) {
    Measurement point = trainer_measure(t, sentences, NULL);
    double *symmetry = grow(NULL, (size_t)arm->heads, sizeof *symmetry);
    measure_heads(t, symmetry);
    point.symmetry = median(symmetry, arm->heads);
    if (!t->failure[0] || !arm->count) history_add(arm, point, symmetry);
    free(symmetry);
}

void trainer_random_band(const Options *options, const Task *task, double *low, double *high) {
    enum { DRAWS = 16, SENTENCES = 32 };
    *low = *high = NAN;
    if (task->corpus.count || task->key_count) return;  // shown by M's symmetry; not a square S
    Options random = *options;
    double sum = 0, squares = 0;
    random.init = START_RANDOM;
    for (int i = 0; i < DRAWS; i++) {
        Trainer t;
        random.seed = options->seed + (uint64_t)i + 1;
        trainer_init(&t, &random, task, arm_find("qk"));
        double a = trainer_measure(&t, SENTENCES, NULL).asymmetry;
        sum += a / DRAWS;
        squares += a * a / DRAWS;
        trainer_free(&t);
    }
    double spread = squares > sum * sum ? 2 * sqrt(squares - sum * sum) : 0;
    *low = sum - spread;
    *high = sum + spread;
}

double trainer_symmetry(const Trainer *t) {
    size_t D = (size_t)t->options->d_model;
    double *M = grow(NULL, D * D, sizeof *M);
    attention_m(model_attention(&t->model), 0, M);
    double symmetry = measure_symmetry(M, D);
    free(M);
    return symmetry;
}

void trainer_describe(const Trainer *t, ArmHistory *arm) {
    size_t D = (size_t)t->options->d_model;
    double *M = grow(NULL, D * D, sizeof *M);
    attention_m(model_attention(&t->model), 0, M);
    arm->symmetry = measure_symmetry(M, D);  // before its singular values overwrite M
    arm->singular_values = (int)D;
    arm->singular = grow(arm->singular, D, sizeof *arm->singular);
    measure_singular_values(M, D, arm->singular);
    free(M);
    const Params *p = &t->model.params;
    arm->tokens = (double)t->tokens;
    arm->memory = p->arena.peak + t->tape.arena.peak + t->measuring.arena.peak;
    for (int i = 0; i < t->shards - 1; i++)
        arm->memory += t->shard[i].model.params.arena.peak + t->shard[i].tape.arena.peak
                     + t->shard[i].measuring.arena.peak;
}
