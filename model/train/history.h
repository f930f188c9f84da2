#ifndef MODEL_TRAIN_HISTORY_H
#define MODEL_TRAIN_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "model/arms.h"

// What was measured while the arms trained: plain numbers, for model/save and the views to read.
// NAN stands where a task has no such figure.

// One measurement on held-out sentences.
typedef struct Measurement {
    int step;                   // steps of training before it; the first point has 0
    double loss;                // nats, mean over the questions
    double attention_accuracy;  // share of questions whose most attended token is the right one
    double accuracy;            // share of questions whose readout is the right word; of `alike`
                                // tasks, whose most attended token names the right answer
    double attention_nll;       // nats, mean of -log A on the right token, over the questions of
                                // the cycle, or over all if there is no cycle
    double asymmetry;           // |N|_F / |S|_F, mean over sentences: 0 symmetric, 1 antisymmetric
    double circulation;         // |C|_F / |S|_F, mean over sentences
    double symmetry;            // tr(M M) / |M|_F², -1..1, median over all heads
    double cycle;               // attention_accuracy on the cycle
    double seconds;             // of training alone
} Measurement;

// Questions of one relation, at the end.
typedef struct RelationScore {
    const char *name;
    bool cycle;                 // is it part of the cycle?
    long questions;
    double attention_accuracy, accuracy, attention_nll;
} RelationScore;

// One arm: its curve, and what it is like at the end.
typedef struct ArmHistory {
    const char *name;           // "qkv"
    const char *formula;        // "(X W_Q)(X W_K)ᵀ, X W_V" for legends
    int colour;                 // 0xRRGGBB
    char letter;                // where there is no colour
    bool symmetric;             // are its scores symmetric whatever is learned?
    Value value;                // what it passes on
    long parameters;
    int count;
    Measurement *point;         // (count) of the curve, on the first held-out sentences
    int heads;                  // of all layers
    int *layer_of;              // (heads)
    double *head_symmetry;      // (count, heads) tr(M M) / |M|_F²
    Measurement end;            // on all held-out sentences
    bool ended;                 // has `end` been measured? What follows is of the end.
    int relations;
    RelationScore *relation;    // (relations)
    double cycle_attention_accuracy, cycle_accuracy;
    double tokens;              // trained on
    size_t memory;              // bytes at most: weights, gradients, moments, tapes of all shards
    double symmetry;            // of M of the last layer's first head
    int singular_values;
    double *singular;           // (singular_values) of that M, the largest first
} ArmHistory;

static inline const Measurement *history_newest(const ArmHistory *arm) {
    return arm->ended ? &arm->end : &arm->point[arm->count - 1];
}

void history_add(ArmHistory *arm, Measurement point, const double *head_symmetry);  // (arm->heads)

enum { BASELINES = 4 };

// A whole run.
typedef struct History {
    const char *task;
    const char *asked;          // the question in a few words, for titles; or NULL
    const char *command;        // the command line, as it can be typed again
    unsigned long long seed;
    int steps;                  // planned
    bool has_cycle;             // does the task have a cycle?
    double bound;               // > 0, if there is one head: on the cycle no symmetric score has a
                                // higher attention accuracy (2/3 of threes), nor an NLL below ln 2
    bool own;                   // a user's own sentences
    bool measured_on_training;  // too few sentences to hold any out
    bool points_at_answer;      // there is no readout
    bool alike;                 // several tokens name an answer (Task.alike)
    bool text;                  // characters, so losses are also bits a character
    bool hidden;                // masked prediction, not of the next character
    int arms;
    ArmHistory *arm;            // (arms)
    double random_low, random_high;  // asymmetry of random starts: mean -+ 2 standard deviations
    int baselines;
    const char *baseline_name[BASELINES];
    double baseline[BASELINES];           // attention accuracy of giving that answer to every
    double baseline_accuracy[BASELINES];  // question; accuracy of it, or NAN
} History;

// The step at which to measure next: 0, 1, 2, ... while most happens, then ever less often, then
// evenly, and at the last.
int history_next(int step, int steps);

void history_free(History *history);

#endif
