// How far something is: a bar above the live curves, and a line alone for a sweep.
#include "model/view/progress.h"

#include <math.h>

#include "model/train/clock.h"

static void write_time(char *text, size_t size, double seconds) {
    long s = seconds < 0 || isnan(seconds) ? 0 : seconds > 1e8 ? 100000000 : lround(seconds);
    if (s >= 3600) snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
}

// " 42%  420 of 1000 steps  0:01 spent, 0:02 left", or less of it in a narrow window.
static void write_progress(char *text, size_t size, Progress p, int width) {
    char spent[24], left[24];
    int digits = snprintf(NULL, 0, "%d", p.of),
        n = snprintf(text, size, " %3d%%", (int)(p.share * 100 + 1e-9));
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

void progress_draw(Canvas *canvas, int row, Progress p) {
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

// ---- a line alone ------------------------------------------------------------------------------

ProgressLine progress_line_begin(FILE *out, Term term) {
    return (ProgressLine){.out = out, .term = term, .drawn = -1, .tenths = -1};
}

void progress_line_draw(ProgressLine *line, Progress p) {
    char text[128];
    double now = clock_now();
    int tenths = (int)(10 * p.share + 1e-9);
    bool tty = line->term.tty;
    if (tty ? p.share < 1 && now - line->drawn < 0.1 : tenths <= line->tenths) return;
    line->drawn = now;
    line->tenths = tenths;
    term_measure(&line->term);
    int width = tty ? line->term.width - 1 : 80;
    write_progress(text, sizeof text, p, width);
    fprintf(line->out, tty ? "\r%.*s\033[K" : "%.*s\n", width, text);
    fflush(line->out);
}

void progress_line_clear(ProgressLine *line) {
    if (line->term.tty) fputs("\r\033[K", line->out);
    fflush(line->out);
}

void progress_line_end(ProgressLine *line, Progress p) {
    line->drawn = -1;
    progress_line_draw(line, p);
    if (line->term.tty) fputc('\n', line->out);
}
