// The live view. A frame is drawn on a canvas the size of the window and written in one go over the
// last one, so it neither flickers nor scrolls; whatever the window, its lines are never longer
// than that.
#include "model/view/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/view/chart.h"
#include "model/view/grid.h"
#include "model/view/palette.h"

static double loss_of(const Point *p) { return p->loss; }
static double found_of(const Point *p) { return p->found; }
static double surprise_of(const Point *p) { return p->surprise; }
static double asymmetry_of(const Point *p) { return p->asymmetry; }

static Chart found_chart(const History *h) {
    Chart chart = {.title = "found", .value = found_of, .top = 1};
    for (int i = 0; i < h->baselines && i < 2; i++)
        chart.rule[chart.rules++] = (Rule){h->baseline[i], h->baseline[i], NULL,
                                           {h->baseline_name[i]}};
    return chart;
}

static Chart surprise_chart(void) {
    return (Chart){.title = "surprise on the cycle, nats", .value = surprise_of, .rules = 1,
                   .rule = {{log(2), log(2), "ln 2", {"ln 2: no symmetric score passes below",
                                                      "no symmetric score below",
                                                      "symmetric floor"}}}};
}

static Chart asymmetry_chart(const History *h) {
    double low = h->random_low, high = h->random_high;
    Chart chart = {.title = "asymmetry of the scores", .value = asymmetry_of, .top = 0.8};
    if (high > 0.8) chart.top = 1;
    for (int i = 0; i < h->arms; i++)
        for (int j = 0; j < h->arm[i].count; j++)
            if (h->arm[i].point[j].asymmetry > chart.top) chart.top = 1;
    if (high > 0 && low <= high)
        chart.rule[chart.rules++] = (Rule){low, high, NULL, {"random starts", "random"}};
    return chart;
}

static int has_values(const Chart *chart, const History *h) {
    for (int i = 0; i < h->arms; i++)
        for (int j = 0; j < h->arm[i].count; j++)
            if (!isnan(chart->value(&h->arm[i].point[j]))) return 1;
    return 0;
}

// The charts that have something to show, the most telling one first.
static int choose_charts(const History *h, Chart chart[3]) {
    int count = 0;
    chart[count] = h->has_cycle ? surprise_chart() : found_chart(h);
    count += has_values(&chart[count], h);
    chart[count] = (Chart){.title = "loss, nats", .value = loss_of};
    count += has_values(&chart[count], h) || !count;
    chart[count] = asymmetry_chart(h);
    return count + has_values(&chart[count], h);
}

static Grid *live_table(const History *h, int brief, int letters) {
    static const char *head[][6] = {
        {"arm", "parameters", "loss", "found", "answered", "asymmetry"},
        {"arm", "param", "loss", "found", "answ", "asym"}};
    Grid *grid = grid_new(1, brief ? 1 : 2);
    for (int i = 0; i < 6; i++) grid_set(grid, 0, i, "%s", head[brief != 0][i]);
    for (int i = 0; i < h->arms; i++) {
        const ArmHistory *arm = &h->arm[i];
        Style style = STYLE(palette_arm(arm->name, i));
        style.bold = 1;
        int row = grid_row(grid, style);
        if (letters) grid_set(grid, row, 0, "%c %s", palette_letter(arm->name, i), arm->name);
        else grid_set(grid, row, 0, "%s", arm->name);
        grid_set(grid, row, 1, "%ld", arm->parameters);
        if (!arm->count) continue;
        const Point *p = &arm->point[arm->count - 1];
        grid_figure(grid, row, 2, 3, p->loss);
        grid_figure(grid, row, 3, 2, p->found);
        grid_figure(grid, row, 4, 2, p->answered);
        grid_figure(grid, row, 5, 3, p->asymmetry);
    }
    return grid;
}

static void draw_table(Canvas *canvas, Box box, const History *h) {
    int letters = !canvas->term.colours || !canvas->term.utf8;
    Grid *grid = live_table(h, 0, letters);
    if (grid_width(grid, canvas->term.utf8) > box.width) {
        free(grid);
        grid = live_table(h, 1, letters);
    }
    grid_draw(grid, canvas, box);
    free(grid);
}

