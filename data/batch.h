#ifndef DATA_BATCH_H
#define DATA_BATCH_H

#include <stddef.h>

#include "sentences.h"

// What one training step reads: B sentences side by side, each padded at its end to L tokens.
// Start with {0}.
typedef struct Batch {
    int B, L;                 // sentences; tokens of the longest. B * L fits an int (tasks_steps)
    int *length;              // (B)    tokens before the padding, 1 to L
    int *feature[FEATURES];   // (B, L) ids; 0 in the padding
    int *target;              // (B, L) the token that answers; -1 where nothing is asked
    int *answer;              // (B, L) the id of the right word; -1 where nothing is asked
    int *relation;            // (B, L) the kind of the question; -1 where nothing is asked
    int *alike;               // (B, L) as in Sentences; 0 in the padding
    int *memory;              // owned: all of these,
    size_t capacity;          // each with room for so many ints
} Batch;

// Fills the batch with sentences which[0] .. which[B-1] of `s`. L becomes the length of the longest
// sentence, or `at_least` if that is more (0 in the product; tests pad further).
void batch_fill(Batch *batch, const Sentences *s, const size_t *which, int B, int at_least);

// Makes the batch (B, L), all of it padding that asks nothing. `length` is the caller's to set.
void batch_shape(Batch *batch, int B, int L);

// Sets `answer` to the word of each target. batch_fill has done it; tests build batches by hand.
void batch_answer(Batch *batch);

// Sentences from .. to - 1 as a batch. It shares the memory of `batch` and must not be freed.
Batch batch_rows(const Batch *batch, int from, int to);
void batch_free(Batch *batch);

#endif
