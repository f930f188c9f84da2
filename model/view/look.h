#ifndef MODEL_VIEW_LOOK_H
#define MODEL_VIEW_LOOK_H

#include "data/example.h"
#include "model/measure.h"
#include "model/save/checkpoint.h"

// A saved model, and what it makes of one sentence. It stays where it is: the model points into it.
typedef struct Look {
    char *file;
    Checkpoint saved;
    Model model;
    bool built;               // is there a model?
    Example given;
    char origin[400];         // where the sentence is from
    Tape tape;                // all that follows lies on it
    Forward forward;
    const float **attention;  // (layers) each (heads, rows, columns), after softmax
    int rows, columns;        // tokens that ask, tokens that answer
} Look;

enum { LOOK_ERROR = 512 };

// `path`: a .safetensors file of a run, or a directory with one in it. False: `error` says what was
// found and what was expected, and nothing is left.
bool look_open(Look *look, const char *path, char error[LOOK_ERROR]);
// `sentence` NULL: one is made up from `seed` (0: the run's own, which gives the sentence that the
// run showed), or is number `seed` of those held out, from 1, where they come from a file (0: the
// first).
bool look_at(Look *look, const char *sentence, uint64_t seed, char error[LOOK_ERROR]);
void look_close(Look *look);

int look_heads(const Look *look, int layer);
const char *look_column(const Look *look, int j);  // the word that answers,
const char *look_row(const Look *look, int i);     // and that asks
const int *look_target(const Look *look);          // (rows) the right column, or -1

// Mean of a layer's attention over its heads, or that of one head: (rows, columns), on the tape.
const float *look_weights(Look *look, int layer, int head);
enum { ALL_HEADS = -1 };
// -log of its weight at (i, j), in nats, however small that is.
double look_nll(const Look *look, int layer, int head, int i, int j);

// Figures of one head. Singular values take D³, and are left out unless asked for.
typedef struct HeadFigures {
    Direction S;                   // before mask and softmax; NAN where S isn't square
    double symmetry;               // of M
    int d_k;                       // what bounds the rank of M; 0: the arm has no such projection
    int count, rank;               // D; the singular values over 1e-6 of the largest
    double *singular;              // (count), the largest first; owned, NULL if left out
} HeadFigures;
HeadFigures look_figures(const Look *look, int layer, int head, bool singular);
void look_figures_free(HeadFigures *figures);
const float *look_scores(const Look *look, int layer, int head);  // S: (rows, columns)

// The answer to question q of forward: its word's id, and the readout's share of it (softmax of the
// logits).
int look_answer(const Look *look, int q, double *share);

#endif
