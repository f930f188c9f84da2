#ifndef AUTOGRAD_SIMD_SUMS_H
#define AUTOGRAD_SIMD_SUMS_H

// Sums are added up in SUMS parts, of every 16th number each, and those in pairs: vectors of every
// width then add in the same order, and no addition waits for a long chain of others.
enum { SUMS = 16 };

static inline double sums_total(double part[SUMS]) {
    for (int s = 0; s < 8; s++) part[s] += part[s + 8];
    for (int s = 0; s < 4; s++) part[s] += part[s + 4];
    for (int s = 0; s < 2; s++) part[s] += part[s + 2];
    return part[0] + part[1];
}

#endif
