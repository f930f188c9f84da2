// Text from a trained model, and ./train sample. Each character costs a forward pass over the
// context before it: what a character's position means changes as the window slides, so nothing of
// the last pass could be kept.
#include "model/view/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"
#include "model/model.h"
#include "model/train/arguments.h"
#include "model/train/clock.h"
#include "model/view/commands.h"
#include "model/view/saved_model.h"
#include "model/view/term.h"

void sample_open(Sample *s, Model *model, uint64_t seed, double temperature, int top_k) {
    *s = (Sample){.model = model, .rng = rng_new(seed, STREAM_SAMPLE), .temperature = temperature,
                  .top_k = top_k};
    s->tape.no_gradients = true;
}

void sample_close(Sample *s) {
    tape_free(&s->tape);
    batch_free(&s->batch);
    free(s->id);
}

void sample_read(Sample *s, int id) {
    s->id = grow_one(s->id, (size_t)s->count, sizeof *s->id);
    s->id[s->count++] = id;
}

// The logits of what comes next, (V).
static const Tensor *next_logits(Sample *s) {
    int context = s->model->task->max_length, n = s->count < context ? s->count : context;
    Batch *b = &s->batch;
    batch_shape(b, 1, n);
    b->length[0] = n;
    memcpy(b->feature[FEATURE_WORD], s->id + s->count - n, (size_t)n * sizeof(int));
    b->answer[n - 1] = 0;  // asks; what the right answer is doesn't matter to the logits
    tape_reset(&s->tape);
    return model_forward(s->model, &s->tape, b).logits;
}

typedef struct Choice { double weight; int id; } Choice;

static int heavier(const void *a, const void *b) {
    const Choice *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

static int draw(Sample *s, Choice *choice, int n) {
    double total = 0, best = choice[0].weight;
    for (int i = 0; i < n; i++)
        total += choice[i].weight = exp((choice[i].weight - best) / s->temperature);
    double at = rng_uniform(&s->rng) * total;
    for (int i = 0; i < n; i++) {
        at -= choice[i].weight;
        if (at < 0) return choice[i].id;
    }
    return choice[0].id;  // rounding left a crumb past the last one
}

int sample_next(Sample *s) {
    const Tensor *logits = next_logits(s);
    int n = (int)logits->size - 1, kept = s->top_k && s->top_k < n ? s->top_k : n;
    Choice *choice = arena_alloc(&s->tape.arena, (size_t)n, sizeof *choice);
    for (int i = 0; i < n; i++) {
        int id = i < UNKNOWN_CHARACTER ? i : i + 1;
        if (!isfinite(logits->data[id])) return -1;
        choice[i] = (Choice){logits->data[id], id};
    }
    qsort(choice, (size_t)n, sizeof *choice, heavier);
    int id = s->temperature > 0 ? draw(s, choice, kept) : choice[0].id;
    sample_read(s, id);
    return id;
}

void sample_spend(Sample *s, double seconds) {
    for (int id = 0; id >= 0 && s->seconds < seconds;) {
        double began = clock_now();
        id = sample_next(s);
        s->seconds += clock_now() - began;
    }
}

void sample_prompt(Sample *s, const char *text, Vocab *unknown) {
    const Vocab *words = &s->model->task->vocab[FEATURE_WORD];
    char name[8];
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        n = character_name(text, left, name);
        int id = vocab_find(words, name);
        if (id < 0 && unknown) vocab_add(unknown, name);
        sample_read(s, id < 0 ? UNKNOWN_CHARACTER : id);
    }
}

void sample_write(FILE *out, const Sample *s, int first, int end) {
    for (int i = first; i < end; i++) {
        const char *name = s->model->task->vocab[FEATURE_WORD].word[s->id[i]];
        char bytes[9] = "";
        bool blank = character_bytes(name, bytes) == 1 && (*bytes == '\n' || *bytes == '\t');
        fputs(blank ? bytes : name, out);
    }
}

// ---- the command -------------------------------------------------------------------------------

typedef struct SampleOptions {
    const char *model, *prompt;
    int length, top_k;
    double temperature;
    uint64_t seed;
    bool help;
} SampleOptions;

#define AT(field) offsetof(SampleOptions, field)

