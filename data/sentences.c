// Sentences in flat arrays, and batches cut from them. The tokens past the last closed sentence are
// the open one; `start` is NULL until a sentence is closed.
#include "sentences.h"

#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

static size_t open_start(const Sentences *s) { return s->count ? s->start[s->count] : 0; }

void sentences_append(Sentences *s, const Token *token) {
    if (s->tokens == s->token_capacity) {
        size_t n = s->token_capacity = s->tokens ? 2 * s->tokens : 256;
        for (int f = 0; f < FEATURES; f++) s->feature[f] = grow(s->feature[f], n, sizeof(int));
        s->target = grow(s->target, n, sizeof *s->target);
        s->relation = grow(s->relation, n, sizeof *s->relation);
        s->form = grow(s->form, n, sizeof *s->form);
    }
    size_t t = s->tokens++;
    for (int f = 0; f < FEATURES; f++) s->feature[f][t] = token->feature[f];
    s->target[t] = token->target;
    s->relation[t] = token->relation;
    s->form[t] = token->form;
}

void sentences_end(Sentences *s) {
    if (s->tokens == open_start(s)) return;
    if (s->count == s->count_capacity) {
        s->count_capacity = s->count ? 2 * s->count : 64;
        s->start = grow(s->start, s->count_capacity + 1, sizeof *s->start);
        s->start[0] = 0;
    }
    s->start[++s->count] = s->tokens;
}

void sentences_clear(Sentences *s) { s->count = s->tokens = 0; }

void sentences_free(Sentences *s) {
    free(s->start);
    for (int f = 0; f < FEATURES; f++) free(s->feature[f]);
    free(s->target);
    free(s->relation);
    free(s->form);
    *s = (Sentences){0};
}

int sentences_length(const Sentences *s, size_t i) { return (int)(s->start[i + 1] - s->start[i]); }

void batch_reserve(Batch *batch) {
    size_t rows = (size_t)batch->B, ints = rows * (size_t)batch->L;
    if (rows > batch->rows) {
        batch->length = grow(batch->length, rows, sizeof(int));
        batch->rows = rows;
    }
    if (ints > batch->capacity) {
        for (int f = 0; f < FEATURES; f++)
            batch->feature[f] = grow(batch->feature[f], ints, sizeof(int));
        batch->target = grow(batch->target, ints, sizeof(int));
        batch->answer = grow(batch->answer, ints, sizeof(int));
        batch->relation = grow(batch->relation, ints, sizeof(int));
        batch->capacity = ints;
    }
}

// One row of a (B, L) array: n values, then padding.
static void fill_row(int *row, const int *values, int n, int L, int padding) {
    memcpy(row, values, (size_t)n * sizeof *row);
    for (int i = n; i < L; i++) row[i] = padding;
}

void batch_fill(Batch *batch, const Sentences *s, const size_t *which, int B, int at_least) {
    batch->B = B;
    batch->L = at_least;
    for (int b = 0; b < B; b++) {
        int n = sentences_length(s, which[b]);
        if (n > batch->L) batch->L = n;
    }
    batch_reserve(batch);
    for (int b = 0; b < B; b++) {
        int n = sentences_length(s, which[b]), L = batch->L;
        size_t from = s->start[which[b]], to = (size_t)b * (size_t)L;
        batch->length[b] = n;
        for (int f = 0; f < FEATURES; f++)
            fill_row(batch->feature[f] + to, s->feature[f] + from, n, L, 0);
        fill_row(batch->target + to, s->target + from, n, L, -1);
        fill_row(batch->relation + to, s->relation + from, n, L, -1);
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
