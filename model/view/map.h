#ifndef MODEL_VIEW_MAP_H
#define MODEL_VIEW_MAP_H

#include "model/view/term.h"

// One sentence, and what one or two arms attend to in it.
typedef struct Map {
    int rows, columns;               // those that ask, those that answer
    const char *const *row_word;     // (rows)
    const char *const *column_word;  // (columns)
    const int *target;               // (rows) the right column, -1 where nothing is asked
    int arms;
    const char *title[2];
    const float *weight[2];          // (rows, columns) each, 0..1
} Map;

// Draws the arms side by side if the width allows, else one below the other, then a legend.
void map_print(FILE *out, Term term, const Map *map);

#endif
