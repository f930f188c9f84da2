#ifndef MODEL_VIEW_SHOW_HEADS_H
#define MODEL_VIEW_SHOW_HEADS_H

#include "model/view/saved_model.h"
#include "model/view/term.h"

// What `show` looks at: the layers first to last, counted from 0, and in each layer one head, or all.
typedef struct Chosen {
    const SavedModel *model;
    Inspected sentence;
    int first_layer, last_layer;
    int head;  // or ALL_HEADS
} Chosen;

// What each question attends to and answers, as the last of the layers sees it.
void show_questions(FILE *out, Term term, const Chosen *chosen);
// The attention of each head; of a head alone its scores too, and their two halves.
void show_maps(FILE *out, Term term, const Chosen *chosen);
// A row a head: figures of S and M; of a head alone all singular values that aren't nearly 0.
void show_figures(FILE *out, Term term, const Chosen *chosen);

// The layer and the head of the chosen head number k, from 0 on; false: there are fewer.
bool chosen_head(const Chosen *chosen, int k, int *layer, int *head);
bool chosen_alone(const Chosen *chosen);  // is it one head?

#endif
