// ./train sweep: its command line, the bar while it runs, and at the end a table and its page. All
// figures come from the rows (model/sweep/csv.h).
#include <math.h>
#include <stdlib.h>

#include "autograd/fatal.h"
#include "data/utf8.h"
#include "model/sweep/sweep.h"
#include "model/train/clock.h"
#include "model/train/threads.h"
#include "model/view/commands.h"
#include "model/view/live.h"
#include "model/view/report/report.h"
#include "model/view/signals.h"
#include "model/view/text_table.h"

static void help(void) {
    fputs(
        "./train sweep [TASK] [options]    train every combination, and keep its figures\n\n"
        "  --seeds 1:20 --d-k 1,2,4 --arms xxt,qkv\n"
        "                   any option with a number or a choice may be a list, or of\n"
        "                   whole numbers a range, FIRST:LAST or FIRST:LAST:STEP\n"
        "  --shard I/N      the Ith of N parts of the grid, for N machines\n"
        "  --threads N      runs at once (one a core)\n"
        "  --out DIR        where sweep.csv and sweep.html go, or sweep.I-of-N.csv (out)\n"
        "  --quiet          no progress, and no table\n\n"
        "Started again it keeps the rows that are there.\n"
        "The other options are those of ./train --help.\n",
        stdout);
}

// ---- while it runs -----------------------------------------------------------------------------

static Progress progress(const Sweep *s) {
    int done = s->rows.done, all = s->grid.end - s->grid.first;
    double spent = clock_now() - s->began, gone = s->share - s->from;
    double share = done == all ? 1 : fmin(s->share, 0.999);  // the last one has yet to be measured
    return (Progress){share, done, all, "runs", spent, gone > 0 ? spent / gone * (1 - share) : NAN};
}

static void moved(const Sweep *s, void *bar) {
    if (!s->grid.base.quiet) live_draw(bar, NULL, progress(s));
}

static void failed(int run, const char *why, const Sweep *s, void *bar) {
    char which[512];
    grid_describe(&s->grid, run, which, sizeof which);
    if (!s->grid.base.quiet) live_clear(bar);
    fprintf(stderr, "train: %s: %s\n", which, why);
}

// ---- the medians -------------------------------------------------------------------------------

static bool has(const Sweep *s, int figure) {
    for (int run = s->grid.first; run < s->grid.end; run++)
        if (!isnan(csv_figure(&s->rows, run, figure))) return true;
    return false;
}

