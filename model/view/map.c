// Attention maps: rows are queries, columns are keys, a cell is a weight. The palette is fixed to
// 0..1, so that two maps can be compared. Without colour a cell holds its weight in tenths.
#include "model/view/map.h"

#include <math.h>

#include "model/measure.h"
#include "model/view/canvas.h"
#include "model/view/palette.h"

enum { LETTERS = 8, GAP = 3, WORD = 12 };

// "" where there is nothing to mark.
static const char *mark_of(const Map *map, const float *row, int target, int column, int utf8) {
    int most = (int)measure_argmax(row, (size_t)map->columns);
    if (target < 0) return "";
    if (column == target) return most == target ? utf8 ? "◆" : "*" : utf8 ? "◇" : "o";
    return column == most ? utf8 ? "·" : "." : "";
}

static void draw_cell(Canvas *canvas, int row, int column, double weight, const char *mark) {
    if (canvas->term.colours) {
        int ground = palette_sequential(weight);
        Style style = {palette_ink(ground), ground, 1};
        canvas_format(canvas, row, column, 2, style, "%s ", *mark ? mark : " ");
    } else {
        int tenths = weight >= 0.95 ? 9 : weight > 0 ? (int)lround(10 * weight) : 0;
        canvas_format(canvas, row, column, 1, STYLE_PLAIN, tenths ? "%d" : " ", tenths);
        canvas_text(canvas, row, column + 1, 1, STYLE_PLAIN, mark);
    }
}

static int letters_of(const char *word, int utf8) {
    int count = 0;
    char shown[8];
    while (*word) count += text_next(&word, utf8, shown) > 0;
    return count < LETTERS ? count : LETTERS;
}

// The word's first letter on top, its last just above the cells.
static void draw_column_word(Canvas *canvas, int bottom, int column, const char *word) {
    int row = bottom - letters_of(word, canvas->term.utf8);
    while (*word && row < bottom) {
        char shown[8];
        const char *end = word, *after;  // a letter and its marks
        text_next(&end, canvas->term.utf8, shown);
        for (after = end; *after && !text_next(&after, canvas->term.utf8, shown); ) end = after;
        canvas_format(canvas, row++, column, 2, STYLE_PLAIN, "%.*s", (int)(end - word), word);
        word = end;
    }
}

// Arm k's cells, the first `shown` columns of them.
static void draw_arm(Canvas *canvas, int top, int left, int shown, const Map *map, int k) {
    canvas_text(canvas, 0, left, 2 * shown + GAP - 1, STYLE_BOLD, map->title[k]);
    for (int j = 0; j < shown; j++) draw_column_word(canvas, top, left + 2 * j, map->column_word[j]);
    for (int i = 0; i < map->rows; i++) {
        const float *row = map->weight[k] + (size_t)i * (size_t)map->columns;
        int target = map->target ? map->target[i] : -1;
        for (int j = 0; j < shown; j++)
            draw_cell(canvas, top + i, left + 2 * j, row[j],
                      mark_of(map, row, target, j, canvas->term.utf8));
    }
}

// Arm k and those after it that fit beside it; gives the first that doesn't.
static int print_band(FILE *out, Term term, const Map *map, int k) {
    int labels = 0, letters = 0, most = WORD < term.width / 3 ? WORD : term.width / 3;
    for (int i = 0; i < map->rows; i++) {
        int wide = text_width(map->row_word[i], term.utf8);
        if (wide > labels) labels = wide;
    }
    for (int j = 0; j < map->columns; j++) {
        int high = letters_of(map->column_word[j], term.utf8);
        if (high > letters) letters = high;
    }
    if (labels > most) labels = most;
    int room = term.width - labels - 1, shown = map->columns < room / 2 ? map->columns : room / 2;
    if (shown < 1) shown = 1;
    int cut = shown < map->columns, wide = 2 * shown + GAP, end = k + (room + GAP) / wide;
    if (end > map->arms) end = map->arms;
    if (cut || end == k) end = k + 1;
    Canvas canvas = canvas_new(term, letters + map->rows + 2 + cut);  // a blank line at the end
    for (int i = 0; i < map->rows; i++)
        canvas_right(&canvas, 1 + letters + i, 0, labels, STYLE_PLAIN, map->row_word[i]);
    for (int left = labels + 1; k < end; k++, left += wide)
        draw_arm(&canvas, 1 + letters, left, shown, map, k);
    if (cut)
        canvas_format(&canvas, letters + map->rows + 1, 0, term.width, STYLE_PLAIN,
                      "first %d of %d words", shown, map->columns);
    canvas_print(&canvas, out, 0);
    canvas_free(&canvas);
    return end;
}

static void print_legend(FILE *out, Term term) {
    if (term.colours) {
        Canvas canvas = canvas_new(term, 1);
        int at = canvas_text(&canvas, 0, 0, 9, STYLE_PLAIN, "weight 0 ");
        for (int i = 0; i < 20; i++)
            at += canvas_text(&canvas, 0, at, 1, (Style){-1, palette_sequential(i / 19.0), 0}, " ");
        canvas_text(&canvas, 0, at, 2, STYLE_PLAIN, " 1");
        canvas_print(&canvas, out, 0);
        canvas_free(&canvas);
    } else {
        print_wrapped(out, term, "weights in tenths, blank below 0.05");
    }
    print_wrapped(out, term, term.utf8
                  ? "rows ask, columns answer; ◆ right word and most attended, ◇ right word, "
                    "· most attended but wrong"
                  : "rows ask, columns answer; * right word and most attended, o right word, "
                    ". most attended but wrong");
}

void map_print(FILE *out, Term term, const Map *map) {
    for (int k = 0; k < map->arms; ) k = print_band(out, term, map, k);
    print_legend(out, term);
}
