#include "tests/exercises/check.h"
#include "tests/setup.h"

enum { N = 4, STEPS = 6 };

static const double start[N] = {1, -2, 0.5, 3};

// The gradient of step t. It does not depend on w, so that a wrong step does not change the next.
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
        {"has not moved: nothing is written there yet", still},
        {"is what you get if m and v are not divided by 1 - beta^step; they start at 0",
         x[NO_UNBIAS]},
        {"is what you get if the step is divided by v: divide by its root", x[NO_ROOT]},
        {"is what you get if v is the mean of |g|: take the mean of g²", x[NO_SQUARE]},
        {"went uphill: write w -=, not w +=", x[UPHILL]},
        {0},
    };
    const Guess of_momentum[] = {
        {"has not moved: nothing is written there yet", still},
        {"is what you get if w follows g: it should follow v", x[PLAIN]},
        {"is what you get if v is a mean, with (1 - momentum) g: here v is a sum", x[DAMPED]},
        {"is what you get if w follows the v of the step before", x[LATE]},
        {"went uphill: write w -=, not w +=", x[UPHILL]},
        {0},
    };
    compare(what, w, x[RIGHT], N, adam ? of_adam : of_momentum);
}

// ---- the largest learning rate -----------------------------------------------------------------

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
    trying("stable_lr");
    for (int c = 0; c < 3; c++)
        for (int m = 0; m < 3; m++) {
            double k = curvature[c], mu = momentum[m], lr = stable_lr(k, mu);
            double below = rest(k, mu, 0.97 * lr), above = rest(k, mu, 1.03 * lr);
            if (c == 1)
                measured("curvature %g, momentum %g, stable learning rate %.3g: |w| goes from 1e-3 "
                         "to %.1g just below it, to %.1g just above it",
                         k, mu, lr, below, above);
            if (!(below < 1e-4))
                wrong("stable_lr(%g, %g) = %.3g is too %s: at 0.97 times this learning rate w %s",
                      k, mu, lr, below > 1e-2 ? "large" : "small",
                      below > 1e-2 ? "diverges" : "has hardly moved towards 0");
            if (!(above > 1))
                wrong("stable_lr(%g, %g) = %.3g is too small: at 1.03 times this learning rate w "
                      "still converges",
                      k, mu, lr);
        }
}

static void check_first_step(void) {
    trying("adam_first_step");
    for (double g = 1e-3; g < 2e3; g *= 100) {
        float gradient = (float)g, m = 0, v = 0, w = 0;
        my_adam(1, &gradient, &m, &v, &w, 0.01, 1);
        measured("Adam's first step at learning rate 0.01, gradient %g: %.5f", g, fabs((double)w));
        if (!(fabs(adam_first_step(0.01, g) - fabs((double)w)) <= 1e-4))
            wrong("adam_first_step(0.01, %g) says %.4g, but w moved by %.4g", g,
                  adam_first_step(0.01, g), fabs((double)w));
    }
}

// How many steps on L = (w_0² + 100 w_1²)/2 bring w from (1, 1) to within 1e-3 of 0.
static int steps_down(int kind) {
    float w[2] = {1, 1}, g[2], m[2] = {0}, v[2] = {0};
    for (int t = 1; t <= 5000; t++) {
        g[0] = w[0], g[1] = 100 * w[1];
        if (kind == 2)
            my_adam(2, g, m, v, w, 0.1, t);
        else
            my_momentum(2, g, v, w, kind ? stable_lr(100, 0.8) / 4 : 0.95 * stable_lr(100, 0),
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
    measured("down (w_0² + 100 w_1²)/2 to |w| < 0.001: %d plain steps at 0.95 of the stable "
             "learning rate, %d with momentum 0.8, %d of Adam at 0.1",
             steps_down(0), steps_down(1), steps_down(2));
}
