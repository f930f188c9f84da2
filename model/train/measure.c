// What is measured of scores and of M. Nothing here knows a model or an arm. Read measure.h before;
// the singular values, at the end, may be skipped.
#include "measure.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "autograd/fatal.h"
#include "autograd/simd/kernels.h"

// N_ij
static double antisymmetric(const float *S, size_t row, size_t i, size_t j) {
    return ((double)S[i * row + j] - (double)S[j * row + i]) / 2;
}

Direction measure_direction(const float *S, size_t n, size_t row) {
    double *p = grow(NULL, n, sizeof *p), all = 0, odd = 0, turning = 0;
    for (size_t i = 0; i < n; i++) {
        p[i] = 0;
        for (size_t j = 0; j < n; j++) {
            p[i] += antisymmetric(S, row, i, j);
            all += (double)S[i * row + j] * (double)S[i * row + j];
        }
        p[i] /= (double)n;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {  // N_ji = -N_ij and C_ji = -C_ij: each square counts twice
            double N = antisymmetric(S, row, i, j), C = N - (p[i] - p[j]);
            odd += 2 * N * N;
            turning += 2 * C * C;
        }
    free(p);
    return all == 0 ? (Direction){0, 0} : (Direction){sqrt(odd / all), sqrt(turning / all)};
}

// The largest score is subtracted first, so that no exp overflows.
double measure_nll(const float *scores, size_t n, size_t target) {
    double most = scores[measure_argmax(scores, n)], total = 0;
    for (size_t j = 0; j < n; j++) total += exp((double)scores[j] - most);
    return log(total) - ((double)scores[target] - most);
}

// -log mean_h exp(-s_h), where s_h is the NLL of head h. The least s_h is taken out of the sum, so
// that not all exps underflow.
double measure_mean_nll(const float *scores, size_t heads, size_t apart, size_t n, size_t target) {
    double least = INFINITY, sum = 0;
    for (size_t h = 0; h < heads; h++)
        least = fmin(least, measure_nll(scores + h * apart, n, target));
    for (size_t h = 0; h < heads; h++)
        sum += exp(least - measure_nll(scores + h * apart, n, target)) / (double)heads;
    return least == INFINITY ? INFINITY : least - log(sum);
}

// 0 if all are NaN.
size_t measure_argmax(const float *x, size_t n) {
    float most = kernels()->largest(n, x);
    size_t best = 0;
    while (best < n && x[best] != most) best++;
    return best < n ? best : 0;
}

double measure_symmetry(const double *M, size_t n) {
    double trace = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            trace += M[i * n + j] * M[j * n + i];
            all += M[i * n + j] * M[i * n + j];
        }
    return all == 0 ? 0 : trace / all;
}

// Turns rows u and v in their plane until they are orthogonal. False if they were so already.
static bool rotate(double *u, double *v, size_t n) {
    double uu = 0, vv = 0, uv = 0;
    for (size_t i = 0; i < n; i++) {
        uu += u[i] * u[i];
        vv += v[i] * v[i];
        uv += u[i] * v[i];
    }
    if (fabs(uv) <= 1e-15 * sqrt(uu * vv)) return false;
    double zeta = (vv - uu) / (2 * uv);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    for (size_t i = 0; i < n; i++) {
        double x = u[i];
        u[i] = c * x - s * v[i];
        v[i] = s * x + c * v[i];
    }
    return true;
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// Once all rows are orthogonal, their lengths are the singular values. About ten sweeps over all
// pairs are enough; sixty end the loop where rounding keeps a pair from settling.
void measure_singular_values(double *M, size_t n, double *value) {
    bool turned = true;
    for (int sweep = 0; turned && sweep < 60; sweep++) {
        turned = false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) turned |= rotate(M + i * n, M + j * n, n);
    }
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t j = 0; j < n; j++) square += M[i * n + j] * M[i * n + j];
        value[i] = sqrt(square);
    }
    qsort(value, n, sizeof *value, descending);
}

int measure_rank(const double *value, int n) {
    int rank = 0;
    while (rank < n && value[rank] > 1e-6 * value[0]) rank++;
    return rank;
}
