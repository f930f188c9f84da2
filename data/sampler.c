// Which sentences come next in training: generated ones, windows of a text, or a fixed set.
#include "sampler.h"

#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

static void new_epoch(Sampler *sampler, const Sentences *s, RandomSource random, size_t B) {
    size_t n = s->count, batches = (n + B - 1) / B, pool = SAMPLER_POOL * B;
    if (!sampler->order) sampler->order = grow(NULL, n, sizeof *sampler->order);
    if (!sampler->begin) sampler->begin = grow(NULL, batches, sizeof *sampler->begin);
    for (size_t i = 0; i < n; i++) sampler->order[i] = i;
    random_shuffle(random, sampler->order, n);
    for (size_t at = 0; at < n; at += pool)
        sentences_sort(s, n - at < pool ? n - at : pool, sampler->order + at);
    for (size_t i = 0; i < batches; i++) sampler->begin[i] = i * B;
    random_shuffle(random, sampler->begin, batches);
    sampler->batches = batches;
    sampler->next = 0;
}

static void generate(Sampler *sampler, const Task *task, RandomSource random, int B, Batch *batch) {
    if (!sampler->order) sampler->order = grow(NULL, (size_t)B, sizeof *sampler->order);
    sentences_clear(&sampler->drawn);
    for (int i = 0; i < B; i++) {
        task->generate(task, random, &sampler->drawn);
        sampler->order[i] = (size_t)i;
    }
    batch_fill(batch, &sampler->drawn, sampler->order, B, 0);
}

void sampler_next(Sampler *sampler, const Task *task, RandomSource random, int B, Batch *batch) {
    if (task->is_text) {
        corpus_draw(&task->corpus, random, B, batch);
    } else if (task->fixed_set) {
        if (sampler->next == sampler->batches) new_epoch(sampler, &task->train, random, (size_t)B);
        size_t begin = sampler->begin[sampler->next++], left = task->train.count - begin;
        int n = left < (size_t)B ? (int)left : B;
        batch_fill(batch, &task->train, sampler->order + begin, n, 0);
    } else {
        generate(sampler, task, random, B, batch);
    }
}

void sampler_free(Sampler *sampler) {
    sentences_free(&sampler->drawn);
    free(sampler->order);
    free(sampler->begin);
    *sampler = (Sampler){0};
}

Sampler sampler_copy(const Sampler *from, const Task *task) {
    Sampler to = {.batches = from->batches, .next = from->next};
    if (!from->batches) return to;  // there is no epoch yet, or never
    size_t order = task->train.count * sizeof *to.order, begin = to.batches * sizeof *to.begin;
    to.order = memcpy(grow(NULL, order, 1), from->order, order);
    to.begin = memcpy(grow(NULL, begin, 1), from->begin, begin);
    return to;
}

void sampler_restore(Sampler *sampler, Sampler copy) {
    copy.drawn = sampler->drawn;  // the memory alone is of use
    free(sampler->order);
    free(sampler->begin);
    *sampler = copy;
}
