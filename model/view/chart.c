// Curves on a canvas. With UTF-8 a cell holds 2 x 4 braille dots, else one letter of its arm. A
// cell has one colour, so where two curves meet the later one takes it: the last arm listed is on
// top, qkv above all.
#include "model/view/chart.h"

#include <math.h>
#include <stdlib.h>

#include "autograd/fatal.h"

// What the best two answers that need no model reach; more lines could not be told apart.
static void add_baselines(Chart *chart, const History *h) {
    const double *b = h->baseline;
    for (int i = 0; i < h->baselines && chart->rules < 2; i++) {
        int better = 0;
        for (int k = 0; k < h->baselines; k++) better += b[k] > b[i] || (k < i && b[k] == b[i]);
        if (better < 2)
            chart->rule[chart->rules++] = (Rule){b[i], b[i], NULL, {h->baseline_name[i]}};
    }
}

void chart_choose(const History *h, Chart chart[CHARTS]) {
    const double low = h->random_low, high = h->random_high;
    if (h->text) {
        chart[0] = (Chart){.title = "bits a character, held out", .figure = FIGURE_BITS};
        chart[1] = (Chart){.title = "accuracy", .figure = FIGURE_ACCURACY, .top = 1};
        chart[2] = (Chart){.title = "symmetry of M, median of all heads", .figure = FIGURE_SYMMETRY,
                           .top = 1};
        return;
    }
    if (h->has_cycle) {
        chart[0] = (Chart){
            "attention NLL on the cycle, nats", FIGURE_ATTENTION_NLL, 0, h->bound > 0,
            {{log(2), log(2), "ln 2", {"ln 2: no symmetric score passes below",
                                       "no symmetric score below", "symmetric floor"}}}};
    } else {
        chart[0] = (Chart){.title = "attention accuracy", .figure = FIGURE_ATTENTION_ACCURACY,
                           .top = 1};
        add_baselines(&chart[0], h);
    }
    chart[1] = (Chart){.title = "loss, nats", .figure = FIGURE_LOSS};
    chart[2] = (Chart){"asymmetry of the scores", FIGURE_ASYMMETRY, 1, high > 0 && low <= high,
                       {{low, high, NULL, {"random starts", "random"}}}};
}

// Rules stand below the top, with room for their labels.
double chart_top(const Chart *chart, const History *history) {
    double high = figure_top(history, chart->figure);
    for (int i = 0; i < chart->rules; i++) high = fmax(high, chart->rule[i].high * 1.25);
    return chart->top > 0 ? chart->top : high > 1e-9 ? high : 1;
}

// ---- dots --------------------------------------------------------------------------------------

enum { FREE = -1, LINE = -2, BAND = -3, TEXT = -4 };  // owners of a cell that are no arm
enum { LABEL = 5 };  // columns of an axis label

// A cell: an arm, or one of the above, and its braille pattern.
typedef struct Spot { int owner; unsigned char dots; } Spot;

// The plotting area: `across` x `down` dots to the cell.
typedef struct Plot {
    Canvas *canvas;
    Box box;
    int across, down;
    double top;
    int steps;
    Spot *spot;           // (height, width)
} Plot;

static void set_dot(Plot *p, int x, int y, int owner) {
    static const unsigned char braille[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    Spot *spot = &p->spot[y / p->down * p->box.width + x / p->across];
    if (spot->owner != owner) *spot = (Spot){owner, 0};
    spot->dots |= braille[y % p->down][x % p->across];
}

static int dot_y(const Plot *p, double value) {
    double bottom = p->box.height * p->down - 1;
    return (int)lround(fmin(fmax(1 - value / p->top, 0), 1) * bottom);
}

static int dot_x(const Plot *p, int step) {
    double share = p->steps > 0 ? (double)step / p->steps : 0;
    return (int)lround(fmin(fmax(share, 0), 1) * (p->box.width * p->across - 1));
}

static void draw_segment(Plot *p, int x0, int y0, int x1, int y1, int owner) {
    int long_side = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);
    for (int i = 0; i <= long_side; i++) {
        double share = long_side ? (double)i / long_side : 0;
        set_dot(p, x0 + (int)lround(share * (x1 - x0)), y0 + (int)lround(share * (y1 - y0)), owner);
    }
}

static void draw_curve(Plot *p, const Chart *chart, const ArmHistory *arm, int index) {
    int x = -1, y = -1;
    for (int i = 0; i < arm->count; i++) {
        double value = figure_at(arm, &arm->point[i], chart->figure);
        if (isnan(value)) continue;
        int next_x = dot_x(p, arm->point[i].step), next_y = dot_y(p, value);
        if (x < 0) x = next_x, y = next_y;
        draw_segment(p, x, y, next_x, next_y, index);
        x = next_x, y = next_y;
    }
}

static void draw_rule(Plot *p, const Rule *rule) {
    int low = dot_y(p, rule->low), high = dot_y(p, rule->high);
    bool band = rule->high > rule->low;
    for (int y = high; y <= low; y++)
        for (int x = 0; x < p->box.width * p->across; x++)
            if (band || p->across == 1 || x / 3 % 2 == 0) set_dot(p, x, y, band ? BAND : LINE);
}

// Is the stretch free of curves, and of all else but what may be covered?
static bool is_free(const Plot *p, int row, int column, int width, int covered) {
    if (row < 0 || row >= p->box.height) return false;
    for (int i = column; i < column + width; i++) {
        int owner = p->spot[row * p->box.width + i].owner;
        if (owner != FREE && owner != covered) return false;
    }
    return true;
}

