#ifndef MODEL_TRAIN_TASKS_H
#define MODEL_TRAIN_TASKS_H

#include "data/task.h"
#include "model/train/options.h"

// The task that the options name, with what is held out; fills in the steps where they
// come from the data. `skipped`: sentences of the treebank, and of --dev, that were too
// long. False: `error` says why.
bool tasks_open(Task *task, Options *o, size_t skipped[2], char error[TASK_ERROR]);

// Whether the options' batches can be had of the task; fills in the steps, where they come from the
// data. tasks_open has done both.
bool tasks_steps(const Task *task, Options *o, char error[TASK_ERROR]);

// Would tasks_open give both the same task?
bool tasks_same(const Options *a, const Options *b);

// Says on stderr what was left out, or held out of somebody's own sentences.
void tasks_tell(const Task *task, const Options *o, const size_t skipped[2]);

// Which treebanks `heads` reads, and how.
HeadsOptions tasks_heads_options(const Options *o);

#endif
