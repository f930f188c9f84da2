#ifndef TESTS_CLAIMS_H
#define TESTS_CLAIMS_H

#include <stdbool.h>

#include "setup.h"

// The claims that the project makes, as experiments whose figures have bounds that could be missed.
// `make claims` runs them all and prints their table; `make test` runs those that aren't slow.

// Min and max of what was measured, over seeds, steps, sentences, heads. A NaN stays.
typedef struct Figure {
    double min, max;
    long count;
} Figure;

void figure_add(Figure *figure, double value);
void figure_join(Figure *figure, const Figure *other);

// A figure, the claim (1 to CLAIMS) that it stands for, and where it must lie. Bounds may be infinite.
typedef struct Row {
    int claim;
    const char *what;
    double low, high;
    const char *but;  // what restricts the claim, or NULL
} Row;

enum { CLAIMS = 18, CLAIM_ROWS = 16 };

typedef struct Experiment {
    const char *sentence;
    bool seeded;                                  // false: nothing in it depends on the seed
    bool slow;                                    // for `make claims` alone
    bool gum;                                     // it reads the GUM corpus; not run without it
    void (*run)(uint64_t seed, Figure *figure);   // adds what row[i] is about to figure[i]
    Row row[CLAIM_ROWS];                          // up to the first without `what`
} Experiment;

extern const Experiment claims_symmetric, claims_xxt, claims_qkv, claims_qk, claims_square,
    claims_rank, claims_value, claims_search, claims_width, claims_block, claims_token,
    claims_shapes, claims_cross, claims_gradient, claims_variance, claims_saturation,
    claims_no_scale, claims_nouns, claims_nearest, claims_mixed, claims_projections,
    claims_recall;

extern const Experiment *const claims[];
extern const int claims_count;
extern const char *const claims_text[CLAIMS + 1];  // [number], in a few words; NULL: no such claim

bool claim_holds(const Row *row, const Figure *figure);

// How many seeds each experiment runs with: QKV_SEEDS, or 5.
int claims_seeds(void);

// The setup of "train OPTIONS --seed SEED".
void claims_open(Setup *setup, const char *options, uint64_t seed);

// Figures of an arm after "train OPTIONS --seed SEED".
Measurement claims_trained(const char *options, const char *arm, uint64_t seed);

// Scores and gradients before the first step (claims_scale.c). X has independent numbers of unit
// variance; W_Q and W_K are drawn at random, as a framework does.
typedef struct FirstStep {
    double variance;      // of the scores
    double entropy;       // nats, mean over the rows of A
    double top;           // largest weight, mean over the rows
    double row_gradient;  // |dL/dS_i| of the median row i
    double gradient;      // |dL/d(W_Q, W_K)|
} FirstStep;

FirstStep claims_first_step(int d_k, bool scaled, uint64_t seed);

#endif
