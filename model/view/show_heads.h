#ifndef MODEL_VIEW_SHOW_HEADS_H
#define MODEL_VIEW_SHOW_HEADS_H

#include "model/view/look.h"
#include "model/view/term.h"

// The layers and heads that are looked at: first to last, both counted from 0.
typedef struct Chosen {
    int first_layer, last_layer;
    int head;  // ALL_HEADS: of each layer all
} Chosen;

// What each question attends to and answers: of the last layer that is chosen.
void show_questions(FILE *out, Term term, Look *look, Chosen chosen);
// The attention of each head; of a head alone its scores too, and their two halves.
void show_maps(FILE *out, Term term, Look *look, Chosen chosen);
// A row a head: figures of S and M; of a head alone all singular values that aren't nearly 0.
void show_figures(FILE *out, Term term, const Look *look, Chosen chosen);

// How many heads of a layer, from *first on.
int chosen_heads(const Look *look, Chosen chosen, int layer, int *first);

#endif
