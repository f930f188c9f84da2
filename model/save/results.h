#ifndef MODEL_SAVE_RESULTS_H
#define MODEL_SAVE_RESULTS_H

#include "model/save/atomic_file.h"
#include "model/train/history.h"
#include "model/train/options.h"

// The files that people, spreadsheets and the report read. Each is there whole or not at all
// (atomic_file.h). Functions that can fail give false and one line in `error`.
enum { RESULTS_ERROR = FILE_ERROR };

// The layout of these files. `report` refuses files of another layout: who renames a column or a
// member counts it up.
#define RESULTS_FORMAT "qkv results 4"

// Makes `directory`, and its parents, and checks that a file can be written there.
bool results_directory(const char *directory, char error[RESULTS_ERROR]);

// metrics.csv, a row for each measured step and arm:
// step,arm,loss,attention_accuracy,accuracy,asymmetry,circulation,attention_nll,
// cycle_attention_accuracy,seconds
bool results_metrics(const char *directory, const History *history, char error[RESULTS_ERROR]);
// symmetry.csv, a row for each measured step, arm and head: step,arm,layer,head,symmetry (of its M)
bool results_symmetry(const char *directory, const History *history, char error[RESULTS_ERROR]);
// summary.json: the options, and what each arm is like at the end.
bool results_summary(const char *directory, const History *history, const Options *options,
                     char error[RESULTS_ERROR]);
// NAME.npy, NumPy's format 1.0: floats, row-major.
bool results_npy(const char *directory, const char *name, const float *data, int rank,
                 const int *shape, char error[RESULTS_ERROR]);

// How a JSON file of a run begins: "{", then a line each for format, task, seed and command.
// Files of one run begin with the same bytes.
void results_begin(FILE *out, const History *history);

// ",0.25": 9 digits, as in all files; a NaN is empty.
void results_number(FILE *out, double x);
// The value of an option as JSON, with all its digits; null for a text that was not given. A seed
// is a string: numbers of JavaScript are exact up to 2^53 alone.
void results_option(FILE *out, const Option *option, const Options *options);
void results_value(FILE *out, const Option *option, const char *value);  // as it can be typed again

#endif
