#ifndef MODEL_VIEW_TYPED_H
#define MODEL_VIEW_TYPED_H

#include "data/example.h"
#include "model/train/options.h"

enum { TYPED_ERROR = 512 };

// Reads a sentence that somebody typed, in the way of the options' task. `task` is the trained one,
// or as much of it as a checkpoint keeps; its key_count becomes that of this sentence. Free the
// example whatever happened. False: `error` says what is wrong, and which known words are near.
bool typed_read(Example *example, Task *task, const Options *options, const char *text,
                uint64_t seed, char error[TYPED_ERROR]);

// What is wrong with a sentence in which example->unknown was met.
void typed_unknown(const Example *example, char error[TYPED_ERROR]);

#endif
