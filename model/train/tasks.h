#ifndef MODEL_TRAIN_TASKS_H
#define MODEL_TRAIN_TASKS_H

#include "data/sources.h"
#include "model/train/options.h"

// Where a task's sentences come from (data/sources.h).
typedef struct TaskSource {
    SourceLoad *load;
    SourceTyped *typed;
    SourceHeldOut *held_out;   // NULL: sentences are generated, not read from a file
} TaskSource;

// A task is a row of the table in tasks.c. To add one: its source in data/, its row, its test.
struct TaskKind {
    const char *name;
    const char *asks;          // for --help
    const char *example;       // a typed sentence, for show --help
    TaskSource source;
    Options defaults;          // what is the same for all tasks stands in parse.c
    // Refuses options that make no sense, and fills in what depends on others. NULL: all options make sense.
    bool (*check)(Options *o, char error[OPTIONS_ERROR]);
    // What its Task is like.
    bool is_text, points_at_answer, alike, causal, has_keys, trains_embeddings;
    unsigned features, optional;   // bits 1 << FEATURE_...: that it has, that it may have
    int least_words;               // in a vocabulary
};
extern const TaskKind task_table[];
extern const int task_count;
const TaskKind *tasks_find(const char *name);  // or NULL
bool tasks_takes(const TaskKind *kind, const Option *option);  // does the option belong to it?

// The source of sentences that the options ask for, and what it needs of them.
const TaskSource *tasks_source(const Options *o);
SourceOptions tasks_source_options(const Options *o, RandomSource random);

// The task of the options, with what is held out; fills in the steps if they come from the data.
// False: `error` says why.
bool tasks_open(Task *task, Options *o, char error[TASK_ERROR]);

// Whether the task has batches as the options ask for; fills in the steps if they come from the
// data. tasks_open has done both.
bool tasks_steps(const Task *task, Options *o, char error[TASK_ERROR]);

// Would tasks_open give both the same task?
bool tasks_same(const Options *a, const Options *b);

// A saved model keeps vocabularies but no sentences. This fills in the rest of its Task from its row
// of the table. False: that row has other vocabularies.
bool tasks_restore(Task *task, const Options *o);

// How many sentences a point of the curve is measured on: half of the synthetic ones, since the end
// is measured on all of them.
size_t tasks_curve_sentences(const Task *task, const Options *o);

// Says on stderr what was left out, and how many of a user's own sentences are held out.
void tasks_tell(const Task *task, const Options *o);

#endif
