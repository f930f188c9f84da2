#ifndef AUTOGRAD_SIMD_VEC_H
#define AUTOGRAD_SIMD_VEC_H

#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

// Vec is one register of floats: a vector of LANES numbers. gemm.c and kernels.c are written with
// it, and compiled once for each width (see the Makefile). gcc and clang compute a + b, a * b and
// a < b on vectors themselves, number by number. What they lack stands here: load and
// store, part of a vector, choose by a condition, interleave.

// c + a * b is rounded once (fused) where the processor can. gcc does so by the flags of the
// Makefile. clang needs this line: left alone, it would fuse in one width and not in another.
#ifdef __clang__
#pragma clang fp contract(on)
#endif

// PAIRS(i): the numbers i, i + 1, ... of two vectors in turn, from half a vector each.
#define PAIR(i) (i), LANES + (i)
#if defined __AVX512F__
enum { LANES = 16 };
#define PAIRS(i) PAIR(i), PAIR(i + 1), PAIR(i + 2), PAIR(i + 3), \
                 PAIR(i + 4), PAIR(i + 5), PAIR(i + 6), PAIR(i + 7)
#elif defined __AVX2__
enum { LANES = 8 };
#define PAIRS(i) PAIR(i), PAIR(i + 1), PAIR(i + 2), PAIR(i + 3)
#else
enum { LANES = 4 };
#define PAIRS(i) PAIR(i), PAIR(i + 1)
#endif

// VecAnywhere is a vector in memory that isn't aligned.
typedef float Vec __attribute__((vector_size(4 * LANES)));
typedef float VecAnywhere __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t VecInt __attribute__((vector_size(4 * LANES)));

static inline Vec load(const float *x) { return *(const VecAnywhere *)x; }
static inline void store(float *x, Vec v) { *(VecAnywhere *)x = v; }
static inline Vec splat(float x) { return x - (Vec){0}; }  // in every lane; -0 + 0 were +0

// get_some: the first n numbers of an array, n < LANES, then `rest` in the other lanes. put_some:
// the first n lanes. Memory behind the n numbers is neither read nor written.
#if defined __AVX512F__
static inline Vec get_some(size_t n, const float *x, float rest) {
    return (Vec)_mm512_mask_loadu_ps((__m512)splat(rest), (__mmask16)((1u << n) - 1), x);
}

static inline void put_some(size_t n, float *x, Vec v) {
    _mm512_mask_storeu_ps(x, (__mmask16)((1u << n) - 1), (__m512)v);
}
#elif defined __AVX2__
static inline __m256i first(size_t n) {  // n lanes of -1 (all bits set), then 0
    static const int32_t some[2 * LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256((const __m256i_u *)(some + LANES - n));
}

static inline Vec get_some(size_t n, const float *x, float rest) {
    __m256i here = first(n);
    return (Vec)_mm256_blendv_ps((__m256)splat(rest), _mm256_maskload_ps(x, here),
                                 _mm256_castsi256_ps(here));
}

static inline void put_some(size_t n, float *x, Vec v) {
    _mm256_maskstore_ps(x, first(n), (__m256)v);
}
#else
static inline Vec get_some(size_t n, const float *x, float rest) {
    Vec v = splat(rest);
    for (size_t i = 0; i < n; i++) v[i] = x[i];
    return v;
}

static inline void put_some(size_t n, float *x, Vec v) {
    for (size_t i = 0; i < n; i++) x[i] = v[i];
}
#endif

// A function that is compiled anew for each call: what is a constant there is one inside.
#define FOLDED static inline __attribute__((always_inline))

// A vector's worth of the n > 0 numbers that are left of an array.
FOLDED Vec get(size_t n, const float *x, float rest) {
    return n >= LANES ? load(x) : get_some(n, x, rest);
}

FOLDED void put(size_t n, float *x, Vec v) {
    if (n >= LANES) store(x, v);
    else put_some(n, x, v);
}

// `yes` in the lanes where a comparison was true (-1), `no` where it was false (0)
static inline Vec choose(VecInt where, Vec yes, Vec no) {
    return (Vec)((where & (VecInt)yes) | (~where & (VecInt)no));
}

// Interleaves two vectors: x0 y0 x1 y1 ... from the lower halves, and the same from the upper.
#ifdef __clang__
#define MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define MIX(x, y, ...) __builtin_shuffle(x, y, (VecInt){__VA_ARGS__})
#endif
static inline Vec zip_low(Vec x, Vec y) { return MIX(x, y, PAIRS(0)); }
static inline Vec zip_high(Vec x, Vec y) { return MIX(x, y, PAIRS(LANES / 2)); }

#endif
