#ifndef TESTS_SETUP_H
#define TESTS_SETUP_H

#include <stdint.h>

#include "model/save/safetensors.h"
#include "model/train/record.h"
#include "model/train/tasks.h"

// What is said of weights that can't be read. Where addresses are of 32 bits, it takes less of them.
#if SIZE_MAX > 0xFFFFFFFF
#define A_FILE_OF_WEIGHTS "expected a safetensors file of at most 4 GiB"
#else
#define A_FILE_OF_WEIGHTS "expected a safetensors file of at most 1 GiB"
#endif

// The options and the task of a command line, as train.c would open them.
typedef struct Setup {
    Options options;
    Task task;
    char text[512];   // what the options' strings point into
} Setup;

void setup_open(Setup *setup,
                const char *command); // "train heads --d-k 4"; a mistake fails the test
void setup_close(Setup *setup);

// The first B held-out sentences, padded to at least `at_least`.
void setup_batch(const Setup *setup, Batch *batch, int B, int at_least);

const char *setup_arms(void);   // "xxt, xxt-x, ..."
const char *setup_tasks(void);  // "pronoun, search, ..."

void setup_normal(Tensor *x, uint64_t seed, double deviation);  // fills it from a seed of its own

// Fails the test unless n floats are the same bits.
void setup_same_bits(const char *what, const float *got, const float *expected, size_t n);

// Fails the test where two arrays differ by more than `tolerance` times the largest number of
// `expected`.
void setup_near(const char *what, const float *got, const double *expected, size_t n,
                double tolerance);

// Is the tensor of this shape, "F32 (2, 3)", and does byte i of it hold (begin + i) % 256?
void setup_check_tensor(const Safetensors *s, const char *name, const char *shape, size_t begin);

// Questions about pronouns, from the file `train`; `dev` may be NULL. Of `o` the rest counts.
Task setup_coref(SourceOptions o, const char *train, const char *dev);

#endif
