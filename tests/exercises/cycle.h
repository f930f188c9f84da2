#ifndef TESTS_EXERCISES_CYCLE_H
#define TESTS_EXERCISES_CYCLE_H

#include <stdint.h>

#include "autograd/ops.h"

// Three tokens whose scores train by themselves: no words, no positions, no values between.

// S (3, 3) out of a free matrix (3, 3) and a free row (3), either of which it may leave alone.
typedef Tensor *ScoreOf(Tape *tape, Tensor *B, Tensor *bias);

typedef struct Circle {
    double surprise;  // the least of all steps: mean of -log A over the right weights, nats
    int found;        // the most of all steps, 0 to 3
    float S[9];       // at the end
} Circle;

// 500 steps of Adam at 0.1 from a random start, so that token i finds token target[i].
Circle cycle_train(ScoreOf *score, const int target[3], uint64_t seed);

// What 8 seeds come to, on 0 -> 1 -> 2 -> 0: the least surprise, the most found, the last scores.
Circle cycle_best(ScoreOf *score);

// A verdict unless the learner's bound lies at or below what was found, by less than 0.01.
void check_bound(const char *name, double bound, double least);

#endif
