#ifndef DATA_CYCLE_H
#define DATA_CYCLE_H

#include <stdbool.h>

enum { SHORTEST_CYCLE = 3 };  // of those that no symmetric score can follow

// Finds where questions form a cycle: i asks for j, j asks for k, k asks for i. What a symmetric
// score can't do there: model/symmetry.md. A token asks for at most one other token, so that no two
// cycles share a token.
//
// Gives the number of cycles of at least `shortest` tokens, among n tokens with these targets, each
// -1 or 0 .. n-1. in_cycle[i] tells whether token i lies on such a cycle.
int cycle_find(const int *target, int n, int shortest, bool *in_cycle);

#endif
