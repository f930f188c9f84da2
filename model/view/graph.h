#ifndef MODEL_VIEW_GRAPH_H
#define MODEL_VIEW_GRAPH_H

#include "model/attention.h"
#include "model/train/measure.h"
#include "model/view/term.h"

enum { STEP_NODES = 13 };

// One tensor of the step, and what a person would write of it.
typedef struct StepNode {
    const char *name, *call;  // "Q", "matmul(X, W_Q)"
    const char *gradient;     // what the ops that read it add to its gradient: "dP K"
    int depth;                // the longest way down from a leaf
    int inputs, in[3];        // nodes that its op read
    const Tensor *x;
} StepNode;

// A step small enough to follow by hand: the tape of one causal `qkv` head of width 2 over two
// tokens. The second is x = [1, 0.5], with W_Q = I, W_K, which swaps, and W_V = 2I; it alone asks,
// and its Y is read as the logits of two words, of which the first is right.
typedef struct TinyStep {
    Params input, weights;  // X, which has a gradient as embeddings that learn would; W_Q, W_K, W_V
    Attention head;
    Tape tape;              // after its walk backward
    Attended attended;
    Tensor *loss;
    StepNode node[STEP_NODES];  // parameters first, then what was computed, as on the tape
} TinyStep;

void tiny_step_open(TinyStep *g);
void tiny_step_close(TinyStep *g);

// W -= rate dW for the three weights; gives the loss and the direction of S after it.
double tiny_step_update(TinyStep *g, double rate, Direction *after);

void tiny_step_figure(float x, char text[32]);  // four decimals, or fewer where the last are 0

// Two tables: values in the order of the tape, gradients in the order of its walk back.
void graph_print(FILE *out, Term term, const TinyStep *graph);
// The same as boxes and arrows, from the top down.
void graph_svg(FILE *out, const TinyStep *graph);

#endif
