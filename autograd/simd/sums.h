#ifndef AUTOGRAD_SIMD_SUMS_H
#define AUTOGRAD_SIMD_SUMS_H

// A sum is computed in SUMS parts: part s adds numbers s, s + 16, s + 32, ... Then the parts are
// added in pairs. Vectors of 4, 8 and 16 numbers can all add in this order, and so give the same
// bits; and no addition waits for a long chain of others.
enum { SUMS = 16 };

static inline double sums_total(double part[SUMS]) {
    for (int s = 0; s < 8; s++) part[s] += part[s + 8];
    for (int s = 0; s < 4; s++) part[s] += part[s + 4];
    for (int s = 0; s < 2; s++) part[s] += part[s + 2];
    return part[0] + part[1];
}

#endif
