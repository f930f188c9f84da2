// A walk from each token follows the targets until it meets a token that was visited. If the same
// walk has visited it, the walk went round a cycle. Each token is visited once.
#include "cycle.h"

#include <stdlib.h>

#include "autograd/fatal.h"

int cycle_find(const int *target, int n, int shortest, bool *in_cycle) {
    int *visitor = grow(NULL, (size_t)n, sizeof *visitor);  // the walk that came first, from 1
    int cycles = 0;
    for (int i = 0; i < n; i++) visitor[i] = in_cycle[i] = 0;
    for (int i = 0; i < n; i++) {
        int at = i, length = 1;
        for (; at >= 0 && !visitor[at]; at = target[at]) visitor[at] = i + 1;
        if (at < 0 || visitor[at] != i + 1) continue;
        for (int j = target[at]; j != at; j = target[j]) length++;
        if (length < shortest) continue;
        cycles++;
        for (int j = at; !in_cycle[j]; j = target[j]) in_cycle[j] = true;
    }
    free(visitor);
    return cycles;
}
