// The options of a training, and their defaults.
#include "options.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(Options, field)
enum { MANY = 1 << 20, WIDE = 1 << 14 };
// Saved with a model? If so, may it differ in a training that goes on?
#define AGREE MUST_AGREE
#define MAY MAY_DIFFER
#define NO FORGOTTEN

static const Option table[] = {
    {"--arms", "LIST", TEXT, AT(arm_list), 0, 0, NO, 0, "which arms, as in xxt,qk,qkv"},
    {"--seed", "N", SEED, AT(seed), 0, 0, AGREE, 0, "of everything that is drawn (1)"},
    {"--steps", "N", INT, AT(steps), 1, 1e9, MAY, 0, "of training (1000; search 1500, text 2000)"},
    {"--epochs", "N", INT, AT(epochs), 1, MANY, MAY, "heads",
     "heads: over the treebank (8; ours 16)"},
    {"--batch", "N", INT, AT(batch), 1, MANY, AGREE, 0, "sentences a step (32; text 12)"},
    {"--accumulate", "N", INT, AT(accumulate), 1, MANY, AGREE, 0,
     "batches a step, as one N times as large (1)"},
    {"--held-out", "N", INT, AT(held_out), 1, MANY, MAY, 0,
     "sentences to measure on (512; text 128)"},
    {"--d-model", "N", INT, AT(d_model), 1, WIDE, AGREE, 0,
     "width of a token (64; search 32, text 128)"},
    {"--d-k", "N", INT, AT(d_k), 1, WIDE, AGREE, 0,
     "of a query and a key (16; search 4, heads 32)"},
    {"--d-v", "N", INT, AT(d_v), 1, WIDE, AGREE, 0, "width of a value (d_model / heads)"},
    {"--layers", "N", INT, AT(layers), 0, 1024, AGREE, 0, "blocks; 0 is a bare head (0; text 4)"},
    {"--heads", "N", INT, AT(heads), 1, 1024, AGREE, 0,
     "of each block, or of the bare head (1; text 4)"},
    {"--embed-rms", "X", REAL, AT(embed_rms), 0, 1e6, AGREE, 0,
     "of embeddings as drawn (4; text 0.25)"},
    {"--positions", "learned|sinusoidal", CHOICE, AT(positions), 0, 0, AGREE, 0,
     "what tells where a token stands (learned)"},
    {"--readout", "tied|own", CHOICE, AT(readout), 0, 0, AGREE, 0,
     "what reads the answer: E, or its own (tied)"},
    {"--lr", "X", REAL, AT(lr), 0, 1e9, MAY, 0, "rate (0.03; heads .005, text .001, blocks .003)"},
    {"--optimizer", "adam|sgd", CHOICE, AT(optimizer), 0, 0, AGREE, 0,
     "what follows the gradient (adam)"},
    {"--momentum", "X", REAL, AT(momentum), 0, 1, MAY, 0, "of sgd (0.9)"},
    {"--schedule", "constant|cosine", CHOICE, AT(schedule), 0, 0, MAY, 0,
     "of the learning rate (cosine)"},
    {"--warmup", "N", INT, AT(warmup), 0, 1e9, MAY, 0, "steps over which it rises (0; text 100)"},
    {"--decay", "X", REAL, AT(decay), 0, 1e9, MAY, 0, "weight decay, as in AdamW (0; text 0.1)"},
    {"--clip", "X", REAL, AT(clip), 0, 1e9, MAY, 0,
     "limit to the gradient's norm (0: none; text 1)"},
    {"--init", "tied|random", CHOICE, AT(init), 0, 0, AGREE, 0,
     "W_Q = W_K, or anywhere (tied; text random)"},
    {"--no-scale", NULL, FLAG, AT(no_scale), 0, 0, AGREE, 0, "scores are not divided by sqrt(d_k)"},
    {"--mask-self", NULL, FLAG, AT(mask_self), 0, 0, AGREE, 0,
     "no token attends to itself (heads: always)"},
    {"--freeze-embeddings", NULL, FLAG, AT(freeze_embeddings), 0, 0, AGREE, "heads",
     "heads: only the head learns"},
    {"--sentences", "FILE", TEXT, AT(sentences), 0, 0, MAY, "pronoun",
     "pronoun: your own, with questions (lr 0.01)"},
    {"--conllu", "FILE", TEXT, AT(conllu), 0, 0, MAY, "heads",
     "heads: the treebank (data/english.conllu)"},
    {"--dev", "FILE", TEXT, AT(dev), 0, 0, MAY, "heads",
     "heads: one to measure on (a fifth of the first)"},
    {"--max-words", "N", INT, AT(max_words), 1, 4096, AGREE, "heads",
     "heads: longer sentences are left out (128)"},
    {"--no-tags", NULL, FLAG, AT(no_tags), 0, 0, AGREE, "heads", "heads: without parts of speech"},
    {"--suffixes", NULL, FLAG, AT(suffixes), 0, 0, AGREE, "heads",
     "heads: with each word's last three letters"},
    {"--capitals", NULL, FLAG, AT(capitals), 0, 0, AGREE, "heads",
     "heads: with capitals, digits and marks"},
    {"--text", "FILE", TEXT, AT(text), 0, 0, MAY, "text", "text: what is read and learned"},
    {"--context", "N", INT, AT(context), 1, 1 << 15, AGREE, "text",
     "text: characters that are seen at once (64)"},
    {"--objective", "causal|masked", CHOICE, AT(objective), 0, 0, AGREE, "text",
     "text: the next, or hidden characters (causal)"},
    {"--relative", "N", INT, AT(relative), 0, 4096, AGREE, 0,
     "scores see the distance, up to N words (0: no)"},
    {"--threads", "N", INT, AT(threads), 1, 1024, NO, 0,
     "arms, or parts of a step, at once (one a core)"},
    {"--out", "DIR", TEXT, AT(out), 0, 0, NO, 0, "where the results go (out)"},
    {"--resume", NULL, FLAG, AT(resume), 0, 0, NO, 0, "go on from what DIR holds"},
    {"--save-every", "SECONDS", REAL, AT(save_every), 0, 1e9, NO, 0,
     "about so often; 0: only at the end (10)"},
    {"--pace", "SECONDS", REAL, AT(pace), 0, 1e6, NO, 0,
     "spread the run over that time, to watch it"},
    {"--quiet", NULL, FLAG, AT(quiet), 0, 0, NO, 0, "no curves, the table alone"},
    {"--no-report", NULL, FLAG, AT(no_report), 0, 0, NO, 0, "no report.html, and no pictures"},
    {"--help", NULL, FLAG, AT(help), 0, 0, NO, 0, "this"},
};
enum { OPTIONS = sizeof table / sizeof *table };
const OptionTable options_table = {table, OPTIONS};

