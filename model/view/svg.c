// What every picture is made of, and the two pictures of a run for slides and READMEs: its curves,
// and what a sentence attends to.
#include "model/view/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/view/chart.h"
#include "model/view/term.h"

// ---- what all pictures share -------------------------------------------------------------------

// Escaped, and as safe as in a terminal.
static void put_text(FILE *out, const char *shown) {
    char safe[8];
    while (*shown) {
        term_glyph(&shown, 1, safe);
        if (!strcmp(safe, "<")) fputs("&lt;", out);
        else if (!strcmp(safe, ">")) fputs("&gt;", out);
        else if (!strcmp(safe, "&")) fputs("&amp;", out);
        else fputs(safe, out);
    }
}

void svg(FILE *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%') fputc(*at, out);
        else if (*++at == 's') put_text(out, va_arg(arguments, const char *));
        else if (*at == 'X') fprintf(out, "#%06X", va_arg(arguments, unsigned));
        else if (*at == 'f') fprintf(out, "%.3g", va_arg(arguments, double));
        else fprintf(out, "%.10g", round(10 * va_arg(arguments, double)) / 10 + 0.0);  // no -0
    }
    va_end(arguments);
}

void svg_label(FILE *out, double x, double y, const char *class, const char *shown) {
    svg(out, "<text x=\"%g\" y=\"%g\" class=\"%s\">%s</text>\n", x, y, class, shown);
}

void svg_begin(FILE *out, double width, double height, const char *title, const char *style) {
    svg(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" role=\"img\">\n"
        "<title>%s</title>\n<style>\n", width, height, title);
    fputs(
        "text { font: 13px system-ui, sans-serif; fill: #333 }\n"
        ".title { font-weight: 600; font-size: 15px }\n"
        ".soft { fill: #666 }\n"
        ".end { text-anchor: end } .middle { text-anchor: middle }\n"
        ".back { fill: #fff } .line { stroke: #ccc; fill: none } .rule { stroke: #333; fill: none; "
        "stroke-dasharray: 5 4 }\n"
        ".curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }\n"
        ".ground { fill: #F1F4F9 } .cell { fill: #0B3277 }\n"
        ".right { fill: none; stroke: #171A21; stroke-width: 2 } .right.cycle { stroke: #7A2FF2 }\n"
        ".arc { fill: none; stroke-linecap: round } .head { stroke: none }\n"
        ".cycle { stroke: #7A2FF2 } .good { stroke: #171A21 } .bad { stroke: #737B8A }\n"
        ".head.cycle { fill: #7A2FF2 } .head.good { fill: #171A21 } .head.bad { fill: #737B8A }\n"
        "@media (prefers-color-scheme: dark) {\n"
        "text { fill: #ddd } .soft { fill: #aaa } .back { fill: #16181d } .line { stroke: #444 }\n"
        ".rule { stroke: #ddd } .ground { fill: #1F2530 } .cell { fill: #A6D4FA }\n"
        ".good, .right { stroke: #F2F4F8 } .cycle, .right.cycle { stroke: #B388FF }\n"
        ".head { stroke: none }\n"
        ".head.cycle { fill: #B388FF } .head.good { fill: #F2F4F8 }\n"
        "}\n",
        out);
    fputs(style, out);
    svg(out, "</style>\n<rect class=\"back\" width=\"%g\" height=\"%g\" rx=\"8\"/>\n", width,
        height);
}

void svg_end(FILE *out) { fputs("</svg>\n", out); }

// ---- curves ------------------------------------------------------------------------------------

enum { LEFT = 64, UPPER = 60, LOWER = 280, WIDE = 370, APART = 470 };  // of the charts

// One of the two charts: where it lies, and how a value becomes a y.
typedef struct Panel { double x, top; int steps; } Panel;

static double at_y(const Panel *p, double value) {
    return UPPER + (LOWER - UPPER) * (1 - fmin(fmax(value / p->top, 0), 1));
}

static void line(FILE *out, const Panel *p, const char *class, double y) {
    svg(out, "<line class=\"%s\" x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/>\n", class, p->x,
        p->x + WIDE, y, y);
}

