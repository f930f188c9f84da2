#ifndef AUTOGRAD_VEC_H
#define AUTOGRAD_VEC_H

#include <stdint.h>
#include <string.h>

// One register of floats, for the files that are compiled once for each width of it (see the
// Makefile): gemm.c and kernels.c. Their code is the same for all widths, and adds in the same
// order.

// Sums of a product, c + a * b, are fused where the processor can: gcc is told so by its flags;
// clang here, for each expression, since its own choice would differ from one width, or one tile,
// to the next.
#ifdef __clang__
#pragma clang fp contract(on)
#endif

#if defined __AVX512F__
enum { LANES = 16 };
#elif defined __AVX2__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

// The second type may lie anywhere in memory.
typedef float Vec __attribute__((vector_size(4 * LANES)));
typedef float VecAnywhere __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t VecInt __attribute__((vector_size(4 * LANES)));

static inline Vec load(const float *x) { return *(const VecAnywhere *)x; }
static inline void store(float *x, Vec v) { *(VecAnywhere *)x = v; }
static inline Vec splat(float x) { return x - (Vec){0}; }

// n numbers, fewer than a vector: halves, quarters, ... of it, since a loop would take them one by
// one.
static inline void copy_some(size_t n, const float *from, float *to) {
    for (size_t part = LANES / 2; part; part /= 2) {
        if (!(n & part)) continue;
        memcpy(to, from, part * sizeof *to);
        from += part;
        to += part;
    }
}

// The first n numbers of an array, fewer than a vector, with `rest` behind them.
static inline Vec load_some(size_t n, const float *x, float rest) {
    float copy[LANES];
    store(copy, splat(rest));
    copy_some(n, x, copy);
    return load(copy);
}

static inline void store_some(size_t n, float *x, Vec v) {
    float copy[LANES];
    store(copy, v);
    copy_some(n, copy, x);
}

static inline Vec choose(VecInt where, Vec yes, Vec no) {
    return (Vec)((where & (VecInt)yes) | (~where & (VecInt)no));
}

// x0 y0 x1 y1 ... of the lower and of the upper half of two vectors.
#ifdef __clang__
#define MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define MIX(x, y, ...) __builtin_shuffle(x, y, (VecInt){__VA_ARGS__})
#endif
#if defined __AVX512F__
static inline Vec zip_low(Vec x, Vec y) {
    return MIX(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline Vec zip_high(Vec x, Vec y) {
    return MIX(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
#elif defined __AVX2__
static inline Vec zip_low(Vec x, Vec y) { return MIX(x, y, 0, 8, 1, 9, 2, 10, 3, 11); }
static inline Vec zip_high(Vec x, Vec y) { return MIX(x, y, 4, 12, 5, 13, 6, 14, 7, 15); }
#else
static inline Vec zip_low(Vec x, Vec y) { return MIX(x, y, 0, 4, 1, 5); }
static inline Vec zip_high(Vec x, Vec y) { return MIX(x, y, 2, 6, 3, 7); }
#endif

#define PASTE(a, b) a##b
#define WITH_SUFFIX(name, suffix) PASTE(name, suffix)
#define STRING(x) #x
#define TEXT_OF(x) STRING(x)

#endif
