#ifndef MODEL_VIEW_LIVE_H
#define MODEL_VIEW_LIVE_H

#include <stdio.h>

#include "model/train/history.h"
#include "model/view/term.h"

// A run as it goes: redrawn in place in a terminal, plain tables a tenth of the run apart elsewhere.
typedef struct Live {
    FILE *out;
    Term term;
    int lines, width, height;  // of the last frame and of the window it was drawn for
    double drawn;              // when, on a steady clock
    int printed, tenths;       // plain tables: last step printed, tenths of the run; -1: none yet
} Live;

Live live_begin(FILE *out, Term term);
// Drops what comes sooner than a tenth of a second after the last frame, but for the end of the
// run. seconds_left below 0 or NAN: not known.
void live_draw(Live *live, const History *history, int step, double seconds, double seconds_left);
// Draws the last frame, which stays on the screen, and gives the cursor back.
void live_end(Live *live, const History *history, int step, double seconds);

// One frame for a window of term's size; gives the number of lines.
int live_frame(FILE *out, Term term, bool in_place, const History *history, int step, double seconds,
               double seconds_left);

#endif
