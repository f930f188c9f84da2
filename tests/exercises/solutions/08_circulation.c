#include <math.h>

#include "tests/exercises/exercises.h"

Tensor *biased_score(Tape *tape, Tensor *B, Tensor *bias) {
    Tensor *S = scale(tape, add(tape, B, transpose(tape, B)), 0.5);
    return add(tape, S, bias);
}

static double half_difference(int n, const double *S, int i, int j) {
    return (S[i * n + j] - S[j * n + i]) / 2;
}

static double mean_row(int n, const double *S, int i) {
    double p = 0;
    for (int j = 0; j < n; j++) p += half_difference(n, S, i, j) / n;
    return p;
}

void directions(int n, const double *S, double *asymmetry, double *circulation) {
    double all = 0, N_squares = 0, C_squares = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double N = half_difference(n, S, i, j), C = N - (mean_row(n, S, i) - mean_row(n, S, j));
            all += S[i * n + j] * S[i * n + j];
            N_squares += N * N;
            C_squares += C * C;
        }
    *asymmetry = sqrt(N_squares / all);
    *circulation = sqrt(C_squares / all);
}

double biased_bound(void) { return log(2); }
