// Attention maps: rows are queries, columns are keys, a cell is a weight. The palette is fixed to
// 0..1, so that two maps can be compared. Without colour a cell holds its weight in tenths.
#include "model/view/map.h"

#include <math.h>
#include <string.h>

#include "model/view/canvas.h"
#include "model/view/palette.h"

enum { LETTERS = 8, GAP = 3, WORD = 12 };

// Where a map stands: labels may be shared with the map on its left.
typedef struct Place { int labels, columns, width; } Place;

static int same_words(const Map *a, const Map *b) {
    if (a->rows != b->rows) return 0;
    for (int i = 0; i < a->rows; i++)
        if (strcmp(a->row_word[i], b->row_word[i])) return 0;
    return 1;
}

static Place place_map(const Map *map, const Map *left, Term term, int width) {
    Place place = {0, map->columns, 0};
    int most = WORD < width / 3 ? WORD : width / 3;
    for (int i = 0; i < map->rows && !(left && same_words(left, map)); i++) {
        int word = text_width(map->row_word[i], term.utf8);
        if (word + 1 > place.labels) place.labels = word + 1;
    }
    if (place.labels > most + 1) place.labels = most + 1;
    int fit = (width - place.labels) / 2;
    if (place.columns > fit) place.columns = fit > 1 ? fit : 1;
    place.width = place.labels + 2 * place.columns;
    return place;
}

static int argmax(const float *weight, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (weight[i] > weight[best]) best = i;
    return best;
}

// "" where there is nothing to mark.
static const char *mark_of(const Map *map, int row, int column, int utf8) {
    int target = map->target ? map->target[row] : -1;
    int most = argmax(map->weight + (size_t)row * (size_t)map->columns, map->columns);
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

static void draw_map(Canvas *canvas, int column, int letters, Place place, const Map *map) {
    int cells = column + place.labels, top = 1 + letters;
    canvas_text(canvas, 0, cells, place.width - place.labels + GAP - 1, STYLE_BOLD, map->title);
    for (int j = 0; j < place.columns; j++)
        draw_column_word(canvas, top, cells + 2 * j, map->column_word[j]);
    for (int i = 0; i < map->rows; i++) {
        if (place.labels)
            canvas_right(canvas, top + i, column, place.labels - 1, STYLE_PLAIN, map->row_word[i]);
        for (int j = 0; j < place.columns; j++)
            draw_cell(canvas, top + i, cells + 2 * j, map->weight[i * map->columns + j],
                      mark_of(map, i, j, canvas->term.utf8));
    }
}

static int letters_above(const Map *map, int utf8) {
    int letters = 0;
    for (int i = 0; i < map->columns; i++) {
        int count = letters_of(map->column_word[i], utf8);
        if (count > letters) letters = count;
    }
    return letters;
}

// Draws as many maps as fit beside each other, at least one; gives how many.
static int print_band(FILE *out, Term term, const Map *map, int maps) {
    Place place[16];
    int shown = 0, used = 0, letters = 0, rows = 0;
    for (; shown < maps && shown < 16; shown++) {
        int left = shown ? used + GAP : 0;
        const Map *beside = shown ? &map[shown - 1] : NULL;
        place[shown] = place_map(&map[shown], beside, term, term.width - left);
        if (shown && (place[shown].columns < map[shown].columns || left >= term.width)) break;
        used = left + place[shown].width;
        int above = letters_above(&map[shown], term.utf8);
        if (above > letters) letters = above;
        if (map[shown].rows > rows) rows = map[shown].rows;
    }
    int cut = place[0].columns < map[0].columns;
    Canvas canvas = canvas_new(term, letters + rows + 2 + cut);  // a blank line at the end
    for (int i = 0, at = 0; i < shown; at += place[i].width + GAP, i++)
        draw_map(&canvas, at, letters, place[i], &map[i]);
    if (cut)
        canvas_format(&canvas, letters + rows + 1, 0, term.width, STYLE_PLAIN,
                      "first %d of %d words", place[0].columns, map[0].columns);
    canvas_print(&canvas, out, 0);
    canvas_free(&canvas);
    return shown;
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

void map_print(FILE *out, Term term, const Map *map, int maps) {
    for (int i = 0; i < maps; ) i += print_band(out, term, map + i, maps - i);
    if (maps > 0) print_legend(out, term);
}
