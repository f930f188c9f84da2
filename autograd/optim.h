#ifndef AUTOGRAD_OPTIM_H
#define AUTOGRAD_OPTIM_H

#include "params.h"

typedef enum OptimKind { OPTIM_ADAM, OPTIM_SGD } OptimKind;

// How trained parameters follow their gradients g. lr is the learning rate.
// ADAM is Adam (Kingma and Ba 2015, algorithm 1) with weight decay apart from the gradient
// (AdamW: Loshchilov and Hutter 2019, scaled by lr as in PyTorch).
// SGD has momentum in PyTorch's form: v = momentum v + g, w -= lr v. With a constant lr it is that
// of Sutskever et al. 2013, whose v holds lr g. What is tiny in m, v and decayed weights is 0
// (tiny.h).
typedef struct Optim {
    OptimKind kind;
    double beta1, beta2, epsilon;  // Adam
    double momentum;               // SGD
    double decay;                  // a step shrinks matrices (rank 2 and more) by lr * decay
    long step;                     // steps taken
} Optim;

Optim optim_adam(double decay);          // betas 0.9 and 0.999, epsilon 1e-8
Optim optim_sgd(double momentum);
// One step against the gradients in `params`. They stay: params_zero_grad clears them for the next
// step. Parameters of params_share have no moments, and end the program.
void optim_step(Optim *optim, Params *params, double lr);

#endif
