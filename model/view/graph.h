#ifndef MODEL_VIEW_GRAPH_H
#define MODEL_VIEW_GRAPH_H

#include "model/view/term.h"
#include "model/view/tiny_step.h"

// Two tables: values in the order of the tape, gradients in the order of its walk back.
void graph_print(FILE *out, Term term, const TinyStep *graph);
// The same as boxes and arrows, from the top down (graph_svg.c).
void graph_svg(FILE *out, const TinyStep *graph);

// ./train graph [--out DIR]. Gives the exit status.
int command_graph(int argc, char **argv);

#endif
