#ifndef AUTOGRAD_RNG_H
#define AUTOGRAD_RNG_H

#include <stdint.h>

// SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators", fig.
// 12). The whole state is one number: a checkpoint saves a generator as a u64.
typedef struct Rng { uint64_t state; } Rng;

Rng rng_new(uint64_t seed, uint64_t stream);   // streams of one seed are unrelated to each other
uint64_t rng_next(Rng *rng);                   // 64 random bits
uint32_t rng_below(Rng *rng, uint32_t n);      // uniform in 0 .. n-1, without bias; n >= 1
double rng_uniform(Rng *rng);                  // uniform in [0, 1), 53 bits
double rng_normal(Rng *rng);                   // mean 0, variance 1 (Box and Muller 1958)

#endif
