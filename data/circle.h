#ifndef DATA_CIRCLE_H
#define DATA_CIRCLE_H

#include <stdbool.h>

// Where questions go round: i asks j, j asks k, k asks i. Each token asks one other at most, so that circles
// share none. Those of three tokens or more are what a symmetric score can't follow: of n of them one that
// comes first where two score alike finds n - 1 at most, and the mean of -log A over them is ln 2 at least
// (README, "What symmetry really forbids", for n = 3; the argument is the same for any n). Two that ask each
// other are no hindrance.
//
// How many such circles there are among n tokens with these targets, -1 or 0 .. n-1; turns[i]: is i on one?
int circle_find(const int *target, int n, bool *turns);

#endif
