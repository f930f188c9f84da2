#ifndef MODEL_VIEW_GRAPH_H
#define MODEL_VIEW_GRAPH_H

#include "model/view/term.h"
#include "model/view/tiny_step.h"

// A tensor's numbers, in two tables: values in the order of the tape,
// gradients in that of its walk back.
void graph_print(FILE *out, Term term, const TinyStep *graph);
// The same as boxes and arrows, from the top down.
void graph_svg(FILE *out, const TinyStep *graph);

// What both of them write of a node: "matmul(X, W_Q)"; "dQ W_Qᵀ + dK W_Kᵀ + dV W_Vᵀ"; four
// decimals, or fewer where the last are 0. Texts are cut to `size`.
void graph_call(const TinyStep *graph, int node, char *text, size_t size);
void graph_gradient(const TinyStep *graph, int node, char *text, size_t size);
void graph_figure(float x, char text[32]);

// ./train graph [--out DIR]. Gives the exit status.
int command_graph(int argc, char **argv);

#endif
