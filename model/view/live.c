// The live view of a run, and of a sweep, which has a bar alone. A frame is drawn on a canvas the
// size of the window and written in one go over the last one, so it neither flickers nor scrolls;
// whatever the window, its lines are never longer than that.
#include "model/view/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/save/memory.h"
#include "model/train/clock.h"
#include "model/view/chart.h"
#include "model/view/map.h"
#include "model/view/sample.h"
#include "model/view/signals.h"
#include "model/view/table.h"

// ---- the bar -----------------------------------------------------------------------------------

static void write_time(char *text, size_t size, double seconds) {
    long s = seconds < 0 || isnan(seconds) ? 0 : seconds > 1e8 ? 100000000 : lround(seconds);
    if (s >= 3600) snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

// " 42%  420 of 1000 steps  0:01 spent, 0:02 left", or less of it in a narrow window.
static void write_progress(char *text, size_t size, Progress p, int width) {
    char spent[24], left[24];
    int digits = snprintf(NULL, 0, "%d", p.of);
    int n = snprintf(text, size, " %3d%%", (int)(p.share * 100 + 1e-9));
    write_time(spent, sizeof spent, p.seconds);
    write_time(left, sizeof left, p.left);
    bool known = p.left >= 0 && p.share < 1;
    if (width >= 64)
        n += snprintf(text + n, size - (size_t)n, "  %*d of %d %s", digits, p.done, p.of, p.what);
    else if (width >= 30)
        n += snprintf(text + n, size - (size_t)n, "  %*d/%d", digits, p.done, p.of);
    if (width >= 64)
        snprintf(text + n, size - (size_t)n, known ? "  %s spent, %s left" : "  %s spent", spent,
                 left);
}

static void draw_bar(Canvas *canvas, int row, Progress p) {
    char text[128];
    int width = canvas->width;
    p.share = fmin(fmax(p.share, 0), 1);
    write_progress(text, sizeof text, p, width);
    int bar = width - term_width(text, 1), full = (int)(p.share * bar + 1e-9);
    const char *done = canvas->term.utf8 ? "━" : "=", *ahead = canvas->term.utf8 ? "─" : ".";
    for (int i = 0; i < bar; i++)
        canvas_text(canvas, row, i, 1, i < full ? STYLE_BOLD : STYLE(PALETTE_GREY),
                    i < full ? done : ahead);
    canvas_text(canvas, row, bar > 0 ? bar : 0, width, STYLE_PLAIN, text);
}

// ---- the charts --------------------------------------------------------------------------------

// MAP_BESIDE: columns that a map leaves to the charts. Rows of a sample's text, and from the table
// to that.
enum { CHART_LEAST = 8, GUTTER = 3, MAP_BESIDE = 32, SAMPLE_LEAST = 4, SAMPLE_ABOVE = 2 };

static void draw_title(Canvas *canvas, const History *h) {
    int at = canvas_text(canvas, 0, 0, canvas->width, STYLE_BOLD, h->task);
    const char *dot = canvas->term.utf8 ? "·" : "-";
    if (h->asked)
        at += canvas_format(canvas, 0, at, canvas->width, STYLE_PLAIN, " %s %s", dot, h->asked);
    canvas_format(canvas, 0, at, canvas->width, STYLE_PLAIN, " %s seed %llu", dot, h->seed);
}

// The line that begins at `text` ends before a new line, or after the last blank that fits.
static const char *line_end(const char *text, int width, bool utf8) {
    const char *blank = NULL, *at = text;
    for (int used = 0; *at && *at != '\n'; ) {
        const char *before = at;
        char shown[8];
        used += term_glyph(&at, utf8, shown);
        if (used > width) return blank ? blank : before;
        if (*before == ' ') blank = at;
    }
    return at;
}

// Its last lines. A line breaks where it did before, as long as it is shown.
static void draw_sample(Canvas *canvas, Box box, const Sample *s) {
    enum { KEPT = 4096 };  // characters at least, once there are so many
    char *text;
    size_t size;
    int rows = box.height - 1, lines = 0;
    FILE *out = memory_open(&text, &size);
    sample_write(out, s, s->count < 2 * KEPT ? 1 : (s->count / KEPT - 1) * KEPT, s->count);
    memory_close(out);
    canvas_format(canvas, box.row, box.column, box.width, STYLE_BOLD,
                  "text that %s writes as it trains", model_attention(s->model)->arm->name);
    for (int pass = 0, line = 0; pass < 2; pass++, lines = line, line = 0)
        for (const char *at = text, *end; *at; at = end + (*end == '\n'), line++) {
            end = line_end(at, box.width, canvas->term.utf8);
            int row = line - (lines > rows ? lines - rows : 0);
            if (pass && row >= 0)
                canvas_format(canvas, box.row + 1 + row, box.column, box.width, STYLE_PLAIN, "%.*s",
                              (int)(end - at), at);
        }
    free(text);
}

// The table, and what is left of its place for the sample.
static void draw_table(Canvas *canvas, Box box, const History *h, const Sample *sample) {
    int above = h->arms + SAMPLE_ABOVE;
    table_live(canvas, box, h);
    box.row += above;
    box.height -= above;
    if (sample && box.height > 1) draw_sample(canvas, box, sample);
}

// Two by two, the table last; in a low window one chart with the table beside it; in a narrow one
// as many charts as there is height for, one below the other, then the table.
static void draw_body(Canvas *canvas, Box box, const History *h, const Sample *sample) {
    int table = h->arms + 1, sampled = table + SAMPLE_ABOVE + SAMPLE_LEAST, shown = CHARTS;
    bool narrow = box.width < 72;
    if (box.height - sampled < CHART_LEAST) sample = NULL;
    if (sample) table = sampled;
    int least = table > CHART_LEAST ? table : CHART_LEAST;
    int spare = narrow ? box.height - table : box.height;
    if (!narrow && spare < 2 * least) shown = 1;
    if (narrow && spare < CHARTS * CHART_LEAST) shown = spare / CHART_LEAST;
    if (narrow && !shown && spare >= 5) shown = 1;
    int across = narrow ? 1 : 2, down = narrow ? shown : (shown + 1) / 2;
    int width = narrow ? box.width : (box.width - GUTTER) / 2, row = box.row, end = box.row + spare;
    Chart chart[CHARTS];
    chart_choose(h, chart);
    for (int i = 0; i <= shown; i++) {
        int left = i % across ? width + GUTTER : 0, lines = i / across;
        int height = lines < down ? (end - row + down - lines - 1) / (down - lines)
                                  : box.row + box.height - row;
        Box cell = {row, left, i % across ? box.width - left : width, height};
        if (i < shown) chart_draw(canvas, cell, &chart[i], h);
        else draw_table(canvas, cell, h, sample);
        if ((i + 1) % across == 0) row += height;
    }
}

int live_frame(FILE *out, Term term, bool in_place, const History *h, Progress p, const Map *map,
               const Sample *sample) {
    bool bar_alone = !h || term.width < 30 || term.height < 10;
    Canvas canvas = canvas_new(term, bar_alone ? 1 : term.height - 1);
    if (bar_alone) {
        draw_bar(&canvas, 0, p);
    } else {
        draw_title(&canvas, h);
        draw_bar(&canvas, 1, p);
        Box box = {2, MAP_BESIDE, term.width - MAP_BESIDE, canvas.height - 2};
        int wide = map && box.width > 0 ? map_draw(&canvas, box, map) : 0;
        draw_body(&canvas, (Box){2, 0, term.width - wide, box.height}, h, sample);
    }
    canvas_print(&canvas, out, in_place);
    return canvas.height;
}

// ---- where it is drawn -------------------------------------------------------------------------

static void print_plain(Live *live, const History *h, Progress p, bool last) {
    char text[128];
    int tenths = (int)(10 * p.share + 1e-9);
    if (p.share == live->printed || (tenths <= live->tenths && !last)) return;
    live->tenths = tenths;
    live->printed = p.share;
    if (h) {
        fprintf(live->out, "\nstep %d of %d\n", p.done, p.of);
        table_print_live(live->out, live->term, h);
    } else {
        write_progress(text, sizeof text, p, 80);
        fprintf(live->out, "%s\n", text);
    }
    fflush(live->out);
}

// After a resize nobody knows where the old frame lies, as terminals differ in how they fold its
// lines, and a shell may have written while the program was stopped: the window is wiped. Wrapping
// is off while a frame is written, for a window that shrinks meanwhile.
static void redraw(Live *live, const History *h, Progress p) {
    char *text;
    size_t size;
    Term was = live->term;
    term_measure(&live->term);
    bool moved = signals_disturbed() || was.width != live->term.width
                 || was.height != live->term.height;
    FILE *frame = memory_open(&text, &size);
    fputs("\033[?7l", frame);
    if (live->lines && moved) fputs("\033[H\033[2J", frame);
    else if (live->lines) fprintf(frame, "\r\033[%dA", live->lines);
    live->lines = live_frame(frame, live->term, true, h, p, live->map, live->sample);
    fputs("\033[J\033[?7h", frame);
    memory_close(frame);
    fwrite(text, 1, size, live->out);
    fflush(live->out);
    free(text);
}

Live live_begin(FILE *out, Term term) {
    fflush(out);
    signals_hide_cursor(&term);
    return (Live){.out = out, .term = term, .drawn = -1, .printed = -1, .tenths = -1};
}

bool live_due(const Live *live, Progress p) {
    return live->term.tty && (!live->lines || clock_now() - live->drawn >= 0.1 || p.share >= 1);
}

void live_draw(Live *live, const History *history, Progress p) {
    if (!live->term.tty) print_plain(live, history, p, false);
    else if (live_due(live, p)) {
        redraw(live, history, p);
        live->drawn = clock_now();
    }
}

void live_clear(Live *live) {
    if (live->lines) fprintf(live->out, "\r\033[%dA\033[J", live->lines);
    live->lines = 0;
    fflush(live->out);
}

void live_end(Live *live, const History *history, Progress p) {
    if (!live->term.tty) print_plain(live, history, p, true);
    else {
        redraw(live, history, p);
        signals_show_cursor();
    }
}
