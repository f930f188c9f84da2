#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

void history_add(ArmHistory *arm, Measurement point, const double *head_symmetry) {
    size_t n = (size_t)arm->count++, row = (size_t)arm->heads * sizeof *head_symmetry;
    arm->point = grow_one(arm->point, n, sizeof point);
    arm->head_symmetry = grow_one(arm->head_symmetry, n, row);
    memcpy(arm->head_symmetry + n * (size_t)arm->heads, head_symmetry, row);
    arm->point[n] = point;
}

int history_next(int step, int steps) {
    enum { MEASUREMENTS = 55 };  // at least: the first of them are closer together
    int every = steps < MEASUREMENTS ? 1 : steps / MEASUREMENTS, apart = 1 + step / 8;
    int next = step + (apart < every ? apart : every);
    return next > steps || (next > every && steps - next < every / 2) ? steps : next;
}

void history_free(History *history) {
    for (int i = 0; i < history->arms; i++) {
        free(history->arm[i].point);
        free(history->arm[i].layer_of);
        free(history->arm[i].head_symmetry);
        free(history->arm[i].relation);
        free(history->arm[i].singular);
    }
    free(history->arm);
    *history = (History){0};
}
