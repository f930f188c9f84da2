#ifndef MODEL_VIEW_TEXT_TABLE_H
#define MODEL_VIEW_TEXT_TABLE_H

#include "model/view/canvas.h"

enum { TEXT_TABLE_ROWS = 40, TEXT_TABLE_COLUMNS = 36, TEXT_TABLE_TEXT = 64 };

// A table in a narrow window gives something up, level by level: it is drawn at the first level
// that fits. Level 0 gives nothing up.
typedef struct TextColumn {
    int from, until;    // shown at levels from .. until - 1; until 0: at all later ones
    bool left;          // set left; else right
    const char *brief;  // its head from the table's level `brief` on, or NULL
    Style style;        // of its head
} TextColumn;

// The first rows are heads, and the first column is set left.
typedef struct TextTable {
    int rows, columns, heads;
    int brief, tight;   // levels from which heads are brief, and one blank parts columns, not two
    TextColumn column[TEXT_TABLE_COLUMNS];
    Style style[TEXT_TABLE_ROWS];  // of a row's first cell
    char text[TEXT_TABLE_ROWS][TEXT_TABLE_COLUMNS][TEXT_TABLE_TEXT];
} TextTable;

// `brief` and `tight` 0: never.
TextTable *text_table_new(int heads, int brief, int tight);
int text_table_column(TextTable *table, int from, int until);  // a new column: its index
int text_table_row(TextTable *table, Style style);             // a new row: its index
void text_table_set(TextTable *table, int row, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A figure with so many decimals: "-" for a NaN, and "0" only where it is 0 exactly.
void write_figure(char text[32], int decimals, double value);
void text_table_figure(TextTable *table, int row, int column, int decimals, double value);

// Both free the table. A column that fits at no level is left out, and print says so.
void text_table_draw(TextTable *table, Canvas *canvas, Box box);
void text_table_print(TextTable *table, FILE *out, Term term);

#endif
