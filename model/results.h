#ifndef MODEL_RESULTS_H
#define MODEL_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include "model/history.h"
#include "model/options.h"

// Files are written beside themselves (NAME.part), flushed to the disk and renamed: each is there whole
// or not at all. All of these give false and a line in `error` if that can't be done.
enum { RESULTS_ERROR = 512 };

// Makes `directory`, parents too, and tries whether a file can be written there.
bool results_directory(const char *directory, char error[RESULTS_ERROR]);
// A row a measured step and arm: step,arm,loss,found,answered,asymmetry,circulation,surprise,seconds
bool results_metrics(const char *directory, const History *history, char error[RESULTS_ERROR]);
// A row a measured step, arm and head: step,arm,layer,head,symmetry of its M
bool results_symmetry(const char *directory, const History *history, char error[RESULTS_ERROR]);
bool results_summary(const char *directory, const History *history, const Options *options,
                     char error[RESULTS_ERROR]);
// NAME.npy, NumPy's format 1.0: floats, row-major.
bool results_npy(const char *directory, const char *name, const float *data, int rank, const int *shape,
                 char error[RESULTS_ERROR]);

#endif
