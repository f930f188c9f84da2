#ifndef DATA_RANDOM_H
#define DATA_RANDOM_H

#include <stdint.h>

// Where a generator's luck comes from. data/ knows no random generator: whoever calls it hands one
// over, so that the state stays in one place and can be saved.
typedef struct RandomSource {
    uint32_t (*below)(void *state, uint32_t n);  // uniform in 0 .. n-1, for n >= 1
    void *state;
} RandomSource;

static inline int random_below(RandomSource random, int n) { return (int)random.below(random.state, (uint32_t)n); }

#endif
