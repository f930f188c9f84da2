// What the tables, the terminal's charts and the SVG charts share.
#include "model/view/figures.h"

#include <math.h>

double figure_loss(const Measurement *p) { return p->loss; }
double figure_bits(const Measurement *p) { return p->loss / log(2); }
double figure_attention_accuracy(const Measurement *p) { return p->attention_accuracy; }
double figure_accuracy(const Measurement *p) { return p->accuracy; }
double figure_attention_nll(const Measurement *p) { return p->attention_nll; }
double figure_asymmetry(const Measurement *p) { return p->asymmetry; }
double figure_circulation(const Measurement *p) { return p->circulation; }
double figure_symmetry(const Measurement *p) { return p->symmetry; }
double figure_seconds(const Measurement *p) { return p->seconds; }

double figure_top(const History *h, Figure *figure) {
    double start = 0, high = 0;
    for (int i = 0; i < h->arms; i++)
        for (int k = 0; k < h->arm[i].count; k++) {
            double value = figure(&h->arm[i].point[k]);
            if (!isfinite(value)) continue;
            if (k == 0) start = fmax(start, value);
            high = fmax(high, value);
        }
    return start > 0 ? fmin(high, 2 * start) : high;
}

double figure_tick(double high, int most) {
    static const int round_step[] = {1, 2, 4, 5, 10};
    double power = pow(10, floor(log10(high / most)));
    int i = 0;
    while (i < 4 && floor(high / (round_step[i] * power) + 1e-9) > most) i++;
    return round_step[i] * power;
}
