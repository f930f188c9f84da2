#ifndef MODEL_VIEW_PROGRESS_H
#define MODEL_VIEW_PROGRESS_H

#include "model/view/canvas.h"

// How far something is.
typedef struct Progress {
    double share;           // 0..1
    int done, of;
    const char *what;       // "steps": 420 of 1000 steps
    double seconds, left;   // left below 0 or NAN: not known
} Progress;

// A bar as wide as the canvas, with what there is room for beside it.
void progress_draw(Canvas *canvas, int row, Progress p);

// A line that is redrawn in place in a terminal; elsewhere a plain line a tenth of the way.
typedef struct Bar {
    FILE *out;
    Term term;
    double drawn;           // when, on a steady clock
    int tenths;
} Bar;

Bar bar_begin(FILE *out, Term term);
void bar_draw(Bar *bar,
              Progress p); // drops what comes sooner than a tenth of a second after the last
void bar_clear(Bar *bar);  // makes room for another line; the next bar_draw comes below it
void bar_end(Bar *bar, Progress p);    // the last one stays; gives the cursor back

#endif
