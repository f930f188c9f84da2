// The bounds of model/symmetry.md attacked: a search goes downhill on the attention NLL of a cycle,
// from many random starts, over scores of six kinds. Nothing here knows the proofs. What it finds
// must come close to each bound, and never below.
#include <stdbool.h>
#include <string.h>

#include "test.h"
#include "autograd/rng.h"

// Token i of n asks for token i + 1, the last for the first. Other words may follow.
enum { MOST = 9, OTHERS = 2, STARTS = 6, STEPS = 2500 };
typedef double Matrix[MOST][MOST];

typedef enum Kind { SYMMETRIC, SYMMETRIC_BIAS, GRAM, GRAM_BIAS, GRAM_MASKED,
                    FREE } Kind;
static const char *const kind_name[] = {"symmetric", "symmetric with biases", "Gram",
                                        "Gram with biases", "Gram, not to itself", "free"};

static bool is_gram(Kind kind) { return kind >= GRAM && kind < FREE; }
static bool has_bias(Kind kind) { return kind == SYMMETRIC_BIAS || kind == GRAM_BIAS; }

// What the search moves. Gram scores are W Wᵀ, symmetric ones W + Wᵀ; row MOST is the bias of each
// key.
typedef struct Search {
    Kind kind;
    int n, tokens, width;
    double W[MOST + 1][MOST], mean[MOST + 1][MOST], square[MOST + 1][MOST];
    Matrix S, A, dS;
} Search;

typedef struct Found { double nll; int most; } Found;  // the least NLL; tokens found at once

// ---- the scores and their gradient -------------------------------------------------------------

static void score(Search *s) {
    for (int i = 0; i < s->tokens; i++)
        for (int j = 0; j < s->tokens; j++) {
            double x = s->kind == FREE ? s->W[i][j] : s->W[i][j] + s->W[j][i];
            if (is_gram(s->kind)) x = 0;
            for (int k = 0; is_gram(s->kind) && k < s->width; k++) x += s->W[i][k] * s->W[j][k];
            s->S[i][j] = x + (has_bias(s->kind) ? s->W[MOST][j] : 0);
            if (s->kind == GRAM_MASKED && i == j) s->S[i][j] = -1e9;  // its weight is 0
        }
}

// The mean NLL. In dS: its derivative by each score, (A_ij - 1 where j is right) / n.
static double attend(Search *s) {
    double nll = 0;
    memset(s->dS, 0, sizeof s->dS);
    for (int i = 0; i < s->n; i++) {
        int right = (i + 1) % s->n;
        double largest = s->S[i][0], Z = 0;
        for (int j = 1; j < s->tokens; j++) largest = fmax(largest, s->S[i][j]);
        for (int j = 0; j < s->tokens; j++) Z += exp(s->S[i][j] - largest);
        nll += log(Z) - (s->S[i][right] - largest);
        for (int j = 0; j < s->tokens; j++) {
            s->A[i][j] = exp(s->S[i][j] - largest) / Z;
            s->dS[i][j] = (s->A[i][j] - (j == right)) / s->n;
        }
    }
    return nll / s->n;
}

// How many tokens give theirs the largest score of the row; of equal scores, the first counts.
static int found(const Search *s) {
    int count = 0;
    for (int i = 0; i < s->n; i++) {
        int best = 0;
        for (int j = 1; j < s->tokens; j++)
            if (s->S[i][j] > s->S[i][best]) best = j;
        count += best == (i + 1) % s->n;
    }
    return count;
}

static double slope(const Search *s, int i, int j) {
    double sum = 0;
    if (i == MOST) {
        for (int k = 0; k < s->n; k++) sum += s->dS[k][j];
        return sum;
    }
    if (s->kind == FREE) return s->dS[i][j];
    if (!is_gram(s->kind)) return s->dS[i][j] + s->dS[j][i];
    for (int k = 0; k < s->tokens; k++) sum += (s->dS[i][k] + s->dS[k][i]) * s->W[k][j];
    return sum;
}

// ---- the search --------------------------------------------------------------------------------

// A step of Adam, whose length does not depend on that of the slope: it walks far where it is flat.
static void step(Search *s, int t) {
    double lr = 0.3 * (1 - (double)t / STEPS), d[MOST + 1][MOST];
    for (int i = 0; i <= MOST; i++)
        for (int j = 0; j < MOST; j++)
            d[i][j] = i < s->tokens || (i == MOST && has_bias(s->kind)) ? slope(s, i, j) : 0;
    for (int i = 0; i <= MOST; i++)
        for (int j = 0; j < MOST; j++) {
            double *m = &s->mean[i][j], *v = &s->square[i][j];
            *m = 0.9 * *m + 0.1 * d[i][j];
            *v = 0.99 * *v + 0.01 * d[i][j] * d[i][j];
            s->W[i][j] -= lr * *m / (sqrt(*v) + 1e-12);
        }
}

