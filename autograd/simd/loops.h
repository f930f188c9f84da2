#ifndef AUTOGRAD_SIMD_LOOPS_H
#define AUTOGRAD_SIMD_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

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

typedef struct Adam { float b1, c1, b2, c2, step, unbias, epsilon; } Adam;  // c = 1 - b

// Loops that do little with each number. loops.c is compiled once for each width of vectors, as the
// kernels are, but every operation is rounded as it is written. So all processors give the same
// bits.
typedef struct Loops {
    void (*add)(size_t n, const float *a, const float *b, float *out);      // out = a + b
    void (*add_to)(size_t n, const float *x, float *y);                     // y += x
    void (*shrink)(size_t n, float factor, float least, float *x);  // x = factor x, or 0 below least
    double (*dot)(size_t n, const float *a, const float *b);

    // These write y or dx, or add to it if `add`.
    void (*scale)(size_t n, float factor, const float *x, float *y, bool add);      // factor x
    // factor x, where that is at least `least` in absolute value
    void (*larger)(size_t n, float factor, const float *x, float least, float *y, bool add);
    void (*product)(size_t n, const float *a, const float *b, float *y, bool add);  // a b
    // dy where y isn't -INFINITY
    void (*mask_backward)(size_t n, const float *y, const float *dy, float *dx, bool add);
    // Rows of n: y (dy - sum_j y_j dy_j), where that is not tiny
    void (*softmax_backward)(size_t rows, size_t n, const float *y, const float *dy, float *dx,
                             bool add);
    // Rows of n: (dy gain - mean(dy gain) - u mean(dy gain u)) inverse
    void (*norm_backward)(size_t rows, size_t n, const float *u, const float *inverse,
                          const float *dy, const float *gain, float *dx, bool add);

    // out = x where allowed, -INFINITY elsewhere; gives how many are allowed.
    size_t (*mask)(size_t n, const unsigned char *allowed, const float *x, float *out);
    // Rows of n: inverse = 1 / sqrt(variance + 1e-5), u = (x - mean) inverse, y = gain u + bias
    void (*norm)(size_t rows, size_t n, const float *x, const float *gain, const float *bias,
                 float *u, float *inverse, float *y);
    // m = b1 m + (1-b1) g, v = b2 v + (1-b2) g², w -= step m / (sqrt(v unbias) + epsilon), where
    // tiny m and v become 0
    void (*adam)(size_t n, const Adam *adam, const float *g, float *m, float *v, float *w);
} Loops;

const Loops *loops(void);  // of the width that kernels() chose

// Names of what is compiled for a width: NAME_plain, NAME_avx2, NAME_avx512.
#define PASTE(a, b) a##_##b
#define WITH_SUFFIX(name, suffix) PASTE(name, suffix)

#endif
