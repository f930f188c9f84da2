// What a saved model says of itself: noted from the options and the task, compared, and read back.
// Read description.h before.
#include "description.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"
#include "model/save/memory.h"
#include "model/train/tasks.h"

#define FORMAT "qkv 3"

enum { SHOWN = 72 };  // bytes of a message for a text
#define SHOW(text) utf8_show((char[SHOWN]){0}, SHOWN, text)

static const char *const vocabulary[FEATURES + 1] = {
    "vocabulary.word", "vocabulary.tag", "vocabulary.suffix", "vocabulary.shape",
    "vocabulary.deprel", "vocabulary.agreement", "vocabulary.question", "vocabulary.term",
    "vocabulary.relation"};  // in the order of Task.vocab

// ---- noting ------------------------------------------------------------------------------------

static void note_options(Safetensors *s, const Options *o) {
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        const void *at = (const char *)o + option->offset;
        char text[32];
        const char *value = arguments_value(option, o, text);
        bool unset = option->kind == INT && *(const int *)at < option->least;
        if (option->saved && value && !unset) safetensors_note(s, option->name, value);
    }
}

static void note_words(Safetensors *s, const char *key, const Vocab *words) {
    char *text;
    size_t size;
    FILE *out = memory_open(&text, &size);
    for (int i = 0; i < words->count; i++) fprintf(out, "%s\n", words->word[i]);
    memory_close(out);
    if (words->count) safetensors_note(s, key, text);
    free(text);
}

static void note_task(Safetensors *s, const Task *task) {
    char data[96], *cycle = zeroed((size_t)task->relations.count + 1, 1);
    snprintf(data, sizeof data, "%zu %s, fingerprint %016" PRIx64, task_trained_on(task),
             task->is_text ? "characters" : "sentences", task_fingerprint(task));
    safetensors_note(s, "training data", data);
    for (int f = 0; f <= FEATURES; f++)
        note_words(s, vocabulary[f], f < FEATURES ? &task->vocab[f] : &task->relations);
    for (int r = 0; r < task->relations.count; r++) cycle[r] = task_in_cycle(task, r) ? '1' : '0';
    safetensors_note(s, "cycle", cycle);
    free(cycle);
}

void description_note(Safetensors *s, const Trainer *t, const Options *options,
                      const char *command) {
    Options o = *options;
    if (t->task->points_at_answer && !o.layers) o.d_v = 0;  // such a head has no value
    safetensors_note(s, "format", FORMAT);
    safetensors_note(s, "task", t->task->name);
    safetensors_note(s, "arm", model_attention(&t->model)->arm->name);
    safetensors_note(s, "command", command);
    note_options(s, &o);
    note_task(s, t->task);
}

// ---- comparing ---------------------------------------------------------------------------------

#define refuse(s, ...) file_refuse(error, (s)->path, __VA_ARGS__)

static bool known_format(const Safetensors *s, char *error) {
    const char *format = safetensors_metadata(s, "format");
    const char *command = safetensors_metadata(s, "command");
    if (format && !strcmp(format, FORMAT)) return true;
    if (!format || strncmp(format, "qkv ", 4))
        return refuse(s, "no model of this program; expected format " FORMAT ", task and arm in "
                         "the metadata");
    return refuse(s, "format %s, of another version; expected " FORMAT ": train again, with %s",
                  SHOW(format), utf8_show((char[160]){0}, 160, command ? command : "its command"));
}

// "--d-k 16", "--no-scale", or "no --no-scale"
static const char *setting(char text[128], const char *key, const char *value) {
    snprintf(text, 128, "%s%s%s%s", value ? "" : "no ", key, value && *value ? " " : "",
             value ? SHOW(value) : "");
    return text;
}

static bool same_text(const Safetensors *want, const Safetensors *have, const char *key,
                      char *error) {
    const char *expected = safetensors_metadata(want, key);
    const char *found = safetensors_metadata(have, key);
    char a[128], b[128];
    if (!expected == !found && (!found || !strcmp(expected, found))) return true;
    return refuse(have, "%s; expected %s", setting(a, key, found), setting(b, key, expected));
}

bool description_same(const Safetensors *want, const Safetensors *have, Saved kind,
                      char error[SAFETENSORS_ERROR]) {
    bool meaning = kind == MUST_AGREE;
    if (meaning && !(known_format(have, error) && same_text(want, have, "task", error)
                     && same_text(want, have, "arm", error))) return false;
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        bool compared = option->saved == kind && (meaning || option->kind != TEXT);
        if (compared && !same_text(want, have, option->name, error)) return false;
    }
    return !meaning || same_text(want, have, "training data", error);
}

// ---- reading -----------------------------------------------------------------------------------

// Each line is a word that was not there before: its number is its id.
static bool read_words(const Safetensors *s, const char *key, Vocab *words, char *error) {
    const char *at = safetensors_metadata(s, key);
    while (at && *at) {
        size_t n = strcspn(at, "\n");
        int id = words->count;
        if (!at[n] || vocab_add_n(words, at, n) != id)
            return refuse(s, "%s: number %d %s; expected different words, a line each", key, id,
                          at[n] ? "was there before" : "isn't a whole line");
        at += n + 1;
    }
    return true;
}

static bool read_task(const Safetensors *s, const Options *o, Task *task, char *error) {
    const char *cycle = safetensors_metadata(s, "cycle");
    for (int f = 0; f <= FEATURES; f++)
        if (!read_words(s, vocabulary[f], f < FEATURES ? &task->vocab[f] : &task->relations, error))
            return false;
    size_t n = (size_t)task->relations.count;
    if (!cycle || strspn(cycle, "01") != n || cycle[n])
        return refuse(s, "no cycle that fits; expected 0 or 1 for each of %zu relations", n);
    task->cycle = grow(NULL, n, sizeof *task->cycle);
    for (size_t r = 0; r < n; r++) task->cycle[r] = cycle[r] == '1';
    return tasks_restore(task, o)
           || refuse(s, "other vocabularies; expected those that %s has", o->task->name);
}

// The command line's own reader checks the values.
static bool read_options(const Safetensors *s, Options *o, char *error) {
    const Vocab *key = &s->key;
    int argc = 0, task = vocab_find(key, "task"), arm = vocab_find(key, "arm");
    char why[OPTIONS_ERROR];
    if (task < 0 || arm < 0)
        return refuse(s, "no task or no arm in the metadata; expected both");
    char **argv = grow(NULL, 2 * (size_t)options_table.count + 4, sizeof *argv);
    argv[argc++] = "train";
    argv[argc++] = s->value[task];
    argv[argc++] = "--arms";
    argv[argc++] = s->value[arm];
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        int id = option->saved ? vocab_find(key, option->name) : -1;
        if (id < 0) continue;
        argv[argc++] = key->word[id];
        if (option->kind != FLAG) argv[argc++] = s->value[id];
    }
    bool parsed = parse_options(o, argc, argv, why);
    free(argv);
    if (!parsed) return refuse(s, "%s", utf8_show((char[300]){0}, 300, why));
    return (o->arms == 1 && !strcmp(o->task->name, s->value[task]))
           || refuse(s, "a task or an arm that isn't one; expected one of each");
}

bool description_read(const Safetensors *s, Options *o, Task *task,
                      char error[SAFETENSORS_ERROR]) {
    return known_format(s, error) && read_options(s, o, error) && read_task(s, o, task, error);
}
