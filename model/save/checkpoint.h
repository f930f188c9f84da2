#ifndef MODEL_SAVE_CHECKPOINT_H
#define MODEL_SAVE_CHECKPOINT_H

#include "model/save/safetensors.h"
#include "model/train/history.h"
#include "model/train/options.h"

// A training on disk. ARM.safetensors holds
//
//     E, P, W_Q, ...           F32, the weights under their names, trained and frozen
//     optimizer.mean.W_Q, ...  F32, what the optimiser remembers of each trained weight
//     optimizer.square.W_Q, ...    the same, of Adam alone
//     optimizer.step           I64, as are training.step and training.tokens
//     training.seconds         F64
//     training.rng             I64 that holds a u64: not every reader knows U64
//     sampler.*                I64, of a task with a fixed training set: the order of the epoch,
//                              and the place in it
//     history                  F64 (points, 10),the curve so far: the fields of Measurement
//     history.heads            F64 (points, heads), the symmetry of each head's M
//
// and the metadata of description.h. What is saved is restored bit for bit. A file of an older
// format is refused, never converted: the line says so, and gives the command to train it again.

// Writes DIRECTORY/ARM.safetensors, whole or not at all.
bool checkpoint_save(const char *directory, const Trainer *t, const Options *o,
                     const ArmHistory *curve, const char *command, char error[SAFETENSORS_ERROR]);

// Is there such a file? Also true if it can't be looked at: loading it will say why.
bool checkpoint_exists(const char *directory, const Arm *arm);

// Puts a trainer, fresh from trainer_init with the same options, where the saved one was. The saved
// points are added to `curve`, which has none yet. `path` is the file or its directory. Options
// that don't change the meaning of what was saved may differ: the learning rate, its schedule, the
// steps, ... False: `error` says what differs, what was found and what was expected; nothing has
// changed.
bool checkpoint_load(const char *path, Trainer *t, const Options *o, ArmHistory *curve,
                     char error[SAFETENSORS_ERROR]);

// A saved model, opened without the data it was trained on.
typedef struct Checkpoint {
    Safetensors file;
    Options options;  // as they were; their strings are parts of `file`, and `arm` has one entry
    const Arm *arm;
    Task task;        // the vocabularies, and what a model is built by; no sentences
} Checkpoint;

// Then: model_init(&model, &c.task, c.arm, options_config(&c.options).model, 0), and
// checkpoint_weights.
bool checkpoint_open(Checkpoint *c, const char *file, char error[SAFETENSORS_ERROR]);
bool checkpoint_weights(const Checkpoint *c, Params *params, char error[SAFETENSORS_ERROR]);
void checkpoint_close(Checkpoint *c);

#endif
