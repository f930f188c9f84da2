#include "model/view/progress.h"

#include <math.h>
#include <stdbool.h>

#include "model/train/clock.h"
#include "model/view/palette.h"

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

// ---- a bar alone -------------------------------------------------------------------------------

// The cursor stays at the end of the line above it, so that the bar is always the last line.
static void draw_line(ProgressLine *bar, Progress p) {
    term_measure(&bar->term);
    if (term_disturbed()) fputc('\n', bar->out);
    Canvas canvas = canvas_new(bar->term, 1);
    progress_draw(&canvas, 0, p);
    fputs("\r\033[?7l", bar->out);
    canvas_print(&canvas, bar->out, 1);
    fputs("\033[A\033[?7h", bar->out);
    fflush(bar->out);
    canvas_free(&canvas);
}

static void print_line(ProgressLine *bar, Progress p) {
    char text[128];
    int tenths = (int)(10 * p.share + 1e-9);
    if (tenths <= bar->tenths) return;
    bar->tenths = tenths;
    write_progress(text, sizeof text, p, 80);
    fprintf(bar->out, "%s\n", text);
    fflush(bar->out);
}

ProgressLine progress_line_begin(FILE *out, Term term) {
    fflush(out);
    term_hide_cursor(&term);
    return (ProgressLine){.out = out, .term = term, .drawn = -1, .tenths = -1};
}

void progress_line_draw(ProgressLine *bar, Progress p) {
    double now = clock_now();
    if (!bar->term.tty) print_line(bar, p);
    else if (bar->drawn < 0 || now - bar->drawn >= 0.1) {
        draw_line(bar, p);
        bar->drawn = now;
    }
}

void progress_line_clear(ProgressLine *bar) {
    if (!bar->term.tty) return;
    fputs("\r\033[K", bar->out);
    fflush(bar->out);
    bar->drawn = -1;
}

void progress_line_end(ProgressLine *bar, Progress p) {
    if (!bar->term.tty) {
        print_line(bar, p);
        return;
    }
    draw_line(bar, p);
    fputs("\r\n", bar->out);
    fflush(bar->out);
    term_restore();
}
