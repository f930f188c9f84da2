// What the tables, the claim, the terminal's charts and the SVG charts share.
#include "model/view/figures.h"

#include <math.h>

double figure_at(const ArmHistory *arm, const Measurement *at, Figure figure) {
    switch (figure) {
        case FIGURE_LOSS: return at->loss;
        case FIGURE_BITS: return at->loss / log(2);
        case FIGURE_ATTENTION_ACCURACY: return at->attention_accuracy;
        case FIGURE_ACCURACY: return at->accuracy;
        case FIGURE_ATTENTION_NLL: return at->attention_nll;
        case FIGURE_ASYMMETRY: return at->asymmetry;
        case FIGURE_CIRCULATION: return at->circulation;
        case FIGURE_SYMMETRY: return at->symmetry;
        case FIGURE_SECONDS: return at->seconds;
        case FIGURE_CYCLE_ATTENTION_ACCURACY: return arm->cycle_attention_accuracy;
        case FIGURE_CYCLE_ACCURACY: return arm->cycle_accuracy;
        case FIGURE_PARAMETERS: return (double)arm->parameters;
        case FIGURE_SPEED: return arm->tokens / at->seconds;
        case FIGURE_MIB: return (double)arm->memory / (1 << 20);
    }
    return NAN;
}

// The symmetry of all heads is measured at points of the curve only, not at the end.
double figure_newest(const ArmHistory *arm, Figure figure) {
    if (!arm->count) return NAN;
    bool on_curve = figure == FIGURE_SYMMETRY;
    return figure_at(arm, on_curve ? &arm->point[arm->count - 1] : history_newest(arm), figure);
}

double figure_top(const History *h, Figure figure) {
    double start = 0, high = 0;
    for (int i = 0; i < h->arms; i++)
        for (int k = 0; k < h->arm[i].count; k++) {
            double value = figure_at(&h->arm[i], &h->arm[i].point[k], figure);
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
