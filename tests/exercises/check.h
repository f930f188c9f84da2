#ifndef TESTS_EXERCISES_CHECK_H
#define TESTS_EXERCISES_CHECK_H

#include <math.h>
#include <stdio.h>

#include "tests/exercises/exercises.h"

// What the checks share: a verdict in words, and comparisons that look for what went wrong.

// One a file of checks/: returns if the exercise holds. It runs in a process of its own, so that a
// crash is a verdict too.
void check(void);

// The verdict that it doesn't hold yet: one sentence. Ends the check.
_Noreturn void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A line of what was measured, shown whatever the verdict.
void measured(const char *format, ...) __attribute__((format(printf, 1, 2)));

// What is being tried from now on, for the verdict on a crash: "the backward of my_mul".
void trying(const char *what);

// A tensor on the tape, of independent normal numbers, with a gradient of 0s.
Tensor *leaf(Tape *tape, int rank, const int *shape, uint64_t seed, double deviation);
void clear(Tensor *x);  // its gradient: 0s
void copied(const float *from, size_t n, double *to);

// What a wrong answer would give, and how to say so: "is missing the factor b".
typedef struct Guess {
    const char *words;
    const double *x;
} Guess;

// A verdict unless the n numbers agree, to 1e-4 of the largest: first by the guesses (an array that
// ends with {0}, or NULL), then by what may happen to any answer: nothing written, a sign, a
// factor, an offset, right signs.
void compare(const char *what, const float *got, const double *expected, size_t n,
             const Guess *guess);

// The gradient that out's backward gives to x, from out->grad as the caller filled it: once into
// 0s, once on top of what is there, which must stay.
void compare_gradient(const char *what, Tensor *out, Tensor *x, const double *expected,
                      const Guess *guess);

// Verdicts on what an op recorded on the tape; `name` is the learner's function.
void check_recorded(const char *name, const Tensor *out, const Tensor *like);

#endif
