#include "tests/exercises/check.h"

enum { ROWS = 3, D = 5, ALL = ROWS * D };

// Forward and backward, the right ones and those of common mistakes.
typedef struct Expected {
    double y[ALL], centred[ALL], no_gain[ALL], by_sum[ALL], no_root[ALL];
    double dx[ALL], straight[ALL], no_r[ALL], sums[ALL], no_u[ALL], gainless[ALL];
    double dg[D], dg_x[D], dg_sum[D];
} Expected;

static void forward_row(const float *x, const float *g, int at, Expected *s) {
    double mean = 0, squares = 0, variance = 0;
    for (int i = 0; i < D; i++) mean += (double)x[i] / D, squares += (double)x[i] * (double)x[i];
    for (int i = 0; i < D; i++) variance += ((double)x[i] - mean) * ((double)x[i] - mean) / D;
    for (int i = 0; i < D; i++) {
        double v = (double)x[i], gain = (double)g[i], square = squares / D + 1e-5;
        s->y[at + i] = gain * v / sqrt(square);
        s->centred[at + i] = gain * (v - mean) / sqrt(variance + 1e-5);
        s->no_gain[at + i] = v / sqrt(square);
        s->by_sum[at + i] = gain * v / sqrt(squares + 1e-5);
        s->no_root[at + i] = gain * v / square;
    }
}

static void backward_row(const float *x, const float *g, const float *dy, int at, Expected *s) {
    double squares = 0, dot = 0, plain = 0;
    for (int i = 0; i < D; i++) squares += (double)x[i] * (double)x[i];
    double r = sqrt(squares / D + 1e-5);
    for (int i = 0; i < D; i++) {
        dot += (double)dy[i] * (double)g[i] * (double)x[i] / r / D;
        plain += (double)dy[i] * (double)x[i] / r / D;
    }
    for (int i = 0; i < D; i++) {
        double u = (double)x[i] / r, du = (double)dy[i] * (double)g[i];
        s->dx[at + i] = (du - u * dot) / r;
        s->straight[at + i] = du / r;
        s->no_r[at + i] = du - u * dot;
        s->sums[at + i] = (du - u * dot * D) / r;
        s->no_u[at + i] = (du - dot) / r;
        s->gainless[at + i] = ((double)dy[i] - u * plain) / r;
        s->dg[i] += (double)dy[i] * u;
        s->dg_x[i] += (double)dy[i] * (double)x[i];
        s->dg_sum[i] += (double)dy[i];
    }
}

void check(void) {
    Tape tape = {0};
    Expected s = {0};
    Tensor *x = leaf(&tape, 2, (const int[]){ROWS, D}, 1, 2),
           *gain = leaf(&tape, 1, (const int[]){D}, 2, 1);
    for (int i = 0; i < ALL; i++) x->data[i] += 0.7f;
    for (int r = 0; r < ROWS; r++) forward_row(x->data + r * D, gain->data, r * D, &s);
    trying("my_rms_norm");
    Tensor *out = my_rms_norm(&tape, x, gain);
    check_recorded("my_rms_norm", out, x);
    double as_is[ALL];
    copied(x->data, ALL, as_is);
    compare("y", out->data, s.y, ALL,
            (const Guess[]){
                {"is x unchanged: nothing is written there yet", as_is},
                {"subtracts the mean first: layer norm does that, RMSNorm does not", s.centred},
                {"is missing the gain", s.no_gain},
                {"is divided by the root of the sum of squares: take the mean of squares",
                 s.by_sum},
                {"is divided by the mean of squares: take its root", s.no_root},
                {0}});
    if (!out->backward || !out->grad)
        wrong("my_rms_norm records no backward, so no gradient passes through it");
    for (int i = 0; i < ALL; i++) out->grad[i] = 0.4f + 0.5f * (float)(i * i % 7);
    for (int r = 0; r < ROWS; r++)
        backward_row(x->data + r * D, gain->data, out->grad + r * D, r * D, &s);
    trying("the backward of my_rms_norm");
    compare_gradient("dL/dgain", out, gain, s.dg,
                     (const Guess[]){{"is made from x: the gain multiplies u = x/r", s.dg_x},
                                     {"is the sum of dy: the factor u is missing", s.dg_sum},
                                     {0}});
    compare_gradient(
        "dL/dx", out, x, s.dx,
        (const Guess[]){{"treats r as a constant: r depends on every x of the row, which gives the "
                         "term u mean(du u)",
                         s.straight},
                        {"is missing the factor 1/r", s.no_r},
                        {"uses the sum of du u: take its mean", s.sums},
                        {"is missing the factor u in the term u mean(du u)", s.no_u},
                        {"is missing the gain in du = dy g", s.gainless},
                        {0}});
    trying("the backward of my_rms_norm, if x needs no gradient,");
    float *kept = x->grad;
    x->grad = NULL;
    out->backward(out);
    trying("the backward of my_rms_norm, if gain needs no gradient,");
    x->grad = kept;
    gain->grad = NULL;
    out->backward(out);
    tape_free(&tape);
}
