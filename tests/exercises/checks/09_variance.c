#include "tests/exercises/check.h"

enum { DRAWS = 20000, WIDTHS = 4, ROWS = 64, L = 16 };

static const int width[WIDTHS] = {4, 16, 64, 256};

// The tolerance of 10 % is at least six standard errors of DRAWS draws.
static void check_measured(void) {
    trying("dot_measured");
    for (int i = 0; i < 2 * WIDTHS; i++) {
        Rng rng = rng_new(1, (uint64_t)i);
        bool tied = i >= WIDTHS;
        double d = width[i % WIDTHS], variance = tied ? 2 * d : d, mean = tied ? d : 0;
        Moments m = dot_measured(DRAWS, width[i % WIDTHS], tied, &rng);
        const char *who = tied ? "k = q" : "q and k independent";
        measured("%s, d_k %3.0f: mean %8.3f, variance %8.2f", who, d, m.mean, m.variance);
        if (m.mean == 0 && m.variance == 0)
            wrong("dot_measured gives 0 and 0: nothing is written there yet");
        if (!(fabs(m.mean - mean) <= 0.1 * sqrt(variance)))
            wrong("dot_measured, %s, d_k %.0f: the mean is %.3f; it should be near %.0f", who, d,
                  m.mean, mean);
        if (fabs(m.variance - sqrt(variance)) <= 0.1 * sqrt(variance))
            wrong("dot_measured, %s: that is the standard deviation; the variance is its square",
                  who);
        if (tied && fabs(m.variance - variance - mean * mean) <= 0.1 * (variance + mean * mean))
            wrong("dot_measured, %s: that is the mean of the squares; subtract the square of the "
                  "mean",
                  who);
        if (!(fabs(m.variance - variance) <= 0.1 * variance))
            wrong("dot_measured, %s, d_k %.0f: the variance is %.2f; it should be near %.0f", who,
                  d, m.variance, variance);
    }
}

static void check_predicted(bool tied) {
    float mean[2 * WIDTHS], variance[2 * WIDTHS];
    double right_mean[2 * WIDTHS], right[2 * WIDTHS], root[2 * WIDTHS], square[2 * WIDTHS],
        other[2 * WIDTHS];
    trying("dot_predicted");
    for (int i = 0; i < 2 * WIDTHS; i++) {
        double d = width[i % WIDTHS], s = i < WIDTHS ? 1 : 1.5;
        Moments m = dot_predicted(width[i % WIDTHS], s, tied);
        mean[i] = (float)m.mean;
        variance[i] = (float)m.variance;
        right_mean[i] = tied ? d * s * s : 0;
        right[i] = (tied ? 2 : 1) * d * pow(s, 4);
        other[i] = (tied ? 1 : 2) * d * pow(s, 4);
        root[i] = sqrt(right[i]);
        square[i] = right[i] / s / s;
    }
    compare(tied ? "dot_predicted: the mean of q·q" : "dot_predicted: the mean of q·k", mean,
            right_mean, 2 * WIDTHS, NULL);
    compare(tied ? "dot_predicted: the variance of q·q" : "dot_predicted: the variance of q·k",
            variance, right, 2 * WIDTHS,
            (const Guess[]){{"is the standard deviation; the variance is its square", root},
                            {"grows with std²; the variance of a product of two numbers grows "
                             "with std⁴",
                             square},
                            {tied ? "is the one of independent q and k" : "is the one of k = q",
                             other},
                            {0}});
}

// Entropy of softmax(factor q·k) over L keys, divided by ln L; the mean over ROWS rows.
static double entropy(int d_k, double factor) {
    Rng rng = rng_new(2, (uint64_t)d_k);
    double mean = 0;
    for (int r = 0; r < ROWS; r++) {
        double q[256], A[L], most = -INFINITY, total = 0;
        for (int i = 0; i < d_k; i++) q[i] = rng_normal(&rng);
        for (int j = 0; j < L; j++) {
            double dot = 0;
            for (int i = 0; i < d_k; i++) dot += q[i] * rng_normal(&rng);
            most = fmax(most, A[j] = factor * dot);
        }
        for (int j = 0; j < L; j++) total += A[j] = exp(A[j] - most);
        for (int j = 0; j < L; j++) mean -= A[j] > 0 ? A[j] / total * log(A[j] / total) / ROWS : 0;
    }
    return mean / log(L);
}

static void check_factor(void) {
    float got[WIDTHS];
    double right[WIDTHS], none[WIDTHS], whole[WIDTHS], inverse[WIDTHS];
    trying("score_factor");
    for (int i = 0; i < WIDTHS; i++) {
        double d = width[i];
        got[i] = (float)score_factor(width[i]);
        right[i] = 1 / sqrt(d), none[i] = 1, whole[i] = 1 / d, inverse[i] = sqrt(d);
        measured("entropy / ln %d, d_k %3.0f: %.2f unscaled, %.2f with your factor, %.2f with "
                 "1/d_k",
                 L, d, entropy(width[i], 1), entropy(width[i], (double)got[i]),
                 entropy(width[i], 1 / d));
    }
    compare("score_factor", got, right, WIDTHS,
            (const Guess[]){
                {"is 1: at a large d_k the softmax starts on one key, see the entropies", none},
                {"is 1/d_k: the variance becomes 1/d_k, and at a large d_k the softmax starts flat",
                 whole},
                {"is sqrt(d_k): divide by it", inverse},
                {0}});
}

void check(void) {
    check_measured();
    check_predicted(false);
    check_predicted(true);
    check_factor();
}
