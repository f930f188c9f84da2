// The one place that runs a model on one sentence and collects what there is to see: the trainer's
// pictures, `show` and the report read an Inspected. Read inspect.h first.
#include "model/view/inspect.h"

#include <math.h>
#include <stdlib.h>

#include "autograd/fatal.h"
#include "data/utf8.h"

enum { MOST_CHARACTERS = 24 };  // of a text: a map that fits a window

static const char **words_of(const Model *model, Tape *tape, const Batch *batch,
                             const Sentences *said, size_t which) {
    const Task *task = model->task;
    const char **word = arena_alloc(&tape->arena, (size_t)batch->L, sizeof *word);
    for (int i = 0; i < batch->L; i++)
        word[i] = said ? task_form(task, said, said->start[which] + (size_t)i)
                : character_shown(task->vocab[FEATURE_WORD].word[batch->feature[FEATURE_WORD][i]]);
    return word;
}

// The last layer of a task that points computes no attention of its own.
static const float **attention_of(Tape *tape, const Forward *f, int layers) {
    const float **attention = arena_alloc(&tape->arena, (size_t)layers, sizeof *attention);
    for (int i = 0; i < layers; i++) {
        Tensor *A = f->layer[i].A;
        attention[i] = (A ? A : softmax(tape, f->layer[i].masked))->data;
    }
    return attention;
}

Inspected inspect(Model *model, Tape *tape, const Batch *batch, const Sentences *said,
                  size_t which) {
    int keys = model->task->key_count, layers = model_layers(model);
    Forward f = model_forward(model, tape, batch);
    Inspected x = {.model = model, .tape = tape, .batch = batch, .forward = f, .layers = layers,
                   .rows = f.attended.S->shape[2], .columns = f.attended.S->shape[3],
                   .column_word = words_of(model, tape, batch, said, which),
                   .target = batch->target + keys, .relation = batch->relation + keys,
                   .attention = attention_of(tape, &f, layers)};
    bool *cycle = arena_alloc(&tape->arena, (size_t)x.rows, sizeof *cycle);
    for (int i = 0; i < x.rows; i++)
        cycle[i] = x.relation[i] >= 0 && task_in_cycle(model->task, x.relation[i]);
    x.row_word = x.column_word + keys;
    x.cycle = cycle;
    return x;
}

static size_t shown_sentence(const Sentences *s) {
    for (size_t i = 0; i < s->count; i++)
        if (sentences_length(s, i) >= 8 && sentences_length(s, i) <= 16) return i;
    return 0;
}

Inspected inspect_held_out(Model *model, Tape *tape, Batch *batch) {
    const Task *task = model->task;
    bool text = task->is_text;
    size_t which = shown_sentence(&task->held_out);
    task_batch(task, &which, 1, batch);
    if (text && batch->L > MOST_CHARACTERS) batch->L = batch->length[0] = MOST_CHARACTERS;
    tape_reset(tape);
    return inspect(model, tape, batch, text ? NULL : &task->held_out, which);
}

int inspect_heads(const Inspected *x, int layer) { return model_layer(x->model, layer)->config.H; }

static size_t cells(const Inspected *x) { return (size_t)x->rows * (size_t)x->columns; }

const float *inspect_scores(const Inspected *x, int layer, int head) {
    return x->forward.layer[layer].S->data + (size_t)head * cells(x);
}

// The mean over heads of maps of `cells` numbers, which lie one behind the other.
static void mean_map(const float *map, size_t heads, size_t cells, float *mean) {
    for (size_t c = 0; c < cells; c++) {
        double sum = 0;
        for (size_t h = 0; h < heads; h++) sum += (double)map[h * cells + c];
        mean[c] = (float)(sum / (double)heads);
    }
}

const float *inspect_attention(const Inspected *x, int layer, int head) {
    const float *A = x->attention[layer];
    int H = inspect_heads(x, layer);
    if (head != ALL_HEADS) return A + (size_t)head * cells(x);
    if (H == 1) return A;
    float *mean = arena_alloc(&x->tape->arena, cells(x), sizeof *mean);
    mean_map(A, (size_t)H, cells(x), mean);
    return mean;
}

double inspect_nll(const Inspected *x, int layer, int head, int row, int column) {
    size_t m = (size_t)x->columns, at = (size_t)column, H = (size_t)inspect_heads(x, layer);
    const float *scores = x->forward.layer[layer].masked->data + (size_t)row * m;
    if (head != ALL_HEADS) return measure_nll(scores + (size_t)head * cells(x), m, at);
    return measure_mean_nll(scores, H, cells(x), m, at);
}

HeadFigures inspect_figures(const Inspected *x, int layer, int head, bool singular) {
    const Attention *a = model_layer(x->model, layer);
    size_t D = (size_t)a->config.D, n = (size_t)x->rows;
    HeadFigures f = {.S = {NAN, NAN}, .d_k = a->W_Q ? a->config.d_k : 0, .count = (int)D};
    if (!task_has_keys(x->model->task)) f.S = measure_direction(inspect_scores(x, layer, head), n, n);
    double *M = grow(NULL, D * D, sizeof *M);
    attention_m(a, head, M);
    f.symmetry = measure_symmetry(M, D);
    if (singular) {
        f.singular = arena_alloc(&x->tape->arena, D, sizeof *f.singular);
        measure_singular_values(M, D, f.singular);
        f.rank = measure_rank(f.singular, f.count);
    }
    free(M);
    return f;
}

int inspect_answer(const Inspected *x, int q, double *probability) {
    size_t V = (size_t)x->forward.logits->shape[2];
    const float *row = x->forward.logits->data + (size_t)q * V;
    size_t best = measure_argmax(row, V);
    *probability = exp(-measure_nll(row, V, best));
    return (int)best;
}
