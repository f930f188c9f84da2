// From a trainer to the plain numbers of history.h: the points of a curve, M's symmetry and
// singular values, and the band of random starts that curves are drawn against.
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/train/measure.h"

ArmHistory record_begin(const Trainer *t) {
    const Model *model = &t->model;
    const Attention *measured = model_attention(model);
    const Arm *arm = measured->arm;
    bool pointing = t->task->points_at_answer && !model->config.layers;
    ArmHistory out = {.name = arm->name, .formula = pointing ? arm->score->formula : arm->formula,
                      .colour = arm->colour, .letter = arm->letter, .value = arm->value,
                      .symmetric = attention_symmetric(measured), .cycle_attention_accuracy = NAN,
                      .cycle_accuracy = NAN, .parameters = (long)model->params.size};
    for (int i = 0; i < model_layers(model); i++) {
        int H = model_layer(model, i)->config.H;
        out.layer_of = grow(out.layer_of, (size_t)(out.heads + H), sizeof *out.layer_of);
        for (int h = 0; h < H; h++) out.layer_of[out.heads++] = i;
    }
    return out;
}

// M of a head, (D, D), which the caller frees.
static double *m_of(const Attention *a, int head) {
    size_t D = (size_t)a->config.D;
    double *M = grow(NULL, D * D, sizeof *M);
    attention_m(a, head, M);
    return M;
}

static double symmetry_of(const Attention *a, int head) {
    double *M = m_of(a, head), symmetry = measure_symmetry(M, (size_t)a->config.D);
    free(M);
    return symmetry;
}

double record_symmetry(const Trainer *t) { return symmetry_of(model_attention(&t->model), 0); }

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

void record_note(Trainer *t, size_t sentences, ArmHistory *arm) {
    Measurement point = evaluate(t, sentences, NULL);
    if (point.step == BROKEN_OFF) return;
    double *symmetry = grow(NULL, (size_t)arm->heads, sizeof *symmetry);
    for (int i = 0, h = 0; i < arm->heads; i++, h++) {
        if (i && arm->layer_of[i] != arm->layer_of[i - 1]) h = 0;
        symmetry[i] = symmetry_of(model_layer(&t->model, arm->layer_of[i]), h);
    }
    point.symmetry = median(symmetry, arm->heads);
    if (!t->failure[0] || !arm->count) history_add(arm, point, symmetry);
    free(symmetry);
}

void record_end(const Trainer *t, ArmHistory *arm) {
    const Attention *a = model_attention(&t->model);
    size_t D = (size_t)a->config.D;
    double *M = m_of(a, 0);
    arm->symmetry = measure_symmetry(M, D);  // before its singular values overwrite M
    arm->singular_values = (int)D;
    arm->singular = grow(arm->singular, D, sizeof *arm->singular);
    measure_singular_values(M, D, arm->singular);
    free(M);
    arm->tokens = (double)t->tokens;
    arm->memory = 0;
    for (int i = 0; i < t->shards; i++) {
        const Shard *s = &t->shard[i];
        arm->memory += s->model.params.arena.peak + s->tape.arena.peak + s->measuring.arena.peak;
    }
}

void record_random_band(TrainConfig config, const Task *task, double *low, double *high) {
    enum { DRAWS = 16, SENTENCES = 32 };
    double sum = 0, squares = 0;
    *low = *high = NAN;
    if (task->is_text || task_has_keys(task)) return;
    config.model.attention.start = START_RANDOM;
    for (int i = 0; i < DRAWS; i++) {
        Trainer t;
        config.seed++;
        trainer_init(&t, config, task, arm_find("qk"));
        double a = evaluate(&t, SENTENCES, NULL).asymmetry;
        sum += a / DRAWS;
        squares += a * a / DRAWS;
        trainer_free(&t);
    }
    double spread = squares > sum * sum ? 2 * sqrt(squares - sum * sum) : 0;
    *low = sum - spread;
    *high = sum + spread;
}
