#include "net.h"

void net_open(Net *n, const char *command, const char *arm, int B) {
    *n = (Net){0};
    setup_open(&n->setup, command);
    model_init(&n->model, &n->setup.task, arm_find(arm),
               options_config(&n->setup.options).model, n->setup.options.seed);
    setup_batch(&n->setup, &n->batch, B, 0);
}

double net_forward(Net *n) {
    tape_reset(&n->tape);
    n->f = model_forward(&n->model, &n->tape, &n->batch);
    return n->f.loss->data[0];
}

void net_close(Net *n) {
    batch_free(&n->batch);
    tape_free(&n->tape);
    model_free(&n->model);
    setup_close(&n->setup);
}

// The errors of order h² of differences at h and 2h cancel.
double net_slope(Net *n, float *x) {
    const double h = 0.01;
    double at[4];
    const float kept = *x;
    for (int k = 0; k < 4; k++) {
        *x = (float)(kept + (double[]){h, -h, 2 * h, -2 * h}[k]);
        at[k] = net_forward(n);
    }
    *x = kept;
    return (8 * (at[0] - at[1]) - (at[2] - at[3])) / (12 * h);
}
