#ifndef MODEL_TRAIN_CLOCK_H
#define MODEL_TRAIN_CLOCK_H

#include <time.h>

// Seconds on a clock that nobody sets.
static inline double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
