// Metadata made from the options and the task, compared with them, and read back.
#include "description.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"
#include "model/train/parse.h"
#include "model/train/tasks.h"

#define FORMAT "qkv 1"

enum { SHOWN = 72 };  // bytes of a message for a text

static const char *const vocabulary[FEATURES + 1] = {
    "vocabulary.word", "vocabulary.tag", "vocabulary.suffix", "vocabulary.shape", "vocabulary.term",
    "vocabulary.relation"};  // in the order of Task.vocab

// ---- metadata ----------------------------------------------------------------------------------

// What stands behind a saved option; NULL if it isn't set: a number below its least.
static const char *value_of(const Option *option, const Options *o, char text[32]) {
    const void *at = (const char *)o + option->offset;
    bool unset = option->kind == INT && *(const int *)at < option->least;
    return !option->saved || unset ? NULL : arguments_value(option, o, text);
}

static void note_words(Safetensors *s, const char *key, const Vocab *words) {
    size_t size = 1;
    for (int i = 0; i < words->count; i++) size += strlen(words->word[i]) + 1;
    char *text = grow(NULL, size, 1), *at = text;
    *at = '\0';
    for (int i = 0; i < words->count; i++) at += sprintf(at, "%s\n", words->word[i]);
    safetensors_note(s, key, text);
    free(text);
}

void description_note(Safetensors *s, const Trainer *t, const Options *options,
                      const char *command) {
    const Task *task = t->task;
    Options o = *options;
    if (task->points_at_answer && !o.layers) o.d_v = 0;  // has no value, though the default is filled in
    safetensors_note(s, "format", FORMAT);
    safetensors_note(s, "task", task->name);
    safetensors_note(s, "arm", model_attention(&t->model)->arm->name);
    safetensors_note(s, "command", command);
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        char text[32];
        const char *value = value_of(option, &o, text);
        if (value) safetensors_note(s, option->name, value);
    }
    char keys[16];
    snprintf(keys, sizeof keys, "%d", task->key_count);
    safetensors_note(s, "keys", keys);
    char trained[64];
    snprintf(trained, sizeof trained, "%zu %s, fingerprint %016" PRIx64, task_trained_on(task),
             task->is_text ? "characters" : "sentences",
             task_fingerprint(task));
    safetensors_note(s, "trained_on", trained);
    for (int f = 0; f <= FEATURES; f++)
        note_words(s, vocabulary[f], f < FEATURES ? &task->vocab[f] : &task->relations);
    char *cycle = grow(NULL, (size_t)task->relations.count + 1, 1);
    for (int r = 0; r < task->relations.count; r++) cycle[r] = task_in_cycle(task, r) ? '1' : '0';
    cycle[task->relations.count] = '\0';
    safetensors_note(s, "cycle", cycle);
    safetensors_note(s, "points", task->points_at_answer ? "yes" : "no");
    safetensors_note(s, "causal", task->causal ? "yes" : "no");
    safetensors_note(s, "learns", task->trains_embeddings ? "yes" : "no");
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
    const char *expected = safetensors_metadata(p->want, key),
               *found = safetensors_metadata(p->have, key);
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
    const char *expected = safetensors_metadata(p->want, key),
               *found = safetensors_metadata(p->have, key);
    char a[SHOWN + 2], b[SHOWN + 2];
    if (!found) return refuse(p, "no %s; expected one word a line", key);
    for (int id = 0; *expected || *found; id++) {
        size_t m = strcspn(expected, "\n"), n = strcspn(found, "\n");
        if (m != n || memcmp(expected, found, n) || !*expected != !*found)
            return refuse(p, "%s: number %d is %s; expected %s", key, id,
                          line_of(a, found, n, "missing"), line_of(b, expected, m, "none"));
        expected += m + (expected[m] == '\n');
        found += n + (found[n] == '\n');
    }
    return true;
}

static bool same_training(const Pair *p) {
    const char *expected = safetensors_metadata(p->want, "trained_on");
    const char *found = safetensors_metadata(p->have, "trained_on");
    if (found && !strcmp(expected, found)) return true;
    char a[SHOWN], b[SHOWN];
    return refuse(p, "trained on other data, %s; expected what is read now, %s",
                  utf8_show(a, sizeof a, found ? found : "of no size"),
                  utf8_show(b, sizeof b, expected));
}

