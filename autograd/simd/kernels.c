// exp, and what is made of it: softmax and gelu. Compiled once for each width of vectors (KERNELS
// in the Makefile). Each loop takes LANES numbers at a time, at the end what is left. Read vec.h
// before it.
#include "kernels.h"

#include <math.h>

#include "autograd/tiny.h"
#include "vec.h"

// Does `step` for each i = 0, LANES, 2 LANES, ... below n; `lanes` is how many numbers stand there:
// LANES, a constant, but for the last step.
#define EACH_VECTOR(n, step)                           \
    do {                                               \
        size_t i = 0;                                  \
        for (; i + LANES <= (n); i += LANES) {         \
            const size_t lanes = LANES;                \
            step;                                      \
        }                                              \
        if (i < (n)) {                                 \
            const size_t lanes = (n) - i;              \
            step;                                      \
        }                                              \
    } while (0)

// ---- the largest ------------------------------------------------------------------------------
static inline float greater(float a, float b) { return b > a ? b : a; }

static inline float largest_of(Vec v) {
    float part[LANES];
    store(part, v);
    for (int pairs = LANES / 2; pairs; pairs /= 2)
        for (int s = 0; s < pairs; s++) part[s] = greater(part[s], part[s + pairs]);
    return part[0];
}

// A NaN is never the largest number. It still reaches the result, since its exp is NaN.
static float largest(size_t n, const float *x) {
    Vec most = splat(-INFINITY);
    EACH_VECTOR(n, Vec next = get(lanes, x + i, -INFINITY);
                   most = choose(next > most, next, most));
    return largest_of(most);
}

// ---- exp --------------------------------------------------------------------------------------
// exp(x) = 2^n exp(r) with n = round(x / ln 2), so |r| <= ln 2 / 2. exp(r) = 1 + r + r^2 p(r),
// where p is the polynomial of Cephes' expf (Moshier).
// - ln 2 is subtracted in two parts: so r keeps its digits.
// - 2^n is multiplied in two halves: 2^128 is no float, and exp may be one with n = 128.
// - A result below TINY_EXP is 0 (tiny.h), and so it is for a masked score, -INFINITY. Such an x is
//   replaced by 0 first, so that no product underflows on the way.
// 2^n for -126 <= n <= 127
static inline Vec pow2(VecInt n) { return (Vec)((n + 127) << 23); }

static inline Vec exp_vec(Vec x) {
    const float round_to_int = 0x1.8p23f;  // a float of this size has no bits for a fraction
    const Vec least = splat(-38.816242f), most = splat(89.0f);  // exp is TINY_EXP, and infinite
    VecInt vanishes = x < least;
    Vec in = choose(vanishes, splat(0), choose(x > most, most, x));
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
    return (Vec)(~vanishes & (VecInt)y);
}

static inline double total_of(const Vec sum[SUMS / LANES]) {
    double part[SUMS];
    for (int s = 0; s < SUMS; s++) part[s] = (double)sum[s / LANES][s % LANES];
    return sums_total(part);
}

static double exp_sum(size_t n, const float *x, float shift, float *y) {
    Vec sum[SUMS / LANES] = {{0}};
    EACH_VECTOR(n, Vec e = exp_vec(get(lanes, x + i, -INFINITY) - shift);
                   put(lanes, y + i, e);
                   sum[i / LANES % (SUMS / LANES)] += e);
    return total_of(sum);
}

// ---- softmax ----------------------------------------------------------------------------------
static inline void row_scale(size_t n, float factor, float *x) {
    EACH_VECTOR(n, put(lanes, x + i, get(lanes, x + i, 0) * factor));
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
// their product would be NaN, and is taken as 0. An s below TINY_EXP counts as 0.
FOLDED void gelu_vec(size_t lanes, const float *x, float *y, float *slope) {
    Vec v = get(lanes, x, 0), square = v * v;
    Vec twice_u = 1.5957691216f * (v + 0.044715f * square * v);
    Vec s = 1.0f / (1.0f + exp_vec(-twice_u));
    s = choose(s < splat(TINY_EXP), splat(0), s);
    Vec rise = v * s * (1.0f - s), twice_du = 1.5957691216f * (1.0f + 0.134145f * square);
    VecInt flat = (s == splat(0)) | (s == splat(1));
    put(lanes, y, choose(s == splat(0), splat(0), v * s));
    put(lanes, slope, choose(flat, s, s + rise * twice_du));
}

static void gelu(size_t n, const float *x, float *y, float *slope) {
    EACH_VECTOR(n, gelu_vec(lanes, x + i, y + i, slope + i));
}

#define STRING(x) #x
#define TEXT_OF(x) STRING(x)

Gemm WITH_SUFFIX(gemm, KERNELS);                 // gemm.c
extern const Loops WITH_SUFFIX(loops, KERNELS);  // loops.c
extern const Kernels WITH_SUFFIX(kernels, KERNELS);
const Kernels WITH_SUFFIX(kernels, KERNELS) = {
    .name = TEXT_OF(KERNELS), .loops = &WITH_SUFFIX(loops, KERNELS),
    .gemm = WITH_SUFFIX(gemm, KERNELS), .largest = largest, .exp_sum = exp_sum,
    .softmax = softmax, .gelu = gelu};
