// Compiled once for each KERNELS (see the Makefile).
#include "kernels.h"

#include <math.h>

#include "sums.h"
#include "vec.h"

// ---- exp --------------------------------------------------------------------------------------
// exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2, exp(r) = 1 + r + r^2 p(r) with the
// polynomial of Cephes' expf (Moshier). ln 2 is subtracted in two parts, so that r keeps its digits,
// and 2^n is multiplied in two halves, so that the ends of float's range are reached.
static inline Vec pow2(VecInt n) { return (Vec)((n + 127) << 23); }

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
// The numbers behind the last whole vector of a row, -INFINITY behind them. Where the array goes on
// (`beyond`: there is another row), a whole vector is read, and what isn't the row's is put aside.
static inline Vec load_left(size_t left, const float *x, int beyond) {
    if (!beyond) return load_some(left, x, -INFINITY);
    VecInt place = {0};
    for (int lane = 0; lane < LANES; lane++) place[lane] = lane;
    return choose(place < (int)left, load(x), splat(-INFINITY));
}

static inline float largest_of(Vec v) {
    float part[LANES];
    store(part, v);
    for (int half = LANES / 2; half; half /= 2)
        for (int lane = 0; lane < half; lane++)
            part[lane] = part[lane + half] > part[lane] ? part[lane + half] : part[lane];
    return part[0];
}

static void softmax_row(size_t n, const float *x, float *y, int beyond) {
    size_t i, whole = n / LANES * LANES;
    Vec most = splat(-INFINITY), sum[SUMS / LANES] = {{0}}, left = most;
    for (i = 0; i < whole; i += LANES) most = choose(load(x + i) > most, load(x + i), most);
    if (whole < n) left = load_left(n - whole, x + whole, beyond);
    // A NaN never is the largest; it spreads through its own exp.
    float largest = largest_of(choose(left > most, left, most));
    float shift = largest == -INFINITY ? 0 : largest;
    for (i = 0; i < whole; i += LANES) {
        Vec e = exp_vec(load(x + i) - shift);
        store(y + i, e);
        sum[i / LANES % (SUMS / LANES)] += e;
    }
    if (whole < n) sum[i / LANES % (SUMS / LANES)] += left = exp_vec(left - shift);
    double total = total_of(sum);
    float share = total == 0 ? 0 : (float)(1 / total);
    for (i = 0; i < whole; i += LANES) store(y + i, load(y + i) * share);
    if (whole < n && beyond) store(y + whole, left * share);  // the next row is yet to be written
    else if (whole < n) store_some(n - whole, y + whole, left * share);
}

static void softmax(size_t rows, size_t n, const float *x, float *y) {
    for (size_t r = 0; r < rows; r++)
        softmax_row(n, x + r * n, y + r * n, (rows - 1 - r) * n >= LANES);
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

Gemm WITH_SUFFIX(gemm_, KERNELS);  // gemm.c
extern const Kernels WITH_SUFFIX(kernels_, KERNELS);
const Kernels WITH_SUFFIX(kernels_, KERNELS) = {TEXT_OF(KERNELS), WITH_SUFFIX(gemm_, KERNELS),
                                                exp_sum, softmax, gelu};
