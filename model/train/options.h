#ifndef MODEL_TRAIN_OPTIONS_H
#define MODEL_TRAIN_OPTIONS_H

#include <stdint.h>

#include "model/train/arguments.h"
#include "model/train/trainer.h"

// What a training is asked to do. Each field has its line in the table in options.c, and what
// differs from task to task its default in the table below that one.
typedef struct Options {
    const char *task;          // "pronoun", "search", "heads", "text"
    int arms;
    const Arm *arm[ARMS_MOST];
    const char *arm_list;
    uint64_t seed;
    int steps, epochs;         // epochs: of tasks with a fixed set of sentences; steps win if given
    int batch, accumulate, held_out, threads;
    int d_model, d_k, d_v, layers, heads;
    int optimizer, schedule, warmup;  // OptimKind, Schedule, steps
    double embed_rms, lr, momentum, decay, clip;
    int init;                  // Start
    int positions, readout;    // Positions, Readout
    bool no_scale, mask_self, freeze_embeddings;
    const char *sentences, *conllu, *dev;
    int max_words, relative;
    bool no_tags, suffixes, capitals;
    const char *text;
    int context, objective;    // Objective
    const char *out;
    double save_every, pace;   // seconds
    bool quiet, resume, no_report, help;
} Options;

typedef enum Objective { OBJECTIVE_CAUSAL, OBJECTIVE_MASKED } Objective;

extern const OptionTable options_table;

// Reads argv[1..] into `o`, whose strings then point into argv, and fills in the defaults of the
// task. False: `error` says in one line what is wrong and what would be right.
bool options_parse(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]);
// The same, but as it is written: not checked against each other, without the defaults of the task.
bool options_read(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]);
void options_help(FILE *out);

// How each arm is built and trained.
TrainConfig options_config(const Options *o);

#endif
