#ifndef MODEL_SAVE_DESCRIPTION_H
#define MODEL_SAVE_DESCRIPTION_H

#include "model/save/safetensors.h"
#include "model/train/trainer.h"
#include "model/train/options.h"

// What a saved model says of itself, in the metadata of its file:
//
//     format               "qkv 3", of the layout of the whole file
//     task, arm, command   "pronoun", "qkv", "./train --steps 500"
//     --d-k, --no-scale, ...   the options as they are typed: "16"; a flag that is set: ""
//     training data        how much, and a fingerprint (FNV-1a) of vocabularies and training set
//     vocabulary.word, ...     one word per line; a vocabulary that is empty is left out
//     cycle                a 1 for each relation that is part of a cycle, else a 0
//
// A file of another format is refused: who changes the layout counts the format up.
void description_note(Safetensors *s, const Trainer *t, const Options *o, const char *command);

// Could the training of `have` go on as `want`? MUST_AGREE compares everything that gives weights
// their meaning: format, task, arm, the options of that kind, and the fingerprint. MAY_DIFFER
// compares the other saved options (learning rate, schedule, ...), except the names of files.
// False: `error` says what differs, what was found and what was expected.
bool description_same(const Safetensors *want, const Safetensors *have, Saved kind,
                      char error[SAFETENSORS_ERROR]);

// Reads the options, whose strings are then parts of `s`, and the task, without sentences or
// max_length, which is {0} before. It is to be freed either way.
bool description_read(const Safetensors *s, Options *o, Task *task, char error[SAFETENSORS_ERROR]);

#endif
