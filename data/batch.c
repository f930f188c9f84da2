// Cuts batches from sentences. A batch keeps its memory from step to step and only ever grows it.
#include "batch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

void batch_shape(Batch *batch, int B, int L) {
    size_t rows = (size_t)B, ints = rows * (size_t)L, bytes = ints * sizeof(int);
    int **array[] = {&batch->target, &batch->answer, &batch->relation};
    batch->B = B;
    batch->L = L;
    if (rows > batch->rows) {
        batch->length = grow(batch->length, rows, sizeof(int));
        batch->rows = rows;
    }
    bool larger = ints > batch->capacity;
    if (larger) batch->capacity = ints;
    for (int f = 0; f < FEATURES; f++) {
        if (larger) batch->feature[f] = grow(batch->feature[f], ints, sizeof(int));
        memset(batch->feature[f], 0, bytes);
    }
    for (int i = 0; i < 3; i++) {
        if (larger) *array[i] = grow(*array[i], ints, sizeof(int));
        memset(*array[i], -1, bytes);
    }
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
    return rows;
}

void batch_free(Batch *batch) {
    free(batch->length);
    for (int f = 0; f < FEATURES; f++) free(batch->feature[f]);
    free(batch->target);
    free(batch->answer);
    free(batch->relation);
    *batch = (Batch){0};
}
