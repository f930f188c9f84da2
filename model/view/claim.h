#ifndef MODEL_VIEW_CLAIM_H
#define MODEL_VIEW_CLAIM_H

#include <stddef.h>

#include "model/train/history.h"

// What the run shows, in one or two sentences with its own figures.
void claim_write(char *text, size_t size, const History *history);

#endif
