#include "shown.h"

#include <string.h>

static const float *mean_over_heads(Arena *arena, const float *x, int heads, size_t cells) {
    float *mean = arena_alloc(arena, cells, sizeof *mean);
    for (size_t c = 0; c < cells; c++) {
        mean[c] = 0;
        for (size_t h = 0; h < (size_t)heads; h++) mean[c] += x[h * cells + c] / (float)heads;
    }
    return mean;
}

Shown shown_of(Trainer *t, size_t sentence) {
    const Sentences *s = &t->task->held_out;
    Arena *arena = &t->measuring.arena;
    batch_fill(&t->batch, s, &sentence, 1, 0);
    tape_reset(&t->measuring);
    Forward f = model_forward(&t->model, &t->measuring, &t->batch);
    const int *shape = f.attended.S->shape;
    const float *A = softmax(&t->measuring, f.attended.masked)->data;
    size_t tokens = (size_t)t->batch.L;
    const char **word = arena_alloc(arena, tokens, sizeof *word);
    int *target = arena_alloc(arena, tokens, sizeof *target);
    for (size_t i = 0; i < tokens; i++) word[i] = task_form(t->task, s, s->start[sentence] + i);
    memcpy(target, t->batch.target, tokens * sizeof *target);
    return (Shown){
        .heads = shape[1], .rows = shape[2], .columns = shape[3], .word = word, .target = target,
        .scores = f.attended.S->data, .attention = A,
        .mean = mean_over_heads(arena, A, shape[1], (size_t)shape[2] * (size_t)shape[3]),
    };
}
