// A small table of text, measured before it is drawn, so that its owner can try shorter heads and
// fewer columns until it fits.
#include "model/view/text_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/view/palette.h"

Grid *grid_new(int heads, int gap) {
    Grid *grid = view_memory(1, sizeof *grid);
    grid->rows = grid->heads = heads;
    grid->gap = gap;
    for (int i = 0; i < GRID_COLUMNS; i++) grid->head_style[i] = STYLE(PALETTE_GREY);
    return grid;
}

int grid_row(Grid *grid, Style style) {
    if (grid->rows < GRID_ROWS) grid->rows++;
    grid->row_style[grid->rows - 1] = style;
    return grid->rows - 1;
}

void grid_set(Grid *grid, int row, int column, const char *format, ...) {
    if (column >= GRID_COLUMNS) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(grid->text[row][column], GRID_TEXT, format, arguments);
    va_end(arguments);
    if (column >= grid->columns) grid->columns = column + 1;
}

void write_figure(char text[32], int decimals, double value) {
    if (isnan(value)) snprintf(text, 32, "-");
    else if (value == 0) snprintf(text, 32, "0");
    else if (decimals && fabs(value) >= 1e5) snprintf(text, 32, "%.1e", value);
    else snprintf(text, 32, "%.*f", decimals, value);
}

void grid_figure(Grid *grid, int row, int column, int decimals, double value) {
    char text[32];
    write_figure(text, decimals, value);
    grid_set(grid, row, column, "%s", text);
}

static int column_width(const Grid *grid, int column, int utf8) {
    int widest = 0;
    for (int row = 0; row < grid->rows; row++) {
        int width = text_width(grid->text[row][column], utf8);
        if (width > widest) widest = width;
    }
    return widest;
}

int grid_width(const Grid *grid, int utf8) {
    int width = 0;
    for (int i = 0; i < grid->columns; i++)
        width += column_width(grid, i, utf8) + (i ? grid->gap : 0);
    return width;
}

// The same head over several columns is written once, in the middle of a line across them.
static int draw_span(const Grid *grid, Canvas *canvas, int row, int at, int column) {
    int utf8 = canvas->term.utf8, span = 1, width = column_width(grid, column, utf8);
    const char *text = grid->text[row][column];
    while (column + span < grid->columns && !strcmp(grid->text[row][column + span], text))
        width += grid->gap + column_width(grid, column + span++, utf8);
    int used = text_width(text, utf8) + 2;
    if (span > 1 && *text && width > used) {
        for (int i = 0; i < width; i++)
            canvas_text(canvas, row, at + i, 1, grid->head_style[column], utf8 ? "─" : "-");
        canvas_format(canvas, row, at + (width - used) / 2, used, grid->head_style[column], " %s ",
                      text);
    } else canvas_right(canvas, row, at, width, grid->head_style[column], text);
    return span;
}

int grid_draw(const Grid *grid, Canvas *canvas, Box box) {
    int at = box.column, end = box.column + box.width, spanned = 0, column = 0;
    for (; column < grid->columns; column++) {
        int width = column_width(grid, column, canvas->term.utf8);
        if (at + width > end && column) break;  // half a figure would be a wrong one
        if (at + width > end) width = end - at;
        for (int row = 0; row < grid->rows && row < box.height; row++) {
            const char *text = grid->text[row][column];
            Style style = row < grid->heads ? grid->head_style[column]
                        : column == 0 ? grid->row_style[row] : STYLE_PLAIN;
            if (row < grid->heads - 1) {
                if (column >= spanned)
                    spanned = column + draw_span(grid, canvas, box.row + row, at, column);
            } else if (column == 0 || grid->left[column])
                canvas_text(canvas, box.row + row, at, width, style, text);
            else canvas_right(canvas, box.row + row, at, width, style, text);
        }
        at += width + grid->gap;
    }
    return column;
}

int grid_print(Grid *grid, FILE *out, Term term) {
    Canvas canvas = canvas_new(term, grid->rows);
    int left_out = grid->columns - grid_draw(grid, &canvas, (Box){0, 0, term.width, grid->rows});
    canvas_print(&canvas, out, 0);
    canvas_free(&canvas);
    free(grid);
    return left_out;
}
