#ifndef MODEL_VIEW_TEXT_TABLE_H
#define MODEL_VIEW_TEXT_TABLE_H

#include "model/view/canvas.h"

enum { GRID_ROWS = 40, GRID_COLUMNS = 20, GRID_TEXT = 64 };

// A table as text: its first rows are heads, its first column is set left and the others right.
typedef struct Grid {
    int rows, columns;
    int heads, gap;          // rows that are heads; blanks between columns
    char text[GRID_ROWS][GRID_COLUMNS][GRID_TEXT];
    int left[GRID_COLUMNS];  // set this column left too
    Style row_style[GRID_ROWS];      // of a row's first cell
    Style head_style[GRID_COLUMNS];  // grey if not set otherwise
} Grid;

Grid *grid_new(int heads, int gap);     // to be freed by the caller
int grid_row(Grid *grid, Style style);  // a new row: its index
void grid_set(Grid *grid, int row, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A figure with so many decimals: "-" for a NaN, and "0" only where it is 0 exactly.
void write_figure(char text[32], int decimals, double value);
void grid_figure(Grid *grid, int row, int column, int decimals, double value);
int grid_width(const Grid *grid, int utf8);
int grid_draw(const Grid *grid, Canvas *canvas, Box box);  // gives the columns that fitted
int grid_print(Grid *grid, FILE *out, Term term);  // and frees it; gives the columns left out

#endif
