#ifndef MODEL_VIEW_SHOWN_H
#define MODEL_VIEW_SHOWN_H

#include "model/train/trainer.h"

// What a model makes of one held-out sentence. All of it lies on the trainer's measuring tape,
// until the next measurement.
typedef struct Shown {
    int heads, rows, columns;   // queries, keys
    const char **word;          // (tokens) keys first, if they are tokens of their own
    const int *target;          // (tokens) the right column, -1 where nothing is asked
    const int *relation;        // (tokens) which kind of question, -1 where nothing is asked
    const bool *cycle;          // (tokens) is it a question of the cycle?
    const float *scores;        // (heads, rows, columns)
    const float *attention;     // (heads, rows, columns)
    const float *mean;          // (rows, columns) of the attention, over heads
    int layers;
    const int *layer_heads;     // (layers)
    const float **layer;        // (layers) of (layer_heads, rows, columns): the attention of each
} Shown;

// The sentence that is shown: the first held-out one that fits a window, else the first.
size_t shown_sentence(const Task *task);

Shown shown_of(Trainer *t, size_t sentence);

#endif
