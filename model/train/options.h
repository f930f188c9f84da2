#ifndef MODEL_TRAIN_OPTIONS_H
#define MODEL_TRAIN_OPTIONS_H

#include <stdint.h>

#include "data/sources.h"
#include "model/train/arguments.h"
#include "model/train/trainer.h"

typedef struct TaskKind TaskKind;  // tasks.h
typedef enum Objective { OBJECTIVE_CAUSAL, OBJECTIVE_MASKED } Objective;
typedef enum Antecedent { ANTECEDENT_NOUN, ANTECEDENT_NEAREST } Antecedent;

// What a training is asked to do: a field for each option of the table in options.c. parse.c reads
// them from a command line.
typedef struct Options {
    const TaskKind *task;
    int arms;
    const Arm *arm[ARMS_MOST];
    const char *arm_list;
    uint64_t seed;
    int steps, epochs;         // epochs: of tasks with a fixed set of sentences; or steps
    int batch, accumulate, held_out, threads;
    int d_model, d_k, d_v, d_ff, layers, heads;
    OptimKind optimizer;
    Schedule schedule;
    int warmup;
    double embed_rms, lr, momentum, decay, clip;
    Start init;
    Positions positions;
    Readout readout;
    bool no_scale, mask_self, freeze_embeddings;
    const char *sentences, *conllu, *dev;
    int max_words, relative, window, pairs;
    bool no_tags, suffixes, capitals, no_relations, shared, separate;
    Antecedent antecedent;
    Mix mix;
    const char *text;
    int context;
    Objective objective;
    const char *out;
    double save_every, pace;   // seconds
    bool quiet, resume, no_report, help, version;
} Options;

extern const OptionTable options_table;

// How each arm is built and trained.
TrainConfig options_config(const Options *o);

// The command line of a training: a task and options, in any order. Reads argv[1..] into `o`, whose
// strings then point into argv, and fills in what was not given. False: `error` says in one line
// what is wrong and what would be right.
bool parse_options(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]);

// The same of a command that trains by itself: what was given and can have no effect is refused. (A
// saved model names all options, and some runs of a sweep may have no use for one.)
bool parse_command(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]);

// The same, but what depends on other options is neither filled in nor checked.
bool parse_as_typed(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]);

void parse_help(FILE *out);

#endif