// What a sweep is about: the cycle, where there is one; of a text the loss; the answers, or else
// what is pointed at.
static int main_figure(const Sweep *s, const char **name) {
    if (has(s, CSV_CYCLE_ATTENTION_ACCURACY))
        return *name = "attention accuracy on the cycle", CSV_CYCLE_ATTENTION_ACCURACY;
    if (!has(s, CSV_ATTENTION_ACCURACY)) return *name = "loss, nats", CSV_LOSS;
    if (has(s, CSV_ACCURACY)) return *name = "accuracy", CSV_ACCURACY;
    return *name = "attention accuracy", CSV_ATTENTION_ACCURACY;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Over the seeds of run `run` of the first seed; NAN: none has this figure.
static double median(const Sweep *s, int run, int figure) {
    const Grid *g = &s->grid;
    int seeds = g->axis[AXIS_SEED].value.count, each = g->runs / seeds, n = 0;
    double *x = grow(NULL, (size_t)seeds, sizeof *x);
    for (int i = 0; i < seeds; i++) {
        x[n] = csv_figure(&s->rows, i * each + run, figure);
        n += !isnan(x[n]);
    }
    qsort(x, (size_t)n, sizeof *x, by_size);
    double middle = n ? (x[(n - 1) / 2] + x[n / 2]) / 2 : NAN;
    free(x);
    return middle;
}

// Its values on the axes but arm and seed: "d_k 4, layers 0".
static void set_combination(TextTable *table, const Grid *g, int run) {
    char text[TEXT_TABLE_TEXT] = "all runs";
    for (int a = AXIS_SEED + 1, n = 0; a < g->axes && n < TEXT_TABLE_TEXT; a++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s %s", n ? ", " : "",
                      g->axis[a].column, grid_value(g, run, a));
    text_table_set(table, 0, "%s", text);
}

// A row for each combination of the other axes, a column for each arm.
static void print_medians(Term term, const Sweep *s) {
    enum { ROWS = 39 };
    const Grid *g = &s->grid;
    int arms = g->axis[AXIS_ARM].value.count, seeds = g->axis[AXIS_SEED].value.count;
    const char *name;
    int all = g->runs / seeds / arms, figure = main_figure(s, &name);
    TextTable *table = text_table_new();
    text_table_words(table, 0, NULL, 0);
    for (int i = 0; i < arms; i++)
        text_table_column(table, 0, NULL, g->axis[AXIS_ARM].value.word[i]);
    for (int row = 0; row < all && row < ROWS; row++) {
        text_table_row(table, STYLE_PLAIN);
        set_combination(table, g, row * arms);
        for (int i = 0; i < arms; i++)
            text_table_figure(table, 1 + i, 3, median(s, row * arms + i, figure));
    }
    print_wrapped(stdout, term, seeds > 1 ? "%s, median of %d seeds" : "%s", name, seeds);
    text_table_print(table, stdout, term);
    if (all > ROWS) printf("(and %d more)\n", all - ROWS);
}

// ---- the command -------------------------------------------------------------------------------

// The page of the whole; shards are joined first.
static bool write_page(const Sweep *s, char page[4096], char error[RESULTS_ERROR]) {
    char path[4096];
    const Options *o = &s->grid.base;
    *page = '\0';
    if (s->grid.shards || o->no_report || !s->rows.done) return true;
    if (snprintf(path, sizeof path, "%s/%s.csv", o->out, s->rows.name) >= (int)sizeof path)
        return true;
    return report_sweep(path, page, error) == DONE;
}

static void tell(const Sweep *s, int kept, bool page) {
    const SweepCsv *r = &s->rows;
    const char *out = s->grid.base.out;
    char shown[256];
    if (!s->grid.shards && r->done) {
        putchar('\n');
        print_medians(term_of(stdout), s);
        putchar('\n');
    }
    printf("%s/%s.csv: %d of %d runs", utf8_show(shown, sizeof shown, out), r->name, r->done,
           s->grid.end - s->grid.first);
    printf(kept ? ", %d of them from before\n" : "\n", kept);
    if (page) print_link(stdout, out, "sweep.html");
}

static int run(Sweep *s, const char *command) {
    const SweepCsv *r = &s->rows;
    const Options *o = &s->grid.base;
    char error[GRID_ERROR], page[4096];
    int kept = r->done, all = s->grid.end - s->grid.first;
    Live bar;
    const SweepView view = {moved, failed, &bar};
    if (!o->quiet) bar = live_begin(stdout, term_of(stdout));
    bool written = sweep_run(s, &stop, &view, error);
    if (!o->quiet) live_end(&bar, NULL, progress(s));
    written = written && write_page(s, page, error);
    if (!written) fprintf(stderr, "train: %s\n", error);
    if (s->broken[0]) fprintf(stderr, "train: %s\n", s->broken);
    int lost = csv_failed(r);
    if (lost)
        fprintf(stderr, "train: %d of %d runs came to nothing finite; their rows are empty\n", lost,
                all);
    if (!o->quiet && written) tell(s, kept, *page);
    bool stopped = stop && r->done < all;
    if (stopped)
        fprintf(stderr, "train: stopped with %d of %d runs; to go on: %s\n", r->done, all, command);
    return !printed() || !written || s->broken[0] || (lost && !stopped) ? FAILED
           : stopped ? INTERRUPTED : DONE;
}

int command_sweep(int argc, char **argv) {
    Sweep s;
    char *command = arguments_command(argc, argv), error[GRID_ERROR] = "";
    int status = DONE;
    if (!sweep_open(&s, argc, argv, command, error)) status = misused(error);
    else if (s.grid.base.help) {
        help();
        status = printed() ? DONE : FAILED;
    } else {
        threads_set(s.grid.base.threads);
        signals_catch();
        status = run(&s, command);
    }
    sweep_close(&s);
    free(command);
    return status;
}
