// A small table of text. It holds all that could be shown; what fits the window is chosen when it
// is drawn, so that no line is too long and no figure is cut.
#include "model/view/text_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/view/palette.h"

TextTable *text_table_new(int heads, int brief, int tight) {
    TextTable *table = zeroed(1, sizeof *table);
    table->rows = table->heads = heads;
    table->brief = brief;
    table->tight = tight;
    table->column[text_table_column(table, 0, 0)].left = true;
    return table;
}

int text_table_column(TextTable *table, int from, int until) {
    if (table->columns < TEXT_TABLE_COLUMNS) table->columns++;
    table->column[table->columns - 1] =
        (TextColumn){.from = from, .until = until, .style = STYLE(PALETTE_GREY)};
    return table->columns - 1;
}

int text_table_row(TextTable *table, Style style) {
    if (table->rows < TEXT_TABLE_ROWS) table->rows++;
    table->style[table->rows - 1] = style;
    return table->rows - 1;
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

// A table at one level.
typedef struct Fit {
    const TextTable *table;
    bool utf8;
    int level, gap, count;
    int column[TEXT_TABLE_COLUMNS];  // (count) those that are shown,
    int at[TEXT_TABLE_COLUMNS];      // where they begin,
    int width[TEXT_TABLE_COLUMNS];   // and how wide they are
} Fit;

static const char *text_of(const Fit *f, int row, int k) {
    const TextTable *t = f->table;
    const char *brief = t->column[f->column[k]].brief;
    bool is_brief = brief && row == t->heads - 1 && t->brief && f->level >= t->brief;
    return is_brief ? brief : t->text[row][f->column[k]];
}

// Gives the width of the whole.
static int fit_at(Fit *f, const TextTable *t, bool utf8, int level) {
    int width = 0;
    *f = (Fit){.table = t, .utf8 = utf8, .level = level,
               .gap = t->tight && level >= t->tight ? 1 : 2};
    for (int c = 0; c < t->columns; c++) {
        const TextColumn *column = &t->column[c];
        if (level < column->from || (column->until && level >= column->until)) continue;
        int k = f->count++;
        f->column[k] = c;
        f->at[k] = width + (k ? f->gap : 0);
        for (int row = 0; row < t->rows; row++) {
            int wide = term_width(text_of(f, row, k), utf8);
            if (wide > f->width[k]) f->width[k] = wide;
        }
        width = f->at[k] + f->width[k];
    }
    return width;
}

// The first level that fits, or the last.
static Fit fit(const TextTable *t, bool utf8, int width) {
    int most = t->brief > t->tight ? t->brief : t->tight;
    for (int c = 0; c < t->columns; c++)
        if (t->column[c].until > most) most = t->column[c].until;
    Fit f;
    for (int level = 0; fit_at(&f, t, utf8, level) > width && level < most;) level++;
    return f;
}

// ---- drawing -----------------------------------------------------------------------------------

// The same head over several columns is written once, in the middle of a line across them. Gives
// how many columns it is over.
static int draw_span(const Fit *f, Canvas *canvas, Box box, int row, int k) {
    const char *text = text_of(f, row, k);
    Style style = f->table->column[f->column[k]].style;
    int span = 1, at = box.column + f->at[k], used = term_width(text, f->utf8) + 2;
    while (k + span < f->count && !strcmp(text_of(f, row, k + span), text)) span++;
    int width = f->at[k + span - 1] + f->width[k + span - 1] - f->at[k];
    if (span > 1 && *text && width > used) {
        for (int i = 0; i < width; i++)
            canvas_text(canvas, box.row + row, at + i, 1, style, f->utf8 ? "─" : "-");
        canvas_format(canvas, box.row + row, at + (width - used) / 2, used, style, " %s ", text);
    } else canvas_right(canvas, box.row + row, at, width, style, text);
    return span;
}

static void draw_column(const Fit *f, Canvas *canvas, Box box, int k) {
    const TextTable *t = f->table;
    const TextColumn *column = &t->column[f->column[k]];
    int at = box.column + f->at[k], room = box.width - f->at[k];
    int width = f->width[k] < room ? f->width[k] : room;
    for (int row = t->heads - 1; row < t->rows && row < box.height; row++) {
        Style style = row < t->heads ? column->style : k == 0 ? t->style[row] : STYLE_PLAIN;
        const char *text = text_of(f, row, k);
        if (column->left) canvas_text(canvas, box.row + row, at, width, style, text);
        else canvas_right(canvas, box.row + row, at, width, style, text);
    }
}

// Gives the columns that are left out: half a figure would be a wrong one.
static int draw(Fit *f, Canvas *canvas, Box box) {
    int all = f->count;
    while (f->count > 1 && f->at[f->count - 1] + f->width[f->count - 1] > box.width) f->count--;
    for (int row = 0; row < f->table->heads - 1; row++)
        for (int k = 0; k < f->count;) k += draw_span(f, canvas, box, row, k);
    for (int k = 0; k < f->count; k++) draw_column(f, canvas, box, k);
    return all - f->count;
}

void text_table_draw(TextTable *table, Canvas *canvas, Box box) {
    Fit f = fit(table, canvas->term.utf8, box.width);
    draw(&f, canvas, box);
    free(table);
}

void text_table_print(TextTable *table, FILE *out, Term term) {
    Canvas canvas = canvas_new(term, table->rows);
    Fit f = fit(table, term.utf8, term.width);
    int left_out = draw(&f, &canvas, (Box){0, 0, term.width, table->rows});
    canvas_print(&canvas, out, false);
    canvas_free(&canvas);
    if (left_out) print_wrapped(out, term, "(columns that don't fit this window are left out)");
    free(table);
}
