// Runs a sweep: its data, which runs share, and the runs themselves. Read grid.h and csv.h first.
#include "model/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/save/results.h"
#include "model/train/clock.h"
#include "model/train/record.h"
#include "model/train/tasks.h"

// ---- data --------------------------------------------------------------------------------------

// A task that is open. Runs of the same data share it: it is only read.
typedef struct SweepData {
    Options options;  // of the run that used it last
    Task task;
    int users;
    struct SweepData *next;
} SweepData;

// Seeds change slowest: what the last seed used and this one doesn't is done with.
static void drop_unused(Sweep *s, const Options *o) {
    for (SweepData **at = &s->data; *at;) {
        SweepData *d = *at;
        if (d->users || (o && d->options.seed == o->seed)) {
            at = &d->next;
            continue;
        }
        *at = d->next;
        task_free(&d->task);
        free(d);
    }
}

// The task of these options, opened if no run has it, and the steps, where they come from the data.
// NULL: `error` says why. One thread at a time.
static SweepData *open_shared(Sweep *s, Options *o, char error[TASK_ERROR]) {
    SweepData *d = s->data;
    while (d && !tasks_same(&d->options, o)) d = d->next;
    if (!d) {
        bool first = !s->data;
        drop_unused(s, o);
        d = zeroed(1, sizeof *d);
        if (!tasks_open(&d->task, o, error)) {
            free(d);
            return NULL;
        }
        if (first) tasks_tell(&d->task, o);
        d->next = s->data;
        s->data = d;
    }
    d->options = *o;
    if (!tasks_steps(&d->task, o, error)) return NULL;
    d->users++;
    return d;
}

// Whether the data of all runs of the first seed can be had.
static bool check_data(Sweep *s, char error[GRID_ERROR]) {
    const Grid *g = &s->grid;
    for (int run = 0; run < g->runs / g->axis[AXIS_SEED].value.count; run++) {
        Options o;
        char why[TASK_ERROR];
        grid_options(g, run, &o, error);
        SweepData *d = open_shared(s, &o, why);
        if (!d) return grid_wrong(g, run, why, error);
        d->users--;
    }
    return true;
}

bool sweep_open(Sweep *s, int argc, char **argv, const char *command, char error[GRID_ERROR]) {
    const Options *o = &s->grid.base;
    *s = (Sweep){.began = 0};
    if (!grid_read(&s->grid, argc, argv, error)) return false;
    return o->help || (check_data(s, error)
                       && csv_read(&s->rows, &s->grid, o->out, command, error)
                       && results_directory(o->out, error)
                       && csv_write(&s->rows, CSV_DESCRIPTION, o->out, error)
                       && csv_write(&s->rows, CSV_ROWS, o->out, error));
}

void sweep_close(Sweep *s) {
    drop_unused(s, NULL);
    csv_free(&s->rows);
    grid_free(&s->grid);
}

// ---- runs --------------------------------------------------------------------------------------

// At most once a second, and at most a twentieth of the time. A write that fails is tried again;
// the last one says so.
static void write_now_and_then(Sweep *s) {
    char error[GRID_ERROR];
    double began = clock_now();
    if (began < s->write_due) return;
    csv_write(&s->rows, CSV_ROWS, s->grid.base.out, error);
    double took = clock_now() - began;
    s->write_due = clock_now() + (took > 0.05 ? 20 * took : 1);
}

// The row of a run: what ./train measures at its end, if nothing fails until then. A measurement
// that is broken off leaves none.
static void add_row(Sweep *s, int run, Trainer *t) {
    ArmHistory arm = {0};
    Measurement p = {0};
    if (!t->failure[0]) p = evaluate(t, SIZE_MAX, &arm);
    const double figure[CSV_FIGURES] = {
        [CSV_LOSS] = p.loss, [CSV_ATTENTION_ACCURACY] = p.attention_accuracy,
        [CSV_ACCURACY] = p.accuracy, [CSV_CYCLE_ATTENTION_ACCURACY] = arm.cycle_attention_accuracy,
        [CSV_CYCLE_ACCURACY] = arm.cycle_accuracy, [CSV_ATTENTION_NLL] = p.attention_nll,
        [CSV_ASYMMETRY] = p.asymmetry, [CSV_CIRCULATION] = p.circulation,
        [CSV_SYMMETRY] = t->failure[0] ? NAN : record_symmetry(t)};
    free(arm.relation);
    if (p.step == BROKEN_OFF) return;
    #pragma omp critical(report)
    {
        if (t->failure[0]) s->view->failed(run, t->failure, s, s->view->to);
        csv_add(&s->rows, run, (long)t->model.params.size, t->step, t->failure[0] ? NULL : figure);
        write_now_and_then(s);
        s->view->moved(s, s->view->to);
    }
}

// Trains in slices of a tenth of a second, between which the view is told.
static void train_slices(Sweep *s, Trainer *t, int steps) {
    double all = s->grid.end - s->grid.first, credited = 0;
    while (t->step < steps && !t->failure[0] && !*t->stop) {
        trainer_run(t, steps, &(double){clock_now() + 0.1});
        double part = t->failure[0] ? 1 : (double)t->step / steps;
        #pragma omp critical(report)
        {
            s->share += (part - credited) / all;
            s->view->moved(s, s->view->to);
        }
        credited = part;
    }
}

// A run that is stopped in the middle leaves no trace: it is trained again from its start.
static void train_run(Sweep *s, int run, const Options *o, const Task *task,
                      const atomic_int *stop) {
    Trainer t;
    trainer_init(&t, options_config(o), task, o->arm[0]);
    t.stop = stop;
    train_slices(s, &t, o->steps);
    if (t.failure[0] || t.step == o->steps) add_row(s, run, &t);
    trainer_free(&t);
}

static void one_run(Sweep *s, int run, const atomic_int *stop) {
    Options o;
    char error[GRID_ERROR];
    SweepData *d = NULL;
    grid_options(&s->grid, run, &o, error);
    #pragma omp critical(data)
    {
        if (!s->broken[0]) d = open_shared(s, &o, error);
        if (!d && !s->broken[0]) snprintf(s->broken, sizeof s->broken, "%s", error);
    }
    if (!d) return;
    train_run(s, run, &o, &d->task, stop);
    #pragma omp critical(data)
    d->users--;
}

// Runs share nothing that is written but the rows, so who trains when changes no bit.
bool sweep_run(Sweep *s, const atomic_int *stop, const SweepView *view, char error[GRID_ERROR]) {
    SweepCsv *r = &s->rows;
    int first = s->grid.first, end = s->grid.end;
    s->view = view;
    s->from = s->share = end > first ? (double)r->done / (end - first) : 1;
    s->began = s->write_due = clock_now();
    view->moved(s, view->to);
    #pragma omp parallel for schedule(dynamic, 1)
    for (int run = first; run < end; run++)
        if (!*stop && !r->row[run]) one_run(s, run, stop);
    return csv_write(r, CSV_ROWS, s->grid.base.out, error);
}
