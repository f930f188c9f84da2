#ifndef TESTS_NET_H
#define TESTS_NET_H

#include "setup.h"

// An arm of a task as it starts, with the first held-out sentences as its batch.
typedef struct Net {
    Setup setup;
    Model model;
    Tape tape;
    Batch batch;
    Forward f;
} Net;

void net_open(Net *net, const char *command, const char *arm, int B);  // "train --d-k 4", "qkv", 8
double net_forward(Net *net);          // fills in `f`; gives the loss
double net_slope(Net *net, float *x);  // d loss / d *x by central differences
void net_close(Net *net);

#endif
