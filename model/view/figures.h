#ifndef MODEL_VIEW_FIGURES_H
#define MODEL_VIEW_FIGURES_H

#include "model/train/history.h"

// The figures of a measurement, as tables and charts ask for them.
typedef double Figure(const Measurement *);
Figure figure_loss, figure_bits, figure_attention_accuracy, figure_accuracy, figure_attention_nll,
    figure_asymmetry, figure_circulation, figure_symmetry, figure_seconds;

// The top of an axis that begins at 0: the highest figure of all arms; 0 where there is none. A
// curve that blows up must not flatten the others, so it is at most twice where the arms started.
double figure_top(const History *h, Figure *figure);
// A round step of which at most `most` fit below `high`.
double figure_tick(double high, int most);

#endif
