#ifndef MODEL_TRAIN_RECORD_H
#define MODEL_TRAIN_RECORD_H

#include "model/train/history.h"
#include "model/train/trainer.h"

// What the views show of an arm: its curve, point by point, and what its M is like.

// Measures an arm on the first `sentences` held-out sentences (task_choose), or on all if there are
// fewer. A loss or a weight that is not finite is a failure of the trainer, as in training. With
// `arm`, its relations and its cycle's figures are filled in too. Broken off (Trainer.stop), its
// `step` is BROKEN_OFF and its figures say nothing.
enum { BROKEN_OFF = -1 };
Measurement evaluate(Trainer *t, size_t sentences, ArmHistory *arm);

// The name, formula and colour of the arm; its curve has no point yet.
ArmHistory record_begin(const Trainer *t);

// Adds the curve's next point: evaluated on so many sentences, with the symmetry of each head's M.
// Adds nothing if that is broken off.
void record_note(Trainer *t, size_t sentences, ArmHistory *arm);

// Fills in the final figures: M's symmetry and singular values, tokens, memory.
void record_end(const Trainer *t, ArmHistory *arm);

// The symmetry of M, of the last layer's first head.
double record_symmetry(const Trainer *t);

// The asymmetry of scores where W_Q and W_K are independent draws: mean -+ 2 standard deviations.
// NAN where S is not square, and of a text, whose figure is M's symmetry.
void record_random_band(TrainConfig config, const Task *task, double *low, double *high);

#endif
