// A small table of text. It holds all that could be shown; what fits the window is chosen when it
// is drawn, so that no line is too long and no figure is cut.
#include "model/view/text_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/view/palette.h"

enum { GAP = 2 };

TextTable *text_table_new(int heads) {
    TextTable *table = zeroed(1, sizeof *table);
    table->rows = table->heads = heads;
    table->column[text_table_column(table, 0, NULL, NULL)].left = true;
    return table;
}

int text_table_row(TextTable *table, Style style) {
    if (table->rows < TEXT_TABLE_ROWS) table->rows++;
    table->style[table->rows - 1] = style;
    return table->rows - 1;
}

int text_table_column(TextTable *table, int given_up, const char *above, const char *head) {
    int c = table->columns < TEXT_TABLE_COLUMNS ? table->columns++ : table->columns - 1;
    table->column[c] = (TextColumn){.given_up = given_up, .style = STYLE(PALETTE_GREY)};
    if (above && table->heads > 1) text_table_set(table, table->heads - 2, c, "%s", above);
    if (head) text_table_set(table, table->heads - 1, c, "%s", head);
    return c;
}

void text_table_set(TextTable *table, int row, int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(table->text[row][column], TEXT_TABLE_TEXT, format, arguments);
    va_end(arguments);
}

void write_figure(char text[32], int decimals, double value) {
    if (isnan(value)) snprintf(text, 32, "-");
    else if (value == 0) snprintf(text, 32, "0");
    else if (decimals && fabs(value) >= 1e5) snprintf(text, 32, "%.1e", value);
    else snprintf(text, 32, "%.*f", decimals, value);
}

void text_table_figure(TextTable *table, int row, int column, int decimals, double value) {
    char text[32];
    write_figure(text, decimals, value);
    text_table_set(table, row, column, "%s", text);
}

// ---- what fits ---------------------------------------------------------------------------------

// Sets where each column begins and how wide it is; gives the width of the whole.
static int measure(TextTable *t, bool utf8) {
    int end = -GAP;
    for (int c = 0; c < t->columns; c++) {
        TextColumn *column = &t->column[c];
        column->at = end + GAP;
        column->width = 0;
        for (int row = 0; row < t->rows; row++) {
            int wide = term_width(t->text[row][c], utf8);
            if (wide > column->width) column->width = wide;
        }
        if (column->most && column->width > column->most) column->width = column->most;
        end = column->at + column->width;
    }
    return end;
}

static void remove_column(TextTable *t, int c) {
    t->columns--;
    memmove(&t->column[c], &t->column[c + 1], (size_t)(t->columns - c) * sizeof *t->column);
    for (int row = 0; row < t->rows; row++)
        memmove(t->text[row][c], t->text[row][c + 1], (size_t)(t->columns - c) * TEXT_TABLE_TEXT);
}

// Gives how many columns are removed though they were not to be given up: half a figure would be a
// wrong one.
static int fit(TextTable *t, bool utf8, int width) {
    int lost = 0;
    while (measure(t, utf8) > width && t->columns > 1) {
        int out = t->columns - 1;
        for (int c = 0; c < t->columns; c++)
            if (t->column[c].given_up > t->column[out].given_up) out = c;
        lost += !t->column[out].given_up;
        remove_column(t, out);
    }
    return lost;
}

// ---- drawing -----------------------------------------------------------------------------------

// The same head over several columns is written once, in the middle of a line across them. Gives
// the column after them.
static int draw_span(const TextTable *t, Canvas *canvas, Box box, int row, int c) {
    const char *text = t->text[row][c];
    Style style = t->column[c].style;
    int last = c, at = box.column + t->column[c].at, used = term_width(text, canvas->term.utf8) + 2;
    while (last + 1 < t->columns && !strcmp(t->text[row][last + 1], text)) last++;
    int width = box.column + t->column[last].at + t->column[last].width - at;
    if (last > c && *text && width > used) {
        for (int i = 0; i < width; i++)
            canvas_text(canvas, box.row + row, at + i, 1, style, canvas->term.utf8 ? "─" : "-");
        canvas_format(canvas, box.row + row, at + (width - used) / 2, used, style, " %s ", text);
    } else canvas_right(canvas, box.row + row, at, width, style, text);
    return last + 1;
}

static void draw_column(const TextTable *t, Canvas *canvas, Box box, int c) {
    const TextColumn *column = &t->column[c];
    int at = box.column + column->at, room = box.width - column->at;
    int width = column->width < room ? column->width : room;
    for (int row = t->heads - 1; row < t->rows && row < box.height; row++) {
        Style style = row < t->heads ? column->style : c == 0 ? t->style[row] : STYLE_PLAIN;
        if (column->left) canvas_text(canvas, box.row + row, at, width, style, t->text[row][c]);
        else canvas_right(canvas, box.row + row, at, width, style, t->text[row][c]);
    }
}

int text_table_draw(TextTable *table, Canvas *canvas, Box box) {
    int lost = fit(table, canvas->term.utf8, box.width);
    for (int row = 0; row < table->heads - 1; row++)
        for (int c = 0; c < table->columns;) c = draw_span(table, canvas, box, row, c);
    for (int c = 0; c < table->columns; c++) draw_column(table, canvas, box, c);
    free(table);
    return lost;
}

void text_table_print(TextTable *table, FILE *out, Term term) {
    int rows = table->rows;
    Canvas canvas = canvas_new(term, rows);
    int lost = text_table_draw(table, &canvas, (Box){0, 0, term.width, rows});
    canvas_print(&canvas, out, false);
    canvas_free(&canvas);
    if (lost) print_wrapped(out, term, "(columns that don't fit this window are left out)");
}
