#ifndef MODEL_VIEW_LIVE_H
#define MODEL_VIEW_LIVE_H

#include <stdio.h>

#include "model/train/history.h"
#include "model/view/term.h"

// How far something is.
typedef struct Progress {
    double share;           // 0..1
    int done, of;
    const char *what;       // "steps": 420 of 1000 steps
    double seconds, left;   // left below 0 or NAN: not known
} Progress;

// A run as it goes, or without a history a bar alone: redrawn in place in a terminal.
// Elsewhere it prints a plain table or line after each tenth of the run.
typedef struct Live {
    FILE *out;
    Term term;       // its size is that of the last frame's window
    int lines;       // of the last frame
    double drawn;    // when, on a steady clock
    double printed;  // plain lines: the share that was last printed,
    int tenths;      // and its tenths; -1: none yet
    const struct Map *map;        // drawn beside the charts, where there is room; or NULL
    const struct Sample *sample;  // its end is drawn below the table, where there is room; or NULL
} Live;

Live live_begin(FILE *out, Term term);
// Would live_draw draw a frame in a terminal? It drops what comes sooner than a tenth of a second
// after the last frame, but for the end.
bool live_due(const Live *live, Progress p);
void live_draw(Live *live, const History *history, Progress p);
void live_clear(Live *live);  // makes room for another line
// Draws the last frame, which stays on the screen, and gives the cursor back.
void live_end(Live *live, const History *history, Progress p);

// One frame for a window of term's size; gives the number of lines.
int live_frame(FILE *out, Term term, bool in_place, const History *history, Progress p,
               const struct Map *map, const struct Sample *sample);

#endif