static void axes(FILE *out, const Panel *p, const char *title) {
    double step = figure_tick(p->top, 4);
    char shown[32];
    svg_label(out, p->x, UPPER - 18, "title", title);
    for (int i = 0; i * step <= p->top * 1.0001; i++) {
        double y = at_y(p, i * step);
        line(out, p, "line", y);
        snprintf(shown, sizeof shown, "%.4g", i * step);
        svg_label(out, p->x - 8, y + 4, "soft end", shown);
    }
    svg_label(out, p->x, LOWER + 20, "soft", "0");
    snprintf(shown, sizeof shown, "%d steps", p->steps);
    svg_label(out, p->x + WIDE, LOWER + 20, "soft end", shown);
}

static void curve(FILE *out, const Panel *p, const ArmHistory *arm, Figure figure) {
    const char *comma = "";
    svg(out, "<polyline class=\"curve\" stroke=\"%X\" points=\"", (unsigned)arm->colour);
    for (int i = 0; i < arm->count; i++) {
        double v = figure_at(arm, &arm->point[i], figure);
        if (!isfinite(v)) continue;
        svg(out, "%s%g,%g", comma, p->x + WIDE * arm->point[i].step / fmax(p->steps, 1),
            at_y(p, v));
        comma = " ";
    }
    fputs("\"/>\n", out);
}

static void draw_chart(FILE *out, const History *h, double x, const Chart *chart) {
    Panel p = {x, chart_top(chart, h), h->steps};
    axes(out, &p, chart->title);
    for (int i = 0; i < h->arms; i++) curve(out, &p, &h->arm[i], chart->figure);
    for (int i = 0; i < chart->rules; i++) {
        const Rule *rule = &chart->rule[i];
        if (rule->high > rule->low) continue;
        line(out, &p, "rule", at_y(&p, rule->low));
        svg_label(out, x + WIDE, at_y(&p, rule->low) - 6, "end", rule->label[0]);
    }
}

static void legend(FILE *out, const History *h, double x, double y) {
    for (int i = 0; i < h->arms; i++, x += 110) {
        svg(out, "<rect x=\"%g\" y=\"%g\" width=\"18\" height=\"4\" rx=\"2\" fill=\"%X\"/>\n", x,
            y - 6, (unsigned)h->arm[i].colour);
        svg_label(out, x + 24, y, "name", h->arm[i].name);
    }
}

void svg_loss(FILE *out, const History *h) {
    Chart chart[CHARTS], loss = {.figure = FIGURE_LOSS, .title = h->measured_on_training
                                 ? "loss, nats" : "loss on held-out questions, nats"};
    chart_choose(h, chart);
    svg_begin(out, 2 * APART, LOWER + 80, "Loss of each arm over the steps of training", "");
    draw_chart(out, h, LEFT, &loss);
    if (h->has_cycle) draw_chart(out, h, LEFT + APART, &chart[0]);
    else if (h->text || isfinite(h->random_low)) draw_chart(out, h, LEFT + APART, &chart[2]);
    legend(out, h, LEFT, LOWER + 58);
    svg_end(out);
}

// ---- maps --------------------------------------------------------------------------------------

enum { CELL = 26, GAP = 64, TOP = 44 };

static double weight_at(const Map *map, int k, int i, int j) {
    return (double)map->weight[k][i * map->columns + j];
}

// From the asking word over to the one that answers, with a head there; a loop to itself.
static void arc(FILE *out, double from, double to, double y, double weight, const char *kind) {
    double side = to > from ? 4 : -4, top = round(y - 1.3 * (8 + 0.36 * fabs(to - from)));
    svg(out, "<path class=\"arc %s\" stroke-width=\"%g\" opacity=\"%f\" d=\"M", kind,
        0.6 + 4 * weight, round(20 * (0.3 + 0.7 * weight)) / 20);
    if (from == to) {
        svg(out, "%g %gc-8 -24 18 -24 10 0\"/>\n", from - 5, y);
        return;
    }
    svg(out, "%g %gC%g %g %g %g %g %g\"/>\n", from + side, y, from + side, top, to - side, top,
        to - side, y - 5);
    svg(out, "<path class=\"head %s\" d=\"M%g %gl-4 -7h8z\"/>\n", kind, to - side, y + 1);
}

