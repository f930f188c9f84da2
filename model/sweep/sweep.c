#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "autograd/fatal.h"
#include "model/save/results.h"
#include "model/sweep/csv.h"
#include "model/train/clock.h"
#include "model/train/record.h"
#include "model/train/tasks.h"
#include "model/view/progress.h"
#include "model/view/signals.h"

enum { SLICES = 50 };  // of a run, between which the bar moves

// A task that is open. Runs of the same data share it: it is only read.
typedef struct Data {
    Options options;
    Task task;
    int users;
    struct Data *next;
} Data;

typedef struct Sweep {
    Grid grid;
    SweepCsv rows;
    Data *data;
    ProgressLine bar;
    char *command;
    double began, from, share;  // seconds; of all runs, as it began and now, 0..1
    double write_due;
    char broken[GRID_ERROR];    // what keeps the sweep from going on, "" if nothing does
} Sweep;

static void help(void) {
    fputs(
        "./train sweep [TASK] [options]    train every combination, and keep its figures\n\n"
        "  --seeds 1:20 --d-k 1,2,4 --arms xxt,qkv\n"
        "                   any option with a number or a choice may be a list, or of\n"
        "                   whole numbers a range, FIRST:LAST or FIRST:LAST:STEP\n"
        "  --shard I/N      the Ith of N parts of the grid, for N machines\n"
        "  --threads N      runs at once (one a core)\n"
        "  --out DIR        where sweep.csv goes, or sweep.I-of-N.csv (out)\n"
        "  --quiet          no progress\n\n"
        "Started again it keeps the rows that are there.\n"
        "The other options are those of ./train --help.\n",
        stdout);
}

// ---- data --------------------------------------------------------------------------------------

static void drop_unused(Data **at) {
    while (*at) {
        Data *d = *at;
        if (d->users) at = &d->next;
        else {
            *at = d->next;
            task_free(&d->task);
            free(d);
        }
    }
}

// The task of these options, opened if no run has it, and the steps, where they come from the data.
// NULL: `error` says why. One thread at a time.
static const Task *open_shared(Sweep *s, Options *o, char error[TASK_ERROR]) {
    Data *d = s->data;
    while (d && !tasks_same(&d->options, o)) d = d->next;
    if (!d) {
        bool first = !s->data;
        drop_unused(&s->data);
        d = grow(NULL, 1, sizeof *d);
        *d = (Data){.options = *o, .next = s->data};
        if (!tasks_open(&d->task, o, error)) {
            free(d);
            return NULL;
        }
        if (first) tasks_tell(&d->task, o);
        s->data = d;
    }
    if (!tasks_steps(&d->task, o, error)) return NULL;
    d->users++;
    return &d->task;
}

static void close_shared(Sweep *s, const Task *task) {
    for (Data *d = s->data; d; d = d->next)
        if (&d->task == task) d->users--;
}

// Whether the data of a run can be had, and give steps to it and to all later ones that share them.
static bool check_one(Sweep *s, int run, int runs, bool *checked, char error[GRID_ERROR]) {
    Options first, o;
    char why[TASK_ERROR];
    grid_options(&s->grid, run, &first, error);
    for (int later = run; later < runs; later++) {
        grid_options(&s->grid, later, &o, error);
        if (checked[later] || !tasks_same(&first, &o)) continue;
        const Task *task = open_shared(s, &o, why);
        if (!task) return grid_wrong(&s->grid, later, why, error);
        close_shared(s, task);
        checked[later] = true;
    }
    return true;
}

// What is made up can always be had. Of files, those of the first seed, which changes slowest.
static bool check_data(Sweep *s, char error[GRID_ERROR]) {
    const Grid *g = &s->grid;
    int runs = g->runs / g->axis[1].count;
    Options o;
    grid_options(g, 0, &o, error);
    if (!o.sentences && !o.conllu && !o.text) return true;
    bool *checked = zeroed((size_t)runs, sizeof *checked), good = true;
    for (int run = 0; run < runs && good; run++)
        if (!checked[run]) good = check_one(s, run, runs, checked, error);
    free(checked);
    return good;
}

// ---- runs --------------------------------------------------------------------------------------

static Progress progress(const Sweep *s) {
    int done = s->rows.done, all = s->rows.end - s->rows.first;
    double spent = clock_now() - s->began, gone = s->share - s->from;
    double share = done == all ? 1 : fmin(s->share, 0.999);  // the last one has yet to be measured
    return (Progress){share, done, all, "runs", spent, gone > 0 ? spent / gone * (1 - share) : NAN};
}

static void show(Sweep *s) {
    if (!s->grid.base.quiet) progress_line_draw(&s->bar, progress(s));
}

// At most once a second, and at most a twentieth of the time. One that fails is tried again; the
// last one says so.
static void write_now_and_then(Sweep *s) {
    char error[GRID_ERROR];
    double began = clock_now();
    if (began < s->write_due) return;
    csv_write(&s->rows, s->grid.base.out, error);
    double took = clock_now() - began;
    s->write_due = clock_now() + (took > 0.05 ? 20 * took : 1);
}

static void note_failure(Sweep *s, int run, const char *why) {
    char which[512];
    grid_describe(&s->grid, run, which, sizeof which);
    if (!s->grid.base.quiet) progress_line_clear(&s->bar);
    fprintf(stderr, "train: %s: %s\n", which, why);
}

// One thread at a time.
static void finish_run(Sweep *s, int run, const Trainer *t, const double figure[CSV_FIGURES]) {
    if (t->failure[0]) note_failure(s, run, t->failure);
    csv_add(&s->rows, run, (long)t->model.params.size, t->step, figure);
    write_now_and_then(s);
    show(s);
}