static const Option table[] = {
    {"--prompt", "TEXT", TEXT, AT(prompt), 0, 0, 0, 0, "what the text begins with (a new line)"},
    {"--length", "N", INT, AT(length), 0, 1e9, 0, 0, "characters that are added (500)"},
    {"--temperature", "X", REAL, AT(temperature), 0, 1e9, 0, 0,
     "above 1 wilder, below tamer, 0: likeliest (1)"},
    {"--top-k", "N", INT, AT(top_k), 0, 1e9, 0, 0, "only from the N likeliest, 0 from all (0)"},
    {"--seed", "N", SEED, AT(seed), 0, 0, 0, 0, "of what is drawn (1)"},
    {"--help", NULL, FLAG, AT(help), 0, 0, 0, 0, "this"},
};
static const OptionTable options = {table, sizeof table / sizeof *table};

static bool name_model(void *to, char *word, char *error) {
    SampleOptions *o = to;
    if (o->model)
        return arguments_wrong(error, "%.60s: one model at a time; a prompt is --prompt TEXT",
                               word);
    o->model = word;
    return true;
}

// A terminal is not steered by what a model makes up.
static void print_character(const char *name, bool tty) {
    char bytes[9] = "", shown[8];
    const char *at = bytes;
    size_t n = character_bytes(name, bytes);
    bool plain = !tty || *bytes == '\n' || *bytes == '\t';
    if (!plain) term_glyph(&at, 1, shown);
    fwrite(plain ? bytes : shown, 1, plain ? n : strlen(shown), stdout);
}

static void read_prompt(Sample *s, const char *prompt, bool quiet) {
    char shown[16];
    Vocab unknown = {0};
    sample_prompt(s, prompt, &unknown);
    for (int i = 0; !quiet && i < unknown.count; i++)
        fprintf(stderr,
                "train: --prompt: \"%s\" never occurred in training and is read as <unk>\n",
                utf8_show(shown, sizeof shown, unknown.word[i]));
    vocab_free(&unknown);
}

static int write_text(Model *model, const SampleOptions *o) {
    Sample s;
    const char *prompt = o->prompt ? o->prompt : "\n";
    bool tty = term_of(stdout).tty;
    int id = 0;
    sample_open(&s, model, o->seed, o->temperature, o->top_k);
    read_prompt(&s, prompt, !o->prompt);
    if (o->prompt) fputs(prompt, stdout);
    for (int i = 0; i < o->length && id >= 0 && !ferror(stdout); i++) {
        id = sample_next(&s);
        if (id >= 0) print_character(model->task->vocab[FEATURE_WORD].word[id], tty);
        if (tty) fflush(stdout);
    }
    putchar('\n');
    sample_close(&s);
    if (id < 0)
        return misused("the model's logits are not finite; a model that was trained whole is "
                       "expected");
    return printed() ? DONE : FAILED;
}

static bool makes_text(const SavedModel *m, char error[SAVED_MODEL_ERROR]) {
    const Task *task = &m->saved.task;
    if (!task->is_text)
        return file_refuse(error, m->file, "a model of %s; expected one of text", task->name);
    if (!task->causal)
        return file_refuse(error, m->file, "a model of masked characters; expected one of the next "
                           "character (--objective causal)");
    return task->vocab[FEATURE_WORD].count > 1
        || file_refuse(error, m->file, "a model of no character; expected one or more");
}

int command_sample(int argc, char **argv) {
    SampleOptions o = {.length = 500, .temperature = 1, .seed = 1};
    SavedModel m;
    char error[SAVED_MODEL_ERROR];
    if (!arguments_read(options, &o, argc - 1, argv + 1, name_model, error)) return misused(error);
    if (o.help) {
        puts("./train sample MODEL [options]    text from a trained `text` model\n\n"
             "options (in brackets: the default)");
        arguments_help(stdout, options);
        return printed() ? DONE : FAILED;
    }
    if (!o.model)
        return misused("sample: of which model? ./train sample MODEL names its .safetensors");
    if (!saved_model_open(&m, o.model, error)) return misused(error);
    int status = makes_text(&m, error) ? write_text(&m.model, &o) : misused(error);
    saved_model_close(&m);
    return status;
}
