// The options of a training: a row each. The defaults stand in tasks.c and parse.c, which reads a
// command line; an option that is saved with a model is read back the same way.
#include "options.h"

#include <stddef.h>

#define AT(field) offsetof(Options, field)
#define FLAG_AT(field) FLAG, AT(field), 0, 0
#define TEXT_AT(field) TEXT, AT(field), 0, 0
#define SEED_AT(field) SEED, AT(field), 0, 0
#define CHOICE_AT(field) CHOICE, AT(field), 0, 0
#define INT_AT(field, least, most) INT, AT(field), least, most
#define REAL_AT(field, least, most) REAL, AT(field), least, most
#define IS_INT(field) (sizeof((Options *)0)->field == sizeof(int))
_Static_assert(IS_INT(optimizer) && IS_INT(schedule) && IS_INT(init) && IS_INT(positions)
               && IS_INT(readout) && IS_INT(objective) && IS_INT(antecedent)
               && IS_INT(mix),
               "a CHOICE is read as an int");

enum { MANY = 1 << 20, WIDE = 1 << 14 };
// Is it saved with a model? If so, may it differ when the training goes on?
#define AGREE MUST_AGREE
#define MAY MAY_DIFFER
#define NO FORGOTTEN
#define POINTING "heads and coref"  // the tasks that point at their answers

