#ifndef MODEL_MEASURE_H
#define MODEL_MEASURE_H

#include <stddef.h>

// Figures of a square matrix, computed in double. `row` is how far its rows are apart.

typedef struct Direction {
    double asymmetry;    // |N|_F / |S|_F with N = (S - Sᵀ)/2: 0 symmetric, 1 antisymmetric
    double circulation;  // |C|_F / |S|_F with C_ij = N_ij - (p_i - p_j), p_i = mean_j
                         // N_ij: the part of N that no bias on rows or columns undoes (0
                         // for S = 0, as is the asymmetry)
} Direction;

// Of S (n, n). That C vanishes where S is symmetric but for such biases, and only there, is
// Kolmogorov's criterion for exp(S) (model/symmetry.md).
Direction measure_direction(const float *S, size_t n, size_t row);

// -log softmax(scores)[target] of n scores, in nats; scores of -INFINITY are masked.
double measure_nll(const float *scores, size_t n, size_t target);
// The same of several heads' mean attention; their scores are `apart` floats behind each other.
double measure_mean_nll(const float *scores, size_t heads, size_t apart, size_t n,
                             size_t target);
// Index of the largest, the first of equals.
size_t measure_argmax(const float *x, size_t n);

// The mean over heads of maps of so many cells, one behind the other.
void measure_mean_map(const float *map, size_t heads, size_t cells, float *mean);

// tr(M M) / |M|_F²: 1 symmetric, 0 unrelated, -1 antisymmetric (Saponati et
// al. 2025, eq. 6); 0 for M = 0.
double measure_symmetry(const double *M, size_t n);

// Singular values of M (n, n), the largest first, by one-sided Jacobi rotations (Hestenes 1958).
// M is overwritten.
void measure_singular_values(double *M, size_t n, double *value);
// How many of them are more than a millionth of the first: rounding leaves
// those that are 0 below that.
int measure_rank(const double *value, int n);

#endif
