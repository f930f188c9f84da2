#ifndef AUTOGRAD_SUMS_H
#define AUTOGRAD_SUMS_H

// Sums are added up in SUMS parts, of every 16th number each, and those in pairs: vectors of every
// width then add in the same order, and no addition waits for a long chain of others.
enum { SUMS = 16 };

static inline double sums_total(double part[SUMS]) {
    for (int half = SUMS / 2; half; half /= 2)
        for (int s = 0; s < half; s++) part[s] += part[s + half];
    return part[0];
}

#endif
