#ifndef TESTS_FUZZ_MODELS_H
#define TESTS_FUZZ_MODELS_H

#include "model/save/checkpoint.h"

// Tiny trainings, a few of each task, as they start.
typedef struct Tiny {
    const char *name;      // of its directory under FUZZ_DIR
    char text[256];        // what the options' strings point into
    Options options;
    Task task;
    Trainer trainer;
    ArmHistory curve;
} Tiny;

enum { TINY = 9 };

// Opens number i and saves it, one step on, in a directory of its own: gives the file (static).
const char *tiny_open(Tiny *tiny, int i);

#endif
