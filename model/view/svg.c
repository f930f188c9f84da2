// The two pictures of a run for slides and READMEs: its curves, and what a sentence attends to.
#include "model/view/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/view/drawing.h"
#include "model/view/figures.h"
#include "model/view/term.h"

// ---- curves ------------------------------------------------------------------------------------

// One of the two charts: where it lies, and how a value becomes a y.
typedef struct Panel {
    double x, y, width, height, top;
    int steps;
    Figure *value;
} Panel;

static double at_x(const Panel *p, int step) { return p->x + p->width * step / fmax(p->steps, 1); }
static double at_y(const Panel *p, double value) {
    return p->y + p->height * (1 - fmin(fmax(value / p->top, 0), 1));
}

static void axes(FILE *out, const Panel *p, const char *title) {
    double step = figure_tick(p->top, 4);
    char shown[32];
    drawing_label(out, p->x, p->y - 18, "title", title);
    for (int i = 0; i * step <= p->top * 1.0001; i++) {
        double y = at_y(p, i * step);
        drawing_line(out, "line", p->x, y, p->x + p->width, y);
        snprintf(shown, sizeof shown, "%.4g", i * step);
        drawing_label(out, p->x - 8, y + 4, "soft end", shown);
    }
    drawing_label(out, p->x, p->y + p->height + 20, "soft", "0");
    snprintf(shown, sizeof shown, "%d steps", p->steps);
    drawing_label(out, p->x + p->width, p->y + p->height + 20, "soft end", shown);
}

static void curve(FILE *out, const Panel *p, const ArmHistory *arm) {
    const char *comma = "";
    fprintf(out, "<polyline class=\"curve\" stroke=\"#%06X\" points=\"", (unsigned)arm->colour);
    for (int i = 0; i < arm->count; i++) {
        double v = p->value(&arm->point[i]);
        if (!isfinite(v)) continue;
        fprintf(out, "%s%.10g,%.10g", comma, round(10 * at_x(p, arm->point[i].step)) / 10,
                round(10 * at_y(p, v)) / 10);
        comma = " ";
    }
    fputs("\"/>\n", out);
}

static void curves(FILE *out, const Panel *p, const History *h, const char *title) {
    axes(out, p, title);
    for (int i = 0; i < h->arms; i++) curve(out, p, &h->arm[i]);
}

static void legend(FILE *out, const History *h, double x, double y) {
    for (int i = 0; i < h->arms; i++, x += 110) {
        fprintf(out, "<rect x=\"%.10g\" y=\"%.10g\" width=\"18\" height=\"4\" rx=\"2\" "
                "fill=\"#%06X\"/>\n", x, y - 6, (unsigned)h->arm[i].colour);
        drawing_label(out, x + 24, y, "name", h->arm[i].name);
    }
}

static void floor_line(FILE *out, const Panel *p) {
    double y = at_y(p, log(2));
    drawing_line(out, "rule", p->x, y, p->x + p->width, y);
    drawing_label(out, p->x + p->width, y - 6, "end", "ln 2: no symmetric score passes below");
}

void svg_loss(FILE *out, const History *h) {
    double width = 470, rows = 220;
    Panel left = {64, 60, width - 100, rows, fmax(figure_top(h, figure_loss), 1e-3), h->steps,
                  figure_loss};
    Panel right = {width + 64, 60, width - 100, rows, 1, h->steps, figure_asymmetry};
    drawing_begin(out, 2 * width, rows + 140, "Loss of each arm over the steps of training", "");
    curves(out, &left, h, h->measured_on_training ? "loss, nats" : "loss on held-out questions, nats");
    if (h->has_cycle) {
        right.value = figure_attention_nll;
        right.top = fmax(figure_top(h, figure_attention_nll), 0.9);
        curves(out, &right, h, "attention NLL on the cycle, nats");
        if (h->bound > 0) floor_line(out, &right);
    } else if (h->text) {
        right.value = figure_symmetry;
        curves(out, &right, h, "symmetry of M, median of the heads");
    } else if (isfinite(h->random_low)) {
        curves(out, &right, h, "asymmetry of the scores");
    }
    legend(out, h, 64, rows + 118);
    drawing_end(out);
}

// ---- maps --------------------------------------------------------------------------------------

enum { CELL = 26, GAP = 64, TOP = 44 };

// Where things lie: the arcs on top, below them the words of the columns, below them the cells.
typedef struct Sheet {
    double left, arcs, words, wide, tall;  // arcs: their room; words: the tallest
    bool square;                           // queries and keys are the same words: there are arcs
} Sheet;

// From the asking word over to the one that answers, with a head there; a loop to itself.
static void arc(FILE *out, double from, double to, double y, double weight, const char *kind) {
    double side = to > from ? 1 : -1, high = 8 + 0.36 * fabs(to - from),
           thick = round(10 * (0.6 + 4 * weight)) / 10;
    fprintf(out, "<path class=\"arc %s\" stroke-width=\"%.10g\" opacity=\"%.10g\" d=\"M", kind,
            thick, round(20 * (0.3 + 0.7 * weight)) / 20);
    if (from == to) {
        fprintf(out, "%.10g %.10gc-8 -24 18 -24 10 0\"/>\n", from - 5, y);
        return;
    }
    fprintf(out, "%.10g %.10gC%.10g %.10g %.10g %.10g %.10g %.10g\"/>\n", from + 4 * side, y,
            from + 4 * side, round(y - 1.3 * high), to - 4 * side, round(y - 1.3 * high),
            to - 4 * side, y - 5);
    fprintf(out, "<path class=\"head %s\" d=\"M%.10g %.10gl-4 -7h8z\"/>\n", kind, to - 4 * side,
            y + 1);
}