static const Option table[] = {
    {"--arms", "LIST", TEXT_AT(arm_list), NO, 0, "which arms to train, as in xxt,qk,qkv"},
    {"--seed", "N", SEED_AT(seed), AGREE, 0, "seed of all random numbers"},
    {"--steps", "N", INT_AT(steps, 1, 1e9), MAY, 0, "training steps"},
    {"--epochs", "N", INT_AT(epochs, 1, MANY), MAY, POINTING,
     "over the file (8; of ours 16)"},
    {"--batch", "N", INT_AT(batch, 1, MANY), AGREE, 0, "sentences a batch"},
    {"--accumulate", "N", INT_AT(accumulate, 1, MANY), AGREE, 0, "batches added up in a step"},
    {"--held-out", "N", INT_AT(held_out, 1, MANY), MAY, 0, "sentences to measure on"},
    {"--d-model", "N", INT_AT(d_model, 1, WIDE), AGREE, 0, "width of a token"},
    {"--d-k", "N", INT_AT(d_k, 1, WIDE), AGREE, 0, "width of a query and a key, of each head"},
    {"--d-v", "N", INT_AT(d_v, 1, WIDE), AGREE, 0, "width of a value, of each head (D / heads)"},
    {"--d-ff", "N", INT_AT(d_ff, 1, WIDE), AGREE, 0, "width of each block's MLP (4 d_model)"},
    {"--layers", "N", INT_AT(layers, 0, 1024), AGREE, 0, "transformer blocks; 0: a bare head"},
    {"--heads", "N", INT_AT(heads, 1, 1024), AGREE, 0, "of each block, or of the bare head"},
    {"--embed-rms", "X", REAL_AT(embed_rms, 0, 1e6), AGREE, 0, "RMS of an embedding at the start"},
    {"--positions", "learned|sinusoidal", CHOICE_AT(positions), AGREE, 0, "of a token's place"},
    {"--readout", "tied|own", CHOICE_AT(readout), AGREE, 0, "read by E, or by a matrix of its own"},
    {"--lr", "X", REAL_AT(lr, 0, 1e9), MAY, 0, "learning rate; of blocks 0.003"},
    {"--optimizer", "adam|sgd", CHOICE_AT(optimizer), AGREE, 0, "optimiser"},
    {"--momentum", "X", REAL_AT(momentum, 0, 1), MAY, 0, "of sgd"},
    {"--schedule", "constant|cosine", CHOICE_AT(schedule), MAY, 0, "of the learning rate"},
    {"--warmup", "N", INT_AT(warmup, 0, 1e9), MAY, 0, "steps in which --lr is reached"},
    {"--decay", "X", REAL_AT(decay, 0, 1e9), MAY, 0, "weight decay, as in AdamW"},
    {"--clip", "X", REAL_AT(clip, 0, 1e9), MAY, 0, "largest gradient norm; 0: any"},
    {"--init", "tied|random", CHOICE_AT(init), AGREE, 0, "W_Q = W_K, or independent"},
    {"--no-scale", NULL, FLAG_AT(no_scale), AGREE, 0, "scores are not divided by sqrt(d_k)"},
    {"--mask-self", NULL, FLAG_AT(mask_self), AGREE, 0,
     "no token sees itself (heads and coref: always)"},
    {"--freeze-embeddings", NULL, FLAG_AT(freeze_embeddings), AGREE, POINTING,
     "only the head learns"},
    {"--sentences", "FILE", TEXT_AT(sentences), MAY, "pronoun",
     "your own, with questions (--lr 0.01)"},
    {"--conllu", "FILE", TEXT_AT(conllu), MAY, POINTING, "the treebank (ours, in data/)"},
    {"--dev", "FILE", TEXT_AT(dev), MAY, POINTING, "to measure on (a fifth)"},
    {"--max-words", "N", INT_AT(max_words, 1, 4096), AGREE, "heads", "leaves out longer sentences"},
    {"--mix", "nothing|nouns|pairs", CHOICE_AT(mix), AGREE, "heads",
     "nouns ask for their next pronoun instead"},
    {"--antecedent", "noun|nearest", CHOICE_AT(antecedent), AGREE, "coref",
     "the answer: a noun, or any word"},
    {"--window", "N", INT_AT(window, 2, 4096), AGREE, "coref", "words, with the pronoun"},
    {"--no-tags", NULL, FLAG_AT(no_tags), AGREE, POINTING, "without parts of speech"},
    {"--no-relations", NULL, FLAG_AT(no_relations), AGREE, "coref",
     "without what each word is to another"},
    {"--shared", NULL, FLAG_AT(shared), AGREE, "coref",
     "also learns two other questions"},
    {"--suffixes", NULL, FLAG_AT(suffixes), AGREE, "heads", "with each word's last three letters"},
    {"--capitals", NULL, FLAG_AT(capitals), AGREE, "heads", "with capitals, digits and marks"},
    {"--pairs", "N", INT_AT(pairs, 4, 64), AGREE, "recall", "of a key and a value, in a sequence"},
    {"--separate", NULL, FLAG_AT(separate), AGREE, "recall",
     "a pair is two tokens (d_k 32, else 4)"},
    {"--text", "FILE", TEXT_AT(text), MAY, "text", "the text to learn"},
    {"--context", "N", INT_AT(context, 1, 1 << 15), AGREE, "text", "characters in a window"},
    {"--objective", "causal|masked", CHOICE_AT(objective), AGREE, "text",
     "next character, or masked ones"},
    {"--relative", "N", INT_AT(relative, 0, 4096), AGREE, 0, "scores see distances, up to N words"},
    {"--threads", "N", INT_AT(threads, 1, 1024), NO, 0,
     "arms, or parts of a step, at once (one a core)"},
    {"--out", "DIR", TEXT_AT(out), NO, 0, "where the results go (out)"},
    {"--resume", NULL, FLAG_AT(resume), NO, 0, "go on from what DIR holds"},
    {"--save-every", "SECONDS", REAL_AT(save_every, 0, 1e9), NO, 0, "between saves; 0: at the end"},
    {"--pace", "SECONDS", REAL_AT(pace, 0, 1e6), NO, 0, "spread the run over that time"},
    {"--quiet", NULL, FLAG_AT(quiet), NO, 0, "no curves, the table alone"},
    {"--no-report", NULL, FLAG_AT(no_report), NO, 0, "no report.html, and no pictures"},
    {"--help", NULL, FLAG_AT(help), NO, 0, "this"},
    {"--version", NULL, FLAG_AT(version), NO, 0, "of this program"},
};
const OptionTable options_table = {table, sizeof table / sizeof *table};

TrainConfig options_config(const Options *o) {
    return (TrainConfig){
        .model = {.attention = {.D = o->d_model, .H = o->heads, .d_k = o->d_k, .d_v = o->d_v,
                                .scaled = !o->no_scale, .relative = o->relative, .start = o->init},
                  .layers = o->layers, .d_ff = o->d_ff,
                  .embed_rms = o->embed_rms,
                  .positions = o->positions,
                  .readout = o->readout,
                  .freeze_embeddings = o->freeze_embeddings,
                  .mask_self = o->mask_self},
        .seed = o->seed,
        .batch = o->batch, .accumulate = o->accumulate,
        .steps = o->steps, .warmup = o->warmup, .schedule = o->schedule,
        .optimizer = o->optimizer,
        .lr = o->lr, .momentum = o->momentum, .decay = o->decay, .clip = o->clip,
    };
}
