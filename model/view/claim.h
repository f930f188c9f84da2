#ifndef MODEL_VIEW_CLAIM_H
#define MODEL_VIEW_CLAIM_H

#include "model/train/history.h"

// What the run shows, in a few sentences with its own figures; to be freed by the caller.
char *claim_of(const History *history);

#endif
