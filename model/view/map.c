// Attention maps: rows are queries, columns are keys, a cell is a weight. The palette is fixed to
// 0..1, so that two maps can be compared. Without colour a cell holds its weight in tenths. Scores
// have a sign: their palette has its middle at 0, and their digits are tenths of the largest.
#include "model/view/map.h"

#include <math.h>
#include <stdarg.h>

#include "model/view/canvas.h"

// Of a column's word at most and at least so many letters; columns between two pictures, and of a
// row's word at most.
enum { LETTERS = 8, LETTERS_LEAST = 3, GAP = 3, WORD = 12 };

// ---- colours -----------------------------------------------------------------------------------

// Of weights (viridis) and of scores (ColorBrewer's orange and blue, with the signs of the report's
// figure.js): the colour-blind can read both. The arms' colours are in model/arms.c.

// Between the anchors; at: 0..1, a NaN is drawn as 0.
static int blend(const int *anchor, int count, double at) {
    at = at > 0 ? fmin(at, 1) * (count - 1) : 0;
    int i = at >= count - 1 ? count - 2 : (int)at, colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int low = anchor[i] >> shift & 255, high = anchor[i + 1] >> shift & 255;
        colour |= (int)lround(low + (at - i) * (high - low)) << shift;
    }
    return colour;
}

static int sequential(double weight) {
    static const int anchor[] = {0x440154, 0x482878, 0x3E4989, 0x31688E, 0x26828E,
                                 0x1F9E89, 0x35B779, 0x6DCD59, 0xB4DE2C, 0xFDE725};
    return blend(anchor, 10, weight);
}

int map_diverging(double value) {
    static const int anchor[] = {0xB35806, 0xF1A340, 0xF7F7F7, 0x67A9CF, 0x2166AC};
    return isnan(value) ? anchor[2] : blend(anchor, 5, (value + 1) / 2);
}

static int ink(int ground) {
    int light = 299 * (ground >> 16 & 255) + 587 * (ground >> 8 & 255) + 114 * (ground & 255);
    return light > 128 * 1000 ? 0x000000 : 0xFFFFFF;
}

// ---- cells -------------------------------------------------------------------------------------

// "" where there is nothing to mark.
static const char *mark_of(const Map *map, const float *row, int target, int column, bool utf8) {
    int most = (int)measure_argmax(row, (size_t)map->columns);
    if (target < 0) return "";
    if (column == target) return most == target ? utf8 ? "◆" : "*" : utf8 ? "◇" : "o";
    return column == most ? utf8 ? "·" : "." : "";
}

static void draw_cell(Canvas *canvas, int row, int column, double weight, const char *mark) {
    if (canvas->term.colours) {
        int ground = sequential(weight);
        Style style = {ink(ground), ground, true};
        canvas_format(canvas, row, column, 2, style, "%s ", *mark ? mark : " ");
    } else {
        int tenths = weight >= 0.95 ? 9 : weight > 0 ? (int)lround(10 * weight) : 0;
        canvas_format(canvas, row, column, 1, STYLE_PLAIN, tenths ? "%d" : " ", tenths);
        canvas_text(canvas, row, column + 1, 1, STYLE_PLAIN, mark);
    }
}

static void draw_signed(Canvas *canvas, int row, int column, double part) {
    if (canvas->term.colours) {
        canvas_text(canvas, row, column, 2, (Style){-1, map_diverging(part), false}, "  ");
    } else {
        double size = 10 * fabs(part);
        int tenths = size >= 9.5 ? 9 : size > 0 ? (int)lround(size) : 0;
        if (tenths)
            canvas_format(canvas, row, column, 2, STYLE_PLAIN, part < 0 ? "-%d" : " %d", tenths);
    }
}

static int letters_of(const char *word, bool utf8) {
    int count = 0;
    char shown[8];
    while (*word) count += term_glyph(&word, utf8, shown) > 0;
    return count < LETTERS ? count : LETTERS;
}

// The word's first letter on top, its last just above the cells.
static void draw_column_word(Canvas *canvas, int bottom, int column, const char *word, int most) {
    int letters = letters_of(word, canvas->term.utf8);
    int row = bottom - (letters < most ? letters : most);
    while (*word && row < bottom) {
        char shown[8];
        const char *end = word, *after;  // a letter and its marks
        term_glyph(&end, canvas->term.utf8, shown);
        for (after = end; *after && !term_glyph(&after, canvas->term.utf8, shown); ) end = after;
        canvas_format(canvas, row++, column, 2, STYLE_PLAIN, "%.*s", (int)(end - word), word);
        word = end;
    }
}

// How a band of pictures lies on the page.
typedef struct Layout {
    int labels, letters;  // columns of the row words, rows of the column words
    int shown;            // cells of a row that fit
    int wide;             // from one picture to the next
} Layout;

static Layout lay_out(Term term, const Map *map) {
    Layout l = {.labels = term_widest(map->row_word, map->rows, term.utf8)};
    int most = WORD < term.width / 3 ? WORD : term.width / 3;
    for (int j = 0; j < map->columns; j++) {
        int high = letters_of(map->column_word[j], term.utf8);
        if (high > l.letters) l.letters = high;
    }
    if (l.labels > most) l.labels = most;
    int room = term.width - l.labels - 1;
    l.shown = map->columns < room / 2 ? map->columns : room / 2;
    if (l.shown < 1) l.shown = 1;
    l.wide = 2 * l.shown;
    for (int k = 0; k < map->pictures; k++) {
        int wide = term_width(map->title[k], term.utf8);
        if (wide > l.wide) l.wide = wide;
    }
    l.wide += GAP;
    return l;
}

