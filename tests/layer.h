#ifndef TESTS_LAYER_H
#define TESTS_LAYER_H

#include "model/attention.h"

// A layer with weights, and something to attend to.
typedef struct Layer {
    Params params;
    Tape tape;
    Attention a;
    Tensor *X, *Z;            // (B, L, D), (B, M, D)
    unsigned char *allowed;   // (B, L, M)
    Attended out;
} Layer;

// Every weight drawn at random, R too. M = 0: self-attention. Everything is allowed.
void layer_open(Layer *layer, const char *arm, AttentionConfig config, int B, int L, int M);
void layer_run(Layer *layer);
void layer_close(Layer *layer);

AttentionConfig layer_config(int D, int H, int d_k, int d_v);  // scaled, a random start
void layer_shape(const Tensor *x, const char *expected);       // fails the test if it has another

#endif
