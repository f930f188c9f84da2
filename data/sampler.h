#ifndef DATA_SAMPLER_H
#define DATA_SAMPLER_H

#include "task.h"

// Where an arm is in its training data. Start with {0}.
// A task with a fixed set is drawn in epochs: shuffled, then pools of POOL batches are sorted by
// length, so that little of a batch is padding, and the batches shuffled again.
typedef struct Sampler {
    Sentences drawn;          // of a task that generates: the batch's sentences
    size_t *order;            // of a task with a fixed set: batch after batch
    size_t *begin;            // (batches) where each starts in order
    size_t batches, next;     // of this epoch
} Sampler;

enum { SAMPLER_POOL = 16 };

// The next batch: B sentences, (B, L) with L the longest of them, fewer sentences at the end of an
// epoch.
void sampler_next(Sampler *sampler, const Task *task, RandomSource random, int B, Batch *batch);
void sampler_free(Sampler *sampler);

// order[0..n-1] = 0 .. n-1, the shortest sentence first, equals in their order.
void order_by_length(const Sentences *s, size_t n, size_t *order);

#endif
