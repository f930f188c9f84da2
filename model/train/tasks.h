#ifndef MODEL_TRAIN_TASKS_H
#define MODEL_TRAIN_TASKS_H

#include "data/sources.h"
#include "model/train/options.h"

// The task that the options name, with what is held out; fills in the steps where they
// come from the data. False: `error` says why.
bool tasks_open(Task *task, Options *o, char error[TASK_ERROR]);

// Whether the options' batches can be had of the task; fills in the steps, where they come from the
// data. tasks_open has done both.
bool tasks_steps(const Task *task, Options *o, char error[TASK_ERROR]);

// Would tasks_open give both the same task?
bool tasks_same(const Options *a, const Options *b);

// How many sentences a point of the curve is measured on: half of the synthetic ones, since the end
// is measured on all of them.
size_t tasks_curve_sentences(const Task *task, const Options *o);

// Says on stderr what was left out, or held out of somebody's own sentences.
void tasks_tell(const Task *task, const Options *o);

// What data/sources.h needs of the options.
SourceOptions tasks_source(const Options *o);

#endif
