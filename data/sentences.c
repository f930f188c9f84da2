// Sentences in flat arrays. The tokens behind the last sentence that has ended are the open one;
// `start` is NULL until a sentence has ended.
#include "sentences.h"

#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

void sentences_append(Sentences *s, const Token *token) {
    size_t t = s->tokens++;
    for (int f = 0; f < FEATURES; f++) {
        s->feature[f] = grow_one(s->feature[f], t, sizeof(int));
        s->feature[f][t] = token->feature[f];
    }
    s->target = grow_one(s->target, t, sizeof *s->target);
    s->relation = grow_one(s->relation, t, sizeof *s->relation);
    s->form = grow_one(s->form, t, sizeof *s->form);
    s->alike = grow_one(s->alike, t, sizeof *s->alike);
    s->target[t] = token->target;
    s->relation[t] = token->relation;
    s->alike[t] = token->alike;
    s->form[t] = token->form;
}

size_t *sentences_start(size_t *start, size_t *count, size_t end) {
    if (end == (*count ? start[*count] : 0)) return start;
    start = grow_one(start, *count ? *count + 1 : 0, sizeof *start);
    start[0] = 0;
    start[++*count] = end;
    return start;
}

void sentences_end(Sentences *s) { s->start = sentences_start(s->start, &s->count, s->tokens); }

void sentences_clear(Sentences *s) { s->count = s->tokens = 0; }

void sentences_free(Sentences *s) {
    free(s->start);
    for (int f = 0; f < FEATURES; f++) free(s->feature[f]);
    free(s->target);
    free(s->relation);
    free(s->alike);
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
