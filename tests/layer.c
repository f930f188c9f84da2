#include "layer.h"

#include <string.h>

#include "setup.h"
#include "test.h"

static Tensor *random_input(Layer *layer, int B, int L, int D, uint64_t seed) {
    Tensor *x = tape_tensor(&layer->tape, 3, (const int[]){B, L, D});
    setup_normal(x, seed, 1);
    return x;
}

void layer_open(Layer *layer, const char *arm, AttentionConfig config, int B, int L, int M) {
    *layer = (Layer){0};
    attention_add(&layer->a, &layer->params, "", arm_find(arm), config);
    params_seal(&layer->params);
    for (int i = 0; i < layer->params.count; i++)
        setup_normal(layer->params.tensor[i], 100 + (uint64_t)i, 1 / sqrt(config.D));
    layer->X = random_input(layer, B, L, config.D, 1);
    layer->Z = M ? random_input(layer, B, M, config.D, 2) : layer->X;
    size_t n = (size_t)(B * L * (M ? M : L));
    layer->allowed = arena_alloc(&layer->tape.arena, n, 1);
    memset(layer->allowed, 1, n);
}

void layer_run(Layer *layer) {
    layer->out =
        attention(&layer->tape, &layer->a, layer->X, layer->Z, layer->allowed, layer->X->shape[0]);
}

void layer_close(Layer *layer) {
    params_free(&layer->params);
    tape_free(&layer->tape);
}

AttentionConfig layer_config(int D, int H, int d_k, int d_v) {
    return (AttentionConfig){
        .D = D, .H = H, .d_k = d_k, .d_v = d_v, .scaled = true, .start = START_RANDOM};
}

void layer_shape(const Tensor *x, const char *expected) {
    char text[64];
    CHECK_STRING(tensor_shape(x, text), expected);
}
