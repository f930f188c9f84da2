// A text, of any bytes: its characters are parted and put together again, and its windows are in
// range, each held-out character being the answer of exactly one.
#include <string.h>

#include "fuzz.h"
#include "data/utf8.h"
#include "model/save/json.h"
#include "model/train/tasks.h"
#include "model/view/term.h"
#include "tests/json.h"

static bool is_clean(const char *text) {
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        unsigned code = 0;
        n = utf8_decode(text, left, &code);
        if (!n || code < ' ' || (code >= 0x7F && code < 0xA0)) return false;
    }
    return true;
}

// Decoding always goes on, and nothing is lost by it.
static void check_characters(const char *text, size_t size) {
    char name[8], bytes[8], encoded[4];
    for (size_t at = 0, n; at < size; at += n) {
        unsigned code = 0;
        size_t length = utf8_decode(text + at, size - at, &code);
        HOLDS(length <= 4);
        if (length)
            HOLDS(utf8_encode(code, encoded) == length && !memcmp(encoded, text + at, length));
        n = character_name(text + at, size - at, name);
        HOLDS(n >= 1 && n <= size - at && *name && is_clean(name));
        HOLDS(character_bytes(name, bytes) == n && !memcmp(bytes, text + at, n));
        HOLDS(*character_shown(name));
    }
}

// The same in what is shown to people.
static void check_shown(const char *text) {
    static const size_t room[] = {4, 5, 16, 72};
    char shown[72], cell[8], *json = NULL;
    size_t size = 0;
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        utf8_show(shown, room[i], text);
        HOLDS(strlen(shown) < room[i] && is_clean(shown));
    }
    for (int utf8 = 0; utf8 < 2; utf8++) {
        int width = 0;
        for (const char *at = text, *before = text; *at; before = at) {
            width += term_glyph(&at, utf8, cell);
            HOLDS(at > before && strlen(cell) < sizeof cell && is_clean(cell));
        }
        HOLDS(width == term_width(text, utf8));
    }
    FILE *out = open_memstream(&json, &size);
    json_string(out, text);
    fclose(out);
    HOLDS(!json_wrong(json));
    free(json);
}

// ---- windows -----------------------------------------------------------------------------------

static size_t count_answers(const Batch *batch) {
    size_t answers = 0;
    for (int i = 0; i < batch->B * batch->L; i++) answers += batch->answer[i] >= 0;
    return answers;
}

static void check_windows(const Task *task) {
    const Corpus *c = &task->corpus;
    Batch batch = {0};
    size_t windows = corpus_windows(c), answers = 0;
    HOLDS(c->held_out >= 1 && c->held_out < c->count && windows >= 1);
    for (size_t i = 0; i < c->count; i++)
        HOLDS(c->id[i] >= 0 && c->id[i] < task->vocab[FEATURE_WORD].count);
    for (size_t w = 0; w < windows; w++) {
        size_t which[2] = {w, windows - 1};
        corpus_batch(c, which, 2, &batch);
        fuzz_batch(task, &batch);
        corpus_batch(c, which, 1, &batch);
        HOLDS(count_answers(&batch) >= 1);
        answers += count_answers(&batch);
    }
    HOLDS(c->masked ? answers <= c->count - c->held_out : answers == c->count - c->held_out);
    Rng rng = rng_new(c->count, 1);
    corpus_draw(c, random_source(&rng), 3, &batch);
    fuzz_batch(task, &batch);
    HOLDS(count_answers(&batch) >= 3);
    batch_free(&batch);
}

static void check_example(const Task *task, const char *path, const char *text, uint64_t number) {
    char error[TASK_ERROR] = "";
    Rng rng = rng_new(number, 2);
    Example example = {.random = random_source(&rng)};
    const SourceOptions source = {.file = path, .context = task->max_length,
                                  .random = random_source(&rng)};
    if (text_typed(&example, task, text, error))
        fuzz_batch(task, &example.batch);
    else fuzz_refused(error, "");
    example_free(&example);
    HOLDS(text_held_out(&example, task, &source, number, error));
    fuzz_batch(task, &example.batch);
    example_free(&example);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_path("input.txt");
    char error[TASK_ERROR] = "", *text = fuzz_string(data, size);
    fuzz_write(path, data, size);
    if (size) check_characters((const char *)data, size);
    check_shown(text);
    for (int masked = 0; masked < 2; masked++) {
        Rng rng = rng_new(size, 3);
        Task task;
        const SourceOptions source = {
            .file = path, .context = 1 + (int)(size % 9), .masked = masked,
            .random = random_source(&rng)};
        if (text_load(&task, &source, error)) {
            check_windows(&task);
            check_example(&task, path, text, size % 7);
        } else {
            fuzz_refused(error, "; expected ");
        }
        task_free(&task);
    }
    free(text);
    return 0;
}
