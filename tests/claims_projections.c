// Claim 17: what each of the three projections is worth in a language model, where one at a time is
// left out or shared. `make results PARTS=projections` has the same at other sizes, on other texts.
#include "claims.h"

static const char options[] = "text --text data/english.conllu --layers 2 --d-model 32 "
                              "--context 32 --steps 400 --lr 0.003";

// Held-out loss, nats per character, less that of qkv with the same seed: the same batches.
static void run_projections(uint64_t seed, Figure *figure) {
    const char *const arm[] = {"qk", "kv", "vq", "tied", "xxt-v"};
    double qkv = claims_trained(options, "qkv", seed).loss, more[5];
    for (int i = 0; i < 5; i++) {
        more[i] = claims_trained(options, arm[i], seed).loss - qkv;
        figure_add(&figure[i], more[i]);
    }
    figure_add(&figure[5], more[3] - more[0]);
}

const Experiment claims_projections = {
    .sentence = "in a small language model W_Q = W_K costs more than leaving out W_V",
    .seeded = true,
    .slow = true,
    .run = run_projections,
    .row = {
        {17, "loss of qk (value X) less that of qkv, nats", -0.12, 0.06,
         "in a block with an MLP; W_O reads the value"},
        {17, "loss of kv (value = key) less that of qkv", -0.02, 0.12, NULL},
        {17, "loss of vq (value = query) less that of qkv", -0.03, 0.16, NULL},
        {17, "loss of tied (query = key) less that of qkv", 0.01, 0.25, NULL},
        {17, "loss of xxt-v (no W_Q, W_K) less that of qkv", 0.01, 0.2, NULL},
        {17, "loss of tied less that of qk", 0.01, 0.25, NULL},
    },
};
