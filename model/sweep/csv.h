#ifndef MODEL_SWEEP_CSV_H
#define MODEL_SWEEP_CSV_H

#include "model/sweep/grid.h"

// The file of a sweep, a row a finished run, in the order of the grid whatever the order of
// finishing:
//
//     task,arm,seed,(swept options),parameters,steps,loss,attention_accuracy,accuracy,
//     cycle_attention_accuracy,cycle_accuracy,attention_nll,asymmetry,circulation,symmetry
//
// sweep.csv, or of a shard sweep.2-of-8.csv, whose numbers are as wide as their last, so that a
// shell sorts them. Only the first shard has the line of names: `cat` of all of them is the file of
// the whole. There are no times in it: a sweep in one piece and one in shards give the
// same file.
//
// The options that are not swept, and the command, are in sweep.json.
// Both are read when a sweep is started again: rows of another sweep are refused, finished ones are
// kept.
enum { CSV_LOSS, CSV_ATTENTION_ACCURACY, CSV_ACCURACY, CSV_CYCLE_ATTENTION_ACCURACY,
       CSV_CYCLE_ACCURACY, CSV_ATTENTION_NLL, CSV_ASYMMETRY, CSV_CIRCULATION, CSV_SYMMETRY,
       CSV_FIGURES };

typedef struct SweepCsv {
    const Grid *grid;
    char name[64];      // "sweep.2-of-8"
    char *description;  // what sweep.json holds
    int done;           // how many runs have a row
    char **row;         // (runs) owned, with its line's end; NULL: not finished, or of other shards
} SweepCsv;

// Reads what DIRECTORY holds of this sweep. Writes nothing. False: `error` says why it can't go on.
bool csv_read(SweepCsv *r, const Grid *grid, const char *directory, const char *command,
              char error[GRID_ERROR]);
void csv_free(SweepCsv *r);

// The figures in the order of the file, NAN for what there is none of. NULL: the run failed.
void csv_add(SweepCsv *r, int run, long parameters, int steps, const double figure[CSV_FIGURES]);
double csv_figure(const SweepCsv *r, int run, int figure);  // NAN: none, or no row
int csv_failed(const SweepCsv *r);

typedef enum CsvPart { CSV_DESCRIPTION, CSV_ROWS } CsvPart;  // .json, .csv
bool csv_write(const SweepCsv *r, CsvPart part, const char *directory, char error[GRID_ERROR]);

#endif
