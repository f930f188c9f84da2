#ifndef MODEL_VIEW_MAP_H
#define MODEL_VIEW_MAP_H

#include "model/view/term.h"

// The attention of one sentence.
typedef struct Map {
    const char *title;                // "xxt: softmax of X Xᵀ"
    int rows, columns;                // queries, keys
    const char *const *row_word;      // (rows)
    const char *const *column_word;   // (columns)
    const float *weight;              // (rows, columns), 0..1
    const int *target;                // (rows): the right column, -1 where the row asks nothing
} Map;

// Draws the maps side by side as far as the width allows, then a legend.
void map_print(FILE *out, Term term, const Map *map, int maps);

#endif
