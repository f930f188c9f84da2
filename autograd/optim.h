#ifndef AUTOGRAD_OPTIM_H
#define AUTOGRAD_OPTIM_H

#include "params.h"

typedef enum OptimKind { OPTIM_ADAM, OPTIM_SGD } OptimKind;

// How trained parameters follow their gradients. ADAM is Adam (Kingma and Ba 2015,
// algorithm 1) with weight decay apart from the gradient (Loshchilov and Hutter 2019,
// by the rate as in PyTorch's AdamW); SGD has momentum (Sutskever et al. 2013, as in v
// = momentum v + g, w -= rate v).
typedef struct Optim {
    OptimKind kind;
    double beta1, beta2, epsilon;  // Adam
    double momentum;               // SGD
    double decay;                  // pulls matrices (rank 2 and more) to 0, by rate * decay a step
    long step;                     // steps taken
} Optim;

Optim optim_adam(double decay);          // betas 0.9 and 0.999, epsilon 1e-8
Optim optim_sgd(double momentum);
// One step against the gradients in `params`, which stay: clear them before the next
// (params_zero_grad).
void optim_step(Optim *optim, Params *params, double rate);

typedef enum Schedule { SCHEDULE_CONSTANT, SCHEDULE_COSINE } Schedule;

// The rate of step 0 .. steps-1: rises over `warmup` steps, (step + 1) / (warmup + 1) of `rate`
// each, then stays, or falls along half a cosine (Loshchilov and Hutter 2017, eq. 5, without
// restarts) to a tenth of itself at the last step.
double schedule_rate(Schedule schedule, double rate, long step, long steps, long warmup);

#endif
