// The tasks, a row each, and what makes a Task of a row. Everything that differs from task to task
// stands in its row, in the functions above the table, or in its source in data/.
#include "tasks.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "data/utf8.h"

enum { MOST_STEPS = 1000000000 };

// With few sentences a faster arm learns them by heart: at 0.03 `qkv` finds less of what is held
// out of data/sentences.txt (0.82 of the cycle against 0.87), with nearly four times the NLL.
static const double USER_LR = 0.01;

static bool check_pronoun(Options *o, char error[OPTIONS_ERROR]) {
    (void)error;
    if (o->sentences && o->lr < 0 && !o->layers) o->lr = USER_LR;
    return true;
}

static bool check_search(Options *o, char error[OPTIONS_ERROR]) {
    return !(o->mask_self || o->relative || o->positions)
           || arguments_wrong(error,
                              "search: pages and queries have no order, and none is itself: "
                              "--relative, --positions and --mask-self belong to the other tasks");
}

// Where key and value are two tokens, keys are wider: those of the first layer tell positions apart.
static bool check_recall(Options *o, char error[OPTIONS_ERROR]) {
    (void)error;
    int usual = o->separate ? 32 : 4;
    if (!o->d_k && o->heads == 1) o->d_k = usual < o->d_model ? usual : o->d_model;
    return true;
}

// Of the tasks that point at their answers.
static bool check_pointing(Options *o, const char *ours, char error[OPTIONS_ERROR]) {
    bool bare = !o->layers;
    if (bare && o->d_v)
        return arguments_wrong(error, "--d-v %d: a bare head that points has no value", o->d_v);
    for (int i = 0; bare && i < o->arms; i++)
        if (arm_without_value(o->arm[i]) != o->arm[i])
            return arguments_wrong(error,
                                   "--arms %s: a bare head that points has no value; did you mean "
                                   "%s, which scores alike?",
                                   o->arm[i]->name, arm_without_value(o->arm[i])->name);
    if (bare && o->heads > 1)
        return arguments_wrong(error,
                               "--heads %d: one head points at the answer; more need --layers 1 or "
                               "more", o->heads);
    if (o->readout)
        return arguments_wrong(error, "--readout own: %s points at its answers and reads none",
                               o->task->name);
    if (!o->epochs) o->epochs = o->conllu ? 8 : 16;
    if (!o->conllu) o->conllu = ours;
    return true;
}

static bool check_heads(Options *o, char error[OPTIONS_ERROR]) {
    return check_pointing(o, o->mix ? "data/stories.conllu" : "data/english.conllu", error);
}

static bool check_coref(Options *o, char error[OPTIONS_ERROR]) {
    return check_pointing(o, "data/stories.conllu", error);
}

static bool check_text(Options *o, char error[OPTIONS_ERROR]) {
    if (!o->text) return arguments_wrong(error, "text needs a file to read: --text FILE");
    return !o->mask_self
           || arguments_wrong(
               error, "--mask-self: a text's first character would have nothing to attend to");
}

enum {
    WORD = 1 << FEATURE_WORD, TAG = 1 << FEATURE_TAG, SUFFIX = 1 << FEATURE_SUFFIX,
    SHAPE = 1 << FEATURE_SHAPE, DEPREL = 1 << FEATURE_DEPREL,
    AGREEMENT = 1 << FEATURE_AGREEMENT, QUESTION = 1 << FEATURE_QUESTION,
    TERM = 1 << FEATURE_TERM
};

