#ifndef DATA_CORPUS_H
#define DATA_CORPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "batch.h"
#include "random.h"

// A text as ids of its characters, read in windows of up to `context` of them. Next-character
// prediction: the answer to each character is the one after it. Masked prediction: 15 of a hundred
// characters are hidden, as in BERT (Devlin et al. 2019), and each of them is its own answer.
typedef struct Corpus {
    size_t count;         // characters
    size_t held_out;      // where the held-out part begins: the last tenth, at least one character
    int *id;              // (count)
    bool *hidden;         // (count) which held-out characters are hidden; NULL unless masked
    int context;
    bool masked;
} Corpus;

// Held-out windows lie one behind the other: each held-out character is the answer in exactly one.
// The last window may be shorter.
size_t corpus_windows(const Corpus *corpus);
void corpus_batch(const Corpus *corpus, const size_t *which, int B, Batch *batch);

// B windows from anywhere in the part that is trained on.
void corpus_draw(const Corpus *corpus, RandomSource random, int B, Batch *batch);

void corpus_free(Corpus *corpus);

#endif
