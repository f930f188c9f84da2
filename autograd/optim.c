#include "optim.h"

#include <math.h>

#include "simd/loops.h"

Optim optim_adam(double decay) {
    return (Optim){
        .kind = OPTIM_ADAM, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .decay = decay};
}

Optim optim_sgd(double momentum) { return (Optim){.kind = OPTIM_SGD, .momentum = momentum}; }

// w *= 1 - rate decay, for the matrices alone: gains and biases have no reason to be small.
static void decay_matrices(const Params *p, double factor) {
    for (int i = 0; i < p->count; i++) {
        Tensor *x = p->tensor[i];
        if (x->grad && x->rank >= 2) loops()->scale(x->size, (float)factor, x->data, x->data);
    }
}

// m = b1 m + (1-b1) g, v = b2 v + (1-b2) g², w -= rate (m / (1-b1^t)) / (sqrt(v / (1-b2^t)) + eps)
static void adam(const Optim *o, Params *p, double rate) {
    const Adam numbers = {
        .b1 = (float)o->beta1,
        .c1 = (float)(1 - o->beta1),
        .b2 = (float)o->beta2,
        .c2 = (float)(1 - o->beta2),
        .step = (float)(rate / (1 - pow(o->beta1, (double)o->step))),
        .unbias = (float)(1 / (1 - pow(o->beta2, (double)o->step))),
        .epsilon = (float)o->epsilon,
    };
    #pragma omp parallel for if (params_worth_sharing(p))
    for (size_t at = 0; at < p->size; at += PIECE)
        loops()->adam(params_piece(p, at), &numbers, p->grad + at, p->moment[0] + at,
                      p->moment[1] + at, p->data + at);
}

static void sgd(const Optim *o, Params *p, double rate) {
    float momentum = (float)o->momentum, step = (float)rate, *v = p->moment[0];
    for (size_t i = 0; i < p->size; i++) {
        v[i] = momentum * v[i] + p->grad[i];
        p->data[i] -= step * v[i];
    }
}

void optim_step(Optim *optim, Params *params, double rate) {
    optim->step++;
    if (optim->decay != 0) decay_matrices(params, 1 - rate * optim->decay);
    if (optim->kind == OPTIM_ADAM) adam(optim, params, rate);
    else sgd(optim, params, rate);
}

double schedule_rate(Schedule schedule, double rate, long step, long steps, long warmup) {
    if (step < warmup) return rate * (double)(step + 1) / (double)(warmup + 1);
    if (schedule == SCHEDULE_CONSTANT || steps - warmup < 2) return rate;
    double through = (double)(step - warmup) / (double)(steps - 1 - warmup);
    return rate * (0.1 + 0.45 * (1 + cos(3.141592653589793 * through)));
}
