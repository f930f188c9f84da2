#ifndef MODEL_VIEW_CLAIM_H
#define MODEL_VIEW_CLAIM_H

#include "model/train/history.h"

// What the run shows, in a few sentences with its own figures, the first of them a heading; to be
// freed by the caller. `pair`: the arms to picture beside each other, those that it names.
char *claim_of(const History *history, int pair[2]);

#endif
