#include "tests/exercises/check.h"
#include "tests/setup.h"

enum { N = 4, STEPS = 6 };

static const double start[N] = {1, -2, 0.5, 3};

// The gradient of step t: given, so that a wrong step doesn't change the next.
static double gradient(int t, int i) { return 0.4 * (i + 1) + 0.25 * ((t * (i + 3)) % 4) - 0.6; }

// ---- the steps ---------------------------------------------------------------------------------

typedef enum Variant {
    RIGHT, NO_UNBIAS, NO_ROOT, NO_SQUARE, PLAIN,
    DAMPED, LATE, UPHILL, VARIANTS,
} Variant;

static void momentum_steps(Variant variant, double w[N]) {
    for (int i = 0; i < N; i++) {
        double v = 0;
        w[i] = start[i];
        for (int t = 1; t <= STEPS; t++) {
            double g = gradient(t, i), before = v;
            v = 0.9 * v + (variant == DAMPED ? 0.1 : 1) * g;
            double by = variant == PLAIN ? g : variant == LATE ? before : v;
            w[i] -= (variant == UPHILL ? -0.1 : 0.1) * by;
        }
    }
}

static void adam_steps(Variant variant, double w[N]) {
    for (int i = 0; i < N; i++) {
        double m = 0, v = 0;
        w[i] = start[i];
        for (int t = 1; t <= STEPS; t++) {
            double g = gradient(t, i);
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * (variant == NO_SQUARE ? fabs(g) : g * g);
            double mean = variant == NO_UNBIAS ? m : m / (1 - pow(0.9, t));
            double square = variant == NO_UNBIAS ? v : v / (1 - pow(0.999, t));
            w[i] -= (variant == UPHILL ? -0.1 : 0.1) * mean
                  / ((variant == NO_ROOT ? square : sqrt(square)) + 1e-8);
        }
    }
}

static void check_steps(const char *what, bool adam) {
    float g[N], a[N] = {0}, b[N] = {0}, w[N];
    double x[VARIANTS][N], still[N];
    for (int v = RIGHT; v < VARIANTS; v++) {
        if (adam) adam_steps((Variant)v, x[v]);
        else momentum_steps((Variant)v, x[v]);
    }
    for (int i = 0; i < N; i++) w[i] = (float)start[i], still[i] = start[i];
    trying(what);
    for (int t = 1; t <= STEPS; t++) {
        for (int i = 0; i < N; i++) g[i] = (float)gradient(t, i);
        if (adam) my_adam(N, g, a, b, w, 0.1, t);
        else my_momentum(N, g, a, w, 0.1, 0.9);
    }
    const Guess of_adam[] = {
        {"hasn't moved: nothing is written there yet", still},
        {"is as if m and v were not divided by 1 - beta^step; they start at 0", x[NO_UNBIAS]},
        {"is as if divided by v, where its root is meant", x[NO_ROOT]},
        {"is as if v were the mean of |g|, not of g²", x[NO_SQUARE]},
        {"is as if it went uphill, w += where w -= is meant", x[UPHILL]},
        {0},
    };
    const Guess of_momentum[] = {
        {"hasn't moved: nothing is written there yet", still},
        {"is as if w went along g, where it goes along v", x[PLAIN]},
        {"is as if v were a mean, (1 - momentum) g; here it is a sum", x[DAMPED]},
        {"is as if w went along the v of the step before", x[LATE]},
        {"is as if it went uphill, w += where w -= is meant", x[UPHILL]},
        {0},
    };
    compare(what, w, x[RIGHT], N, adam ? of_adam : of_momentum);
}

// ---- how fast one may go -----------------------------------------------------------------------

// |w| after 2,000 steps down L = curvature w²/2, from 1e-3.
static double rest(double curvature, double momentum, double rate) {
    float w = 1e-3f, v = 0, g;
    for (int t = 0; t < 2000 && fabsf(w) < 1e6f; t++) {
        g = (float)curvature * w;
        my_momentum(1, &g, &v, &w, rate, momentum);
    }
    return fabs((double)w);
}

static void check_stable(void) {
    const double curvature[] = {1, 10, 100}, momentum[] = {0, 0.5, 0.9};
    trying("stable_rate");
    for (int c = 0; c < 3; c++)
        for (int m = 0; m < 3; m++) {
            double k = curvature[c], mu = momentum[m], rate = stable_rate(k, mu);
            double below = rest(k, mu, 0.97 * rate), above = rest(k, mu, 1.03 * rate);
            if (c == 1)
                measured("curvature %g, momentum %g, stable rate %.3g: |w| from 1e-3 to %.1g just "
                         "below, %.1g just above",
                         k, mu, rate, below, above);
            if (!(below < 1e-4))
                wrong("stable_rate(%g, %g) = %.3g: at 0.97 of it w %s", k, mu, rate,
                      below > 1e-2 ? "runs away, so it is too large"
                                   : "is hardly nearer to 0, so it is too small");
            if (!(above > 1))
                wrong("stable_rate(%g, %g) = %.3g: at 1.03 of it w still comes to rest, so it is "
                      "too small",
                      k, mu, rate);
        }
}

static void check_first_step(void) {
    trying("adam_first_step");
    for (double g = 1e-3; g < 2e3; g *= 100) {
        float gradient = (float)g, m = 0, v = 0, w = 0;
        my_adam(1, &gradient, &m, &v, &w, 0.01, 1);
        measured("Adam's first step at rate 0.01, gradient %g: %.5f", g, fabs((double)w));
        if (!(fabs(adam_first_step(0.01, g) - fabs((double)w)) <= 1e-4))
            wrong("adam_first_step(0.01, %g) says %.4g, and it went %.4g", g,
                  adam_first_step(0.01, g), fabs((double)w));
    }
}

// Steps until 1, 1 has come to within 1e-3 of 0 down L = (w_0² + 100 w_1²)/2.
static int steps_down(int kind) {
    float w[2] = {1, 1}, g[2], m[2] = {0}, v[2] = {0};
    for (int t = 1; t <= 5000; t++) {
        g[0] = w[0], g[1] = 100 * w[1];
        if (kind == 2)
            my_adam(2, g, m, v, w, 0.1, t);
        else
            my_momentum(2, g, v, w, kind ? stable_rate(100, 0.8) / 4 : 0.95 * stable_rate(100, 0),
                        kind ? 0.8 : 0);
        if (fabsf(w[0]) < 1e-3f && fabsf(w[1]) < 1e-3f) return t;
    }
    return 5000;
}

void check(void) {
    check_steps("w after six steps of my_momentum", false);
    check_steps("w after six steps of my_adam", true);
    check_stable();
    check_first_step();
    measured("down (w_0² + 100 w_1²)/2 to 0.001: %d steps plain at 0.95 of the stable rate, %d "
             "with momentum 0.8, %d of Adam at 0.1",
             steps_down(0), steps_down(1), steps_down(2));
}
