// What an arm has learned, measured on held-out sentences: its loss, how often attention and
// readout are right, how directed the scores are. All are sums over questions or sentences, in an
// order that does not depend on the number of threads. Read from the end.
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/train/measure.h"
#include "model/train/threads.h"

enum { MEASURED_AT_ONCE = 32 };  // sentences at most, in a batch

// Sums over questions, of one relation or of several. A question may have a token to attend to
// (pointed), an answer to be read, or both.
typedef struct Tally { long questions, pointed, attended, read, answered; double nll; } Tally;

typedef struct Sums {
    Tally *relation;      // (relations)
    double loss;          // over questions
    Direction direction;  // over sentences,
    long square;          // those whose S is square
} Sums;

static double share(double part, long whole) { return whole ? part / (double)whole : NAN; }

// What query i of sentence b attends to, (M): the scores, or, of several heads, the log of their
// mean attention. Both have the argmax and the NLL of the attention itself.
static const float *row_scores(const Tensor *masked, size_t b, size_t i, float *mean) {
    size_t H = (size_t)masked->shape[1], L = (size_t)masked->shape[2], M = (size_t)masked->shape[3];
    if (H == 1) return masked->data + (b * L + i) * M;
    const float *first = masked->data + (b * H * L + i) * M;
    for (size_t j = 0; j < M; j++) mean[j] = (float)-measure_mean_nll(first, H, L * M, M, j);
    return mean;
}

static void add_questions(const Task *task, Tape *tape, const Batch *batch, const Forward *f,
                          Tally *relation) {
    size_t L = (size_t)batch->L, keys = (size_t)task->key_count;
    size_t M = (size_t)f->attended.S->shape[3], V = f->logits ? (size_t)f->logits->shape[2] : 0;
    float *mean = arena_alloc(&tape->arena, M, sizeof *mean);
    for (int q = 0; q < f->questions; q++) {
        size_t r = (size_t)f->row[q];
        Tally *to = &relation[batch->relation[r]];
        to->questions++;
        if (f->logits) {
            to->read++;
            to->answered += (int)measure_argmax(f->logits->data + (size_t)q * V, V) == f->answer[q];
        }
        if (batch->target[r] < 0) continue;
        size_t target = (size_t)batch->target[r];
        const float *scores = row_scores(f->attended.masked, r / L, r % L - keys, mean);
        size_t most = measure_argmax(scores, M);
        to->pointed++;
        to->attended += most == target;
        if (task->alike) {  // the answer is what the token names
            to->read++;
            to->answered += batch->alike[r - r % L + most];
        }
        to->nll += measure_nll(scores, M, target);
    }
}

// Of each sentence the mean over heads.
static void add_directions(const Batch *batch, const Forward *f, Sums *sums) {
    size_t L = (size_t)batch->L, H = (size_t)f->attended.S->shape[1];
    sums->square += batch->B;
    for (size_t i = 0; i < (size_t)batch->B * H; i++) {
        Direction d = measure_direction(f->attended.S->data + i * L * L,
                                        (size_t)batch->length[i / H], L);
        sums->direction.asymmetry += d.asymmetry / (double)H;
        sums->direction.circulation += d.circulation / (double)H;
    }
}

static void add_batch(Trainer *t, Shard *shard, const Forward *f, Sums *sums) {
    if (!isfinite(f->loss->data[0]) && !t->failure[0])  // the last update was one too many
        trainer_fail(t, t->step, "loss of held-out sentences",
                     trainer_not_finite(t, &shard->measuring));
    sums->loss += (double)f->loss->data[0] * f->questions;
    add_questions(t->task, &shard->measuring, &shard->batch, f, sums->relation);
    if (!task_has_keys(t->task)) add_directions(&shard->batch, f, sums);
}

