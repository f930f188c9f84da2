#ifndef MODEL_SWEEP_GRID_H
#define MODEL_SWEEP_GRID_H

#include "data/vocab.h"
#include "model/train/options.h"

// What a sweep runs over: a grid of options, read from a command line in which some are lists.
//
//     --seeds 1:20 --d-k 1,2,4:8:2 --arms xxt,qkv     20 x 5 x 2 runs
//
// Every combination is what ./train would make of a command line with single values.
enum { GRID_AXES = 64, GRID_MOST = 100000, GRID_SHARDS = 10000, GRID_ERROR = 1024 };

typedef struct Axis {
    const Option *option;
    char column[32];        // its name in the rows: "arm", "seed", "d_k"
    Vocab value;            // as they stand in the rows and can be typed again
} Axis;

// The first two axes.
enum { AXIS_ARM, AXIS_SEED };

typedef struct Grid {
    Options base;           // what isn't swept, not yet checked: task, out, threads, quiet, help
    int axes;
    Axis axis[GRID_AXES];   // arm, seed, then in the order of the options' table
    int runs;               // of all shards
    int shard, shards;      // --shard 2/8; 0 of 0: not given
    int first, end;         // the runs of this shard. Shards are contiguous, as even as can be.
    int words;
    const char **word;      // (words) the command line without its axes; the strings aren't owned
} Grid;

// Reads argv[2..], argv[1] being "sweep", and checks every combination. False: `error` says in one
// line what is wrong and of which combination. Free it either way.
bool grid_read(Grid *g, int argc, char **argv, char error[GRID_ERROR]);
void grid_free(Grid *g);

// A run's value on an axis. Seeds change slowest, arms fastest: an interrupted sweep has whole
// seeds.
const char *grid_value(const Grid *g, int run, int axis);

// "arm qkv, seed 3, d_k 4"
void grid_describe(const Grid *g, int run, char *text, size_t size);

// "what (arm qkv, seed 3, d_k 4)", the latter where more than arms and seeds are swept. Always
// false.
bool grid_wrong(const Grid *g, int run, const char *what, char error[GRID_ERROR]);

// The options of a run, checked; the strings are the grid's or argv's.
bool grid_options(const Grid *g, int run, Options *o, char error[GRID_ERROR]);

#endif
