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
typedef struct ProgressLine {
    FILE *out;
    Term term;
    double drawn;           // when, on a steady clock
    int tenths;
} ProgressLine;

ProgressLine progress_line_begin(FILE *out, Term term);
// Drops what comes sooner than a tenth of a second after the last, but for the end.
void progress_line_draw(ProgressLine *line, Progress p);
void progress_line_clear(ProgressLine *line);  // makes room for another line
void progress_line_end(ProgressLine *line, Progress p);  // the last one stays

#endif
