#ifndef AUTOGRAD_SIMD_KERNELS_H
#define AUTOGRAD_SIMD_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

// C = A B, or C += A B if `add`, with A (m, k), B (k, n), C (m, n), k >= 1. Element (i, j) of A is
// A[i * a_row + j * a_column], the same for B: strides, so a transpose costs no copy. C's rows
// are c_row apart, its columns 1. Each element of C is one chain of additions, in the order of k.
typedef void Gemm(size_t m, size_t n, size_t k, const float *A, size_t a_row, size_t a_column,
                  const float *B, size_t b_row, size_t b_column, float *C, size_t c_row, int add);

// The loops that take the time. gemm.c, kernels.c and loops.c are compiled once for each width of
// vector that a processor may have; kernels() picks the widest that this one has. All widths sum in
// the same order, so those with a fused multiply-add give the same bits.
typedef struct Kernels {
    const char *name;  // "avx512", "avx2", "plain"

    Gemm *gemm;

    float (*largest)(size_t n, const float *x);  // -INFINITY if all are that, or NaN
    // y = exp(x - shift) for n numbers, within 2 units in the last place; gives their sum
    // (in float, in 16 parts: within 1e-5 of it for 10,000 equal ones).
    double (*exp_sum)(size_t n, const float *x, float shift, float *y);

    // y = exp(x) / sum exp(x) for each row of n numbers; -INFINITY gives
    // 0, a row of them 0s. y is not x.
    void (*softmax)(size_t rows, size_t n, const float *x, float *y);

    // y = gelu(x), slope = d gelu / dx, tanh form (Hendrycks and Gimpel 2016).
    void (*gelu)(size_t n, const float *x, float *y, float *slope);
} Kernels;

// QKV_KERNELS=plain|avx2|avx512 in the environment forces one that the processor has.
const Kernels *kernels(void);

// Does it have what QKV_KERNELS asks for? False: `error`, of 256 bytes or
// more, says what would be right.
enum { KERNELS_ERROR = 256 };
bool kernels_known(char *error, size_t size);

#endif