// The n sentences of `order`: each thread runs a batch, side by side, then they are added in turn.
// False: it was broken off.
static bool run_all(Trainer *t, const size_t *order, size_t n, Sums *sums) {
    size_t shards = (size_t)t->shards, most = ((size_t)t->config.batch + shards - 1) / shards;
    size_t threads = (size_t)threads_for(t->shards), done = 0;  // more tapes would only take memory
    if (most > MEASURED_AT_ONCE) most = MEASURED_AT_ONCE;
    for (size_t first = 0; first < n && !trainer_stopped(t); first += threads * most) {
        Forward f[TRAINER_SHARDS];
        size_t batches = (n - first + most - 1) / most;
        int busy = (int)(batches < threads ? batches : threads);
        #pragma omp parallel for schedule(dynamic, 1) if (busy > 1)
        for (int i = 0; i < busy; i++) {
            Shard *s = &t->shard[i];
            size_t at = first + (size_t)i * most;
            task_batch(t->task, order + at, (int)(n - at < most ? n - at : most), &s->batch);
            tape_reset(&s->measuring);
            f[i] = model_forward(&s->model, &s->measuring, &s->batch);
        }
        for (int i = 0; i < busy; i++) add_batch(t, &t->shard[i], &f[i], sums);
        done = first + threads * most;
    }
    return done >= n;
}

static RelationScore score_of(const Tally *t) {
    return (RelationScore){.questions = t->questions,
                           .attention_accuracy = share((double)t->attended, t->pointed),
                           .accuracy = share((double)t->answered, t->read),
                           .attention_nll = share(t->nll, t->pointed)};
}

static RelationScore total(const Task *task, const Tally *relation, bool cycle_only) {
    Tally all = {0};
    for (int i = 0; i < task->relations.count; i++) {
        if (cycle_only && !task_in_cycle(task, i)) continue;
        all.questions += relation[i].questions;
        all.pointed += relation[i].pointed;
        all.attended += relation[i].attended;
        all.read += relation[i].read;
        all.answered += relation[i].answered;
        all.nll += relation[i].nll;
    }
    return score_of(&all);
}

static void fill_relations(ArmHistory *arm, const Task *task, const Tally *relation) {
    arm->relations = task->relations.count;
    arm->relation = grow(arm->relation, (size_t)arm->relations, sizeof *arm->relation);
    for (int i = 0; i < arm->relations; i++) {
        arm->relation[i] = score_of(&relation[i]);
        arm->relation[i].name = task->relations.word[i];
        arm->relation[i].cycle = task_in_cycle(task, i);
    }
}

Measurement evaluate(Trainer *t, size_t sentences, ArmHistory *arm) {
    const Task *task = t->task;
    size_t n = sentences < task_held_out(task) ? sentences : task_held_out(task);
    size_t bytes = (size_t)task->relations.count * sizeof(Tally);
    Sums sums = {.relation = zeroed(1, bytes)};
    size_t *order = grow(NULL, n, sizeof *order);
    task_choose(task, n, order);
    bool whole = run_all(t, order, n, &sums);
    const Tensor *lost = params_not_finite(&t->model.params, false);  // it may meet no sentence
    if (lost && !t->failure[0]) trainer_fail(t, t->step, "weight", lost);
    RelationScore all = total(task, sums.relation, false), cycle = total(task, sums.relation, true);
    if (arm && whole) {
        fill_relations(arm, task, sums.relation);
        arm->cycle_attention_accuracy = cycle.attention_accuracy;
        arm->cycle_accuracy = cycle.accuracy;
    }
    free(sums.relation);
    free(order);
    return (Measurement){
        .step = whole ? t->step : BROKEN_OFF,
        .loss = share(sums.loss, all.questions),
        .attention_accuracy = all.attention_accuracy,
        .accuracy = all.accuracy,
        .attention_nll = cycle.questions ? cycle.attention_nll : all.attention_nll,
        .asymmetry = share(sums.direction.asymmetry, sums.square),
        .circulation = share(sums.direction.circulation, sums.square),
        .symmetry = NAN,
        .cycle = cycle.attention_accuracy,
        .seconds = t->seconds,
    };
}