// What the words that ask attend to; of a text, where none does, what all of them do.
static bool is_drawn(const Map *map, int k, int i, int j) {
    bool asked = false;
    for (int r = 0; r < map->rows; r++) asked |= map->target[r] >= 0;
    float weight = map->weight[k][i * map->columns + j];
    return asked ? map->target[i] >= 0 && weight >= 0.08F : weight >= 0.15F;
}

static const char *kind_of(const Map *map, int i, int j) {
    if (map->target[i] >= 0 && map->target[i] != j) return "bad";
    return map->cycle && map->cycle[i] ? "cycle" : "good";
}

static void arcs(FILE *out, const Map *map, int k, double x, double y) {
    for (int good = 0; good < 2; good++)  // the right ones on top
        for (int i = 0; i < map->rows; i++)
            for (int j = 0; j < map->columns; j++) {
                const char *kind = kind_of(map, i, j);
                if (!is_drawn(map, k, i, j) || (*kind != 'b') != good) continue;
                arc(out, x + (i + 0.5) * CELL, x + (j + 0.5) * CELL, y,
                    (double)map->weight[k][i * map->columns + j], kind);
            }
}

static double longest(const char *const *word, int n) {
    int most = 0;
    for (int i = 0; i < n; i++)
        most = term_width(word[i], 1) > most ? term_width(word[i], 1) : most;
    return 7.5 * most;
}

static Sheet sheet_of(const Map *map) {
    Sheet s = {.left = 24 + longest(map->row_word, map->rows),
               .words = 14 + longest(map->column_word, map->columns),
               .wide = map->columns * CELL,
               .tall = map->rows * CELL,
               .square = map->target && map->row_word == map->column_word};
    for (int k = 0; s.square && k < map->pictures; k++)
        for (int i = 0; i < map->rows; i++)
            for (int j = 0; j < map->columns; j++)
                if (is_drawn(map, k, i, j)) s.arcs = fmax(s.arcs, 28 + 0.36 * CELL * abs(i - j));
    return s;
}

// The weight is how much of the ground a cell covers: so the picture suits light pages and dark
// ones.
static void cell(FILE *out, double x, double y, double width, double height, double weight) {
    double cover = round(32 * weight) / 32;
    if (cover > 0) drawing_rect(out, "cell", x, y, width, height, cover);
}

static void cells(FILE *out, const Map *map, int k, double x, double y) {
    for (int i = 0; i < map->rows; i++)
        drawing_rect(out, "ground", x, y + i * CELL, map->columns * CELL - 1, CELL - 1, 1);
    for (int i = 0; i < map->rows; i++)
        for (int j = 0; j < map->columns; j++)
            cell(out, x + j * CELL, y + i * CELL, CELL - 1, CELL - 1,
                 (double)map->weight[k][i * map->columns + j]);
    for (int i = 0; map->target && i < map->rows; i++)
        if (map->target[i] >= 0)
            drawing_rect(out, "right", x + map->target[i] * CELL, y + i * CELL, CELL - 1, CELL - 1,
                         1);
}

static void words(FILE *out, const Map *map, double x, double y, bool rows) {
    for (int i = 0; rows && i < map->rows; i++)
        drawing_label(out, x - 8, y + i * CELL + CELL * 0.68, "end", map->row_word[i]);
    for (int j = 0; j < map->columns; j++) {
        fprintf(out, "<g transform=\"translate(%.10g %.10g) rotate(-90)\">",
                x + j * CELL + CELL * 0.68, y - 8);
        drawing_label(out, 0, 0, "word", map->column_word[j]);
        fputs("</g>\n", out);
    }
}

static void map_legend(FILE *out, const Map *map, double x, double y, bool cycle) {
    for (int i = 0; i <= 16; i++) cell(out, x + 16 + 7.5 * i, y - 9, 7.5, 9, i / 16.0);
    drawing_label(out, x, y, "soft", "0");
    drawing_label(out, x + 149, y, "soft", "1");
    if (map->pictures < 2) return;
    drawing_label(out, x + 180, y, "soft",
          cycle ? "rows ask, columns answer; framed: the right word; orange arcs: the cycle"
                : "rows ask, columns answer; framed: the right word");
}

void svg_map(FILE *out, const Map *map) {
    Sheet s = sheet_of(map);
    double top = TOP + s.arcs + s.words, between = s.wide + GAP;
    bool cycle = false;
    for (int i = 0; map->cycle && i < map->rows; i++) cycle |= map->cycle[i];
    drawing_begin(out, s.left + map->pictures * between - GAP + 24, top + s.tall + 52,
          "What each word of a sentence attends to", "");
    for (int k = 0; k < map->pictures; k++) {
        double x = s.left + k * between;
        drawing_label(out, x, 28, "title", map->title[k]);
        if (s.square) arcs(out, map, k, x, TOP + s.arcs);
        words(out, map, x, top, k == 0);
        cells(out, map, k, x, top);
    }
    map_legend(out, map, s.left, top + s.tall + 34, cycle);
    drawing_end(out);
}
