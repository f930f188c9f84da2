#ifndef MODEL_VIEW_REPORT_SNAPSHOTS_H
#define MODEL_VIEW_REPORT_SNAPSHOTS_H

#include "model/save/results.h"
#include "model/train/trainer.h"

// What one arm attended to in the shown sentence, each time it was measured. A map of more than
// SNAPSHOT_WORDS words is kept folded: a cell then holds the weight that a query gives to
// `fold` neighbouring keys in sum, averaged over `fold` neighbouring queries. So rows still sum to 1. Start with {0}.
enum { SNAPSHOT_WORDS = 48 };
// So many heads are kept, the last ones: of all others only the end is known.
enum { SNAPSHOT_HEADS = 16 };

typedef struct Snapshots {
    int count, capacity;
    int heads, rows, columns;  // of the maps as they are kept
    double *step;       // (count)
    double *weight;     // (count, heads, rows, columns) in ten-thousandths
    double *trained;    // (count) loss in training since the snapshot before, nats; NAN: none
} Snapshots;

void snapshots_add(Snapshots *s, Trainer *t);  // unless this step's is there
void snapshots_free(Snapshots *s);

// What a report says of how it was made.
typedef struct Making {
    int threads;
    double seconds;   // of all, measurements too
    const char *claim;  // what the run shows, in words
    int pair[2];        // the arms to picture
} Making;

// DIRECTORY/snapshots.json: the sentence, the snapshots of every arm, and what each is like at the
// end: its scores S, M by roles, the attention of all layers and heads. `snapshots` has one for
// each arm.
bool snapshots_write(const char *directory, Trainer *trainer, const Snapshots *snapshots,
                     const History *history, Making making, char error[RESULTS_ERROR]);

#endif
