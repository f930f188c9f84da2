#ifndef MODEL_VIEW_TYPED_H
#define MODEL_VIEW_TYPED_H

#include <stdio.h>

#include "data/sources.h"
#include "model/train/options.h"

enum { TYPED_ERROR = 512 };

// Reads a sentence that somebody typed, in the way of the options' task. `task` is the trained one,
// or as much of it as a checkpoint keeps; its key_count becomes that of this sentence. Free the
// example whatever happened. False: `error` says why, or an unknown word is in the example.
bool typed_read(Example *example, Task *task, const Options *options, const char *text,
                uint64_t seed, char error[TYPED_ERROR]);

// Is there a word that each of its words may attend to? Of a single one not, under --mask-self.
bool typed_attends(const Example *example, const Task *task, const Options *options,
                   char error[TYPED_ERROR]);

// Says in `error` which word is unknown, which known words are near, and a sentence that works.
void typed_unknown(const Example *example, const Options *options, char error[TYPED_ERROR]);

// A sentence that another seed generates, as it would be typed; the caller frees it. NULL: `error`
// says why. Not where the task's sentences come from a file.
char *typed_generate(const Options *options, uint64_t seed, char error[TYPED_ERROR]);

// The first sentence as it can be typed: in `search` each page is followed by its content.
void typed_write(FILE *out, const Task *task, const Sentences *s);

#endif