bool description_same(const Safetensors *want, const Safetensors *have, const char *file,
                      char error[SAFETENSORS_ERROR]) {
    const Pair p = {want, have, file, error};
    if (!same_text(&p, "format") || !same_text(&p, "task") || !same_text(&p, "arm")) return false;
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        if (option->saved == MUST_AGREE && !same_text(&p, option->name)) return false;
    }
    for (int f = 0; f <= FEATURES; f++)
        if (!same_words(&p, vocabulary[f])) return false;
    return same_text(&p, "cycle") && same_text(&p, "points") && same_text(&p, "causal")
        && same_text(&p, "learns") && same_text(&p, "keys") && same_training(&p);
}

bool description_settled(const Safetensors *want, const Safetensors *have, const char *file,
                         char error[SAFETENSORS_ERROR]) {
    const Pair p = {want, have, file, error};
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        if (option->saved == MAY_DIFFER && option->kind != TEXT && !same_text(&p, option->name))
            return false;
    }
    return true;
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

static bool read_flag(const Pair *p, const char *key, bool *flag) {
    const char *found = safetensors_metadata(p->have, key);
    *flag = found && !strcmp(found, "yes");
    return *flag || (found && !strcmp(found, "no")) || refuse(p, "no %s; expected yes or no", key);
}

static bool read_task(const Pair *p, Task *task) {
    const char *cycle = safetensors_metadata(p->have, "cycle"),
               *keys = safetensors_metadata(p->have, "keys");
    for (int f = 0; f <= FEATURES; f++)
        if (!read_words(p, vocabulary[f], f < FEATURES ? &task->vocab[f] : &task->relations))
            return false;
    if (!read_flag(p, "points", &task->points_at_answer) || !read_flag(p, "causal", &task->causal)
        || !read_flag(p, "learns", &task->trains_embeddings))
        return false;
    size_t n = (size_t)task->relations.count;
    if (!cycle || strspn(cycle, "01") != n || cycle[n])
        return refuse(p, "no cycle that fits; expected 0 or 1 for each of %zu relations", n);
    if (!keys || strspn(keys, "0123456789") != strlen(keys) || !*keys || strlen(keys) > 4)
        return refuse(p, "no keys; expected how many tokens are keys alone");
    task->key_count = atoi(keys);
    task->cycle = grow(NULL, n, sizeof *task->cycle);
    for (size_t r = 0; r < n; r++) task->cycle[r] = cycle[r] == '1';
    return true;
}

bool description_read(const Safetensors *s, Options *o, Task *task, const char *file,
                      char error[SAFETENSORS_ERROR]) {
    char why[OPTIONS_ERROR], shown[2 * OPTIONS_ERROR];
    const char *format = safetensors_metadata(s, "format");
    int argc = 0, t = vocab_find(&s->key, "task"), arm = vocab_find(&s->key, "arm");
    const Pair p = {NULL, s, file, error};
    *task = (Task){0};
    if (!format || strcmp(format, FORMAT) || t < 0 || arm < 0)
        return refuse(&p, "no model of this program; expected format " FORMAT
                          ", task and arm in the metadata");
    char **argv = grow(NULL, 2 * (size_t)options_table.count + 4, sizeof *argv);
    argv[argc++] = "train";
    argv[argc++] = s->value[t];
    argv[argc++] = "--arms";
    argv[argc++] = s->value[arm];
    for (int i = 0; i < options_table.count; i++) {  // the command line's own reader checks them
        const Option *option = &options_table.option[i];
        int id = option->saved ? vocab_find(&s->key, option->name) : -1;
        if (id < 0) continue;
        argv[argc++] = s->key.word[id];
        if (option->kind != FLAG) argv[argc++] = s->value[id];
    }
    bool parsed = parse_options(o, argc, argv, why);
    free(argv);
    if (!parsed)
        return refuse(&p, "%s", utf8_show(shown, sizeof shown, why));
    if (o->arms != 1 || strcmp(o->task->name, s->value[t]))
        return refuse(&p, "a task or an arm that isn't one; expected one of each");
    task->name = o->task->name;
    task->is_text = o->task->is_text;
    bool read = read_task(&p, task);
    if (read && !tasks_fits(task, o))  // else a sentence of it would find no place in the model
        read = refuse(&p, "its task is described otherwise than this program knows it");
    if (!read) task_free(task);
    return read;
}
