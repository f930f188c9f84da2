#ifndef TESTS_EXERCISES_CYCLE_H
#define TESTS_EXERCISES_CYCLE_H

#include <stdint.h>

#include "autograd/ops.h"

// The smallest model of a cycle: the scores of three tokens, trained directly. There are no words,
// no positions and no values.

// Makes S (3, 3) from a free matrix (3, 3) and a free row (3). It may leave either unused.
typedef Tensor *ScoreOf(Tape *tape, Tensor *B, Tensor *bias);

typedef struct CycleRun {
    double attention_nll;  // the lowest of all steps: mean of -log A over the right weights, nats
    int found;             // the highest of all steps: right tokens with the largest weight, 0 to 3
    float S[9];            // at the end
} CycleRun;

// 500 steps of Adam at 0.1 from a random start. Token i has to find token target[i].
CycleRun cycle_train(ScoreOf *score, const int target[3], uint64_t seed);

// The best of 8 seeds on 0 -> 1 -> 2 -> 0: the lowest NLL, the most found, the last seed's scores.
CycleRun cycle_best(ScoreOf *score);

// A verdict unless `bound` is at most `least`, the lowest NLL of a training, and within 0.01 of it.
void check_bound(const char *name, double bound, double least);

#endif
