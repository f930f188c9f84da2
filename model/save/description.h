#ifndef MODEL_SAVE_DESCRIPTION_H
#define MODEL_SAVE_DESCRIPTION_H

#include "model/save/safetensors.h"
#include "model/train/options.h"

// What a saved model says of itself in its metadata: format, task, arm, command, the options
// as they are typed ("--d-k": "16"; a flag: ""), the vocabularies, a word a line, which
// relations are part of the cycle, whether the answer is pointed at, and a fingerprint of
// the sentences it is trained on.
void description_note(Safetensors *s, const Trainer *t, const Options *o, const char *command);

// Could `have` go on as `want`? Whatever gives the weights their meaning must agree;
// the learning rate and its schedule, the steps, the names of files, ... needn't.
// False: `error` says what differs.
bool description_same(const Safetensors *want, const Safetensors *have, const char *file,
                      char error[SAFETENSORS_ERROR]);

// The same for what may differ as a rule: where no step is left for it to change.
bool description_settled(const Safetensors *want, const Safetensors *have, const char *file,
                         char error[SAFETENSORS_ERROR]);

// The options, whose strings are then parts of `s`, and the task, without sentences or max_length.
bool description_read(const Safetensors *s, Options *o, Task *task, const char *file,
                      char error[SAFETENSORS_ERROR]);

#endif
