// Any text: which character comes next, or which characters are hidden? Its first nine tenths are
// trained on, the rest is held out. The vocabulary comes from the training part alone: a character
// that only the held-out part has is unknown. Read corpus.h first.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "characters.h"
#include "file.h"
#include "sources.h"

enum { TEXT_LIMIT = 1 << 30 };  // bytes, so that places in a text fit an int

// ---- the task ----------------------------------------------------------------------------------

static size_t first_held_out(size_t count) { return count - (count / 10 ? count / 10 : 1); }

static void read_characters(Task *task, const char *text, size_t size) {
    Corpus *c = &task->corpus;
    Vocab *words = &task->vocab[FEATURE_WORD];
    char name[8];
    c->id = grow(NULL, c->count, sizeof *c->id);
    vocab_add(words, "<unk>");
    for (size_t at = 0, i = 0; at < size; i++) {
        at += character_name(text + at, size - at, name);
        int id = i < c->held_out ? vocab_add(words, name) : vocab_find(words, name);
        c->id[i] = id < 0 ? UNKNOWN_CHARACTER : id;
    }
}

// Reads the file and counts its characters; NULL if it has fewer than `least`.
static char *read_file(const char *file, size_t least, size_t *size, size_t *count,
                       char error[TASK_ERROR]) {
    char *text = file_read(file, TEXT_LIMIT, size);
    *count = text ? character_count(text, *size) : 0;
    if (text && *count >= least) return text;
    file_refuse(error, file, 0, 0, "%s; expected a text of 3 characters to 1 GiB",
                !text ? strerror(errno) : !*count ? "it is empty" : "it is too short");
    free(text);
    return NULL;
}

bool text_load(Task *task, const SourceOptions *options, char error[TASK_ERROR]) {
    size_t size, count;
    bool masked = options->masked;
    *task = (Task){0};
    char *text = read_file(options->file, 3, &size, &count, error);
    if (!text) return false;
    *task = (Task){.name = "text", .is_text = true, .causal = !masked, .trains_embeddings = true,
                   .asked = masked ? "which characters are hidden?" : "which character comes next?",
                   .max_length = options->context,
                   .corpus = {.count = count, .held_out = first_held_out(count),
                              .context = options->context, .masked = masked}};
    read_characters(task, text, size);
    free(text);
    if (masked) corpus_hide(&task->corpus, options->random);
    vocab_add(&task->relations, masked ? "hidden character" : "next character");
    return true;
}

// ---- one example -------------------------------------------------------------------------------

// The example becomes the first `length` characters of n bytes.
static void read_example(Example *example, const Task *task, const char *text, size_t n, int length,
                         RandomSource random) {
    const Vocab *words = &task->vocab[FEATURE_WORD];
    Corpus c = {.id = zeroed((size_t)length + 1, sizeof *c.id)};  // and the character behind
    char name[8];
    size_t at = 0;
    int i = 0;
    example->text = grow(example->text, (size_t)length, sizeof name);
    for (; i <= length && at < n; i++) {
        at += character_name(text + at, n - at, name);
        int id = vocab_find(words, name);
        c.id[i] = id < 0 ? UNKNOWN_CHARACTER : id;
        if (i == length) continue;
        char *form = strcpy(example->text + 8 * i, character_shown(name));
        Token token = {.target = -1, .relation = -1, .form = form};
        token.feature[FEATURE_WORD] = c.id[i];
        if (id < 0 && !example->note[0])
            snprintf(example->note, sizeof example->note, "unknown to the model: %s", form);
        sentences_append(&example->sentences, &token);
    }
    example_end(example);
    int asked = example->batch.L;
    example->open_question = task->causal && i == asked ? asked - 1 : -1;
    if (!task->causal) {
        c.hidden = grow(NULL, (size_t)asked, sizeof *c.hidden);
        corpus_choose_hidden(c.hidden, asked, random);
    }
    corpus_row(&c, &example->batch, 0, 0, asked, c.hidden);
    corpus_free(&c);
}

bool text_typed(Example *example, const Task *task, const char *text, char error[TASK_ERROR]) {
    size_t size = strlen(text), count = character_count(text, size);
    int n = count > TEXT_LIMIT ? TEXT_LIMIT : (int)count;
    if (!example_fits(n, task->max_length, "characters", error)) return false;
    read_example(example, task, text, size, n, example->random);
    return true;
}

bool text_held_out(Example *example, const Task *task, const SourceOptions *options,
                   uint64_t number, char error[TASK_ERROR]) {
    size_t size, count, at = 0, context = (size_t)options->context;
    char name[8], *text = read_file(options->file, 1, &size, &count, error);
    if (!text) return false;
    size_t first = first_held_out(count), windows = (count - first + context - 1) / context;
    first += (size_t)(number % windows) * context;
    for (size_t i = 0; i < first; i++) at += character_name(text + at, size - at, name);
    read_example(example, task, text + at, size - at, options->context, options->random);
    free(text);
    return true;
}