// What a task does if nobody says otherwise.
typedef struct Defaults {
    const char *task, *asks;
    int steps, batch, held_out, d_model, d_k, layers, heads, warmup;
    Start init;
    double embed_rms, lr, block_lr, decay, clip;
} Defaults;

static const Defaults tasks[] = {
    {"pronoun", "made-up sentences: which word answers which? (default)",
     1000, 32, 512, 64, 16, 0, 1, 0, START_TIED, 4, 0.03, 0.003, 0, 0},
    {"search", "queries and pages: what says the page whose title fits?",
     1500, 32, 512, 32, 4, 0, 1, 0, START_TIED, 4, 0.03, 0.003, 0, 0},
    {"heads", "real sentences: which word does each word depend on?",
     0, 32, 512, 64, 32, 0, 1, 0, START_TIED, 4, 0.005, 0.003, 0, 0},
    {"text", "any text: which character comes next?",
     2000, 12, 128, 128, 32, 4, 4, 100, START_RANDOM, 0.25, 0.001, 0.001, 0.1, 1},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

static const Defaults *task_find(const char *name) {
    for (int i = 0; i < TASKS; i++)
        if (!strcmp(name, tasks[i].task)) return &tasks[i];
    return NULL;
}

static bool read_arms(Options *o, char error[OPTIONS_ERROR]) {
    const char *known[ARMS_MOST];
    for (int i = 0; i < arm_count; i++) known[i] = arm_table[i].name;
    for (const char *at = o->arm_list; ; at++) {
        char name[16] = "", text[160];
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", n < 15 ? (int)n : 15, at);
        const Arm *arm = arm_find(name);
        if (!arm) return arguments_wrong(error, "--arms: no arm is named \"%s\"%s", name,
                               suggest(name, known, arm_count, true, text));
        for (int i = 0; i < o->arms; i++)
            if (o->arm[i] == arm)
                return arguments_wrong(error, "--arms: %s stands there twice", name);
        o->arm[o->arms++] = arm;
        at += n;
        if (!*at) return true;
    }
}

// With few sentences a faster one learns them by heart: at 0.03 `qkv` finds less of what is held
// out of data/sentences.txt (0.82 of the cycle against 0.87), with nearly four times the surprise.
static const double OWN_LR = 0.01;

// Numbers that nobody gave are below their least. Warmup is at most a tenth of the steps.
static void fill_defaults(Options *o, const Defaults *d) {
    if (!o->arm_list) o->arm_list = arm_default(o->task);
    if (!o->steps) o->steps = d->steps;
    if (!o->batch) o->batch = d->batch;
    if (!o->held_out) o->held_out = d->held_out;
    if (!o->d_model) o->d_model = d->d_model;
    if (o->layers < 0) o->layers = d->layers;
    if (!o->heads) o->heads = d->heads;
    if (o->init < 0) o->init = (int)d->init;
    if (o->embed_rms < 0) o->embed_rms = d->embed_rms;
    if (o->lr < 0) o->lr = o->layers ? d->block_lr : o->sentences ? OWN_LR : d->lr;
    if (o->warmup < 0) o->warmup = d->warmup <= o->steps / 10 ? d->warmup : o->steps / 10;
    if (o->decay < 0) o->decay = d->decay;
    if (o->clip < 0) o->clip = d->clip;
}

static bool fill_widths(Options *o, int usual_d_k, char error[OPTIONS_ERROR]) {
    if (o->d_model % o->heads)
        return arguments_wrong(error, "--heads %d: they must divide d_model, %d", o->heads,
                               o->d_model);
    int each = o->d_model / o->heads;
    if (!o->d_k) o->d_k = each < usual_d_k || o->heads > 1 ? each : usual_d_k;
    if (!o->d_v) o->d_v = each;
    if (o->d_k > each && o->init == START_TIED)
        return arguments_wrong(error,
                               "--d-k %d: at most d_model / heads, %d, for orthonormal columns; "
                               "--init random takes any",
                               o->d_k, each);
    return true;
}

static bool finish_heads(Options *o, char error[OPTIONS_ERROR]) {
    if (o->d_v && !o->layers)
        return arguments_wrong(error, "--d-v %d: a bare head that points has no value", o->d_v);
    for (int i = 0; !o->layers && i < o->arms; i++)
        if (arm_without_value(o->arm[i]) != o->arm[i])
            return arguments_wrong(error,
                                   "--arms %s: a bare head that points has no value; did you mean "
                                   "%s, which scores alike?",
                                   o->arm[i]->name, arm_without_value(o->arm[i])->name);
    if (o->heads > 1 && !o->layers)
        return arguments_wrong(error,
                               "--heads %d: one head points at the answer; more need --layers 1 or "
                               "more",
                               o->heads);
    if (o->readout)
        return arguments_wrong(error, "--readout own: heads points at its answers and reads none");
    o->mask_self = true;
    if (!o->epochs) o->epochs = o->conllu ? 8 : 16;
    if (!o->conllu) o->conllu = "data/english.conllu";
    if (!o->max_words) o->max_words = 128;
    return true;
}

static bool finish_text(Options *o, char error[OPTIONS_ERROR]) {
    if (!o->text) return arguments_wrong(error, "text: of which file? --text FILE names it");
    if (!o->context) o->context = 64;
    return !o->mask_self
           || arguments_wrong(
               error, "--mask-self: a text's first character would have nothing to attend to");
}

// Whether the option has a value that isn't what it starts from.
static bool is_given(const Option *option, const Options *o) {
    const void *at = (const char *)o + option->offset;
    switch (option->kind) {
    case FLAG: return *(const bool *)at;
    case TEXT: return *(const char *const *)at;
    case INT: case CHOICE: return *(const int *)at > 0;
    case SEED: case REAL: break;
    }
    return false;
}

static bool finish(Options *o, char error[OPTIONS_ERROR]) {
    const Defaults *d = task_find(o->task);
    for (int i = 0; i < OPTIONS; i++)
        if (table[i].only && strcmp(table[i].only, o->task) && is_given(&table[i], o))
            return arguments_wrong(error, "%s belongs to %s, and the task is %s", table[i].name,
                                   table[i].only, o->task);
    if (!strcmp(o->task, "search") && (o->mask_self || o->relative || o->positions))
        return arguments_wrong(error,
                               "search: pages and queries have no order, and none is itself: "
                               "--relative, --positions and --mask-self belong to the other tasks");
    fill_defaults(o, d);
    return read_arms(o, error) && (strcmp(o->task, "heads") || finish_heads(o, error))
        && (strcmp(o->task, "text") || finish_text(o, error))
        && fill_widths(o, d->d_k, error);
}

static bool name_task(void *to, char *word, char *error) {
    Options *o = to;
    const char *names[TASKS];
    char text[160];
    for (int i = 0; i < TASKS; i++) names[i] = tasks[i].task;
    if (o->task)
        return arguments_wrong(error, "%.60s: one task at a time, and it is %s", word, o->task);
    if (!task_find(word))
        return arguments_wrong(error, "%.60s: no such task%s", word,
                               suggest(word, names, TASKS, true, text));
    o->task = word;
    return true;
}

bool options_read(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]) {
    *o = (Options){.seed = 1, .accumulate = 1, .layers = -1, .init = -1, .embed_rms = -1, .lr = -1,
                   .momentum = 0.9, .schedule = SCHEDULE_COSINE, .warmup = -1, .decay = -1,
                   .clip = -1, .out = "out", .save_every = 10};
    if (!arguments_read(options_table, o, argc, argv, name_task, error)) return false;
    if (!o->task) o->task = tasks[0].task;
    return true;
}

