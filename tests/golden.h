#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "autograd/tape.h"

// What another program computed, from a file of tensors that tests/golden.py writes: a line
// `name shape...`, then the numbers. A file or a tensor that isn't there fails the test.
typedef struct Golden {
    Tape tape;         // holds them all, each as a leaf under its name
    const char *name;  // of the file, without directory and ending
} Golden;

Golden golden_read(const char *name);                          // tests/golden/<name>.txt
void golden_free(Golden *golden);
bool golden_has(const Golden *golden, const char *tensor);
Tensor *golden_find(const Golden *golden, const char *tensor);
float golden_number(const Golden *golden, const char *tensor); // the only one that it has
const int *golden_integers(Golden *golden, const char *tensor);

// Copies a golden tensor's numbers into x, whose shape must be the same.
void golden_fill(const Golden *golden, const char *tensor, Tensor *x);

// Fails the test where `got` differs from a golden tensor by more than `tolerance` times the
// largest finite number of it. Infinities must be the same.
void golden_compare(const Golden *golden, const char *tensor, const float *got, size_t size,
                    double tolerance);

#endif
