#ifndef MODEL_VIEW_TABLE_H
#define MODEL_VIEW_TABLE_H

#include "model/train/history.h"
#include "model/view/canvas.h"

// The end of a run in figures: the arms; in detail the arms by relation, and M. Each with what its
// titles mean.
void table_print(FILE *out, Term term, const History *history);
void table_print_details(FILE *out, Term term, const History *history);

// While it runs: the arms alone, as many of the figures as there is room for.
void table_live(Canvas *canvas, Box box, const History *history);
void table_print_live(FILE *out, Term term, const History *history);

#endif
