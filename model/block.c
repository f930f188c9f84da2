// A transformer block: attention and a small network of two layers (MLP), each added to what came
// in. Read attention.h before, and block_forward first; it is the whole block.
#include "block.h"

#include <math.h>
#include <stdio.h>

// The gain g of the layer norm before the attention. Where W_Q = W_K, a token scores about
// g² sqrt(d_k) with itself. With g = 1 the softmax would start on the diagonal, and a block may
// stay there. With this g that score is 1 at d_k 16, and each token starts by looking around.
static const float FIRST_GAIN = 0.5f;

Tensor *block_forward(Tape *tape, const Block *block, Tensor *X, Tensor *Z,
                      const unsigned char *allowed, int allowed_B, Attended *attended) {
    Tensor *N = layer_norm(tape, X, block->gain_1, block->bias_1);
    Tensor *from = Z ? layer_norm(tape, Z, block->gain_1, block->bias_1) : N;  // (B, M, D)
    *attended = attention(tape, &block->attention, N, from, allowed, allowed_B);
    X = add(tape, X, attended->Y);

    N = layer_norm(tape, X, block->gain_2, block->bias_2);
    Tensor *hidden = gelu(tape, linear(tape, N, block->W_1, block->c_1));      // (B, L, d_ff)
    return add(tape, X, linear(tape, hidden, block->W_2, block->c_2));
}

static Tensor *named(Params *params, int n, const char *name, int rank, int rows, int columns) {
    char full[64];
    snprintf(full, sizeof full, "block.%d.%s", n, name);
    return params_add(params, full, true, rank, (const int[]){rows, columns});
}

void block_add(Block *block, Params *params, int n, const Arm *arm, AttentionConfig config,
               int d_ff) {
    int D = config.D, width = d_ff ? d_ff : 4 * D;
    char prefix[32];
    snprintf(prefix, sizeof prefix, "block.%d.", n);
    block->gain_1 = named(params, n, "gain_1", 1, D, 0);
    block->bias_1 = named(params, n, "bias_1", 1, D, 0);
    attention_add(&block->attention, params, prefix, arm, config);
    block->gain_2 = named(params, n, "gain_2", 1, D, 0);
    block->bias_2 = named(params, n, "bias_2", 1, D, 0);
    block->W_1 = named(params, n, "W_1", 2, D, width);
    block->c_1 = named(params, n, "c_1", 1, width, 0);
    block->W_2 = named(params, n, "W_2", 2, width, D);
    block->c_2 = named(params, n, "c_2", 1, D, 0);
}

static void fill_with(Tensor *x, float value) {
    for (size_t i = 0; i < x->size; i++) x->data[i] = value;
}

void block_fill(const Block *block, Rng *rng, int layers) {
    double D = block->gain_1->shape[0];
    fill_with(block->gain_1, FIRST_GAIN);
    attention_fill(&block->attention, rng);
    fill_with(block->gain_2, 1);
    fill_normal(block->W_1, rng, 1 / sqrt(D));
    fill_normal(block->W_2, rng, 1 / sqrt(block->W_2->shape[0]) / sqrt(2.0 * layers));
}
