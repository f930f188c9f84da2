#include "shown.h"

#include <string.h>

#include "data/characters.h"
#include "model/measure.h"

enum { MOST_CHARACTERS = 24 };  // of a text: a map that fits a window

static const float *mean_over_heads(Arena *arena, const float *x, int heads, size_t cells) {
    float *mean = arena_alloc(arena, cells, sizeof *mean);
    measure_mean_map(x, (size_t)heads, cells, mean);
    return mean;
}

static const char *form_of(const Trainer *t, size_t sentence, size_t i) {
    const Sentences *s = &t->task->held_out;
    if (!t->task->is_text) return task_form(t->task, s, s->start[sentence] + i);
    return character_shown(t->task->vocab[FEATURE_WORD].word[t->batch.feature[FEATURE_WORD][i]]);
}

size_t shown_sentence(const Task *task) {
    const Sentences *s = &task->held_out;
    for (size_t i = 0; i < s->count; i++)
        if (sentences_length(s, i) >= 8 && sentences_length(s, i) <= 16) return i;
    return 0;
}

// The attention of every layer, the last one's too.
static void show_layers(Trainer *t, const Forward *f, Shown *out) {
    Arena *arena = &t->measuring.arena;
    size_t layers = (size_t)model_layers(&t->model);
    int *heads = arena_alloc(arena, layers, sizeof *heads);
    const float **attention = arena_alloc(arena, layers, sizeof *attention);
    for (size_t i = 0; i < layers; i++) {
        Tensor *A = f->layer[i].A;
        heads[i] = f->layer[i].S->shape[1];
        attention[i] = (A ? A : softmax(&t->measuring, f->layer[i].masked))->data;
    }
    out->layers = (int)layers;
    out->layer_heads = heads;
    out->layer = attention;
}

Shown shown_of(Trainer *t, size_t sentence) {
    Arena *arena = &t->measuring.arena;
    task_batch(t->task, &sentence, 1, &t->batch);
    if (t->task->is_text && t->batch.L > MOST_CHARACTERS)
        t->batch.L = t->batch.length[0] = MOST_CHARACTERS;
    tape_reset(&t->measuring);
    Forward f = model_forward(&t->model, &t->measuring, &t->batch);
    const int *shape = f.attended.S->shape;
    size_t tokens = (size_t)t->batch.L;
    const char **word = arena_alloc(arena, tokens, sizeof *word);
    int *target = arena_alloc(arena, tokens, sizeof *target);
    for (size_t i = 0; i < tokens; i++) word[i] = form_of(t, sentence, i);
    memcpy(target, t->batch.target, tokens * sizeof *target);
    int *relation = memcpy(arena_alloc(arena, tokens, sizeof *relation), t->batch.relation,
                           tokens * sizeof *relation);
    bool *cycle = arena_alloc(arena, tokens, sizeof *cycle);
    for (size_t i = 0; i < tokens; i++)
        cycle[i] = relation[i] >= 0 && task_in_cycle(t->task, relation[i]);
    Shown out = {.heads = shape[1],
                 .rows = shape[2],
                 .columns = shape[3],
                 .word = word,
                 .target = target,
                 .relation = relation,
                 .cycle = cycle,
                 .scores = f.attended.S->data};
    show_layers(t, &f, &out);
    out.attention = out.layer[out.layers - 1];
    out.mean = mean_over_heads(arena, out.attention, shape[1], (size_t)shape[2] * (size_t)shape[3]);
    return out;
}
