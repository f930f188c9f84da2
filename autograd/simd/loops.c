// Plain loops, compiled once for each width of vectors (KERNELS in the Makefile): the compiler
// turns them into vectors itself. loops.h says what each one computes.
#include "loops.h"

#include <math.h>

#include "autograd/tiny.h"

static void add(size_t n, const float *a, const float *b, float *restrict out) {
    for (size_t i = 0; i < n; i++) out[i] = a[i] + b[i];
}

static void add_to(size_t n, const float *x, float *restrict y) {
    for (size_t i = 0; i < n; i++) y[i] += x[i];
}

static void shrink(size_t n, float factor, float least, float *x) {
    for (size_t i = 0; i < n; i++) x[i] = or_zero(factor * x[i], least);
}

// Writes each `term`, which speaks of number i, to y[i], or adds it to what is there.
#define WRITE_OR_ADD(n, y, add, term)                          \
    do {                                                       \
        if (add)                                               \
            for (size_t i = 0; i < (n); i++) (y)[i] += (term); \
        else                                                   \
            for (size_t i = 0; i < (n); i++) (y)[i] = (term);  \
    } while (0)

static void scale(size_t n, float factor, const float *x, float *restrict y, bool add) {
    WRITE_OR_ADD(n, y, add, factor * x[i]);
}

static void larger(size_t n, float factor, const float *x, float least, float *restrict y,
                   bool add) {
    WRITE_OR_ADD(n, y, add, or_zero(factor * x[i], least));
}

static void product(size_t n, const float *a, const float *b, float *restrict y, bool add) {
    WRITE_OR_ADD(n, y, add, a[i] * b[i]);
}

// ---- sums ---------------------------------------------------------------------------------------

// Adds `term`, which speaks of number i, for i = 0 .. n-1: in SUMS parts.
#define ADD_UP(part, n, term)                                                     \
    do {                                                                          \
        size_t from = 0;                                                          \
        for (; from + SUMS <= n; from += SUMS)                                    \
            for (size_t i = from; i < from + SUMS; i++) part[i - from] += (term); \
        for (size_t i = from; i < n; i++) part[i - from] += (term);               \
    } while (0)

static double sum(size_t n, const float *x) {
    double part[SUMS] = {0};
    ADD_UP(part, n, (double)x[i]);
    return sums_total(part);
}

static double squares(size_t n, const float *x, double mean) {
    double part[SUMS] = {0};
    ADD_UP(part, n, (x[i] - mean) * (x[i] - mean));
    return sums_total(part);
}

static double dot(size_t n, const float *a, const float *b) {
    double part[SUMS] = {0};
    ADD_UP(part, n, (double)a[i] * b[i]);
    return sums_total(part);
}

// ---- rows ---------------------------------------------------------------------------------------

static size_t mask(size_t n, const unsigned char *allowed, const float *x, float *restrict out) {
    unsigned seen = 0;
    for (size_t i = 0; i < n; i++) seen += allowed[i] != 0;
    for (size_t i = 0; i < n; i++) out[i] = allowed[i] ? x[i] : -INFINITY;
    return seen;
}

static void mask_backward(size_t n, const float *y, const float *dy, float *restrict dx,
                          bool add) {
    WRITE_OR_ADD(n, dx, add, y[i] == -INFINITY ? 0 : dy[i]);
}

static void softmax_backward(size_t rows, size_t n, const float *y, const float *dy,
                             float *restrict dx, bool add) {
    for (; rows; rows--, y += n, dy += n, dx += n) {
        float all = (float)dot(n, y, dy);
        WRITE_OR_ADD(n, dx, add, or_zero(y[i] * (dy[i] - all), TINY_SOFTMAX_GRAD));
    }
}

static void norm(size_t rows, size_t n, const float *x, const float *gain, const float *bias,
                 float *restrict u, float *restrict inverse, float *restrict y) {
    for (; rows; rows--, x += n, u += n, y += n) {
        double mean = sum(n, x) / (double)n;  // exact for a constant row
        double by = 1 / sqrt(squares(n, x, mean) / (double)n + 1e-5);
        for (size_t i = 0; i < n; i++) u[i] = (float)((x[i] - mean) * by);
        for (size_t i = 0; i < n; i++) y[i] = gain[i] * u[i] + bias[i];
        *inverse++ = (float)by;
    }
}

static void norm_backward(size_t rows, size_t n, const float *u, const float *inverse,
                          const float *dy, const float *gain, float *restrict dx, bool add) {
    for (; rows; rows--, u += n, dy += n, dx += n) {
        double part[SUMS] = {0}, part_u[SUMS] = {0}, by = (double)*inverse++;
        ADD_UP(part, n, (double)dy[i] * gain[i]);
        ADD_UP(part_u, n, (double)dy[i] * gain[i] * u[i]);
        double mean = sums_total(part) / (double)n, mean_u = sums_total(part_u) / (double)n;
        WRITE_OR_ADD(n, dx, add,
                     (float)(((double)dy[i] * gain[i] - mean - u[i] * mean_u) * by));
    }
}

static void adam(size_t n, const Adam *a, const float *restrict g, float *restrict m,
                 float *restrict v, float *restrict w) {
    struct Adam o = *a;
    for (size_t i = 0; i < n; i++) {
        float seen = or_zero(g[i], TINY_FOR_SQUARE);
        m[i] = or_zero(o.b1 * m[i] + o.c1 * g[i], TINY_MEAN);
        v[i] = or_zero(o.b2 * v[i] + o.c2 * seen * seen, TINY_SQUARE);
        w[i] -= o.step * m[i] / (sqrtf(v[i] * o.unbias) + o.epsilon);
    }
}

extern const Loops WITH_SUFFIX(loops, KERNELS);
const Loops WITH_SUFFIX(loops, KERNELS) = {
    .add = add, .add_to = add_to, .shrink = shrink, .dot = dot, .scale = scale, .larger = larger,
    .product = product, .mask_backward = mask_backward, .softmax_backward = softmax_backward,
    .norm_backward = norm_backward, .mask = mask, .norm = norm, .adam = adam,
};
