#ifndef MODEL_VIEW_MAP_H
#define MODEL_VIEW_MAP_H

#include "model/view/inspect.h"
#include "model/view/canvas.h"

enum { MAP_PICTURES = 16, MAP_TITLE = 128 };

// One sentence, and pictures of it: what arms or heads attend to in it, or how they score it.
typedef struct Map {
    int rows, columns;               // those that ask, those that answer
    const char *const *row_word;     // (rows)
    const char *const *column_word;  // (columns)
    const char *unit;                // what the columns are: "words", "characters" or "pages"
    const int *target;               // (rows) the right column, -1: none is; NULL: not marked
    const bool *cycle;               // (rows) does it ask as part of a cycle? NULL: none does
    int pictures;
    char title[MAP_PICTURES][MAP_TITLE];
    const float *weight[MAP_PICTURES];  // (rows, columns) each, 0..1
    double most;                     // > 0: their values have a sign, and go from -most to most
    bool no_legend;
} Map;

Map map_new(const Inspected *x);  // of that sentence; without pictures yet
void map_add(Map *map, const float *weight, const char *title, ...)
    __attribute__((format(printf, 3, 4)));

// Draws the pictures side by side as far as the width allows, the others below, then a legend.
void map_print(FILE *out, Term term, const Map *map);
// Its first picture, at the right end of a box; gives the columns that it takes there, 0 if the box
// has too few columns or rows.
int map_draw(Canvas *canvas, Box box, const Map *map);
int map_diverging(double value);  // -1..1: orange, white at 0, blue, 0xRRGGBB
bool map_asks(const Map *map);  // is any column marked as the right one?

#endif
