// Sentences in flat arrays. The tokens behind the last sentence that has ended are the open one;
// `start` is NULL until a sentence has ended.
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

typedef struct Ranked { int length; size_t place, sentence; } Ranked;

static int shorter(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

void sentences_sort(const Sentences *s, size_t n, size_t *which) {
    Ranked *ranked = grow(NULL, n, sizeof *ranked);
    for (size_t i = 0; i < n; i++)
        ranked[i] = (Ranked){sentences_length(s, which[i]), i, which[i]};
    qsort(ranked, n, sizeof *ranked, shorter);
    for (size_t i = 0; i < n; i++) which[i] = ranked[i].sentence;
    free(ranked);
}