// What the words that ask attend to; of a text, where none does, what all of them do.
static bool is_drawn(const Map *map, int k, int i, int j) {
    double weight = weight_at(map, k, i, j);
    return map_asks(map) ? map->target[i] >= 0 && weight >= 0.08 : weight >= 0.15;
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
                if (is_drawn(map, k, i, j) && (*kind != 'b') == good)
                    arc(out, x + (i + 0.5) * CELL, x + (j + 0.5) * CELL, y, weight_at(map, k, i, j),
                        kind);
            }
}

// How much room the arcs need: as much as the longest; none where queries aren't the keys.
static double height_of_arcs(const Map *map) {
    double high = 0;
    if (!map->target || map->row_word != map->column_word) return 0;
    for (int k = 0; k < map->pictures; k++)
        for (int i = 0; i < map->rows; i++)
            for (int j = 0; j < map->columns; j++)
                if (is_drawn(map, k, i, j)) high = fmax(high, 28 + 0.36 * CELL * abs(i - j));
    return high;
}

// A weight is how much of the ground a cell covers: so the picture suits light pages and dark ones.
static void rect(FILE *out, const char *class, double x, double y, double width, double height,
                 double weight) {
    double cover = round(32 * weight) / 32;
    if (cover > 0)
        svg(out, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" "
            "opacity=\"%f\"/>\n", class, x, y, width, height, cover);
}

static void cells(FILE *out, const Map *map, int k, double x, double y) {
    for (int i = 0; i < map->rows; i++)
        rect(out, "ground", x, y + i * CELL, map->columns * CELL - 1, CELL - 1, 1);
    for (int i = 0; i < map->rows; i++)
        for (int j = 0; j < map->columns; j++)
            rect(out, "cell", x + j * CELL, y + i * CELL, CELL - 1, CELL - 1,
                 weight_at(map, k, i, j));
    for (int i = 0; map->target && i < map->rows; i++)
        if (map->target[i] >= 0)
            rect(out, map->cycle && map->cycle[i] ? "right cycle" : "right",
                 x + map->target[i] * CELL, y + i * CELL, CELL - 1, CELL - 1, 1);
}

static void words(FILE *out, const Map *map, double x, double y, bool rows) {
    for (int i = 0; rows && i < map->rows; i++)
        svg_label(out, x - 8, y + i * CELL + CELL * 0.68, "end", map->row_word[i]);
    for (int j = 0; j < map->columns; j++)
        svg(out, "<g transform=\"translate(%g %g) rotate(-90)\"><text class=\"word\">%s</text></g>\n",
            x + j * CELL + CELL * 0.68, y - 8, map->column_word[j]);
}

static void map_legend(FILE *out, const Map *map, double x, double y) {
    bool cycle = false;
    for (int i = 0; map->cycle && i < map->rows; i++) cycle |= map->cycle[i];
    for (int i = 0; i <= 16; i++) rect(out, "cell", x + 16 + 7.5 * i, y - 9, 7.5, 9, i / 16.0);
    svg_label(out, x, y, "soft", "0");
    svg_label(out, x + 149, y, "soft", "1");
    if (map->pictures > 1)
        svg_label(out, x + 180, y, "soft",
                  cycle ? "rows ask, columns answer; framed: the right word; violet: the cycle"
                  : "rows ask, columns answer; framed: the right word");
}

// The arcs on top, below them the words of the columns, below them the cells.
void svg_map(FILE *out, const Map *map) {
    double left = 24 + 7.5 * term_widest(map->row_word, map->rows, true),
           arcs_end = TOP + height_of_arcs(map),
           top = arcs_end + 14 + 7.5 * term_widest(map->column_word, map->columns, true),
           bottom = top + map->rows * CELL, between = map->columns * CELL + GAP;
    svg_begin(out, left + map->pictures * between - GAP + 24, bottom + 52,
              "What each word of a sentence attends to", "");
    for (int k = 0; k < map->pictures; k++) {
        double x = left + k * between;
        svg_label(out, x, 28, "title", map->title[k]);
        if (map->target && map->row_word == map->column_word) arcs(out, map, k, x, arcs_end);
        words(out, map, x, top, k == 0);
        cells(out, map, k, x, top);
    }
    map_legend(out, map, left, bottom + 34);
    svg_end(out);
}
