// Cuts batches from sentences. A batch keeps its memory from step to step and only ever grows it.
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

void batch_shape(Batch *batch, int B, int L) {
    size_t n = (size_t)B * (size_t)L;
    if (n > batch->capacity) {
        batch->memory = grow(batch->memory, n, (FEATURES + 5) * sizeof(int));
        batch->capacity = n;
    }
    int *at = batch->memory;
    batch->B = B;
    batch->L = L;
    for (int f = 0; f < FEATURES; f++, at += n) batch->feature[f] = at;
    batch->alike = at;
    batch->target = at + n;
    batch->answer = at + 2 * n;
    batch->relation = at + 3 * n;
    batch->length = at + 4 * n;
    memset(batch->memory, 0, (FEATURES + 1) * n * sizeof(int));
    memset(batch->target, -1, 3 * n * sizeof(int));
}

void batch_fill(Batch *batch, const Sentences *s, const size_t *which, int B, int at_least) {
    int L = at_least;
    for (int b = 0; b < B; b++)
        if (sentences_length(s, which[b]) > L) L = sentences_length(s, which[b]);
    batch_shape(batch, B, L);
    for (int b = 0; b < B; b++) {
        int n = batch->length[b] = sentences_length(s, which[b]);
        size_t from = s->start[which[b]], to = (size_t)(b * L), bytes = (size_t)n * sizeof(int);
        for (int f = 0; f < FEATURES; f++)
            memcpy(batch->feature[f] + to, s->feature[f] + from, bytes);
        memcpy(batch->target + to, s->target + from, bytes);
        memcpy(batch->relation + to, s->relation + from, bytes);
        memcpy(batch->alike + to, s->alike + from, bytes);
    }
    batch_answer(batch);
}

void batch_answer(Batch *batch) {
    const int *word = batch->feature[FEATURE_WORD];
    size_t L = (size_t)batch->L, rows = (size_t)batch->B * L;
    for (size_t r = 0; r < rows; r++)
        batch->answer[r] = batch->target[r] < 0 ? -1 : word[r - r % L + (size_t)batch->target[r]];
}

Batch batch_rows(const Batch *batch, int from, int to) {
    Batch rows = *batch;
    size_t skipped = (size_t)from * (size_t)batch->L;
    rows.B = to - from;
    rows.length += from;
    for (int f = 0; f < FEATURES; f++) rows.feature[f] += skipped;
    rows.target += skipped;
    rows.answer += skipped;
    rows.relation += skipped;
    rows.alike += skipped;
    return rows;
}

void batch_free(Batch *batch) {
    free(batch->memory);
    *batch = (Batch){0};
}
