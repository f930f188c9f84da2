// The table of saved options, and metadata made from it, compared with it and read through it.
#include "description.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/utf8.h"

#define FORMAT "qkv 1"

enum { SHOWN = 72 };  // bytes of a message for a text

typedef enum Kind { FLAG, INT, SEED, REAL, TEXT, CHOICE } Kind;

// The options that are saved. `may_differ`: in a training that goes on.
typedef struct Field {
    const char *name;
    Kind kind;
    bool may_differ;
    size_t offset;
    const char *choice[2];
} Field;

#define AT(field) offsetof(Options, field)
static const Field fields[] = {
    {"--seed", SEED, false, AT(seed), {0}},
    {"--batch", INT, false, AT(batch), {0}},
    {"--d-model", INT, false, AT(d_model), {0}},
    {"--d-k", INT, false, AT(d_k), {0}},
    {"--d-v", INT, false, AT(d_v), {0}},
    {"--layers", INT, false, AT(layers), {0}},
    {"--heads", INT, false, AT(heads), {0}},
    {"--row-length", REAL, false, AT(row_length), {0}},
    {"--init", CHOICE, false, AT(init), {"tied", "random"}},
    {"--no-scale", FLAG, false, AT(no_scale), {0}},
    {"--mask-self", FLAG, false, AT(mask_self), {0}},
    {"--relative", INT, false, AT(relative), {0}},
    {"--freeze-embeddings", FLAG, false, AT(freeze_embeddings), {0}},
    {"--no-tags", FLAG, false, AT(no_tags), {0}},
    {"--suffixes", FLAG, false, AT(suffixes), {0}},
    {"--capitals", FLAG, false, AT(capitals), {0}},
    {"--max-words", INT, false, AT(max_words), {0}},
    {"--optimizer", CHOICE, false, AT(optimizer), {"adam", "sgd"}},
    {"--momentum", REAL, true, AT(momentum), {0}},
    {"--lr", REAL, true, AT(lr), {0}},
    {"--schedule", CHOICE, true, AT(schedule), {"constant", "cosine"}},
    {"--warmup", INT, true, AT(warmup), {0}},
    {"--decay", REAL, true, AT(decay), {0}},
    {"--clip", REAL, true, AT(clip), {0}},
    {"--steps", INT, true, AT(steps), {0}},
    {"--epochs", INT, true, AT(epochs), {0}},
    {"--held-out", INT, true, AT(held_out), {0}},
    {"--conllu", TEXT, true, AT(conllu), {0}},  // the sentences are compared themselves
    {"--dev", TEXT, true, AT(dev), {0}},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const char *const vocabulary[FEATURES + 1] = {
    "vocabulary.word", "vocabulary.tag", "vocabulary.suffix", "vocabulary.shape", "vocabulary.term",
    "vocabulary.relation"};  // in the order of Task.vocab

// ---- metadata ----------------------------------------------------------------------------------

// What stands behind the option, "" for a flag; NULL if it isn't set. 17 digits give every double back.
static const char *value_of(const Field *f, const Options *o, char text[32]) {
    const void *at = (const char *)o + f->offset;
    switch (f->kind) {
    case FLAG: return *(const bool *)at ? "" : NULL;
    case TEXT: return *(const char *const *)at;
    case CHOICE: return f->choice[*(const int *)at];
    case SEED: snprintf(text, 32, "%" PRIu64, *(const uint64_t *)at); break;
    case REAL: snprintf(text, 32, "%.17g", *(const double *)at); break;
    case INT:
        if (!*(const int *)at) return NULL;
        snprintf(text, 32, "%d", *(const int *)at);
    }
    return text;
}

// FNV-1a over the training sentences: the same options may name another treebank by now.
static void note_sentences(Safetensors *s, const Sentences *train) {
    uint64_t hash = 14695981039346656037u;
    char text[64];
    for (size_t i = 0, k = 0; i < train->tokens; i++) {
        bool first = i == train->start[k];
        k += first;
        const int number[] = {first, train->target[i], train->relation[i], train->feature[0][i],
                              train->feature[1][i], train->feature[2][i], train->feature[3][i]};
        for (int j = 0; j < 7; j++) hash = (hash ^ (uint32_t)number[j]) * 1099511628211u;
    }
    snprintf(text, sizeof text, "%zu, fingerprint %016" PRIx64, train->count, hash);
    safetensors_note(s, "sentences", text);
}

static void note_words(Safetensors *s, const char *key, const Vocab *words) {
    size_t size = 1;
    for (int i = 0; i < words->count; i++) size += strlen(words->word[i]) + 1;
    char *text = data_grow(NULL, size, 1), *at = text;
    *at = '\0';
    for (int i = 0; i < words->count; i++) at += sprintf(at, "%s\n", words->word[i]);
    safetensors_note(s, key, text);
    free(text);
}

void description_note(Safetensors *s, const Trainer *t, const char *command) {
    const Task *task = t->task;
    Options o = *t->options;
    if (task->points && !o.layers) o.d_v = 0;  // has no value, though the default is filled in
    safetensors_note(s, "format", FORMAT);
    safetensors_note(s, "task", task->name);
    safetensors_note(s, "arm", model_attention(&t->model)->arm->name);
    safetensors_note(s, "command", command);
    for (int i = 0; i < FIELDS; i++) {
        char text[32];
        const char *value = value_of(&fields[i], &o, text);
        if (value) safetensors_note(s, fields[i].name, value);
    }
    char keys[16];
    snprintf(keys, sizeof keys, "%d", task->keys);
    safetensors_note(s, "keys", keys);
    note_sentences(s, &task->train);
    for (int f = 0; f <= FEATURES; f++)
        note_words(s, vocabulary[f], f < FEATURES ? &task->vocab[f] : &task->relations);
    char *cycle = data_grow(NULL, (size_t)task->relations.count + 1, 1);
    for (int r = 0; r < task->relations.count; r++) cycle[r] = task->cycle[r] ? '1' : '0';
    cycle[task->relations.count] = '\0';
    safetensors_note(s, "cycle", cycle);
    safetensors_note(s, "points", task->points ? "yes" : "no");
    free(cycle);
}

// ---- comparing ---------------------------------------------------------------------------------

// "--d-k 16", "--no-scale", or "no --no-scale"
static const char *setting(char text[128], const char *key, const char *value) {
    char shown[SHOWN];
    snprintf(text, 128, "%s%s%s%s", value ? "" : "no ", key, value && *value ? " " : "",
             value ? utf8_show(shown, sizeof shown, value) : "");
    return text;
}

// The file, and what it is compared with.
typedef struct Pair {
    const Safetensors *want, *have;
    const char *file;
    char *error;
} Pair;

#define refuse(p, ...) safetensors_refuse((p)->error, (p)->file, __VA_ARGS__)

static bool same_text(const Pair *p, const char *key) {
    const char *expected = safetensors_metadata(p->want, key), *found = safetensors_metadata(p->have, key);
    char a[128], b[128];
    if (!expected == !found && (!found || !strcmp(expected, found))) return true;
    return refuse(p, "%s; expected %s", setting(a, key, found), setting(b, key, expected));
}

// "\"word\"", or `none` at the end of the text.
static const char *line_of(char text[SHOWN + 2], const char *line, size_t n, const char *none) {
    char raw[SHOWN], shown[SHOWN];
    snprintf(raw, sizeof raw, "%.*s", n < SHOWN ? (int)n : SHOWN, line);
    if (*line) snprintf(text, SHOWN + 2, "\"%s\"", utf8_show(shown, sizeof shown, raw));
    else snprintf(text, SHOWN + 2, "%s", none);
    return text;
}

// The first word that differs says more than two whole vocabularies.
static bool same_words(const Pair *p, const char *key) {
    const char *expected = safetensors_metadata(p->want, key), *found = safetensors_metadata(p->have, key);
    char a[SHOWN + 2], b[SHOWN + 2];
    if (!found) return refuse(p, "no %s; expected one word a line", key);
    for (int id = 0; *expected || *found; id++) {
        size_t m = strcspn(expected, "\n"), n = strcspn(found, "\n");
        if (m != n || memcmp(expected, found, n) || !*expected != !*found)
            return refuse(p, "%s: number %d is %s; expected %s", key, id, line_of(a, found, n, "missing"),
                          line_of(b, expected, m, "none"));
        expected += m + (expected[m] == '\n');
        found += n + (found[n] == '\n');
    }
    return true;
}

bool description_same(const Safetensors *want, const Safetensors *have, const char *file,
                      char error[SAFETENSORS_ERROR]) {
    const Pair p = {want, have, file, error};
    if (!same_text(&p, "format") || !same_text(&p, "task") || !same_text(&p, "arm")) return false;
    for (int i = 0; i < FIELDS; i++)
        if (!fields[i].may_differ && !same_text(&p, fields[i].name)) return false;
    for (int f = 0; f <= FEATURES; f++)
        if (!same_words(&p, vocabulary[f])) return false;
    return same_text(&p, "cycle") && same_text(&p, "points") && same_text(&p, "keys") && same_text(&p, "sentences");
}

// ---- reading -----------------------------------------------------------------------------------

// Each line a word that wasn't there before: its number is its id.
static bool read_words(const Pair *p, const char *key, Vocab *words) {
    const char *at = safetensors_metadata(p->have, key);
    if (!at) return refuse(p, "no %s; expected one word a line", key);
    while (*at) {
        size_t n = strcspn(at, "\n");
        int id = words->count;
        if (!at[n] || vocab_add_n(words, at, n) != id)
            return refuse(p, "%s: number %d %s; expected different words, a line each", key, id,
                          at[n] ? "was there before" : "isn't a whole line");
        at += n + 1;
    }
    return true;
}

static bool read_task(const Pair *p, Task *task) {
    const char *points = safetensors_metadata(p->have, "points");
    const char *cycle = safetensors_metadata(p->have, "cycle");
    for (int f = 0; f <= FEATURES; f++)
        if (!read_words(p, vocabulary[f], f < FEATURES ? &task->vocab[f] : &task->relations)) return false;
    size_t n = (size_t)task->relations.count;
    if (!points || !cycle || strspn(cycle, "01") != n || cycle[n])
        return refuse(p, "no points, or not a cycle; expected yes or no, and 0 or 1 for each of %zu relations",
                      n);
    const char *keys = safetensors_metadata(p->have, "keys");
    if (!keys || strspn(keys, "0123456789") != strlen(keys) || !*keys || strlen(keys) > 4)
        return refuse(p, "no keys; expected how many tokens are keys alone");
    task->keys = atoi(keys);
    task->points = !strcmp(points, "yes");
    task->cycle = data_grow(NULL, n, sizeof *task->cycle);
    for (size_t r = 0; r < n; r++) task->cycle[r] = cycle[r] == '1';
    return true;
}

bool description_read(const Safetensors *s, Options *o, Task *task, const char *file,
                      char error[SAFETENSORS_ERROR]) {
    char *argv[2 * FIELDS + 4] = {"train"}, why[OPTIONS_ERROR], shown[2 * OPTIONS_ERROR];
    const char *format = safetensors_metadata(s, "format");
    int argc = 1, t = vocab_find(&s->key, "task"), arm = vocab_find(&s->key, "arm");
    const Pair p = {NULL, s, file, error};
    *task = (Task){0};
    if (!format || strcmp(format, FORMAT) || t < 0 || arm < 0)
        return refuse(&p, "no model of this program; expected format " FORMAT
                          ", task and arm in the metadata");
    argv[argc++] = s->value[t];
    argv[argc++] = "--arms";
    argv[argc++] = s->value[arm];
    for (int i = 0; i < FIELDS; i++) {  // the command line's own reader checks them
        int id = vocab_find(&s->key, fields[i].name);
        if (id < 0) continue;
        argv[argc++] = s->key.word[id];
        if (fields[i].kind != FLAG) argv[argc++] = s->value[id];
    }
    if (!options_parse(o, argc, argv, why))
        return refuse(&p, "%s", utf8_show(shown, sizeof shown, why));
    if (o->arms != 1 || strcmp(o->task, s->value[t]))
        return refuse(&p, "a task or an arm that isn't one; expected one of each");
    task->name = o->task;
    bool read = read_task(&p, task);
    if (!read) task_free(task);
    return read;
}
