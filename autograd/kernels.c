// Compiled once for each KERNELS (see the Makefile): the vector types below become one, two or four
// registers, whatever the flags of that compilation allow. The code is the same.
#include "kernels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Sums of a product, c + a * b, are fused where the processor can: gcc is told so by its flags; clang
// here, for each expression, since its own choice would differ from one width, or one tile, to the next.
#ifdef __clang__
#pragma clang fp contract(on)
#endif

// 16 floats. The second type may lie anywhere in memory.
typedef float Vec __attribute__((vector_size(64)));
typedef float VecAnywhere __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t VecInt __attribute__((vector_size(64)));
enum { LANES = 16 };

static inline Vec load(const float *x) { return *(const VecAnywhere *)x; }
static inline void store(float *x, Vec v) { *(VecAnywhere *)x = v; }
static inline Vec splat(float x) { return x - (Vec){0}; }

// ---- C += A B ---------------------------------------------------------------------------------
// A tile of C, at most TILE_ROWS x TILE_VECS vectors, stays in registers while k runs: one step
// loads TILE_VECS vectors of B, broadcasts TILE_ROWS numbers of A and does their product, so that
// loads are few beside the arithmetic. B is read in panels as wide as the tile; one that isn't
// contiguous, or that hangs over the edge of the matrix, is copied first.
#if defined __AVX512F__
enum { TILE_ROWS = 8, TILE_VECS = 2 };  // 16 of 32 registers hold C
#elif defined __AVX2__
enum { TILE_ROWS = 6, TILE_VECS = 1 };  // 12 of 16, a Vec being two of them
#else
enum { TILE_ROWS = 2, TILE_VECS = 1 };  // 8 of 16, a Vec being four
#endif
enum { PANEL_DEPTH = 256 };             // rows of B at a time: 32 KiB at the most

// rows and vecs are constants wherever this is called, so the loops unroll and c lives in registers.
static inline __attribute__((always_inline)) void tile(
    const int rows, const int vecs, size_t k, const float *A, size_t a_row, size_t a_column,
    const float *B, size_t b_row, float *C, size_t c_row) {
    Vec c[8][2];
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < vecs; v++) c[i][v] = load(C + (size_t)i * c_row + v * LANES);
    for (size_t p = 0; p < k; p++) {
        Vec b[2];
        for (int v = 0; v < vecs; v++) b[v] = load(B + p * b_row + v * LANES);
        for (int i = 0; i < rows; i++) {
            Vec a = splat(A[(size_t)i * a_row + p * a_column]);
            for (int v = 0; v < vecs; v++) c[i][v] += a * b[v];
        }
    }
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < vecs; v++) store(C + (size_t)i * c_row + v * LANES, c[i][v]);
}

// All rows of C under one panel of B, which is `vecs` vectors wide.
static inline __attribute__((always_inline)) void panel(
    const int vecs, size_t m, size_t k, const float *A, size_t a_row, size_t a_column,
    const float *B, size_t b_row, float *C, size_t c_row) {
    size_t i = 0;
    for (; i + TILE_ROWS <= m; i += TILE_ROWS)
        tile(TILE_ROWS, vecs, k, A + i * a_row, a_row, a_column, B, b_row, C + i * c_row, c_row);
    for (; i + 2 <= m; i += 2)
        tile(2, vecs, k, A + i * a_row, a_row, a_column, B, b_row, C + i * c_row, c_row);
    if (i < m) tile(1, vecs, k, A + i * a_row, a_row, a_column, B, b_row, C + i * c_row, c_row);
}

// Copies columns 0 .. width-1 of B into rows of `padded` floats, zeros behind them.
static void pack(size_t k, size_t width, size_t padded, const float *B, size_t b_row, size_t b_column,
                 float *packed) {
    for (size_t p = 0; p < k; p++) {
        for (size_t j = 0; j < width; j++) packed[p * padded + j] = B[p * b_row + j * b_column];
        for (size_t j = width; j < padded; j++) packed[p * padded + j] = 0;
    }
}

// The last columns, fewer than a vector: C goes through a padded copy, a few rows at a time.
static void edge(size_t m, size_t width, size_t k, const float *A, size_t a_row, size_t a_column,
                 const float *packed, float *C, size_t c_row) {
    float copy[TILE_ROWS * LANES] = {0};
    for (size_t i = 0; i < m; i += TILE_ROWS) {
        size_t rows = m - i < TILE_ROWS ? m - i : TILE_ROWS;
        for (size_t r = 0; r < rows; r++)
            memcpy(copy + r * LANES, C + (i + r) * c_row, width * sizeof *C);
        panel(1, rows, k, A + i * a_row, a_row, a_column, packed, LANES, copy, LANES);
        for (size_t r = 0; r < rows; r++)
            memcpy(C + (i + r) * c_row, copy + r * LANES, width * sizeof *C);
    }
}