const TaskKind task_table[] = {
    {.name = "pronoun",
     .asks = "synthetic sentences: which word answers which? (default)",
     .example = "\"the tired king gave the boat to the nun so he smiled .\"\n"
                "            trained with --sentences: \"she wept | she -> ?\", as in its file",
     .source = {pronoun_load, pronoun_typed, NULL},
     .defaults = {.arm_list = "xxt,xxt-v,tied,sym,qk,qkv", .steps = 1000, .batch = 32,
                  .held_out = 512, .d_model = 64, .d_k = 16, .heads = 1, .embed_rms = 4,
                  .lr = 0.03},
     .check = check_pronoun,
     .features = WORD},
    {.name = "search",
     .asks = "queries and pages: what says the page whose title fits?",
     .example = "\"bread:otter rivers:heron rivers? bread?\" title:content, queries",
     .source = {search_load, search_typed, NULL},
     .defaults = {.arm_list = "xxt,qk,kv,qkv", .steps = 1500, .batch = 32, .held_out = 512,
                  .d_model = 32, .d_k = 4, .heads = 1, .embed_rms = 4, .lr = 0.03},
     .check = check_search,
     .has_keys = true,
     .features = WORD | TAG | TERM},
    {.name = "recall",
     .asks = "pairs of key and value: which value followed each key?",
     .example = "\"ba:17 ko:4 ko? ba?\" pairs, then keys",
     .source = {recall_load, recall_typed, NULL},
     .defaults = {.arm_list = "xxt,tied,sym,qk,kv,qkv", .steps = 3000, .batch = 32,
                  .held_out = 256, .d_model = 64, .heads = 1, .embed_rms = 2,
                  .lr = 0.005, .pairs = 8},
     .check = check_recall,
     .causal = true,
     .trains_embeddings = true,
     .features = WORD, .optional = TAG},
    {.name = "heads",
     .asks = "real sentences: which word does each word depend on?",
     .example = "\"The/DET dog/NOUN barks/VERB\", without /TAG if trained --no-tags",
     .source = {heads_load, heads_typed, heads_held_out},
     .defaults = {.arm_list = "xxt,tied,sym,qk", .batch = 32, .held_out = 512, .d_model = 64,
                  .d_k = 32, .heads = 1, .embed_rms = 4, .lr = 0.005, .max_words = 128,
                  .mask_self = true},
     .check = check_heads,
     .points_at_answer = true,
     .trains_embeddings = true,
     .features = WORD, .optional = TAG | SUFFIX | SHAPE,
     .least_words = 2},
    {.name = "coref",
     .asks = "real text: which earlier word does each pronoun mean?",
     .example = "\"Ann/PROPN/nsubj/Sing slept/VERB she/PRON/nsubj/Sing.Fem.3\"\n"
                "            the last word asks; tag, relation, number.gender.person",
     .source = {coref_load, coref_typed, coref_held_out},
     .defaults = {.arm_list = "xxt,tied,sym,qk", .batch = 32, .held_out = 512, .d_model = 64,
                  .d_k = 32, .heads = 1, .embed_rms = 4, .lr = 0.005, .window = 64,
                  .mask_self = true},
     .check = check_coref,
     .points_at_answer = true,
     .alike = true,
     .causal = true,
     .trains_embeddings = true,
     .features = WORD | AGREEMENT, .optional = TAG | DEPREL | QUESTION,
     .least_words = 2},
    {.name = "text",
     .asks = "any text: which character comes next?",
     .example = "\"any characters, as many as its context takes\"",
     .source = {text_load, text_typed, text_held_out},
     .defaults = {.arm_list = "qkv", .steps = 2000, .batch = 12, .held_out = 128, .d_model = 128,
                  .d_k = 32, .layers = 4, .heads = 4, .embed_rms = 0.25, .lr = 0.001,
                  .warmup = 100, .decay = 0.1, .clip = 1, .init = START_RANDOM, .context = 64},
     .check = check_text,
     .is_text = true,
     .trains_embeddings = true,
     .features = WORD},
};
const int task_count = sizeof task_table / sizeof *task_table;

const TaskKind *tasks_find(const char *name) {
    for (int i = 0; i < task_count; i++)
        if (!strcmp(name, task_table[i].name)) return &task_table[i];
    return NULL;
}

bool tasks_takes(const TaskKind *kind, const Option *option) {
    const char *at = option->only;
    for (size_t n; at && *at; at += n + (at[n] == ' ')) {
        n = strcspn(at, " ");
        if (n == strlen(kind->name) && !strncmp(at, kind->name, n)) return true;
    }
    return !option->only;
}

// ---- the data ----------------------------------------------------------------------------------

const TaskSource *tasks_source(const Options *o) {
    static const TaskSource users = {user_sentences_load, user_sentences_typed,
                                 user_sentences_held_out};
    return o->sentences ? &users : &o->task->source;
}

SourceOptions tasks_source_options(const Options *o, RandomSource random) {
    return (SourceOptions){
        .file = o->conllu ? o->conllu : o->text ? o->text : o->sentences, .dev = o->dev,
        .seed = o->seed, .held_out = o->held_out, .max_words = o->max_words,
        .mix = o->mix, .window = o->window, .relations = !o->no_relations,
        .any_mention = o->antecedent == ANTECEDENT_NEAREST, .shared = o->shared,
        .tags = !o->no_tags, .suffixes = o->suffixes, .shapes = o->capitals,
        .context = o->context, .pairs = o->pairs, .separate = o->separate,
        .masked = o->objective == OBJECTIVE_MASKED,
        .random = random};
}

