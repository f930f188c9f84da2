#ifndef MODEL_SAVE_CHECKPOINT_H
#define MODEL_SAVE_CHECKPOINT_H

#include "model/save/safetensors.h"
#include "model/train/history.h"
#include "model/train/options.h"

// A training on disk: ARM.safetensors, with
//
//     E, P, W_Q, ...              the weights under their names, trained and frozen
//     optimizer.mean.W_Q, ...     what the optimiser remembers of each trained one (Adam: .square.
//     too) optimizer.step, training.*  I64 scalars, and seconds as F64; training.rng is a u64 in an
//     I64,
//                                 since not every reader knows U64
//     sampler.*                   of a task with a fixed set: the epoch's order, and the place in
//     it history                     (points, 9) F64, the curve so far: the fields of Measurement
//     history.heads               (points, heads) F64, the symmetry of each head's M
//
// and the metadata of description.h. What is saved is restored bit for bit.

// Writes DIRECTORY/ARM.safetensors, whole or not at all. `curve` NULL: no history.
bool checkpoint_save(const char *directory, const Trainer *t, const Options *o,
                     const ArmHistory *curve, const char *command, char error[SAFETENSORS_ERROR]);

// Or something is there that can't be looked at: loading it will say so.
bool checkpoint_exists(const char *directory, const Arm *arm);

// Puts a trainer, fresh from trainer_init with the same options, where the saved one was, and
// the saved curve in `curve` (NULL: forgets it), which has no points yet. `path` is the file or
// its directory. What doesn't change the meaning of what was saved may differ: the learning
// rate, its schedule, the steps, ... False: `error` says what differs, what was expected and
// what was found; nothing has changed.
bool checkpoint_load(const char *path, Trainer *t, const Options *o, ArmHistory *curve,
                     char error[SAFETENSORS_ERROR]);

// A saved model, opened without the data it was trained on.
typedef struct Checkpoint {
    Safetensors file;
    Options options;       // as they were; the strings are parts of
                           // `file`, and `arm` is the only one
    const Arm *arm;
    Task task;             // the vocabularies, and what a model is built by; no sentences
} Checkpoint;

// Then: model_init(&model, &c.task, c.arm, options_config(&c.options).model, 0), and
// checkpoint_weights.
bool checkpoint_open(Checkpoint *c, const char *file, char error[SAFETENSORS_ERROR]);
bool checkpoint_weights(const Checkpoint *c, const char *file, Params *params,
                        char error[SAFETENSORS_ERROR]);
void checkpoint_close(Checkpoint *c);

#endif
