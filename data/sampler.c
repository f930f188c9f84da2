#include "sampler.h"

#include <stdlib.h>

#include "autograd/fatal.h"

typedef struct Ranked { int length; size_t place, sentence; } Ranked;

static int shorter(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void sort_by_length(const Sentences *s, size_t n, size_t *order) {
    Ranked *ranked = grow(NULL, n, sizeof *ranked);
    for (size_t i = 0; i < n; i++)
        ranked[i] = (Ranked){sentences_length(s, order[i]), i, order[i]};
    qsort(ranked, n, sizeof *ranked, shorter);
    for (size_t i = 0; i < n; i++) order[i] = ranked[i].sentence;
    free(ranked);
}

void order_by_length(const Sentences *s, size_t n, size_t *order) {
    for (size_t i = 0; i < n; i++) order[i] = i;
    sort_by_length(s, n, order);
}

static void swap(size_t *a, size_t *b) {
    size_t kept = *a;
    *a = *b;
    *b = kept;
}

// Fisher and Yates.
static void shuffle(size_t *x, size_t n, RandomSource random) {
    for (size_t i = n; i > 1; i--) swap(&x[i - 1], &x[random_below(random, (int)i)]);
}

static void new_epoch(Sampler *sampler, const Sentences *s, RandomSource random, size_t B) {
    size_t n = s->count, batches = (n + B - 1) / B;
    if (!sampler->order) sampler->order = grow(NULL, n, sizeof *sampler->order);
    if (!sampler->begin) sampler->begin = grow(NULL, batches, sizeof *sampler->begin);
    for (size_t i = 0; i < n; i++) sampler->order[i] = i;
    shuffle(sampler->order, n, random);
    for (size_t at = 0; at < n; at += SAMPLER_POOL * B)
        sort_by_length(s, n - at < SAMPLER_POOL * B ? n - at : SAMPLER_POOL * B,
                       sampler->order + at);
    for (size_t i = 0; i < batches; i++) sampler->begin[i] = i * B;
    shuffle(sampler->begin, batches, random);
    sampler->batches = batches;
    sampler->next = 0;
}

void sampler_next(Sampler *sampler, const Task *task, RandomSource random, int B, Batch *batch) {
    size_t want = (size_t)B;
    if (task->is_text) {
        corpus_draw(&task->corpus, random, B, batch);
        return;
    }
    if (!task->fixed_set) {
        if (!sampler->order) sampler->order = grow(NULL, want, sizeof *sampler->order);
        sentences_clear(&sampler->drawn);
        for (size_t i = 0; i < want; i++) {
            task->generate(task, random, &sampler->drawn);
            sampler->order[i] = i;
        }
        batch_fill(batch, &sampler->drawn, sampler->order, B, 0);
        return;
    }
    if (sampler->next == sampler->batches) new_epoch(sampler, &task->train, random, want);
    size_t begin = sampler->begin[sampler->next++], left = task->train.count - begin;
    batch_fill(batch, &task->train, sampler->order + begin, left < want ? (int)left : B, 0);
}

void sampler_free(Sampler *sampler) {
    sentences_free(&sampler->drawn);
    free(sampler->order);
    free(sampler->begin);
    *sampler = (Sampler){0};
}
