// A small table of text. It holds all that could be shown; what fits the window is chosen when it
// is drawn, so that no line is too long and no figure is cut.
#include "model/view/text_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

enum { GAP = 2 };
enum { ABOVE, HEAD, BODY };  // lines: two of heads, then the rows

TextTable *text_table_new(void) { return zeroed(1, sizeof(TextTable)); }

int text_table_column(TextTable *table, int given_up, const char *above, const char *head) {
    int c = table->columns < TEXT_TABLE_COLUMNS ? table->columns++ : table->columns - 1;
    table->column[c] = (TextColumn){.given_up = given_up, .above = above, .head = head,
                                    .style = STYLE(PALETTE_GREY)};
    return c;
}

int text_table_words(TextTable *table, int given_up, const char *head, int most) {
    int c = text_table_column(table, given_up, NULL, head);
    table->column[c].left = true;
    table->column[c].most = most;
    return c;
}

void text_table_row(TextTable *table, Style style) {
    table->row = grow_one(table->row, (size_t)table->rows, sizeof *table->row);
    table->row[table->rows++] = (TextRow){.style = style};
}

void text_table_set(TextTable *table, int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(table->row[table->rows - 1].text[column], TEXT_TABLE_TEXT, format, arguments);
    va_end(arguments);
}

void write_figure(char text[32], int decimals, double value) {
    if (isnan(value)) snprintf(text, 32, "-");
    else if (value == 0) snprintf(text, 32, "0");
    else if (decimals && fabs(value) >= 1e5) snprintf(text, 32, "%.1e", value);
    else snprintf(text, 32, "%.*f", decimals, value);
}

void text_table_figure(TextTable *table, int column, int decimals, double value) {
    write_figure(table->row[table->rows - 1].text[column], decimals, value);
}

// ---- what fits ---------------------------------------------------------------------------------

static const char *text_at(const TextTable *t, int line, int c) {
    if (line >= BODY) return t->row[line - BODY].text[c];
    const char *head = line == HEAD ? t->column[c].head : t->column[c].above;
    return head ? head : "";
}

static int widest(const TextTable *t, bool utf8, int line, int c) {
    int most = 0;
    for (; line < BODY + t->rows; line++) {
        int wide = term_width(text_at(t, line, c), utf8);
        if (wide > most) most = wide;
    }
    return most;
}

// Sets where each column begins and how wide it is; gives the width of the whole.
static int measure(TextTable *t, bool utf8) {
    int end = -GAP;
    for (int c = 0; c < t->columns; c++) {
        TextColumn *column = &t->column[c];
        column->at = end + GAP;
        column->width = widest(t, utf8, ABOVE, c);
        if (column->most && column->width > column->most) column->width = column->most;
        end = column->at + column->width;
    }
    return end;
}

static void remove_column(TextTable *t, int c) {
    t->columns--;
    size_t right = (size_t)(t->columns - c);
    memmove(&t->column[c], &t->column[c + 1], right * sizeof *t->column);
    for (int i = 0; i < t->rows; i++)
        memmove(t->row[i].text[c], t->row[i].text[c + 1], right * TEXT_TABLE_TEXT);
}

// Gives how many columns are removed though they were not to be given up: half a figure would be a
// wrong one.
static int fit(TextTable *t, bool utf8, int width) {
    int lost = 0;
    for (int c = t->columns - 1; c > 0; c--)
        if ((t->column[c].above || t->column[c].head) && !widest(t, true, BODY, c))
            remove_column(t, c);
    while (measure(t, utf8) > width && t->columns > 1) {
        int out = t->columns - 1;
        for (int c = 0; c < t->columns; c++)
            if (t->column[c].given_up > t->column[out].given_up) out = c;
        lost += !t->column[out].given_up;
        remove_column(t, out);
    }
    t->first = HEAD;
    for (int c = 0; c < t->columns; c++)
        if (*text_at(t, ABOVE, c)) t->first = ABOVE;
    return lost;
}

// ---- drawing -----------------------------------------------------------------------------------

// The same head over several columns is written once, in the middle of a line across them. Gives
// the column after them.
static int draw_span(const TextTable *t, Canvas *canvas, Box box, int c) {
    const char *text = text_at(t, ABOVE, c);
    Style style = t->column[c].style;
    int last = c, at = box.column + t->column[c].at, used = term_width(text, canvas->term.utf8) + 2;
    while (last + 1 < t->columns && !strcmp(text_at(t, ABOVE, last + 1), text)) last++;
    int width = box.column + t->column[last].at + t->column[last].width - at;
    if (last > c && *text && width > used) {
        for (int i = 0; i < width; i++)
            canvas_text(canvas, box.row, at + i, 1, style, canvas->term.utf8 ? "─" : "-");
        canvas_format(canvas, box.row, at + (width - used) / 2, used, style, " %s ", text);
    } else canvas_right(canvas, box.row, at, width, style, text);
    return last + 1;
}

static void draw_column(const TextTable *t, Canvas *canvas, Box box, int c) {
    const TextColumn *column = &t->column[c];
    int at = box.column + column->at, room = box.width - column->at;
    int width = column->width < room ? column->width : room;
    for (int line = HEAD; line < BODY + t->rows && line - t->first < box.height; line++) {
        Style style = line == HEAD ? column->style : c ? STYLE_PLAIN : t->row[line - BODY].style;
        const char *text = text_at(t, line, c);
        if (column->left) canvas_text(canvas, box.row + line - t->first, at, width, style, text);
        else canvas_right(canvas, box.row + line - t->first, at, width, style, text);
    }
}

void text_table_draw(TextTable *t, Canvas *canvas, Box box) {
    fit(t, canvas->term.utf8, box.width);
    for (int c = 0; c < t->columns && t->first == ABOVE;) c = draw_span(t, canvas, box, c);
    for (int c = 0; c < t->columns; c++) draw_column(t, canvas, box, c);
    free(t->row);
    free(t);
}

void text_table_print(TextTable *table, FILE *out, Term term) {
    int lost = fit(table, term.utf8, term.width), lines = BODY + table->rows - table->first;
    Canvas canvas = canvas_new(term, lines);
    text_table_draw(table, &canvas, (Box){0, 0, term.width, lines});
    canvas_print(&canvas, out, false);
    if (lost) print_wrapped(out, term, "(columns that don't fit this window are left out)");
}
