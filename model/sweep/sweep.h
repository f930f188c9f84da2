#ifndef MODEL_SWEEP_SWEEP_H
#define MODEL_SWEEP_SWEEP_H

#include <stdatomic.h>

#include "model/sweep/csv.h"

// Each combination of a grid is a run, the same as ./train makes. As many runs go on at once as
// there are threads. Each finished run is a row (csv.h).
typedef struct Sweep {
    Grid grid;
    SweepCsv rows;
    double began;             // when, on the clock of clock_now()
    double from, share;       // of all work, 0..1: done at the start; done now
    char broken[GRID_ERROR];  // what keeps the sweep from going on, "" if nothing does
    struct SweepData *data;   // tasks that are open
    double write_due;         // when the rows are written again
    const struct SweepView *view;
} Sweep;

// Who is told as it goes, by one thread at a time.
typedef struct SweepView {
    void (*moved)(const Sweep *s, void *to);  // `share` or the rows have changed
    void (*failed)(int run, const char *why, const Sweep *s, void *to);
    void *to;
} SweepView;

// Reads argv[2..] and what --out holds of this sweep, opens the data once, so that a missing file is
// noticed at the start, and writes sweep.json. False: `error` says what is wrong. Close it either way.
bool sweep_open(Sweep *s, int argc, char **argv, const char *command, char error[GRID_ERROR]);
void sweep_close(Sweep *s);

// Trains the runs that have no row yet, until all have one or *stop is set, and writes the rows now
// and then. False: the rows can't be written, and `error` says why.
bool sweep_run(Sweep *s, const atomic_int *stop, const SweepView *view, char error[GRID_ERROR]);

#endif
