#ifndef MODEL_OPTIONS_H
#define MODEL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "autograd/optim.h"
#include "model/attention.h"

// What a run is asked to do. Each field has its line, with its default, in the table in options.c.
typedef struct Options {
    const char *task;          // "pronoun", "heads"
    int arms;
    const Arm *arm[ARMS];
    const char *arm_list;
    uint64_t seed;
    int steps, epochs;         // epochs: of tasks with a fixed set of sentences; steps win if given
    int batch, held_out, threads;
    int d_model, d_k, d_v, layers, heads;
    int optimizer, schedule, warmup;  // OptimKind, Schedule, steps
    double row_length, lr, momentum, decay, clip;
    int init;                  // Start
    bool no_scale, mask_self, freeze_embeddings;
    const char *conllu, *dev;
    int max_words, relative;
    bool no_tags, suffixes, capitals;
    const char *out;
    double pace;
    bool quiet, resume, help;
} Options;

enum { OPTIONS_ERROR = 256 };

// Reads argv[1..] into `o`, whose strings then point into argv, and fills in the defaults of the task.
// False: `error` says in one line what is wrong and what would be right.
bool options_parse(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]);
void options_help(FILE *out);

// argv as it can be typed again into a shell. The caller frees it.
char *options_command(int argc, char **argv);

// Every option with its value, defaults filled in, as JSON members: "batch": 32, ...
void options_json(FILE *out, const Options *o);

// The known word with the fewest insertions, deletions, changes and swaps from `word`, if they are few;
// else NULL.
const char *nearest(const char *word, const char *const *known, int count);

#endif
