#ifndef MODEL_SAVE_RESULTS_H
#define MODEL_SAVE_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include "model/save/atomic_file.h"
#include "model/train/history.h"
#include "model/train/options.h"

// Files are there whole or not at all (whole.h). These give false and a line in `error` if that
// can't be done.
enum { RESULTS_ERROR = 512 };

// Makes `directory`, parents too, and tries whether a file can be written there.
bool results_directory(const char *directory, char error[RESULTS_ERROR]);
// A row a measured step and arm:
// step,arm,loss,found,answered,asymmetry,circulation,surprise,seconds
bool results_metrics(const char *directory, const History *history, char error[RESULTS_ERROR]);
// A row a measured step, arm and head: step,arm,layer,head,symmetry of its M
bool results_symmetry(const char *directory, const History *history, char error[RESULTS_ERROR]);
bool results_summary(const char *directory, const History *history, const Options *options,
                     char error[RESULTS_ERROR]);
// NAME.npy, NumPy's format 1.0: floats, row-major.
bool results_npy(const char *directory, const char *name, const float *data, int rank,
                 const int *shape, char error[RESULTS_ERROR]);

// A file in `directory`: what is put into `out` is there under its name once it is closed.
typedef AtomicFile Result;
bool results_open(Result *f, const char *directory, const char *name, char error[RESULTS_ERROR]);
bool results_close(Result *f, char error[RESULTS_ERROR]);

// ",0.25": 9 digits, as everywhere; a NaN is empty.
void results_number(FILE *out, double x);

#endif
