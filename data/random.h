#ifndef DATA_RANDOM_H
#define DATA_RANDOM_H

#include <stdint.h>

// Where a generator's luck comes from. data/ knows no random generator: whoever calls it hands one
// over, so that the state stays in one place and can be saved.
typedef struct Dice {
    uint32_t (*roll)(void *state, uint32_t n);  // uniform in 0 .. n-1, for n >= 1
    void *state;
} Dice;

static inline int dice_roll(Dice dice, int n) { return (int)dice.roll(dice.state, (uint32_t)n); }

#endif
