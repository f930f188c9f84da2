#ifndef MODEL_TRAIN_EVALUATE_H
#define MODEL_TRAIN_EVALUATE_H

#include "model/train/history.h"
#include "model/train/trainer.h"

// Measures an arm on the first `sentences` held-out ones (task_choose), or on all if there are
// fewer. A loss or a weight that is not finite is a failure of the trainer, as in training. With
// `arm`, its relations and its cycle's figures are filled in too.
Measurement evaluate(Trainer *t, size_t sentences, ArmHistory *arm);

#endif
