// Claim 14: what dividing by sqrt(d_k) is for. The layer is the product's. X has independent
// numbers of unit variance. W_Q, W_K, W_V are drawn with standard deviation 1/sqrt(d_model), as a
// framework does. So q and k have d_k independent numbers of unit variance, too.
#include <math.h>
#include <stdlib.h>

#include "claims.h"
#include "layer.h"
#include "autograd/ops.h"

enum { D = 256, B = 8, L = 16, ROWS = B * L, DRAWS = 16 };

static const int widths[] = {4, 16, 64, 256};

static void open_layer(Layer *layer, int d_k, bool scaled, uint64_t seed) {
    AttentionConfig config = layer_config(D, 1, d_k, D);
    config.scaled = scaled;
    layer_open(layer, "qkv", config, B, L, 0);
    setup_normal(layer->X, seed * 10, 1);
    setup_normal(layer->a.W_Q, seed * 10 + 1, 1 / sqrt(D));
    setup_normal(layer->a.W_K, seed * 10 + 2, 1 / sqrt(D));
    setup_normal(layer->a.W_V, seed * 10 + 3, 1 / sqrt(D));
    layer_run(layer);
}

// The right token of each row is drawn; the answer is read from Y as logits Y X^T / sqrt(d_model).
static void backward(Layer *layer, uint64_t seed) {
    int target[ROWS];
    Rng rng = rng_new(seed, 78);
    for (int i = 0; i < ROWS; i++) target[i] = (int)rng_below(&rng, L);
    Tensor *logits = matmul_t(&layer->tape, layer->out.Y, layer->X);
    params_zero_grad(&layer->params);
    tape_backward(&layer->tape,
                  cross_entropy(&layer->tape, scale(&layer->tape, logits, 1 / sqrt(D)), target));
}

static double squares(const float *x, size_t n) {
    double total = 0;
    for (size_t i = 0; i < n; i++) total += (double)x[i] * (double)x[i];
    return total;
}

static double variance(const Tensor *x) {
    double mean = 0;
    for (size_t i = 0; i < x->size; i++) mean += (double)x->data[i] / (double)x->size;
    return squares(x->data, x->size) / (double)x->size - mean * mean;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

FirstStep claims_first_step(int d_k, bool scaled, uint64_t seed) {
    Layer layer;
    double row[ROWS];
    open_layer(&layer, d_k, scaled, seed);
    backward(&layer, seed);
    FirstStep s = {.variance = variance(layer.out.S)};
    for (int i = 0; i < ROWS; i++) {
        double top = 0;
        for (int j = 0; j < L; j++) {
            double a = layer.out.A->data[i * L + j];
            s.entropy -= a > 0 ? a * log(a) / ROWS : 0;
            top = fmax(top, a);
        }
        s.top += top / ROWS;
        row[i] = sqrt(squares(layer.out.masked->grad + i * L, L));
    }
    qsort(row, ROWS, sizeof *row, ascending);
    s.row_gradient = row[ROWS / 2];
    s.gradient = sqrt(squares(layer.a.W_Q->grad, layer.a.W_Q->size) +
                      squares(layer.a.W_K->grad, layer.a.W_K->size));
    layer_close(&layer);
    return s;
}

// ---- variance ----------------------------------------------------------------------------------

// The variance depends on the draw of W_Q and W_K. The claim is about the mean over many draws.
static void run_variance(uint64_t seed, Figure *figure) {
    for (int w = 0; w < 4; w++) {
        double before = 0, after = 0;
        for (uint64_t draw = 0; draw < DRAWS; draw++) {
            for (int scaled = 0; scaled < 2; scaled++) {
                Layer layer;
                open_layer(&layer, widths[w], scaled, seed * 1000 + draw);
                *(scaled ? &after : &before) += variance(layer.out.S) / DRAWS;
                layer_close(&layer);
            }
        }
        figure_add(&figure[w], before);
        figure_add(&figure[4], after);
    }
}

const Experiment claims_variance = {
    .sentence = "the variance of q.k is d_k, and 1 after the scale",
    .seeded = true,
    .run = run_variance,
    .row = {
        {14, "variance of q.k, d_k 4", 3.6, 4.4, NULL},
        {14, "variance of q.k, d_k 16", 14.4, 17.6, NULL},
        {14, "variance of q.k, d_k 64", 57.6, 70.4, NULL},
        {14, "variance of q.k, d_k 256", 230, 282, NULL},
        {14, "after the scale, d_k 4, 16, 64, 256", 0.9, 1.1,
         "for independent vectors; not at W_Q = W_K, and not after training"},
    },
};

// ---- without the scale -------------------------------------------------------------------------

static void run_saturation(uint64_t seed, Figure *figure) {
    FirstStep narrow = claims_first_step(4, true, seed);
    for (int w = 0; w < 4; w++) {
        FirstStep with = claims_first_step(widths[w], true, seed);
        figure_add(&figure[0], with.entropy / log(L));
        figure_add(&figure[1], with.gradient / narrow.gradient);
    }
    FirstStep with = claims_first_step(256, true, seed);
    FirstStep without = claims_first_step(256, false, seed);
    figure_add(&figure[2], without.entropy / log(L));
    figure_add(&figure[3], without.row_gradient / with.row_gradient);
    figure_add(&figure[4], without.gradient / with.gradient);
}

const Experiment claims_saturation = {
    .sentence = "without the scale the softmax saturates as d_k grows; with it, it does not",
    .seeded = true,
    .run = run_saturation,
    .row = {
        {14, "entropy of A over ln L, scaled, any d_k", 0.8, 0.9, NULL},
        {14, "|dL/d(W_Q, W_K)|, scaled, over that at d_k 4", 0.7, 1.4, NULL},
        {14, "entropy over ln L, no scale, d_k 256", 0, 0.15, NULL},
        {14, "|dL/dS_i| of the median row, d_k 256: without/with", 0, 0.2, NULL},
        {14, "|dL/d(W_Q, W_K)|, d_k 256: without/with", 3, INFINITY,
         "the whole gradient grows; only the median row's vanishes"},
    },
};

static void run_no_scale(uint64_t seed, Figure *figure) {
    const char *const options[] = {"--init random --d-k 64", "--init random --d-k 64 --no-scale"};
    for (int i = 0; i < 2; i++)
        figure_add(&figure[i], claims_trained(options[i], "qkv", seed).accuracy);
    double with = claims_trained("--init random --d-k 4", "qkv", seed).accuracy;
    double without = claims_trained("--init random --d-k 4 --no-scale", "qkv", seed).accuracy;
    figure_add(&figure[2], without - with);
}

const Experiment claims_no_scale = {
    .sentence = "without the scale pronoun is learned at d_k 4 and not at d_k 64",
    .seeded = true,
    .slow = true,
    .run = run_no_scale,
    .row = {
        {14, "pronoun, random start, d_k 64: accuracy of qkv", 0.95, 1, NULL},
        {14, "the same with --no-scale", 0, 0.7, NULL},
        {14, "d_k 4: what --no-scale adds to the accuracy", -0.1, 0.1,
         "a small d_k does not need the scale"},
    },
};