static Found search(Kind kind, int n, int start) {
    Search s = {.kind = kind, .n = n, .tokens = n + start % (OTHERS + 1)};
    Rng rng = rng_new(5, (uint64_t)(start + STARTS * (n + 8 * (int)kind)));
    Found best = {INFINITY, 0};
    double spread = pow(10, 2 * rng_uniform(&rng) - 1);
    s.width = start % 2 ? n : 1 + (int)rng_below(&rng, (uint32_t)n);
    for (int i = 0; i <= MOST; i++)
        for (int j = 0; j < MOST; j++) s.W[i][j] = spread * rng_normal(&rng);
    for (int t = 0; t < STEPS; t++) {
        score(&s);
        double nll = attend(&s);
        CHECK(isfinite(nll), "%s, n %d, start %d: NLL %g", kind_name[kind], n, start, nll);
        best.nll = fmin(best.nll, nll);
        int now = found(&s);
        if (now > best.most) best.most = now;
        step(&s, t);
    }
    return best;
}

// From all starts, the least NLL and the most that were found.
static Found attack(Kind kind, int n) {
    Found best = {INFINITY, 0};
    for (int start = 0; start < STARTS; start++) {
        Found one = search(kind, n, start);
        best.nll = fmin(best.nll, one.nll);
        if (one.most > best.most) best.most = one.most;
    }
    return best;
}

static const double ROUNDING = 1e-12, NEAR = 1e-4;

static void comes_close(Kind kind, int n, Found got, double bound) {
    CHECK(got.nll >= bound - ROUNDING, "%s, n %d: NLL %.12f, below %.12f", kind_name[kind], n,
          got.nll, bound);
    CHECK(got.nll <= bound + NEAR, "%s, n %d: NLL %.12f is as close as it comes to %.12f",
          kind_name[kind], n, got.nll, bound);
}

static void symmetric_scores(void) {
    for (int n = 3; n <= 7; n++) {
        Found plain = attack(SYMMETRIC, n);
        comes_close(SYMMETRIC, n, plain, log(2));
        CHECK(plain.most < n && plain.most > 1, "n %d: %d found at once", n, plain.most);
        comes_close(SYMMETRIC_BIAS, n, attack(SYMMETRIC_BIAS, n), log(2));
    }
}

static void free_scores(void) {
    for (int n = 3; n <= 7; n++) {
        Found got = attack(FREE, n);
        CHECK(got.nll >= 0 && got.nll < 1e-6, "n %d: NLL %g", n, got.nll);
        CHECK_INT(got.most, n);
    }
}

// ---- the sharp bound of a Gram score -----------------------------------------------------------

static double turn(int n, int k) { return cos(2 * acos(-1) * k / n); }

// The weights of a token whose cycle lies on a circle, q_d of the token d places on; their entropy.
// In `mean`: sum_d q_d cos(2 pi k d / n), for each k.
static double circle(int n, double square_of_radius, double mean[]) {
    double Z = 0, entropy = 0;
    for (int d = 0; d < n; d++) Z += exp(square_of_radius * turn(n, d));
    for (int k = 0; k < n; k++) mean[k] = 0;
    for (int d = 0; d < n; d++) {
        double q = exp(square_of_radius * turn(n, d)) / Z;
        entropy -= q * log(q);
        for (int k = 0; k < n; k++) mean[k] += q * turn(n, k * d % n);
    }
    return entropy;
}

// The entropy is a lower bound if no mean is below its cosine (model/symmetry.md): the radius is
// the least for which that holds for k = 1, and for the others it is checked.
static double sharp_bound(int n) {
    double low = 0, high = 2.0 * n * n, mean[64];
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        circle(n, middle, mean);
        *(mean[1] < turn(n, 1) ? &low : &high) = middle;
    }
    double entropy = circle(n, high, mean);
    for (int k = 0; k < n; k++)
        CHECK(mean[k] >= turn(n, k) - ROUNDING, "n %d, k %d: %.15f < %.15f", n, k, mean[k],
              turn(n, k));
    return entropy;
}

static void gram_scores(void) {
    for (int n = 3; n <= 7; n++) {
        double bound = sharp_bound(n);
        comes_close(GRAM, n, attack(GRAM, n), bound);
        comes_close(GRAM_BIAS, n, attack(GRAM_BIAS, n), bound);
        comes_close(GRAM_MASKED, n, attack(GRAM_MASKED, n), log(2));
    }
}

static void sharp_bounds(void) {
    static const double stated[] = {1.0986, 1.3863, 1.5116, 1.5236, 1.5080};  // symmetry.md
    CHECK_NEAR(sharp_bound(3), log(3), 1e-12);
    CHECK_NEAR(sharp_bound(4), log(4), 1e-12);
    CHECK_NEAR(sharp_bound(64), (1 + log(2 * acos(-1))) / 2, 1e-2);
    for (int n = 3; n <= 64; n++) {
        double bound = sharp_bound(n);
        if (n > 4) CHECK(bound > log(4), "n %d: %g", n, bound);
        if (n <= 7) CHECK_NEAR(bound, stated[n - 3], 5e-5);
    }
}

void tests_bounds(void) {
    test("no symmetric score of a cycle gets below ln 2 or finds all, and a search comes close",
         symmetric_scores);
    test("no Gram score of a cycle gets below its bound, and a search comes close", gram_scores);
    test("the bound of Gram scores is ln 3 for a cycle of 3, ln 4 for 4, more for a longer one",
         sharp_bounds);
    test("free scores go to 0 and find every token", free_scores);
}
