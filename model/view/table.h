#ifndef MODEL_VIEW_TABLE_H
#define MODEL_VIEW_TABLE_H

#include <stdio.h>

#include "model/history.h"
#include "model/view/term.h"

// The end of a run: the arms, the arms by relation, and what this shows.
void table_print(FILE *out, Term term, const History *history);

#endif
