#ifndef MODEL_VIEW_TEXT_TABLE_H
#define MODEL_VIEW_TEXT_TABLE_H

#include "model/view/canvas.h"

enum { TEXT_TABLE_ROWS = 40, TEXT_TABLE_COLUMNS = 20, TEXT_TABLE_TEXT = 64 };

typedef struct TextColumn {
    int given_up;   // a narrow window gives up the highest of these first; 0: not before the others
    bool left;      // set left; else right
    int most;       // columns of the window that its texts may take, or 0: they are cut
    Style style;    // of its head
    int at, width;  // in the window, when it is drawn
} TextColumn;

// A table as text. The first rows are heads, and the first column is set left.
typedef struct TextTable {
    int rows, columns, heads;
    TextColumn column[TEXT_TABLE_COLUMNS];
    Style style[TEXT_TABLE_ROWS];  // of a row's first cell
    char text[TEXT_TABLE_ROWS][TEXT_TABLE_COLUMNS][TEXT_TABLE_TEXT];
} TextTable;

TextTable *text_table_new(int heads);
int text_table_row(TextTable *table, Style style);  // a new row: its index
// A new column: its index. `above` and `head` are its last two heads; NULL: left blank.
int text_table_column(TextTable *table, int given_up, const char *above, const char *head);
void text_table_set(TextTable *table, int row, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A figure with so many decimals: "-" for a NaN, and "0" only where it is 0 exactly.
void write_figure(char text[32], int decimals, double value);
void text_table_figure(TextTable *table, int row, int column, int decimals, double value);

// Both free the table. `draw` gives how many columns that were not to be given up don't fit either;
// `print` says so.
int text_table_draw(TextTable *table, Canvas *canvas, Box box);
void text_table_print(TextTable *table, FILE *out, Term term);

#endif
