#ifndef MODEL_OPEN_H
#define MODEL_OPEN_H

#include "autograd/rng.h"
#include "data/task.h"
#include "model/options.h"

// The task that the options name, with what is held out; fills in the steps where they come from the data.
// `skipped`: sentences of the treebank, and of --dev, that were too long. False: `error` says why.
bool open_task(Task *task, Options *o, size_t skipped[2], char error[TASK_ERROR]);

// Luck for data/ out of one of our generators.
Dice dice_of(Rng *rng);

#endif
