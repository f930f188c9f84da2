#ifndef MODEL_VIEW_FIGURES_H
#define MODEL_VIEW_FIGURES_H

#include "model/train/history.h"

// The figures of an arm, as tables, charts and claims ask for them.
typedef enum Figure {
    // of a measurement,
    FIGURE_LOSS, FIGURE_BITS, FIGURE_ATTENTION_ACCURACY, FIGURE_ACCURACY, FIGURE_ATTENTION_NLL,
    FIGURE_ASYMMETRY, FIGURE_CIRCULATION, FIGURE_SYMMETRY, FIGURE_SECONDS,
    // of the arm itself
    FIGURE_CYCLE_ATTENTION_ACCURACY, FIGURE_CYCLE_ACCURACY, FIGURE_PARAMETERS, FIGURE_SPEED,
    FIGURE_MIB
} Figure;

double figure_at(const ArmHistory *arm, const Measurement *at, Figure figure);
double figure_newest(const ArmHistory *arm, Figure figure);  // NAN: nothing was measured yet

// The top of an axis that begins at 0: the highest figure of all arms; 0 where there is none. A
// curve that blows up must not flatten the others, so it is at most twice where the arms started.
double figure_top(const History *h, Figure figure);
// A round step of which at most `most` fit below `high`.
double figure_tick(double high, int most);

#endif
