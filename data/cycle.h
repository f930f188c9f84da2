#ifndef DATA_CYCLE_H
#define DATA_CYCLE_H

#include <stdbool.h>

// Where questions go round: i asks j, j asks k, k asks i. A token asks one other at most, so that
// no two cycles share one. Of the questions of a cycle of n >= 3 a symmetric score finds n - 1 at
// most, and the mean of its -log A over them is at least ln 2 (model/symmetry.md,
// for n = 3; the argument is the same for any n). Two that ask each other it can follow.
//
// How many cycles of three or more there are among n tokens with these targets, -1 or 0 .. n-1.
// turns[i]: does token i stand on one?
int cycle_find(const int *target, int n, bool *turns);

#endif
