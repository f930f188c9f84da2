// A walk from each token ends where an earlier one came by, so that each token is passed once.
#include "cycle.h"

#include <stdlib.h>

#include "autograd/fatal.h"

int cycle_find(const int *target, int n, bool *turns) {
    int *walk = grow(NULL, (size_t)n, sizeof *walk);  // that came by first, 0: none yet
    int cycles = 0;
    for (int i = 0; i < n; i++) walk[i] = turns[i] = 0;
    for (int i = 0; i < n; i++) {
        int at = i, length = 1;
        for (; at >= 0 && !walk[at]; at = target[at]) walk[at] = i + 1;
        if (at < 0 || walk[at] != i + 1) continue;
        for (int j = target[at]; j != at; j = target[j]) length++;
        if (length < 3) continue;
        cycles++;
        for (int j = target[at]; !turns[j]; j = target[j]) turns[j] = true;
    }
    free(walk);
    return cycles;
}
