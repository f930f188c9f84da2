#ifndef MODEL_VIEW_TEXT_TABLE_H
#define MODEL_VIEW_TEXT_TABLE_H

#include "model/view/canvas.h"

enum { TEXT_TABLE_COLUMNS = 20, TEXT_TABLE_TEXT = 64 };

typedef struct TextColumn {
    const char *above, *head;  // the column title, in two lines; NULL: blank
    int given_up;   // a narrow window leaves out the columns with the highest number first, 0 last
    bool left;      // set left; else right
    int most;       // columns of the window that its texts may take, or 0: they are cut
    Style style;    // of its title
    int at, width;  // in the window, when it is drawn
} TextColumn;

typedef struct TextRow {
    Style style;    // of its first cell
    char text[TEXT_TABLE_COLUMNS][TEXT_TABLE_TEXT];
} TextRow;

// A table as text: its columns first, then row after row. A column with a title is left out where
// no row has anything in it, and so is the upper line of titles if it is blank.
typedef struct TextTable {
    int rows, columns, first;       // first: the line that is drawn first
    TextColumn column[TEXT_TABLE_COLUMNS];
    TextRow *row;                   // (rows)
} TextTable;

TextTable *text_table_new(void);
// A new column of figures or of words: its index.
int text_table_column(TextTable *table, int given_up, const char *above, const char *head);
int text_table_words(TextTable *table, int given_up, const char *head, int most);
void text_table_row(TextTable *table, Style style);
// A cell of the newest row.
void text_table_set(TextTable *table, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A figure with so many decimals: "-" for a NaN, and "0" only where it is 0 exactly.
void write_figure(char text[32], int decimals, double value);
void text_table_figure(TextTable *table, int column, int decimals, double value);

// Both free the table. `print` says so if columns that were not to be given up don't fit either.
void text_table_draw(TextTable *table, Canvas *canvas, Box box);
void text_table_print(TextTable *table, FILE *out, Term term);

#endif