// Above the line or below it if the curves leave room there, else on it; as far right as may be,
// since the curves come from the left.
static void label_rule(Plot *p, const Rule *rule) {
    const int row[] = {dot_y(p, rule->high) / p->down - 1, dot_y(p, rule->low) / p->down + 1,
                       dot_y(p, rule->low) / p->down};
    int owner = rule->high > rule->low ? BAND : LINE;
    Style style = owner == BAND ? STYLE(PALETTE_GREY) : STYLE_PLAIN;
    for (int i = 0; i < 3 && rule->label[i]; i++) {
        int width = term_width(rule->label[i], p->canvas->term.utf8) + 2;
        for (int j = 0; j < 3; j++)
            for (int column = p->box.width - width - 1; column >= 0; column--) {
                if (!is_free(p, row[j], column, width, j < 2 ? FREE : owner)) continue;
                int at = row[j] * p->box.width + column;
                for (int k = 0; k < width; k++) p->spot[at + k].owner = TEXT;
                canvas_text(p->canvas, p->box.row + row[j], p->box.column + column + 1, width - 2,
                            style, rule->label[i]);
                return;
            }
    }
}

static void show_dots(const Plot *p, const History *history) {
    for (int cell = 0; cell < p->box.height * p->box.width; cell++) {
        int owner = p->spot[cell].owner, column = cell % p->box.width;
        if (owner == FREE || owner == TEXT) continue;
        Style style = STYLE(owner >= 0 ? history->arm[owner].colour
                            : owner == BAND ? PALETTE_GREY : -1);
        char shown[4] = {owner == BAND ? ':' : '-', '\0'};
        if (p->across == 2) {  // U+2800 + pattern
            shown[0] = (char)0xE2;
            shown[1] = (char)(0xA0 | p->spot[cell].dots >> 6);
            shown[2] = (char)(0x80 | (p->spot[cell].dots & 63));
        } else if (owner >= 0) {
            shown[0] = history->arm[owner].letter;
        }
        canvas_text(p->canvas, p->box.row + cell / p->box.width, p->box.column + column, 1, style,
                    shown);
    }
}

// Without colour a braille curve carries its letter where it ends.
static void show_end(const Plot *p, const Chart *chart, const History *history, int index) {
    const ArmHistory *arm = &history->arm[index];
    int last = arm->count - 1;
    while (last >= 0 && isnan(figure_at(arm, &arm->point[last], chart->figure))) last--;
    if (last < 0) return;
    int row = dot_y(p, figure_at(arm, &arm->point[last], chart->figure)) / p->down;
    int column = dot_x(p, arm->point[last].step) / p->across;
    canvas_format(p->canvas, p->box.row + row, p->box.column + column, 1, STYLE_PLAIN, "%c",
                  arm->letter);
}

static void draw_tick(const Plot *p, double value, Style style, const char *label) {
    int row = p->box.row + dot_y(p, value) / p->down, axis = p->box.column - 1;
    canvas_text(p->canvas, row, axis - LABEL, LABEL, style, "     ");
    canvas_right(p->canvas, row, axis - LABEL, LABEL, style, label);
    canvas_text(p->canvas, row, axis, 1, style, p->canvas->term.utf8 ? "┤" : "+");
}

static void draw_axes(const Plot *p, const Chart *chart, int steps) {
    bool utf8 = p->canvas->term.utf8;
    int left = p->box.column - 1, bottom = p->box.row + p->box.height;
    Style grey = STYLE(PALETTE_GREY);
    for (int row = 0; row < p->box.height; row++)
        canvas_text(p->canvas, p->box.row + row, left, 1, grey, utf8 ? "│" : "|");
    double step = figure_tick(p->top, 1 + p->box.height / 4);
    for (int i = 0; i * step <= p->top * (1 + 1e-9); i++) {
        char label[32];
        snprintf(label, sizeof label, "%.4g", i * step);
        draw_tick(p, i * step, grey, label);
    }
    for (int i = 0; i < chart->rules; i++)
        if (chart->rule[i].tick) draw_tick(p, chart->rule[i].low, STYLE_PLAIN, chart->rule[i].tick);
    canvas_text(p->canvas, bottom, left, 1, grey, utf8 ? "└" : "+");
    for (int i = 0; i < p->box.width; i++)
        canvas_text(p->canvas, bottom, left + 1 + i, 1, grey, utf8 ? "─" : "-");
    char label[48];
    snprintf(label, sizeof label, " %d steps", steps);
    canvas_right(p->canvas, bottom, left + 1, p->box.width, grey, label);
}

void chart_draw(Canvas *canvas, Box box, const Chart *chart, const History *history) {
    if (box.height < 3 || box.width < LABEL + 5) return;
    Plot p = {.canvas = canvas, .steps = history->steps, .across = 1, .down = 1};
    p.box = (Box){box.row + 1, box.column + LABEL + 1, box.width - LABEL - 1, box.height - 2};
    if (canvas->term.utf8) p.across = 2, p.down = 4;
    size_t cells = (size_t)p.box.width * (size_t)p.box.height;
    p.spot = zeroed(cells, sizeof *p.spot);
    for (size_t i = 0; i < cells; i++) p.spot[i].owner = FREE;

    p.top = chart_top(chart, history);
    for (int i = 0; i < chart->rules; i++) draw_rule(&p, &chart->rule[i]);
    for (int i = 0; i < history->arms; i++) draw_curve(&p, chart, &history->arm[i], i);
    canvas_text(canvas, box.row, box.column, box.width, STYLE_BOLD, chart->title);
    draw_axes(&p, chart, history->steps);
    for (int i = 0; i < chart->rules; i++) label_rule(&p, &chart->rule[i]);
    show_dots(&p, history);
    for (int i = 0; i < history->arms && canvas->term.utf8 && !canvas->term.colours; i++)
        show_end(&p, chart, history, i);
    free(p.spot);
}
