#ifndef MODEL_TRAIN_MEASURE_H
#define MODEL_TRAIN_MEASURE_H

#include <stddef.h>

// Figures of attention, computed in double from plain arrays. Row i of a matrix S begins at
// S + i * row, so that a part of a padded matrix can be measured.

typedef struct Direction {
    double asymmetry;    // |N|_F / |S|_F with N = (S - Sᵀ)/2: 0 symmetric, 1 antisymmetric
    double circulation;  // |C|_F / |S|_F with C_ij = N_ij - (p_i - p_j), p_i = mean_j N_ij: the part
                         // of N that no bias on rows or columns undoes. Both: 0 for S = 0
} Direction;

// Of S (n, n). C is 0 exactly where S is symmetric up to biases on rows and columns. For exp(S)
// that is Kolmogorov's criterion (model/symmetry.md).
Direction measure_direction(const float *S, size_t n, size_t row);

// -log softmax(scores)[target] of n scores, in nats. A masked score is -INFINITY.
double measure_nll(const float *scores, size_t n, size_t target);
// -log of the mean over heads of softmax(scores)[target]. Each head's scores begin `apart` floats
// after those of the head before.
double measure_mean_nll(const float *scores, size_t heads, size_t apart, size_t n, size_t target);
// Index of the largest; the first of equals.
size_t measure_argmax(const float *x, size_t n);

// tr(M M) / |M|_F² of M (n, n): 1 symmetric, 0 unrelated to its mirror image, -1 antisymmetric
// (Saponati et al. 2025, eq. 6). 0 for M = 0.
double measure_symmetry(const double *M, size_t n);

// Singular values of M (n, n), the largest first, by one-sided Jacobi rotations (Hestenes 1958).
// Overwrites M. Takes time in n³.
void measure_singular_values(double *M, size_t n, double *value);
// How many of them exceed a millionth of the first. Rounding leaves zeros below that.
int measure_rank(const double *value, int n);

#endif
