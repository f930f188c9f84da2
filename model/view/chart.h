#ifndef MODEL_VIEW_CHART_H
#define MODEL_VIEW_CHART_H

#include "model/view/canvas.h"
#include "model/view/figures.h"

// What the curves are read against: a dashed line at low, or a band from low to high.
typedef struct Rule {
    double low, high;
    const char *tick;      // stands on the axis; or NULL
    const char *label[3];  // the longest that fits is written; the rest may be NULL
} Rule;

typedef struct Chart {
    const char *title;
    Figure figure;
    double top;     // of the y axis, which starts at 0; 0: found from the curves
    int rules;
    Rule rule[2];
} Chart;

enum { CHARTS = 3 };
void chart_choose(const History *history, Chart chart[CHARTS]);  // the most telling one first
double chart_top(const Chart *chart, const History *history);

// The curves of all arms over steps 0..history->steps, as far as they have got. At least 3 rows.
void chart_draw(Canvas *canvas, Box box, const Chart *chart, const History *history);

#endif
