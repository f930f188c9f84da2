// Claims 7 to 10, 12 and 13 on untrained layers: shapes, worked examples, gradients.
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "claims.h"
#include "layer.h"
#include "net.h"
#include "test.h"

// What X W gave, found on the tape.
static const Tensor *product_with(const Layer *layer, const Tensor *W) {
    for (const Tensor *x = layer->tape.last; x; x = x->prev)
        if (x->in[1] == W && !strcmp(x->name, "matmul")) return x;
    CHECK(0, "nothing was multiplied by %s", W->name);
}

static double other_shape(const Tensor *x, const char *expected) {
    char text[64];
    return !!strcmp(tensor_shape(x, text), expected);
}

// ---- d_k and d_v -------------------------------------------------------------------------------

static Layer wide(int d_k, int d_v) {
    Layer layer;
    layer_open(&layer, "qkv", layer_config(12, 2, d_k, d_v), 2, 5, 0);
    layer_run(&layer);
    return layer;
}

static void run_width(uint64_t seed, Figure *figure) {
    (void)seed;
    const int d[] = {1, 3, 6, 17};
    for (int k = 0; k < 4; k++) {
        Layer first = wide(d[k], d[0]);
        for (int v = 0; v < 4; v++) {
            Layer layer = wide(d[k], d[v]);
            const Tensor *S = layer.out.S;
            figure_add(&figure[0], other_shape(layer.out.Y, "(2, 5, 12)"));
            figure_add(&figure[1], !!memcmp(S->data, first.out.S->data, S->size * sizeof(float)));
            figure_add(&figure[2], !layer.a.W_O != (2 * d[v] == 12));
            figure_add(&figure[3], layer.a.W_V->shape[1] - 2 * d[v]);
            figure_add(&figure[3], other_shape(S, "(2, 2, 5, 5)"));
            layer_close(&layer);
        }
        layer_close(&first);
    }
}

const Experiment claims_width = {
    .sentence = "d_k and d_v are free of each other; d_v alone needs W_O to fit the block",
    .run = run_width,
    .row = {
        {7, "d_k, d_v each 1, 3, 6, 17: Y not of the shape of X", 0, 0, NULL},
        {7, "d_v changes a bit of S", 0, 0, NULL},
        {7, "W_O missing, or there where H d_v is d_model", 0, 0,
         "any d_v fits, by a W_O that brings H d_v back to d_model"},
        {6, "d_k changes the shape of W_V, S or Y", 0, 0,
         "it sets the scale, and how many numbers W_Q and W_K have, too"},
    },
};

// ---- eight heads -------------------------------------------------------------------------------

// The rank of M (n, n) by elimination with full pivoting; M is overwritten.
static int rank_of(double *M, int n) {
    int rank = 0;
    for (; rank < n; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < n; i++)
            for (int j = rank; j < n; j++)
                if (fabs(M[i * n + j]) > fabs(M[r * n + c])) r = i, c = j;
        if (fabs(M[r * n + c]) < 1e-10) return rank;
        for (int j = 0; j < n; j++) {
            double kept = M[r * n + j];
            M[r * n + j] = M[rank * n + j];
            M[rank * n + j] = kept;
        }
        for (int i = 0; i < n; i++) {
            double kept = M[i * n + c];
            M[i * n + c] = M[i * n + rank];
            M[i * n + rank] = kept;
        }
        for (int i = rank + 1; i < n; i++) {
            double times = M[i * n + rank] / M[rank * n + rank];
            for (int j = rank; j < n; j++) M[i * n + j] -= times * M[rank * n + j];
        }
    }
    return rank;
}

static void run_block(uint64_t seed, Figure *figure) {
    (void)seed;
    Net n;
    net_open(&n, "train --d-model 512 --heads 8 --layers 1 --init random --held-out 1", "qkv", 1);
    const Attention *a = &n.model.block[0].attention;
    net_forward(&n);
    figure_add(&figure[0], a->config.d_k);
    figure_add(&figure[1], other_shape(a->W_Q, "(512, 512)"));
    figure_add(&figure[1], other_shape(a->W_K, "(512, 512)"));
    figure_add(&figure[1], other_shape(a->W_V, "(512, 512)"));
    figure_add(&figure[1], n.f.attended.S->shape[1] != 8);
    figure_add(&figure[1], n.f.attended.Y->shape[2] != 512);
    double *M = grow(NULL, 512 * 512, sizeof *M);
    for (int h = 0; h < 8; h++) {
        attention_m(a, h, M);
        figure_add(&figure[2], rank_of(M, 512));
    }
    free(M);
    net_close(&n);
}