// The tokens of a batch are counted in an int.
static bool batch_fits(const Task *task, const Options *o, char error[TASK_ERROR]) {
    int length = task_has_keys(task) ? 2 * task->key_count : task->max_length;
    int most = INT_MAX / length;
    return o->batch <= most
           || arguments_wrong(error,
                              "--batch %d: at most %d, of up to %d tokens each; --accumulate adds "
                              "up more", o->batch, most, length);
}

bool tasks_steps(const Task *task, Options *o, char error[TASK_ERROR]) {
    if (!batch_fits(task, o, error)) return false;
    size_t batch = (size_t)o->batch, batches = (task->train.count + batch - 1) / batch;
    size_t each = (size_t)o->accumulate;  // batches a step
    if (task->fixed_set && each > batches)
        return arguments_wrong(error, "--accumulate %d: at most the %zu batches of an epoch",
                               o->accumulate, batches);
    if (!o->steps && batches > MOST_STEPS / (size_t)o->epochs)
        return arguments_wrong(error, "--epochs %d: of %zu batches each; at most %d steps in all",
                               o->epochs, batches, MOST_STEPS);
    if (!o->steps) o->steps = (int)((batches * (size_t)o->epochs + each - 1) / each);
    return o->warmup < o->steps || !o->warmup
           || arguments_wrong(error, "--warmup %d: --lr would never be reached; it must be less "
                              "than the %d steps", o->warmup, o->steps);
}

bool tasks_open(Task *task, Options *o, char error[TASK_ERROR]) {
    Rng rng = rng_new(o->seed, STREAM_HELD_OUT);
    const SourceOptions source = tasks_source_options(o, random_source(&rng));
    if (!tasks_source(o)->load(task, &source, error)) return false;
    if (tasks_steps(task, o, error)) return true;
    task_free(task);
    return false;
}

size_t tasks_curve_sentences(const Task *task, const Options *o) {
    bool given = task->is_text || task->train.count;
    return given ? (size_t)o->held_out : ((size_t)o->held_out + 1) / 2;
}

// Sentences that are generated depend on the seed and on their number; of those in a file, the seed
// chooses which are held out, or which characters are masked.
bool tasks_same(const Options *a, const Options *b) {
    if (a->task != b->task) return false;
    bool generated = !tasks_source(a)->held_out;
    bool drawn = generated || a->sentences || a->objective == OBJECTIVE_MASKED;
    if (drawn && a->seed != b->seed) return false;
    if (generated && a->held_out != b->held_out) return false;
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        if (option->only && !arguments_same(option, a, b)) return false;
    }
    return true;
}

bool tasks_restore(Task *task, const Options *o) {
    const TaskKind *kind = o->task;
    task->name = kind->name;
    task->is_text = kind->is_text;
    task->points_at_answer = kind->points_at_answer;
    task->trains_embeddings = kind->trains_embeddings;
    task->alike = kind->alike;
    task->causal = (kind->causal && !o->shared) || (kind->is_text && o->objective == OBJECTIVE_CAUSAL);
    task->key_count = kind->has_keys;  // until a sentence is read, which says how many
    for (int f = 0; f < FEATURES; f++) {
        unsigned bit = 1u << f;
        int count = task->vocab[f].count;
        if (count ? !((kind->features | kind->optional) & bit) || count < kind->least_words
                  : (kind->features & bit) != 0)
            return false;
    }
    return true;
}

// ---- what the user is told ---------------------------------------------------------------------

static void tell_skipped(const char *file, size_t skipped, int limit) {
    char shown[320];
    if (skipped)
        fprintf(stderr, "train: %s: %zu sentences of over %d words were left out (--max-words)\n",
                utf8_show(shown, sizeof shown, file), skipped, limit);
}

void tasks_tell(const Task *task, const Options *o) {
    char shown[320];
    size_t n = task->train.count;
    if (o->sentences) {
        fprintf(stderr, "train: %s: %zu sentence%s", utf8_show(shown, sizeof shown, o->sentences),
                n, n == 1 ? "" : "s");
        if (task->measured_on_training)
            fputs(", too few to hold any out: trained on and measured on\n", stderr);
        else
            fprintf(stderr, " to train on; %zu others, which --seed chose, to measure on\n",
                    task->held_out.count);
    }
    if (o->conllu) tell_skipped(o->conllu, task->skipped[0], o->max_words);
    if (o->dev) tell_skipped(o->dev, task->skipped[1], o->max_words);
}