static void write_time(char *text, size_t size, double seconds) {
    long s = seconds < 0 || isnan(seconds) ? 0 : seconds > 1e8 ? 100000000 : lround(seconds);
    if (s >= 3600) snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

static void draw_progress(Canvas *canvas, int row, const History *h, int step, double seconds,
                          double seconds_left) {
    char spent[24], left[24], text[128];
    double share = h->steps > 0 ? fmin(fmax((double)step / h->steps, 0), 1) : 1;
    int digits = snprintf(NULL, 0, "%d", h->steps), width = canvas->width;
    int percent = (int)(share * 100);
    write_time(spent, sizeof spent, seconds);
    write_time(left, sizeof left, seconds_left);
    int known = seconds_left >= 0 && share < 1;
    if (width >= 64)
        snprintf(text, sizeof text, " %3d%%  %*d of %d steps  %s%s%s%s", percent, digits, step,
                 h->steps, spent, known ? " spent, " : " spent", known ? left : "",
                 known ? " left" : "");
    else if (width >= 30)
        snprintf(text, sizeof text, " %3d%%  %*d/%d%s%s", percent, digits, step, h->steps,
                 known ? "  -" : "  ", known ? left : spent);
    else snprintf(text, sizeof text, " %3d%%", percent);
    int bar = width - text_width(text, 1), full = (int)(share * bar + 1e-9);
    const char *done = canvas->term.utf8 ? "━" : "=", *ahead = canvas->term.utf8 ? "─" : ".";
    for (int i = 0; i < bar; i++)
        canvas_text(canvas, row, i, 1, i < full ? STYLE_BOLD : STYLE(PALETTE_GREY),
                    i < full ? done : ahead);
    canvas_text(canvas, row, bar > 0 ? bar : 0, width, STYLE_PLAIN, text);
}

static void draw_title(Canvas *canvas, const History *h) {
    int at = canvas_text(canvas, 0, 0, canvas->width, STYLE_BOLD, h->task);
    const char *dot = canvas->term.utf8 ? "·" : "-";
    if (h->asked)
        at += canvas_format(canvas, 0, at, canvas->width, STYLE_PLAIN, " %s %s", dot, h->asked);
    canvas_format(canvas, 0, at, canvas->width, STYLE_PLAIN, " %s seed %llu", dot, h->seed);
}

enum { CHART_LEAST = 8, GUTTER = 3 };

// Two by two, the table last.
static void draw_square(Canvas *canvas, Box box, const Chart *chart, int charts, const History *h) {
    int width = (box.width - GUTTER) / 2, right = width + GUTTER, upper = (box.height + 1) / 2;
    int lower = box.row + upper, rest = box.height - upper;
    chart_draw(canvas, (Box){box.row, 0, charts > 1 ? width : box.width, upper}, &chart[0], h);
    if (charts > 1)
        chart_draw(canvas, (Box){box.row, right, box.width - right, upper}, &chart[1], h);
    if (charts > 2) chart_draw(canvas, (Box){lower, 0, width, rest}, &chart[2], h);
    draw_table(canvas, charts > 2 ? (Box){lower, right, box.width - right, rest}
                                  : (Box){lower, 0, box.width, rest}, h);
}

// A low window: one chart, and the table beside it.
static void draw_pair(Canvas *canvas, Box box, const Chart *chart, const History *h) {
    int width = (box.width - GUTTER) / 2, right = width + GUTTER;
    chart_draw(canvas, (Box){box.row, 0, width, box.height}, &chart[0], h);
    draw_table(canvas, (Box){box.row, right, box.width - right, box.height}, h);
}

// A narrow window: as many charts as there is height for, one below the other, the table at the
// end.
static void draw_stack(Canvas *canvas, Box box, const Chart *chart, int charts, const History *h) {
    int spare = box.height - (h->arms + 1), row = box.row, shown = spare / CHART_LEAST;
    if (shown > charts) shown = charts;
    if (!shown && spare >= 5) shown = 1;
    for (int i = 0; i < shown; i++) {
        int height = (spare - (row - box.row)) / (shown - i);
        chart_draw(canvas, (Box){row, 0, box.width, height}, &chart[i], h);
        row += height;
    }
    draw_table(canvas, (Box){row, 0, box.width, box.row + box.height - row}, h);
}

int live_frame(FILE *out, Term term, int in_place, const History *h, int step, double seconds,
               double seconds_left) {
    int small = term.width < 30 || term.height < 10;
    Canvas canvas = canvas_new(term, small ? 1 : term.height - 1);
    if (small) {
        draw_progress(&canvas, 0, h, step, seconds, seconds_left);
    } else {
        Chart chart[3];
        int charts = choose_charts(h, chart);
        Box body = {2, 0, term.width, canvas.height - 2};
        draw_title(&canvas, h);
        draw_progress(&canvas, 1, h, step, seconds, seconds_left);
        int least = h->arms + 1 > CHART_LEAST ? h->arms + 1 : CHART_LEAST;
        if (term.width < 72) draw_stack(&canvas, body, chart, charts, h);
        else if (body.height < 2 * least) draw_pair(&canvas, body, chart, h);
        else draw_square(&canvas, body, chart, charts, h);
    }
    canvas_print(&canvas, out, in_place);
    canvas_free(&canvas);
    return small ? 1 : term.height - 1;
}

static void print_lines(Live *live, const History *h, int step, int last) {
    int tenth = h->steps > 0 ? (int)(10.0 * step / h->steps) : 10;
    if (step == live->printed || (tenth <= live->tenths && !last)) return;
    if (live->tenths < 0)
        fprintf(live->out, "%8s  %-8s %9s %7s %9s %9s %10s\n", "step", "arm", "loss", "found",
                "answered", "surprise", "asymmetry");
    live->tenths = tenth;
    live->printed = step;
    for (int i = 0; i < h->arms; i++) {
        if (!h->arm[i].count) continue;
        const Point *p = &h->arm[i].point[h->arm[i].count - 1];
        const double figure[] = {p->loss, p->found, p->answered, p->surprise, p->asymmetry};
        static const int width[] = {9, 7, 9, 9, 10}, decimals[] = {4, 3, 3, 4, 4};
        fprintf(live->out, "%8d  %-8s", p->step, h->arm[i].name);
        for (int j = 0; j < 5; j++) {
            if (isnan(figure[j]) || figure[j] == 0)
                fprintf(live->out, " %*s", width[j], isnan(figure[j]) ? "-" : "0");
            else fprintf(live->out, " %*.*f", width[j], decimals[j], figure[j]);
        }
        fputc('\n', live->out);
    }
    fflush(live->out);
}

static double steady_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// After a resize nobody knows where the old frame lies, as terminals differ in how they fold its
// lines: the window is wiped. Wrapping is off while a frame is written, for a window that shrinks
// meanwhile.
static void redraw(Live *live, const History *h, int step, double seconds, double seconds_left) {
    char *text = NULL;
    size_t size = 0;
    FILE *frame = open_memstream(&text, &size);
    if (!frame) return;
    term_measure(&live->term);
    int resized = live->lines
        && (live->width != live->term.width || live->height != live->term.height);
    fputs("\033[?7l", frame);
    if (resized) fputs("\033[H\033[2J", frame);
    else if (live->lines) fprintf(frame, "\r\033[%dA", live->lines);
    live->width = live->term.width;
    live->height = live->term.height;
    live->lines = live_frame(frame, live->term, 1, h, step, seconds, seconds_left);
    fputs("\033[J\033[?7h", frame);
    if (!fclose(frame)) {
        fwrite(text, 1, size, live->out);
        fflush(live->out);
    }
    free(text);
}

Live live_begin(FILE *out, Term term) {
    fflush(out);
    term_hide_cursor(&term);
    return (Live){.out = out, .term = term, .drawn = -1, .printed = -1, .tenths = -1};
}

void live_draw(Live *live, const History *history, int step, double seconds, double seconds_left) {
    if (!live->term.tty) {
        print_lines(live, history, step, 0);
        return;
    }
    double now = steady_now();
    if (live->lines && now - live->drawn < 0.1 && step < history->steps) return;
    redraw(live, history, step, seconds, seconds_left);
    live->drawn = now;
}

void live_end(Live *live, const History *history, int step, double seconds) {
    if (live->term.tty) {
        redraw(live, history, step, seconds, NAN);
        term_restore();
    } else {
        print_lines(live, history, step, 1);
    }
}
