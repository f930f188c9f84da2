// Cuts batches from a text. No window is stored: a batch copies ids from the text.
#include "corpus.h"

#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "characters.h"

enum { HIDDEN_PERCENT = 15 };

void corpus_free(Corpus *c) {
    free(c->id);
    free(c->hidden);
    *c = (Corpus){0};
}

void corpus_row(const Corpus *c, Batch *batch, int b, size_t first, int n, const bool *hidden) {
    size_t to = (size_t)b * (size_t)batch->L;
    int *word = batch->feature[FEATURE_WORD] + to, *answer = batch->answer + to,
        *relation = batch->relation + to;
    const int *id = c->id + first;
    batch->length[b] = n;
    for (int i = 0; i < n; i++) {
        word[i] = hidden && hidden[i] ? UNKNOWN_CHARACTER : id[i];
        answer[i] = !hidden ? id[i + 1] : hidden[i] ? id[i] : -1;
        relation[i] = answer[i] < 0 ? -1 : 0;
    }
}

size_t corpus_windows(const Corpus *c) {
    size_t context = (size_t)c->context;
    return (c->count - c->held_out + context - 1) / context;
}

static int window_length(const Corpus *c, size_t window) {
    size_t left = c->count - c->held_out - window * (size_t)c->context;
    return left < (size_t)c->context ? (int)left : c->context;
}

void corpus_batch(const Corpus *c, const size_t *which, int B, Batch *batch) {
    int L = 0;
    for (int b = 0; b < B; b++) L = window_length(c, which[b]) > L ? window_length(c, which[b]) : L;
    batch_shape(batch, B, L);
    for (int b = 0; b < B; b++) {
        size_t first = c->held_out + which[b] * (size_t)c->context;
        corpus_row(c, batch, b, c->masked ? first : first - 1, window_length(c, which[b]),
                   c->masked ? c->hidden + first : NULL);
    }
}

void corpus_choose_hidden(bool *hidden, int n, RandomSource random) {
    bool any = false;
    for (int i = 0; i < n; i++) any |= hidden[i] = random_below(random, 100) < HIDDEN_PERCENT;
    if (!any) hidden[random_below(random, n)] = true;
}

void corpus_hide(Corpus *c, RandomSource random) {
    c->hidden = grow(NULL, c->count, sizeof *c->hidden);
    for (size_t w = 0; w < corpus_windows(c); w++)
        corpus_choose_hidden(c->hidden + c->held_out + w * (size_t)c->context, window_length(c, w),
                             random);
}

void corpus_draw(const Corpus *c, RandomSource random, int B, Batch *batch) {
    size_t asking = c->held_out - !c->masked;  // the last character's next one is held out
    int n = asking < (size_t)c->context ? (int)asking : c->context;
    batch_shape(batch, B, n);
    bool *hidden = c->masked ? grow(NULL, (size_t)n, sizeof *hidden) : NULL;
    for (int b = 0; b < B; b++) {  // a text has 1 GiB at most, so that its places fit an int
        size_t first = (size_t)random_below(random, (int)(asking - (size_t)n + 1));
        if (hidden) corpus_choose_hidden(hidden, n, random);
        corpus_row(c, batch, b, first, n, hidden);
    }
    free(hidden);
}
