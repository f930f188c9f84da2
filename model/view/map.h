#ifndef MODEL_VIEW_MAP_H
#define MODEL_VIEW_MAP_H

#include "model/view/term.h"

// One sentence, and what one or two arms attend to in it.
typedef struct Map {
    int words;
    const char *const *word;   // (words)
    const int *target;         // (words) the right word, -1 where nothing is asked
    int arms;
    const char *title[2];
    const float *weight[2];    // (words, words) each, 0..1: rows ask, columns answer
} Map;

// Draws the arms side by side if the width allows, else one below the other, then a legend.
void map_print(FILE *out, Term term, const Map *map);

#endif