// The cells of picture k.
static void draw_arm(Canvas *canvas, int row, int left, const Layout *l, const Map *map, int k) {
    int top = row + 1 + l->letters;
    canvas_text(canvas, row, left, l->wide - 1, STYLE_BOLD, map->title[k]);
    for (int j = 0; j < l->shown; j++)
        draw_column_word(canvas, top, left + 2 * j, map->column_word[j], l->letters);
    for (int i = 0; i < map->rows; i++) {
        const float *weight = map->weight[k] + (size_t)i * (size_t)map->columns;
        int target = map->target ? map->target[i] : -1;
        for (int j = 0; j < l->shown; j++)
            if (map->most > 0) draw_signed(canvas, top + i, left + 2 * j, weight[j] / map->most);
            else draw_cell(canvas, top + i, left + 2 * j, weight[j],
                           mark_of(map, weight, target, j, canvas->term.utf8));
    }
}

// Where rows are few the words above the columns are cut.
int map_draw(Canvas *canvas, Box box, const Map *map) {
    Term term = canvas->term;
    term.width = box.width;
    Layout l = lay_out(term, map);
    bool asks = map_asks(map), utf8 = term.utf8;
    int wide = l.labels + 1 + l.wide, left = box.column + box.width - wide + GAP;
    int room = box.height - 1 - map->rows - asks;
    if (l.letters > room && room >= LETTERS_LEAST) l.letters = room;
    if (l.shown < map->columns || wide > box.width || l.letters > room) return 0;
    int top = box.row + 1 + l.letters;
    for (int i = 0; i < map->rows; i++)
        canvas_right(canvas, top + i, left, l.labels, STYLE_PLAIN, map->row_word[i]);
    draw_arm(canvas, box.row, left + l.labels + 1, &l, map, 0);
    if (asks)
        canvas_right(canvas, top + map->rows, left, wide - GAP, STYLE(PALETTE_GREY),
                     wide - GAP < 26 ? utf8 ? "◆ right  ◇ missed" : "* right  o missed"
                     : utf8 ? "◆ right  ◇ missed  · wrong" : "* right  o missed  . wrong");
    return wide;
}

// Picture k and those after it that fit beside it; gives the first that doesn't.
static int print_band(FILE *out, Term term, const Map *map, int k) {
    Layout l = lay_out(term, map);
    int room = term.width - l.labels - 1, cut = l.shown < map->columns,
        end = k + (room + GAP) / l.wide;
    if (end > map->pictures) end = map->pictures;
    if (cut || end == k) end = k + 1;
    Canvas canvas = canvas_new(term, l.letters + map->rows + 2 + cut);  // a blank line at the end
    for (int i = 0; i < map->rows; i++)
        canvas_right(&canvas, 1 + l.letters + i, 0, l.labels, STYLE_PLAIN, map->row_word[i]);
    for (int left = l.labels + 1; k < end; k++, left += l.wide)
        draw_arm(&canvas, 0, left, &l, map, k);
    if (cut)
        canvas_format(&canvas, l.letters + map->rows + 1, 0, term.width, STYLE_PLAIN,
                      "first %d of %d %s", l.shown, map->columns, map->unit);
    canvas_print(&canvas, out, 0);
    return end;
}

// The palette from end to end.
static void print_scale(FILE *out, Term term, double most) {
    Canvas canvas = canvas_new(term, 1);
    int at = most > 0 ? canvas_format(&canvas, 0, 0, 20, STYLE_PLAIN, "score %.3g ", -most)
                      : canvas_text(&canvas, 0, 0, 9, STYLE_PLAIN, "weight 0 ");
    for (int i = 0; i < 21; i++) {
        int ground = most > 0 ? map_diverging(i / 10.0 - 1) : sequential(i / 20.0);
        at += canvas_text(&canvas, 0, at, 1, (Style){-1, ground, false}, " ");
    }
    if (most > 0) canvas_format(&canvas, 0, at, 10, STYLE_PLAIN, " %.3g", most);
    else canvas_text(&canvas, 0, at, 2, STYLE_PLAIN, " 1");
    canvas_print(&canvas, out, 0);
}

Map map_new(const Inspected *x) {
    const Task *task = x->model->task;
    return (Map){.unit = task_has_keys(task) ? "pages" : task->is_text ? "characters" : "words",
                 .rows = x->rows, .columns = x->columns, .row_word = x->row_word,
                 .column_word = x->column_word, .target = x->target, .cycle = x->cycle};
}

void map_add(Map *map, const float *weight, const char *title, ...) {
    va_list arguments;
    va_start(arguments, title);
    vsnprintf(map->title[map->pictures], MAP_TITLE, title, arguments);
    va_end(arguments);
    map->weight[map->pictures++] = weight;
}

bool map_asks(const Map *map) {
    for (int i = 0; map->target && i < map->rows; i++)
        if (map->target[i] >= 0) return true;
    return false;
}

static void print_legend(FILE *out, Term term, const Map *map) {
    if (term.colours) print_scale(out, term, map->most);
    else if (map->most > 0)
        print_wrapped(out, term, "digits are tenths of %.3g, with their sign; blank below %.2g",
                      map->most, map->most / 20);
    else print_wrapped(out, term, "weights in tenths, blank below 0.05");
    if (map->most > 0) return;
    bool utf8 = term.utf8;
    print_wrapped(out, term, "rows ask, columns answer");
    if (map_asks(map))
        print_wrapped(out, term, "%s right word and most attended, %s right word, %s most attended "
                      "but wrong", utf8 ? "◆" : "*", utf8 ? "◇" : "o", utf8 ? "·" : ".");
}

void map_print(FILE *out, Term term, const Map *map) {
    for (int k = 0; k < map->pictures; ) k = print_band(out, term, map, k);
    if (!map->no_legend) print_legend(out, term, map);
}
