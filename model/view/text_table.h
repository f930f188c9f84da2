#ifndef MODEL_VIEW_TEXT_TABLE_H
#define MODEL_VIEW_TEXT_TABLE_H

#include "model/view/canvas.h"

enum { TEXT_TABLE_ROWS = 40, TEXT_TABLE_COLUMNS = 20, TEXT_TABLE_TEXT = 64 };

// A table as text: its first rows are heads, its first column is set left and the others right.
typedef struct TextTable {
    int rows, columns;
    int heads, gap;          // rows that are heads; blanks between columns
    char text[TEXT_TABLE_ROWS][TEXT_TABLE_COLUMNS][TEXT_TABLE_TEXT];
    int left[TEXT_TABLE_COLUMNS];  // set this column left too
    Style row_style[TEXT_TABLE_ROWS];      // of a row's first cell
    Style head_style[TEXT_TABLE_COLUMNS];  // grey if not set otherwise
} TextTable;

TextTable *text_table_new(int heads, int gap);     // to be freed by the caller
int text_table_row(TextTable *table, Style style);  // a new row: its index
void text_table_set(TextTable *table, int row, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A figure with so many decimals: "-" for a NaN, and "0" only where it is 0 exactly.
void write_figure(char text[32], int decimals, double value);
void text_table_figure(TextTable *table, int row, int column, int decimals, double value);
int text_table_width(const TextTable *table, int utf8);
int text_table_draw(const TextTable *table, Canvas *canvas, Box box);  // gives the columns that fitted
int text_table_print(TextTable *table, FILE *out, Term term);  // and frees it; gives the columns left out

#endif
