#ifndef DATA_SAMPLER_H
#define DATA_SAMPLER_H

#include "task.h"

// Where an arm is in its training data. Start with {0}.
// A fixed set is drawn in epochs: its sentences are shuffled; each pool of SAMPLER_POOL batches is
// sorted by length, so that batches have little padding; then the batches are shuffled.
typedef struct Sampler {
    Sentences drawn;          // generated sentences of the batch
    size_t *order;            // sentences of a fixed set, batch after batch
    size_t *begin;            // (batches) where each batch begins in `order`
    size_t batches, next;     // of this epoch
} Sampler;

enum { SAMPLER_POOL = 16 };

// The next batch: B sentences, fewer at the end of an epoch, padded to the longest of them.
void sampler_next(Sampler *sampler, const Task *task, RandomSource random, int B, Batch *batch);
void sampler_free(Sampler *sampler);

// Where it is, so that batches can be taken back: a copy, which is freed, or put in its place.
Sampler sampler_copy(const Sampler *sampler, const Task *task);
void sampler_restore(Sampler *sampler, Sampler copy);

#endif
