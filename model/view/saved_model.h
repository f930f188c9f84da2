#ifndef MODEL_VIEW_SAVED_MODEL_H
#define MODEL_VIEW_SAVED_MODEL_H

#include "data/sources.h"
#include "model/save/checkpoint.h"
#include "model/view/inspect.h"

// A saved model and the sentence that it is given. Do not copy or move it: the model points into it.
typedef struct SavedModel {
    char *file;
    Checkpoint saved;
    Model model;
    Example given;
    char origin[400];         // where the sentence is from
    Tape tape;                // of what is inspected
} SavedModel;

enum { SAVED_MODEL_ERROR = 512 };

// `path`: a .safetensors file of a run, or a directory with one in it. False: `error` says what was
// found and what was expected, and nothing is left.
bool saved_model_open(SavedModel *m, const char *path, char error[SAVED_MODEL_ERROR]);
void saved_model_close(SavedModel *m);

// Reads a typed sentence and runs the model on it. `sentence` NULL: one of the task's own, which
// `seed` generates (0: the run's seed, which gives the sentence that the run showed), or, where
// sentences come from a file, the held-out sentence number `seed` (from 1; 0: the first).
bool saved_model_inspect(SavedModel *m, const char *sentence, uint64_t seed, Inspected *x,
                         char error[SAVED_MODEL_ERROR]);

#endif
