// exp, and what is made of it: softmax and gelu. Compiled once for each width of vectors (KERNELS
// in the Makefile). Each loop takes LANES numbers at a time, and what is left at the end as a part
// of a vector. Read vec.h before it.
#include "kernels.h"

#include <math.h>

#include "sums.h"
#include "vec.h"

// ---- the largest ------------------------------------------------------------------------------
static inline float greater(float a, float b) { return b > a ? b : a; }

static inline float largest_of(Vec v) {
    float part[LANES];
    store(part, v);
    for (int s = 0; s < LANES - 8; s++) part[s] = greater(part[s], part[s + 8]);
    for (int s = 0; s < 4 && LANES > 4; s++) part[s] = greater(part[s], part[s + 4]);
    return greater(greater(part[0], part[1]), greater(part[2], part[3]));
}

// A NaN is never the largest number. It still reaches the result, since its exp is NaN.
static float largest(size_t n, const float *x) {
    Vec most = splat(-INFINITY);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) most = choose(load(x + i) > most, load(x + i), most);
    if (i < n) {
        Vec left = load_some(n - i, x + i, -INFINITY);
        most = choose(left > most, left, most);
    }
    return largest_of(most);
}

// ---- exp --------------------------------------------------------------------------------------
// exp(x) = 2^n exp(r) with n = round(x / ln 2), so |r| <= ln 2 / 2. exp(r) = 1 + r + r^2 p(r),
// where p is the polynomial of Cephes' expf (Moshier).
// - ln 2 is subtracted in two parts: so r keeps its digits.
// - 2^n is multiplied in two halves: 2^128 is no float, and exp may be one with n = 128.
// - Below -44 ln 2 the result is 0 (kernels.h says why), and so it is for a masked score, -INFINITY.
//   Such an x is replaced by 0 first, so that no product underflows on the way.
static inline Vec pow2(VecInt n) { return (Vec)((n + 127) << 23); }

static inline Vec exp_vec(Vec x) {
    const float round_to_int = 0x1.8p23f;  // a float of this size has no bits for a fraction
    const Vec least = splat(-30.498475f), most = splat(89.0f);  // exp is 2^-44 and infinite there
    VecInt none = x < least;
    Vec in = choose(none, splat(0), choose(x > most, most, x));
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
    y = y * pow2(half) * pow2(bits - half);  // if x is NaN, r and y are, too
    return (Vec)(~none & (VecInt)y);
}

static inline double total_of(const Vec sum[SUMS / LANES]) {
    double part[SUMS];
    for (int s = 0; s < SUMS; s++) part[s] = (double)sum[s / LANES][s % LANES];
    return sums_total(part);
}

static double exp_sum(size_t n, const float *x, float shift, float *y) {
    Vec sum[SUMS / LANES] = {{0}};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        Vec e = exp_vec(load(x + i) - shift);
        store(y + i, e);
        sum[i / LANES % (SUMS / LANES)] += e;
    }
    if (i < n) {
        Vec e = exp_vec(load_some(n - i, x + i, -INFINITY) - shift);
        store_some(n - i, y + i, e);
        sum[i / LANES % (SUMS / LANES)] += e;
    }
    return total_of(sum);
}

// ---- softmax ----------------------------------------------------------------------------------
static inline void row_scale(size_t n, float factor, float *x) {
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) store(x + i, load(x + i) * factor);
    if (i < n) store_some(n - i, x + i, load_some(n - i, x + i, 0) * factor);
}

// AT_ONCE rows go through each of three passes together: while one row waits for its last
// additions, the processor begins the next.
static void softmax(size_t rows, size_t n, const float *x, float *y) {
    enum { AT_ONCE = 8 };
    float shift[AT_ONCE], share[AT_ONCE];
    for (size_t some; rows; rows -= some, x += some * n, y += some * n) {
        some = rows < AT_ONCE ? rows : AT_ONCE;
        for (size_t r = 0; r < some; r++) {
            float most = largest(n, x + r * n);
            shift[r] = most == -INFINITY ? 0 : most;
        }
        for (size_t r = 0; r < some; r++) {
            double total = exp_sum(n, x + r * n, shift[r], y + r * n);
            share[r] = total == 0 ? 0 : (float)(1 / total);
        }
        for (size_t r = 0; r < some; r++) row_scale(n, share[r], y + r * n);
    }
}

// ---- gelu -------------------------------------------------------------------------------------
// gelu(x) = x (1 + tanh u) / 2 = x s with s = 1 / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3)
// d gelu / dx = s + x s (1 - s) 2 du/dx. Far from 0, s (1 - s) is 0 and du/dx may be infinite;
// their product would be NaN, and is taken as 0. An s below 2^-44 counts as 0, as in exp.
static inline void gelu_vec(Vec x, Vec *y, Vec *slope) {
    Vec square = x * x;
    Vec twice_u = 1.5957691216f * (x + 0.044715f * square * x);
    Vec s = 1.0f / (1.0f + exp_vec(-twice_u));
    s = choose(s < splat(0x1p-44f), splat(0), s);
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

Gemm WITH_SUFFIX(gemm_, KERNELS);                 // gemm.c
extern const Loops WITH_SUFFIX(loops_, KERNELS);  // loops.c
extern const Kernels WITH_SUFFIX(kernels_, KERNELS);
const Kernels WITH_SUFFIX(kernels_, KERNELS) = {
    TEXT_OF(KERNELS), &WITH_SUFFIX(loops_, KERNELS), WITH_SUFFIX(gemm_, KERNELS),
    largest, exp_sum, softmax, gelu};
