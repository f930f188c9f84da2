// Any text: which character comes next, or which characters are hidden? Its first nine tenths are
// trained on, the rest is held out. The vocabulary comes from the training part alone: a character
// that only the held-out part has is unknown. No window is stored: a batch copies ids from the text.
// Read corpus.h first.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "utf8.h"
#include "file.h"
#include "sources.h"

enum {
    TEXT_LIMIT = 1 << 30,  // bytes, so that places in a text fit an int
    HIDDEN_PERCENT = 15
};

// ---- windows -----------------------------------------------------------------------------------

void corpus_free(Corpus *c) {
    free(c->id);
    free(c->hidden);
    *c = (Corpus){0};
}

// Row b of the batch becomes the n characters from `first` on. hidden NULL: each asks for the next
// one. Otherwise the hidden ones ask for themselves.
static void fill_row(const Corpus *c, Batch *batch, int b, size_t first, int n, const bool *hidden) {
    size_t to = (size_t)b * (size_t)batch->L;
    int *word = batch->feature[FEATURE_WORD] + to, *answer = batch->answer + to,
        *relation = batch->relation + to;
    const int *id = c->id + first;
    batch->length[b] = n;
    for (int i = 0; i < n; i++) {
        word[i] = hidden && hidden[i] ? UNKNOWN_CHARACTER : id[i];
        answer[i] = !hidden ? id[i + 1] : hidden[i] ? id[i] : -1;
        relation[i] = answer[i] < 0 ? -1 : 0;
    }
}

size_t corpus_windows(const Corpus *c) {
    size_t context = (size_t)c->context;
    return (c->count - c->held_out + context - 1) / context;
}

static int window_length(const Corpus *c, size_t window) {
    size_t left = c->count - c->held_out - window * (size_t)c->context;
    return left < (size_t)c->context ? (int)left : c->context;
}

void corpus_batch(const Corpus *c, const size_t *which, int B, Batch *batch) {
    int L = 0;
    for (int b = 0; b < B; b++) L = window_length(c, which[b]) > L ? window_length(c, which[b]) : L;
    batch_shape(batch, B, L);
    for (int b = 0; b < B; b++) {
        size_t first = c->held_out + which[b] * (size_t)c->context;
        fill_row(c, batch, b, c->masked ? first : first - 1, window_length(c, which[b]),
                   c->masked ? c->hidden + first : NULL);
    }
}

// Chooses which of n characters are hidden: each with the same probability, at least one of them.
static void choose_hidden(bool *hidden, int n, RandomSource random) {
    bool any = false;
    for (int i = 0; i < n; i++) any |= hidden[i] = random_below(random, 100) < HIDDEN_PERCENT;
    if (!any) hidden[random_below(random, n)] = true;
}

void corpus_draw(const Corpus *c, RandomSource random, int B, Batch *batch) {
    size_t asking = c->held_out - !c->masked;  // the last character's next one is held out
    int n = asking < (size_t)c->context ? (int)asking : c->context;
    batch_shape(batch, B, n);
    bool *hidden = c->masked ? grow(NULL, (size_t)n, sizeof *hidden) : NULL;
    for (int b = 0; b < B; b++) {  // a text has 1 GiB at most, so that its places fit an int
        size_t first = (size_t)random_below(random, (int)(asking - (size_t)n + 1));
        if (hidden) choose_hidden(hidden, n, random);
        fill_row(c, batch, b, first, n, hidden);
    }
    free(hidden);
}

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
    static const char expected[] = "a text of 3 characters to 1 GiB";
    char *text = file_text(file, TEXT_LIMIT, size, expected, error);
    if (!text) return NULL;
    *count = character_count(text, *size);
    if (*count >= least) return text;
    file_refuse(error, file, "%s; expected %s", *count ? "it is too short" : "it is empty",
                expected);
    free(text);
    return NULL;
}

// Chooses the hidden characters of all held-out windows, once and for all.
static void hide(Corpus *c, RandomSource random) {
    c->hidden = grow(NULL, c->count, sizeof *c->hidden);
    for (size_t w = 0; w < corpus_windows(c); w++)
        choose_hidden(c->hidden + c->held_out + w * (size_t)c->context, window_length(c, w),
                      random);
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
    if (masked) hide(&task->corpus, options->random);
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
        choose_hidden(c.hidden, asked, random);
    }
    fill_row(&c, &example->batch, 0, 0, asked, c.hidden);
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