static void gemm(size_t m, size_t n, size_t k, const float *A, size_t a_row, size_t a_column,
                 const float *B, size_t b_row, size_t b_column, float *C, size_t c_row) {
    enum { WIDE = TILE_VECS * LANES };
    float packed[PANEL_DEPTH * WIDE];
    for (size_t p = 0; p < k; p += PANEL_DEPTH) {
        size_t depth = k - p < PANEL_DEPTH ? k - p : PANEL_DEPTH;
        const float *Ap = A + p * a_column, *Bp = B + p * b_row;
        for (size_t j = 0; j < n; ) {
            size_t width = n - j >= WIDE ? WIDE : n - j >= LANES ? LANES : n - j;
            size_t padded = width < LANES ? LANES : width, stride = b_row;
            const float *Bj = Bp + j * b_column;
            if (b_column != 1 || width < LANES) {
                pack(depth, width, padded, Bj, b_row, b_column, packed);
                Bj = packed;
                stride = padded;
            }
            if (width < LANES) edge(m, width, depth, Ap, a_row, a_column, packed, C + j, c_row);
            else if (width == LANES) panel(1, m, depth, Ap, a_row, a_column, Bj, stride, C + j, c_row);
            else panel(TILE_VECS, m, depth, Ap, a_row, a_column, Bj, stride, C + j, c_row);
            j += width;
        }
    }
}

// ---- exp --------------------------------------------------------------------------------------
// exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2, exp(r) = 1 + r + r^2 p(r) with the
// polynomial of Cephes' expf (Moshier). ln 2 is subtracted in two parts, so that r keeps its digits,
// and 2^n is multiplied in two halves, so that the ends of float's range are reached.
static inline Vec pow2(VecInt n) { return (Vec)((n + 127) << 23); }

static inline Vec choose(VecInt where, Vec yes, Vec no) {
    return (Vec)((where & (VecInt)yes) | (~where & (VecInt)no));
}

static inline Vec exp_vec(Vec x) {
    const float round_to_int = 0x1.8p23f;  // adding it leaves no room for a fraction
    const Vec least = splat(-104.0f), most = splat(89.0f);  // exp is 0 and infinite at these two
    Vec in = choose(x < least, least, choose(x > most, most, x));
    Vec shifted = in * 1.44269504f + round_to_int;
    Vec n = shifted - round_to_int;
    VecInt bits = (VecInt)shifted - (VecInt)splat(round_to_int), half = bits >> 1;
    Vec r = (in - n * 0.693359375f) - n * -2.12194440e-4f;
    Vec p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    Vec y = (p * (r * r) + r) + 1.0f;
    return y * pow2(half) * pow2(bits - half);  // a NaN stays one: whatever n is, y is NaN
}

// The last numbers of an array, fewer than a vector, with `rest` behind them.
static inline Vec load_some(size_t n, const float *x, float rest) {
    float copy[LANES];
    for (size_t i = 0; i < LANES; i++) copy[i] = i < n ? x[i] : rest;
    return load(copy);
}

static inline void store_some(size_t n, float *x, Vec v) {
    float copy[LANES];
    store(copy, v);
    memcpy(x, copy, n * sizeof *x);
}

static double exp_sum(size_t n, const float *x, float shift, float *y) {
    Vec sum = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        Vec e = exp_vec(load(x + i) - shift);
        store(y + i, e);
        sum += e;
    }
    if (i < n) {
        Vec e = exp_vec(load_some(n - i, x + i, -INFINITY) - shift);
        store_some(n - i, y + i, e);
        sum += e;
    }
    double total = 0;
    for (int lane = 0; lane < LANES; lane++) total += (double)sum[lane];
    return total;
}

// ---- gelu -------------------------------------------------------------------------------------
// gelu(x) = x (1 + tanh u) / 2 = x s with s = 1 / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3)
// d gelu / dx = s + x s (1 - s) 2 du/dx. Far out, s (1 - s) is 0 and du/dx may be infinite: 0 wins.
static inline void gelu_vec(Vec x, Vec *y, Vec *slope) {
    Vec square = x * x;
    Vec twice_u = 1.5957691216f * (x + 0.044715f * square * x);
    Vec s = 1.0f / (1.0f + exp_vec(-twice_u));
    Vec rise = x * s * (1.0f - s), twice_du = 1.5957691216f * (1.0f + 0.134145f * square);
    VecInt flat = (s == splat(0)) | (s == splat(1));
    *y = choose(s == splat(0), splat(0), x * s);
    *slope = choose(flat, s, s + rise * twice_du);
}

static void gelu(size_t n, const float *x, float *y, float *slope) {
    size_t i = 0;
    Vec value, derivative;
    for (; i + LANES <= n; i += LANES) {
        gelu_vec(load(x + i), &value, &derivative);
        store(y + i, value);
        store(slope + i, derivative);
    }
    if (i < n) {
        gelu_vec(load_some(n - i, x + i, 0), &value, &derivative);
        store_some(n - i, y + i, value);
        store_some(n - i, slope + i, derivative);
    }
}

#define PASTE(a, b) a##b
#define TABLE(suffix) PASTE(kernels_, suffix)
#define STRING(x) #x
#define NAME(suffix) STRING(suffix)

extern const Kernels TABLE(KERNELS);
const Kernels TABLE(KERNELS) = {NAME(KERNELS), gemm, exp_sum, gelu};