const Experiment claims_block = {
    .sentence = "eight heads at width 512 have d_k 64, and M of rank 64",
    .run = run_block,
    .row = {
        {8, "a block of width 512, 8 heads: d_k of each", 64, 64,
         "by the choice of d_k = d_model / heads; --d-k sets another"},
        {8, "W_Q, W_K, W_V, S, Y of another shape", 0, 0, NULL},
        {8, "rank of M, head by head", 64, 64, NULL},
    },
};

// ---- worked examples ---------------------------------------------------------------------------

static void set(Tensor *x, const float *numbers) {
    memcpy(x->data, numbers, x->size * sizeof *numbers);
}

static void add_errors(const Tensor *x, float a, float b, Figure *figure) {
    figure_add(figure, (double)(x->data[0] - a));
    figure_add(figure, (double)(x->data[1] - b));
}

static void run_token(uint64_t seed, Figure *figure) {
    (void)seed;
    Layer layer;
    layer_open(&layer, "qkv", layer_config(2, 1, 2, 2), 1, 1, 0);
    set(layer.X, (const float[]){1, 0.5f});
    set(layer.a.W_Q, (const float[]){1, 0, 0, 1});
    set(layer.a.W_K, (const float[]){0, 1, 1, 0});
    set(layer.a.W_V, (const float[]){2, 0, 0, 2});
    layer_run(&layer);
    add_errors(product_with(&layer, layer.a.W_Q), 1, 0.5f, &figure[0]);
    add_errors(product_with(&layer, layer.a.W_K), 0.5f, 1, &figure[0]);
    add_errors(product_with(&layer, layer.a.W_V), 2, 1, &figure[0]);
    add_errors(layer.out.Y, 2, 1, &figure[0]);
    figure_add(&figure[1], layer.out.S->data[0] - 1 / sqrt(2));
    figure_add(&figure[2], layer.out.A->data[0]);
    layer_close(&layer);
}

const Experiment claims_token = {
    .sentence = "x = [1, 0.5] gives q = [1, 0.5], k = [0.5, 1], v = [2, 1]",
    .run = run_token,
    .row = {
        {9, "q, k, v and y, less the numbers of the claim", 0, 0, NULL},
        {9, "its score with itself, less 1/sqrt(2)", -1e-7, 1e-7, NULL},
        {9, "its weight on itself", 1, 1, NULL},
    },
};

static void run_shapes(uint64_t seed, Figure *figure) {
    (void)seed;
    Layer layer;
    layer_open(&layer, "qkv", layer_config(8, 1, 4, 4), 1, 5, 0);
    layer_run(&layer);
    figure_add(&figure[0], other_shape(product_with(&layer, layer.a.W_Q), "(1, 5, 4)"));
    figure_add(&figure[0], other_shape(product_with(&layer, layer.a.W_K), "(1, 5, 4)"));
    figure_add(&figure[0], other_shape(product_with(&layer, layer.a.W_V), "(1, 5, 4)"));
    figure_add(&figure[1], other_shape(layer.out.S, "(1, 1, 5, 5)"));
    figure_add(&figure[1], other_shape(layer.out.A, "(1, 1, 5, 5)"));
    figure_add(&figure[1], other_shape(layer.out.Y, "(1, 5, 8)"));
    layer_close(&layer);
}

const Experiment claims_shapes = {
    .sentence = "width 8 and d_k 4 turn X (1, 5, 8) into Q, K, V of (1, 5, 4)",
    .run = run_shapes,
    .row = {
        {10, "Q, K, V of another shape", 0, 0, NULL},
        {10, "S, A not (1, 1, 5, 5), Y not (1, 5, 8)", 0, 0, NULL},
    },
};

// ---- two sequences -----------------------------------------------------------------------------

static double product(const float *x, const Tensor *W, size_t column) {
    size_t rows = (size_t)W->shape[0], columns = (size_t)W->shape[1];
    double total = 0;
    for (size_t i = 0; i < rows; i++) total += (double)x[i] * (double)W->data[i * columns + column];
    return total;
}

