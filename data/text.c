// Any text: which character comes next? Its first nine tenths are trained on, the rest is held out.
// The vocabulary comes from what is trained on alone: what only held-out text has is unknown.
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "example.h"
#include "file.h"
#include "utf8.h"

enum { HIDDEN_PERCENT = 15, TEXT_LIMIT = 1 << 30 };

// ---- characters --------------------------------------------------------------------------------

size_t character_name(const char *text, size_t n, char name[8]) {
    unsigned code = 0;
    size_t length = utf8_decode(text, n, &code);
    bool prints = length && code >= ' ' && (code < 0x7F || code >= 0xA0);
    if (!prints) {  // a control of two bytes is two names, and so is what isn't UTF-8
        snprintf(name, 8, "<0x%02X>", (unsigned)(unsigned char)*text);
        return 1;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return length;
}

const char *character_shown(const char *name) {
    if (!strcmp(name, " ")) return "␣";
    return !strcmp(name, "<0x0A>") ? "\\n" : !strcmp(name, "<unk>") ? "?" : name;
}

size_t character_bytes(const char *name, char bytes[8]) {
    size_t n = strlen(name);
    if (n == 6) {  // <0x..>
        bytes[0] = (char)strtol(name + 3, NULL, 16);
        return 1;
    }
    memcpy(bytes, name, n < 8 ? n : 8);
    return n < 8 ? n : 8;
}

static size_t count_characters(const char *text, size_t size) {
    char name[8];
    size_t count = 0;
    for (size_t at = 0; at < size; count++) at += character_name(text + at, size - at, name);
    return count;
}

// ---- windows -----------------------------------------------------------------------------------

// Characters `first` to first + n - 1 as row b: each asks for the one after it.
static void fill_next(const Corpus *c, Batch *batch, int b, size_t first, int n) {
    size_t to = (size_t)b * (size_t)batch->L;
    memcpy(batch->feature[FEATURE_WORD] + to, c->id + first, (size_t)n * sizeof(int));
    memcpy(batch->answer + to, c->id + first + 1, (size_t)n * sizeof(int));
}

// The same where hidden ones ask for themselves.
static void fill_hidden(const Corpus *c, Batch *batch, int b, size_t first, int n,
                        const bool *hidden) {
    size_t to = (size_t)b * (size_t)batch->L;
    for (int i = 0; i < n; i++) {
        int id = c->id[first + (size_t)i];
        batch->feature[FEATURE_WORD][to + (size_t)i] = hidden[i] ? UNKNOWN_CHARACTER : id;
        batch->answer[to + (size_t)i] = hidden[i] ? id : -1;
    }
}

static void shape_batch(Batch *batch, int B, int L) {
    batch->B = B;
    batch->L = L;
    batch_reserve(batch);
    for (int f = 0; f < FEATURES; f++)
        memset(batch->feature[f], 0, (size_t)B * (size_t)L * sizeof(int));
    for (size_t i = 0; i < (size_t)B * (size_t)L; i++) batch->target[i] = batch->answer[i] = -1;
}

// Whoever asks has the one relation there is.
static void finish_batch(Batch *batch) {
    for (size_t i = 0; i < (size_t)batch->B * (size_t)batch->L; i++)
        batch->relation[i] = batch->answer[i] < 0 ? -1 : 0;
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
    shape_batch(batch, B, L);
    for (int b = 0; b < B; b++) {
        size_t first = c->held_out + which[b] * (size_t)c->context;
        int n = batch->length[b] = window_length(c, which[b]);
        if (c->masked) fill_hidden(c, batch, b, first, n, c->hidden + first);
        else fill_next(c, batch, b, first - 1, n);
    }
    finish_batch(batch);
}

// Each character with a chance of its own, and one at least.
static void hide(bool *hidden, int n, RandomSource random) {
    bool any = false;
    for (int i = 0; i < n; i++) any |= hidden[i] = random_below(random, 100) < HIDDEN_PERCENT;
    if (!any) hidden[random_below(random, n)] = true;
}

void corpus_draw(const Corpus *c, RandomSource random, int B, Batch *batch) {
    size_t last = c->held_out - !c->masked;  // the last character that may ask, and one more
    int n = last < (size_t)c->context ? (int)last : c->context;
    shape_batch(batch, B, n);
    bool *hidden = grow(NULL, (size_t)n, sizeof *hidden);
    for (int b = 0; b < B; b++) {
        // a text has 1 GiB at most
        size_t first = (size_t)random_below(random, (int)(last - (size_t)n + 1));
        batch->length[b] = n;
        if (c->masked) hide(hidden, n, random);
        if (c->masked) fill_hidden(c, batch, b, first, n, hidden);
        else fill_next(c, batch, b, first, n);
    }
    free(hidden);
    finish_batch(batch);
}

void corpus_free(Corpus *c) {
    free(c->id);
    free(c->hidden);
    *c = (Corpus){0};
}

// ---- the task ----------------------------------------------------------------------------------

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

static void hide_held_out(Corpus *c, RandomSource random) {
    c->hidden = grow(NULL, c->count, sizeof *c->hidden);
    for (size_t w = 0; w < corpus_windows(c); w++)
        hide(c->hidden + c->held_out + w * (size_t)c->context, window_length(c, w), random);
}

static bool refuse(char error[TASK_ERROR], const char *file, const char *found) {
    char shown[320];
    snprintf(error, TASK_ERROR, "%s: %s", utf8_show(shown, sizeof shown, file), found);
    return false;
}

bool task_text(Task *task, const char *file, int context, bool masked, RandomSource random,
               char error[TASK_ERROR]) {
    size_t size = 0;
    char *text = file_read(file, TEXT_LIMIT, &size);
    *task = (Task){.name = "text", .causal = !masked,
                   .asked = masked ? "which characters are hidden?" : "which character comes next?",
                    .trains_embeddings = true, .max_length = context};
    if (!text && errno == EFBIG)
        return refuse(error, file, "it is too long; expected a text of at most 1 GiB");
    if (!text) return refuse(error, file, strerror(errno));
    Corpus *c = &task->corpus;
    size_t count = count_characters(text, size);
    if (count < 3) {
        free(text);
        return refuse(error, file,
                      !count ? "it is empty; expected a text of 3 characters or more"
                             : "it is too short; expected a text of 3 characters or more");
    }
    *c = (Corpus){.count = count, .held_out = count - (count / 10 ? count / 10 : 1),
                  .context = context, .masked = masked};
    read_characters(task, text, size);
    free(text);
    if (masked) hide_held_out(c, random);
    vocab_add(&task->relations, masked ? "hidden character" : "next character");
    return true;
}

// ---- reading -----------------------------------------------------------------------------------

// What is asked of them: the next one, or those that are hidden. The last is asked what nobody
// knows yet.
static void ask_characters(Example *given, const Task *task, int next, RandomSource random) {
    Batch *batch = &given->batch;
    int *id = batch->feature[FEATURE_WORD], n = batch->L;
    given->open = -1;
    if (task->causal) {
        for (int i = 0; i + 1 < n; i++) batch->answer[i] = id[i + 1];
        batch->answer[n - 1] = next < 0 ? UNKNOWN_CHARACTER : next;
        if (next < 0) given->open = n - 1;
    } else {
        bool *hidden = grow(NULL, (size_t)n, sizeof *hidden);
        hide(hidden, n, random);
        for (int i = 0; i < n; i++) {
            if (!hidden[i]) continue;
            batch->answer[i] = id[i];
            id[i] = UNKNOWN_CHARACTER;
        }
        free(hidden);
    }
    finish_batch(batch);
}

// The first `length` characters of n bytes.
static void read_given(Example *given, const Task *task, const char *text, size_t n, int length,
                       RandomSource random) {
    const Vocab *words = &task->vocab[FEATURE_WORD];
    int next = -1;
    size_t at = 0;
    given->text = grow(given->text, (size_t)length, 8);
    for (int i = 0; i <= length && at < n; i++) {
        char name[8], *form = given->text + 8 * i;
        at += character_name(text + at, n - at, name);
        int id = vocab_find(words, name);
        if (i == length) {
            next = id < 0 ? UNKNOWN_CHARACTER : id;
            break;
        }
        snprintf(form, 8, "%s", character_shown(name));
        Token token = {.target = -1, .relation = -1, .form = form};
        token.feature[FEATURE_WORD] = id < 0 ? UNKNOWN_CHARACTER : id;
        if (id < 0 && !given->note[0])
            snprintf(given->note, sizeof given->note, "unknown to the model: %s", form);
        sentences_append(&given->sentences, &token);
    }
    example_end(given);
    ask_characters(given, task, next, random);
}

bool example_text(Example *given, const Task *task, const char *text, RandomSource random,
                char error[TASK_ERROR]) {
    size_t size = strlen(text), count = count_characters(text, size);
    int n = count > 1 << 30 ? 1 << 30 : (int)count;
    if (!example_fits(n, task->max_length, "characters", error)) return false;
    read_given(given, task, text, size, n, random);
    return true;
}

bool example_window(Example *given, const Task *task, const char *file, uint64_t number, int length,
                  RandomSource random, char error[TASK_ERROR]) {
    size_t size = 0, at = 0;
    char name[8], *text = file_read(file, SIZE_MAX / 2, &size);
    if (!text) return refuse(error, file, strerror(errno));
    size_t count = count_characters(text, size), first = count - (count / 10 ? count / 10 : 1);
    size_t windows = count > first ? (count - first + (size_t)length - 1) / (size_t)length : 0;
    // Of one character, one is held out. NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    if (count) first += (size_t)(number % windows) * (size_t)length;
    for (size_t i = 0; count && i < first; i++) at += character_name(text + at, size - at, name);
    if (count) read_given(given, task, text + at, size - at, length, random);
    free(text);
    return count || refuse(error, file, "it is empty");
}