bool options_parse(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]) {
    return options_read(o, argc, argv, error) && (o->help || finish(o, error));
}

void options_help(FILE *out) {
    fputs("./train [TASK] [options]        train the arms of TASK side by side\n"
          "./train show MODEL [SENTENCE]   what a saved model attends to (show --help)\n"
          "./train sample MODEL            text from a trained `text` model (sample --help)\n"
          "./train sweep [TASK] ...        over a grid of options (sweep --help)\n"
          "./train report DIR              the page of a run once more (report --help)\n"
          "./train graph                   the tape of one tiny step, to follow by hand\n"
          "\ntasks\n", out);
    for (int i = 0; i < TASKS; i++) fprintf(out, "  %-22s %s\n", tasks[i].task, tasks[i].asks);
    fputs("\narms\n", out);
    for (int i = 0; i < arm_count; i++)
        fprintf(out, "  %-22s %s\n", arm_table[i].name, arm_table[i].formula);
    fputs("\noptions (in brackets: the default)\n", out);
    arguments_help(out, options_table);
}

TrainConfig options_config(const Options *o) {
    return (TrainConfig){
        .model = {.attention = {.D = o->d_model, .H = o->heads, .d_k = o->d_k, .d_v = o->d_v,
                                .scaled = !o->no_scale, .relative = o->relative,
                                .start = (Start)o->init},
                  .layers = o->layers,
                  .embed_rms = o->embed_rms,
                  .positions = (Positions)o->positions,
                  .readout = (Readout)o->readout,
                  .freeze_embeddings = o->freeze_embeddings,
                  .mask_self = o->mask_self},
        .seed = o->seed,
        .batch = o->batch, .accumulate = o->accumulate,
        .steps = o->steps, .warmup = o->warmup, .schedule = (Schedule)o->schedule,
        .optimizer = (OptimKind)o->optimizer,
        .lr = o->lr, .momentum = o->momentum, .decay = o->decay, .clip = o->clip,
    };
}
