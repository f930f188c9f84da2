// Random numbers from a seed. rng_next gives the same on every machine. This file needs no other.
#include "rng.h"

#include <math.h>

// A bijection of 64 bits in which every bit of z changes about half of the bits of the result.
static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

Rng rng_new(uint64_t seed, uint64_t stream) { return (Rng){mix(seed) ^ mix(~mix(stream))}; }

uint64_t rng_next(Rng *rng) { return mix(rng->state += 0x9e3779b97f4a7c15u); }

// 2^64 isn't a multiple of n: with all draws the small results would be likelier. Leaving out the
// lowest 2^64 mod n draws makes every result as likely; such a draw is repeated.
uint32_t rng_below(Rng *rng, uint32_t n) {
    uint64_t unfair = -(uint64_t)n % n, drawn;
    do drawn = rng_next(rng); while (drawn < unfair);
    return (uint32_t)(drawn % n);
}

double rng_uniform(Rng *rng) { return (double)(rng_next(rng) >> 11) * 0x1p-53; }

double rng_normal(Rng *rng) {
    double radius = sqrt(-2.0 * log(1.0 - rng_uniform(rng)));  // 1 - u is never 0
    return radius * cos(6.283185307179586 * rng_uniform(rng));
}