static void train_slices(Sweep *s, Trainer *t, int steps) {
    double all = s->rows.end - s->rows.first, credited = 0;
    for (int slice = 1; slice <= SLICES; slice++) {
        trainer_run(t, (int)((long long)steps * slice / SLICES), &(Pause){&stop, INFINITY});
        double part = t->failure[0] ? 1 : (double)t->step / steps;
        #pragma omp critical(report)
        {
            s->share += (part - credited) / all;
            show(s);
        }
        credited = part;
        if (stop || t->failure[0]) return;
    }
}

// What ./train measures at its end.
static void measure(Trainer *t, double figure[CSV_FIGURES]) {
    ArmHistory arm = {0};
    Measurement p = evaluate(t, SIZE_MAX, &arm);
    const double all[CSV_FIGURES] = {
        p.loss,     p.attention_accuracy,     p.accuracy,    arm.cycle_attention_accuracy,    arm.cycle_accuracy,
        p.attention_nll, p.asymmetry, p.circulation, record_symmetry(t)};
    for (int i = 0; i < CSV_FIGURES; i++) figure[i] = t->failure[0] ? NAN : all[i];
    free(arm.relation);
}

static void train_run(Sweep *s, int run, Options *o, const Task *task) {
    Trainer t;
    double figure[CSV_FIGURES];
    for (int i = 0; i < CSV_FIGURES; i++) figure[i] = NAN;
    trainer_init(&t, options_config(o), task, o->arm[0]);
    train_slices(s, &t, o->steps);
    bool whole = t.failure[0] || t.step == o->steps;
    if (whole && !t.failure[0]) measure(&t, figure);
    #pragma omp critical(report)
    if (whole) finish_run(s, run, &t, figure);
    trainer_free(&t);
}

// A run that is stopped in the middle leaves no trace: it is trained again from its start.
static void one_run(Sweep *s, int run) {
    Options o;
    char error[GRID_ERROR];
    const Task *task = NULL;
    grid_options(&s->grid, run, &o, error);
    #pragma omp critical(data)
    {
        if (!s->broken[0]) task = open_shared(s, &o, error);
        if (!task && !s->broken[0]) snprintf(s->broken, sizeof s->broken, "%s", error);
    }
    if (!task) return;
    train_run(s, run, &o, task);
    #pragma omp critical(data)
    close_shared(s, task);
}

// Runs share nothing that is written but the rows, so who trains when changes no bit.
static void all_runs(Sweep *s) {
    SweepCsv *r = &s->rows;
    s->from = s->share = r->end > r->first ? (double)r->done / (r->end - r->first) : 1;
    s->began = clock_now();
    s->write_due = s->began;
    if (!s->grid.base.quiet) s->bar = progress_line_begin(stdout, term_of(stdout));
    show(s);
    #pragma omp parallel for schedule(dynamic, 1)
    for (int run = r->first; run < r->end; run++)
        if (!stop && !r->row[run - r->first]) one_run(s, run);
    if (!s->grid.base.quiet) progress_line_end(&s->bar, progress(s));
}

// ---- the command -------------------------------------------------------------------------------

static bool open_sweep(Sweep *s, char error[GRID_ERROR]) {
    const char *out = s->grid.base.out;
    return check_data(s, error) && csv_read(&s->rows, &s->grid, out, s->command, error)
        && results_directory(out, error) && csv_describe(&s->rows, out, error)
        && csv_write(&s->rows, out, error);
}

static int report(Sweep *s, int kept) {
    const SweepCsv *r = &s->rows;
    const char *out = s->grid.base.out;
    char error[GRID_ERROR];
    int all = r->end - r->first, failed = csv_failed(r);
    bool written = csv_write(r, out, error);
    if (!written) fprintf(stderr, "train: %s\n", error);
    if (s->broken[0]) fprintf(stderr, "train: %s\n", s->broken);
    if (failed)
        fprintf(stderr, "train: %d of %d runs came to nothing finite; their rows are empty\n",
                failed, all);
    if (!s->grid.base.quiet && written) {
        printf("%s/%s.csv: %d of %d runs", out, r->name, r->done, all);
        printf(kept ? ", %d of them from before\n" : "\n", kept);
    }
    if (stop && r->done < all)
        fprintf(stderr, "train: stopped with %d of %d runs; to go on: %s\n", r->done, all,
                s->command);
    bool stopped = stop && r->done < all;
    return !printed() || !written || s->broken[0] || (failed && !stopped) ? FAILED
           : stopped ? INTERRUPTED : DONE;
}

int command_sweep(int argc, char **argv) {
    Sweep s = {.command = arguments_command(argc, argv)};
    char error[GRID_ERROR] = "";
    int status = DONE;
    if (!grid_read(&s.grid, argc, argv, error)) status = misused(error);
    else if (s.grid.base.help) {
        help();
        status = printed() ? DONE : FAILED;
    }
    else if (!open_sweep(&s, error)) status = misused(error);
    else {
#ifdef _OPENMP
        if (s.grid.base.threads) omp_set_num_threads(s.grid.base.threads);
#endif
        int kept = s.rows.done;
        signals_catch();
        all_runs(&s);
        status = report(&s, kept);
    }
    for (Data *d = s.data; d; d = d->next) d->users = 0;
    drop_unused(&s.data);
    csv_free(&s.rows);
    grid_free(&s.grid);
    free(s.command);
    return status;
}
