// A small table of text, measured before it is drawn, so that its owner can try shorter heads and
// fewer columns until it fits.
#include "model/view/text_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/view/palette.h"

TextTable *text_table_new(int heads, int gap) {
    TextTable *table = zeroed(1, sizeof *table);
    table->rows = table->heads = heads;
    table->gap = gap;
    for (int i = 0; i < TEXT_TABLE_COLUMNS; i++) table->head_style[i] = STYLE(PALETTE_GREY);
    return table;
}

int text_table_row(TextTable *table, Style style) {
    if (table->rows < TEXT_TABLE_ROWS) table->rows++;
    table->row_style[table->rows - 1] = style;
    return table->rows - 1;
}

void text_table_set(TextTable *table, int row, int column, const char *format, ...) {
    if (column >= TEXT_TABLE_COLUMNS) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(table->text[row][column], TEXT_TABLE_TEXT, format, arguments);
    va_end(arguments);
    if (column >= table->columns) table->columns = column + 1;
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

static int column_width(const TextTable *table, int column, int utf8) {
    int widest = 0;
    for (int row = 0; row < table->rows; row++) {
        int width = text_width(table->text[row][column], utf8);
        if (width > widest) widest = width;
    }
    return widest;
}

int text_table_width(const TextTable *table, int utf8) {
    int width = 0;
    for (int i = 0; i < table->columns; i++)
        width += column_width(table, i, utf8) + (i ? table->gap : 0);
    return width;
}

// The same head over several columns is written once, in the middle of a line across them.
static int draw_span(const TextTable *table, Canvas *canvas, int row, int at, int column) {
    int utf8 = canvas->term.utf8, span = 1, width = column_width(table, column, utf8);
    const char *text = table->text[row][column];
    while (column + span < table->columns && !strcmp(table->text[row][column + span], text))
        width += table->gap + column_width(table, column + span++, utf8);
    int used = text_width(text, utf8) + 2;
    if (span > 1 && *text && width > used) {
        for (int i = 0; i < width; i++)
            canvas_text(canvas, row, at + i, 1, table->head_style[column], utf8 ? "─" : "-");
        canvas_format(canvas, row, at + (width - used) / 2, used, table->head_style[column], " %s ",
                      text);
    } else canvas_right(canvas, row, at, width, table->head_style[column], text);
    return span;
}

int text_table_draw(const TextTable *table, Canvas *canvas, Box box) {
    int at = box.column, end = box.column + box.width, spanned = 0, column = 0;
    for (; column < table->columns; column++) {
        int width = column_width(table, column, canvas->term.utf8);
        if (at + width > end && column) break;  // half a figure would be a wrong one
        if (at + width > end) width = end - at;
        for (int row = 0; row < table->rows && row < box.height; row++) {
            const char *text = table->text[row][column];
            Style style = row < table->heads ? table->head_style[column]
                        : column == 0 ? table->row_style[row] : STYLE_PLAIN;
            if (row < table->heads - 1) {
                if (column >= spanned)
                    spanned = column + draw_span(table, canvas, box.row + row, at, column);
            } else if (column == 0 || table->left[column])
                canvas_text(canvas, box.row + row, at, width, style, text);
            else canvas_right(canvas, box.row + row, at, width, style, text);
        }
        at += width + table->gap;
    }
    return column;
}

int text_table_print(TextTable *table, FILE *out, Term term) {
    Canvas canvas = canvas_new(term, table->rows);
    int left_out = table->columns - text_table_draw(table, &canvas, (Box){0, 0, term.width, table->rows});
    canvas_print(&canvas, out, 0);
    canvas_free(&canvas);
    free(table);
    return left_out;
}
