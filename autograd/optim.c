// The optimisers. Read params.h before it. Every optimiser is one loop over the flat arrays of a
// Params, whatever tensors those hold.
#include "optim.h"

#include <math.h>

#include "fatal.h"
#include "simd/loops.h"
#include "tiny.h"

Optim optim_adam(double decay) {
    return (Optim){OPTIM_ADAM, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .decay = decay};
}

Optim optim_sgd(double momentum) { return (Optim){OPTIM_SGD, .momentum = momentum}; }

// w *= 1 - lr decay, for matrices alone: gains and biases have no reason to be small.
static void decay_matrices(const Params *p, double factor) {
    for (int i = 0; i < p->count; i++) {
        Tensor *x = p->tensor[i];
        if (x->wants_grad && x->rank >= 2)
            loops()->shrink(x->size, (float)factor, TINY_MEAN, x->data);
    }
}

// At step t: m = b1 m + (1-b1) g and v = b2 v + (1-b2) g², running means that begin at 0;
// w -= lr (m / (1-b1^t)) / (sqrt(v / (1-b2^t)) + epsilon), where 1-b^t takes out that beginning.
static void adam(const Optim *o, Params *p, double lr) {
    const Adam numbers = {
        .b1 = (float)o->beta1, .c1 = (float)(1 - o->beta1),
        .b2 = (float)o->beta2, .c2 = (float)(1 - o->beta2),
        .step = (float)(lr / (1 - pow(o->beta1, (double)o->step))),
        .unbias = (float)(1 / (1 - pow(o->beta2, (double)o->step))),
        .epsilon = (float)o->epsilon,
    };
    #pragma omp parallel for if (params_worth_sharing(p))
    for (size_t at = 0; at < p->size; at += PIECE)
        loops()->adam(params_piece(p, at), &numbers, p->grad + at, p->moment[0] + at,
                      p->moment[1] + at, p->data + at);
}

// v = momentum v + g, w -= lr v
static void sgd(const Optim *o, Params *p, double lr) {
    float momentum = (float)o->momentum, step = (float)lr, *v = p->moment[0];
    for (size_t i = 0; i < p->size; i++) {
        v[i] = or_zero(momentum * v[i] + p->grad[i], TINY_MEAN);
        p->data[i] -= step * v[i];
    }
}

void optim_step(Optim *optim, Params *params, double lr) {
    if (params->size && !params->moment[0])
        fatal("optim_step: no optimiser state; params_seal gives it, params_share doesn't");
    params_need_grad(params, "optim_step");
    optim->step++;
    if (optim->decay != 0) decay_matrices(params, 1 - lr * optim->decay);
    if (optim->kind == OPTIM_ADAM) adam(optim, params, lr);
    else sgd(optim, params, lr);
}
