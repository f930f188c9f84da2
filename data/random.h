#ifndef DATA_RANDOM_H
#define DATA_RANDOM_H

#include <stddef.h>
#include <stdint.h>

// Where random numbers come from. data/ knows no generator: the caller hands one over, so that its
// state stays in one place and can be saved.
typedef struct RandomSource {
    uint32_t (*below)(void *state, uint32_t n);  // uniform in 0 .. n-1, for n >= 1
    void *state;
} RandomSource;

static inline int random_below(RandomSource random, int n) {
    return (int)random.below(random.state, (uint32_t)n);
}

// Fisher and Yates: every order of the n indices has the same probability.
static inline void random_shuffle(RandomSource random, size_t *index, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)random_below(random, (int)i), kept = index[i - 1];
        index[i - 1] = index[j];
        index[j] = kept;
    }
}

#endif
