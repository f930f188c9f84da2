#ifndef MODEL_TRAIN_PARSE_H
#define MODEL_TRAIN_PARSE_H

#include "model/train/options.h"

// The command line of a training: a task and options, in any order.

// Reads argv[1..] into `o`, whose strings then point into argv, and fills in what was not given.
// False: `error` says in one line what is wrong and what would be right.
bool parse_options(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]);

// The same, but what depends on other options is neither filled in nor checked.
bool parse_as_typed(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]);

void parse_help(FILE *out);

#endif
