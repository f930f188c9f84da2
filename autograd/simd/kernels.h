#ifndef AUTOGRAD_SIMD_KERNELS_H
#define AUTOGRAD_SIMD_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "loops.h"

// Matrices of one shape: element (i, j) of matrix p is at[p * step + i * row + j * column]. So a
// transpose is another pair of strides, and needs no copy.
typedef struct Matrices { float *at; size_t rows, columns, row, column, step; } Matrices;

// C = A B, or C += A B if `add`, for each of `count` products. A is (m, k), B (k, n), C (m, n), and
// the columns of C are 1 apart. Each element of C is one chain of additions in the order of k.
typedef void Gemm(size_t count, Matrices C, Matrices A, Matrices B, bool add);

// The loops that take most of the time. gemm.c, kernels.c and loops.c are compiled once for each
// width of vectors; kernels() picks the widest that this processor has. All widths add in the same
// order, so all processors that fuse multiplication and addition give the same bits.
typedef struct Kernels {
    const char *name;    // "avx512", "avx2", "plain"
    const Loops *loops;  // of the same width

    Gemm *gemm;

    // The largest of n numbers; -INFINITY if all are -INFINITY or NaN.
    float (*largest)(size_t n, const float *x);

    // y = exp(x - shift) for n numbers, within 2 units in the last place, or 0 below TINY_EXP. Gives
    // the sum of y, added in float in SUMS parts: for 10,000 equal numbers, sums measured were
    // within 1e-5 of the true one.
    double (*exp_sum)(size_t n, const float *x, float shift, float *y);

    // y = exp(x) / sum exp(x) for each row of n numbers; -INFINITY gives 0, and a row with nothing
    // else gives zeros. y must not be x.
    void (*softmax)(size_t rows, size_t n, const float *x, float *y);

    // y = gelu(x), slope = d gelu / dx, tanh form (Hendrycks and Gimpel 2016).
    void (*gelu)(size_t n, const float *x, float *y, float *slope);
} Kernels;

// QKV_KERNELS=plain|avx2|avx512 in the environment forces a width that the processor has.
const Kernels *kernels(void);

// Whether the processor has what QKV_KERNELS asks for. If not, `error` (of KERNELS_ERROR bytes)
// says what it has.
enum { KERNELS_ERROR = 256 };
bool kernels_known(char *error, size_t size);

#endif