// Query i of X (1, 3, 8) over Z (1, 7, 8) with d_k 4 and d_v 8, in double.
static void by_hand(const Layer *layer, int i, double Y[8]) {
    const float *x = layer->X->data + i * 8;
    double total = 0;
    memset(Y, 0, 8 * sizeof *Y);
    for (int j = 0; j < 7; j++) {
        const float *z = layer->Z->data + j * 8;
        double s = 0;
        for (size_t k = 0; k < 4; k++)
            s += product(x, layer->a.W_Q, k) * product(z, layer->a.W_K, k);
        double weight = exp(s / 2);  // sqrt(d_k) is 2
        total += weight;
        for (size_t v = 0; v < 8; v++) Y[v] += weight * product(z, layer->a.W_V, v);
    }
    for (size_t v = 0; v < 8; v++) Y[v] /= total;
}

// The scores of three of the eight queries are the same without the other five.
static void add_fewer_queries(Figure *figure) {
    Net n;
    net_open(&n, "train search --held-out 1 --init random", "qkv", 1);
    net_forward(&n);
    float all[3 * 8];
    memcpy(all, n.f.attended.S->data, sizeof all);
    n.batch.L = 8 + 3;
    net_forward(&n);
    figure_add(&figure[0], other_shape(n.f.attended.S, "(1, 1, 3, 8)"));
    figure_add(&figure[2], !!memcmp(all, n.f.attended.S->data, sizeof all));
    net_close(&n);
}

static void run_cross(uint64_t seed, Figure *figure) {
    (void)seed;
    Layer layer;
    double Y[8];
    layer_open(&layer, "qkv", layer_config(8, 1, 4, 8), 1, 3, 7);
    layer_run(&layer);
    figure_add(&figure[0], other_shape(layer.out.A, "(1, 1, 3, 7)"));
    figure_add(&figure[0], other_shape(layer.out.Y, "(1, 3, 8)"));
    for (int i = 0; i < 3; i++) {
        by_hand(&layer, i, Y);
        for (int v = 0; v < 8; v++) figure_add(&figure[1], layer.out.Y->data[i * 8 + v] - Y[v]);
    }
    layer_close(&layer);
    add_fewer_queries(figure);
}

const Experiment claims_cross = {
    .sentence = "three queries attend to a sequence of seven, and to eight pages",
    .run = run_cross,
    .row = {
        {12, "3 queries of 7 keys, of 8 pages: other shapes", 0, 0, NULL},
        {12, "Y less softmax(XW_Q (ZW_K)^T / 2) ZW_V, in double", -2e-6, 2e-6, NULL},
        {12, "search: S of 3 queries changes with 5 more", 0, 0, NULL},
    },
};

// ---- gradients ---------------------------------------------------------------------------------

// The embeddings are made shorter, so that the softmax is not on one token and the loss bends less.
static void add_gradients(const char *start, uint64_t seed, Figure *figure) {
    Net n;
    char command[128];
    snprintf(command, sizeof command,
             "train --held-out 8 --d-model 6 --d-k 4 --embed-rms 1.7 --init %s --seed %llu", start,
             (unsigned long long)seed);
    net_open(&n, command, "qkv", 3);
    const Attention *a = &n.model.head;
    const Tensor *all[] = {a->W_Q, a->W_K, a->W_V};
    params_zero_grad(&n.model.params);
    net_forward(&n);
    tape_backward(&n.tape, n.f.loss);
    for (int w = 0; w < 3; w++) {
        double largest = 0, off = 0;
        for (size_t i = 0; i < all[w]->size; i++) {
            double got = all[w]->grad[i];
            largest = fmax(largest, fabs(got));
            off = fmax(off, fabs(got - net_slope(&n, all[w]->data + i)));
        }
        figure_add(&figure[w], largest);
        figure_add(&figure[3], off / largest);
    }
    net_close(&n);
}

static void run_gradient(uint64_t seed, Figure *figure) {
    add_gradients("tied", seed, figure);
    add_gradients("random", seed, figure);
}

const Experiment claims_gradient = {
    .sentence = "the gradients of W_Q, W_K and W_V are right, and none is zero",
    .seeded = true,
    .run = run_gradient,
    .row = {
        {13, "largest |dL/dW_Q|, both starts", 1e-3, INFINITY, NULL},
        {13, "largest |dL/dW_K|", 1e-3, INFINITY, NULL},
        {13, "largest |dL/dW_V|", 1e-3, INFINITY, NULL},
        {13, "their error against differences, relative", 0, 5e-3, NULL},
    },
};
