// Claim 18: in one sequence, as in `search` across two, a narrow key did not serve as the value; and
// a value that stands behind its key was not found by one layer. The task is `recall`.
#include "claims.h"

static void run_recall(uint64_t seed, Figure *figure) {
    static const struct { const char *options, *arm; } of[] = {
        {"recall --steps 1000", "kv"}, {"recall --steps 1000", "qkv"},
        {"recall --steps 1000", "qk"}, {"recall --steps 1000", "tied"},
        {"recall --steps 1000 --d-k 16", "kv"},
        {"recall --separate --layers 1 --steps 1500 --batch 16", "qkv"},
        {"recall --separate --layers 2 --steps 1500 --batch 16", "sym"},
    };
    for (int i = 0; i < (int)(sizeof of / sizeof *of); i++)
        figure_add(&figure[i], claims_trained(of[i].options, of[i].arm, seed).accuracy);
}

const Experiment claims_recall = {
    .sentence = "recall: a narrow key that is also the value does not answer; nor does one layer",
    .seeded = true,
    .slow = true,
    .run = run_recall,
    .row = {
        {18, "recall, 8 pairs, d_k 4: accuracy of kv (value = key)", 0, 0.3, NULL},
        {18, "the same of qkv", 0.99, 1, NULL},
        {18, "the same of qk", 0.99, 1, "value X does as well as W_V: only value = key hurts"},
        {18, "the same of tied", 0.98, 1,
         "no token both asks and answers, so one W serves queries and keys"},
        {18, "recall, d_k 16: accuracy of kv", 0.95, 1, "a wide key can be the value, too"},
        {18, "separate tokens, one layer: accuracy of qkv", 0, 0.25, NULL},
        {18, "separate tokens, two layers: accuracy of sym", 0.95, 1,
         "two layers need no asymmetric score here"},
    },
};
