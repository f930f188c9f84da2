#ifndef MODEL_TRAIN_HISTORY_H
#define MODEL_TRAIN_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "model/arms.h"

// What was measured while the arms trained: plain numbers, for results.c and the views to read.

// One measurement on the held-out sentences (NAN where a task has no such thing).
typedef struct Measurement {
    int step;             // steps of training before it; the first point has 0
    double loss;          // nats, mean over the questions
    double attention_accuracy;         // 0..1, share of questions whose attention's argmax is the right token
    double accuracy;      // 0..1, share whose readout is the right word; NAN without a readout
    double attention_nll;      // nats, mean -log A on the right token over the
                          // cycle's questions (all, if no cycle)
    double asymmetry;     // |N|_F / |S|_F, mean over sentences: 0 symmetric, 1 antisymmetric
    double circulation;   // |C|_F / |S|_F, mean over sentences
    double symmetry;      // tr(M M) / |M|_F², -1..1, median over all heads
    double seconds;       // training alone
} Measurement;

// Questions of one kind, at the end.
typedef struct RelationScore {
    const char *name;
    bool cycle;           // part of the cycle?
    long questions;
    double attention_accuracy, accuracy, attention_nll;
} RelationScore;

// One arm: its curve, and its final measurement by relation.
typedef struct ArmHistory {
    const char *name;       // "qkv"
    const char *formula;    // "(X W_Q)(X W_K)ᵀ, X W_V" for legends
    int colour;             // 0xRRGGBB
    char letter;            // where there is no colour
    bool symmetric;         // its scores are symmetric whatever is learned (attention_symmetric)
    Value value;            // what it hands over
    long parameters;        // trained numbers
    int count, capacity;
    Measurement *point;           // (count) on the first held-out sentences
    int heads;              // of all layers
    int *layer_of;          // (heads)
    double *head_symmetry;  // (count, heads) tr(M M) / |M|_F² of each, at each point
    Measurement end;              // at the end, on all of them
    bool ended;             // has `end` been measured?
    int relations;
    RelationScore *relation;  // (relations), filled at the end
    double cycle_attention_accuracy, cycle_accuracy;  // at the end; NAN where there is no cycle
    double tokens;          // trained on
    size_t memory;          // bytes at most: weights, gradients, moments and tapes, of all shards
    double symmetry;        // of M of the last layer's first head, at the end: tr(M M) / |M|_F²
    int singular_values;
    double *singular;       // (singular_values) of M, at the end, the largest first
} ArmHistory;

// The newest figures.
static inline const Measurement *history_newest(const ArmHistory *arm) {
    return arm->ended ? &arm->end : &arm->point[arm->count - 1];
}

void history_add(ArmHistory *arm, Measurement point, const double *head_symmetry);  // (arm->heads)

// A whole run.
typedef struct History {
    const char *task;
    const char *asked;      // the question in a few words, for titles; or NULL
    const char *command;    // the command line, as it can be typed again
    unsigned long long seed;
    int steps;              // planned
    bool has_cycle;         // does the task have a cycle?
    double bound;           // > 0: what is measured is one head, so that on the cycle a
                            // symmetric score finds at most this share, 2/3 of threes, and
                            // has a surprise of at least ln 2
    bool own;               // sentences that somebody wrote
    bool measured_on_training;  // too few sentences to hold any out
    bool points_at_answer;             // no readout, the answer is pointed at
    bool text;              // characters of a text, so that losses are also bits a character
    bool hidden;            // characters that are hidden, not the next ones
    int arms;
    ArmHistory *arm;        // (arms)
    double random_low, random_high;  // asymmetry of random starts: mean -+ 2 standard deviations
    int baselines;
    const char *baseline_name[2];
    double baseline[2];     // found by answering so to every question
} History;

// The step at which to measure next: 0, 1, 2, ... while most happens, then ever less often, then
// evenly, and at the last.
int history_next(int step, int steps);

void history_free(History *history);

#endif
