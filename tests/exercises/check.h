#ifndef TESTS_EXERCISES_CHECK_H
#define TESTS_EXERCISES_CHECK_H

#include <math.h>
#include <stdio.h>

#include "tests/exercises/exercises.h"

// What the checks share: verdicts in words, and comparisons that recognise common mistakes.

// Each file of checks/ defines it. It returns if the answer is right. It runs in a child process,
// so that a crash becomes a verdict too.
void check(void);

// Prints why the answer is not right yet, in one sentence, and ends the check.
_Noreturn void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Prints a measurement. It is shown whatever the verdict is.
void measured(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Says what runs from here on, for the verdict after a crash: "the backward of my_mul".
void trying(const char *what);

// A tensor on the tape, filled with independent normal numbers; its gradient is 0.
Tensor *leaf(Tape *tape, int rank, const int *shape, uint64_t seed, double std);
void clear(Tensor *x);  // sets its gradient to 0
void copied(const float *from, size_t n, double *to);

// The numbers of a wrong answer, and what is wrong with it: "is missing the factor b".
typedef struct Guess {
    const char *words;
    const double *x;
} Guess;

// A verdict unless the n numbers agree to 1e-4 of the largest. It names the first guess that fits
// (`guess` is an array that ends with {0}, or NULL). If none fits, it tries what can happen to any
// answer: nothing written, a wrong sign, a constant factor, a constant offset, only signs right.
void compare(const char *what, const float *got, const double *expected, size_t n,
             const Guess *guess);

// Compares the gradient that out's backward gives to x. The caller has filled out->grad. The
// backward runs twice: into zeros, and onto other numbers, to which it must add.
void compare_gradient(const char *what, Tensor *out, Tensor *x, const double *expected,
                      const Guess *guess);

// A verdict unless `out` has the shape of `like`. `name` is the function of the learner.
void check_recorded(const char *name, const Tensor *out, const Tensor *like);

#endif
