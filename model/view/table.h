#ifndef MODEL_VIEW_TABLE_H
#define MODEL_VIEW_TABLE_H

#include "model/train/history.h"
#include "model/view/canvas.h"

// The end of a run: the arms, the arms by relation, and what this shows.
void table_print(FILE *out, Term term, const History *history);

// While it runs: the arms alone, as much of the figures as the box takes.
void table_live(Canvas *canvas, Box box, const History *history);

#endif
