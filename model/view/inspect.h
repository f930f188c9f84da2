#ifndef MODEL_VIEW_INSPECT_H
#define MODEL_VIEW_INSPECT_H

#include "model/train/measure.h"
#include "model/model.h"

// What a model makes of one sentence: its words, its questions, and the scores and attention of
// every layer and head. All of it lies on the tape and in the batch, until either is used again.
typedef struct Inspected {
    Model *model;
    Tape *tape;
    const Batch *batch;         // of one sentence
    Forward forward;
    int layers, rows, columns;  // rows: the tokens that ask; columns: those that answer
    const char **row_word, **column_word;
    const int *target;          // (rows) the right column, -1 where nothing is asked
    const int *relation;        // (rows) the kind of question, -1 where nothing is asked
    const bool *cycle;          // (rows) is it a question of the cycle?
    const float **attention;    // (layers) of (heads, rows, columns), after softmax
} Inspected;

// Runs the model on a batch of one sentence. `said` holds the tokens as they were written, as its
// sentence number `which`; NULL: they are shown by their ids.
Inspected inspect(Model *model, Tape *tape, const Batch *batch, const Sentences *said,
                  size_t which);
// The sentence that a run shows: the first held-out one of 8 to 16 words, else the first; of a text
// the first 24 characters. Fills the batch.
Inspected inspect_held_out(Model *model, Tape *tape, Batch *batch);

int inspect_heads(const Inspected *x, int layer);
const float *inspect_scores(const Inspected *x, int layer, int head);  // S, (rows, columns)
// The attention of one head, or the mean over all: (rows, columns).
enum { ALL_HEADS = -1 };
const float *inspect_attention(const Inspected *x, int layer, int head);
// -log of the attention at (row, column), in nats, however small that is.
double inspect_nll(const Inspected *x, int layer, int head, int row, int column);

// Figures of one head. Singular values take D³ operations, and are left out unless asked for.
typedef struct HeadFigures {
    Direction S;                   // before mask and softmax; NAN where S isn't square
    double symmetry;               // of M
    int d_k;                       // bounds the rank of M; 0: the arm has no such projection
    int count, rank;               // D; the singular values over 1e-6 of the largest
    double *singular;              // (count), the largest first; NULL if left out
} HeadFigures;
HeadFigures inspect_figures(const Inspected *x, int layer, int head, bool singular);

// The answer to question q of forward: its word's id, and its probability (softmax of the logits).
int inspect_answer(const Inspected *x, int q, double *probability);

#endif
