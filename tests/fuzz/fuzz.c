#include "fuzz.h"

#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"

void fuzz_broken(const char *file, int line, const char *property) {
    fprintf(stderr, "%s:%d: doesn't hold: %s\n", file, line, property);
    abort();
}

const char *fuzz_path(const char *name) {
    static char path[8][512];
    static unsigned next;
    const char *directory = getenv("FUZZ_DIR");
    char *to = path[next++ % 8];
    snprintf(to, sizeof path[0], "%s/%s", directory ? directory : ".", name);
    return to;
}

void fuzz_write(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    HOLDS(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
}

char *fuzz_string(const uint8_t *data, size_t size) {
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t n = nul ? (size_t)(nul - data) : size;
    char *text = grow(NULL, n + 1, 1);
    if (n) memcpy(text, data, n);
    text[n] = '\0';
    return text;
}

void fuzz_refused(const char *error, const char *expected) {
    HOLDS(*error && strstr(error, expected));
    for (size_t left = strlen(error), n; left; error += n, left -= n) {
        unsigned code = 0;
        n = utf8_decode(error, left, &code);
        HOLDS(n && code >= ' ' && code != 0x7F);
    }
}

// ---- what the parsers make ---------------------------------------------------------------------

// A key, as a page of `search`, has no term, and what asks nothing but a term: -1 stands there.
static bool in_vocabulary(const Task *task, int feature, int id, int place) {
    int count = task->vocab[feature].count;
    bool absent = task->key_count && (place < task->key_count) == (feature == FEATURE_TERM);
    return absent ? id == -1 : !count || (id >= 0 && id < count);
}

void fuzz_sentences(const Task *task, const Sentences *s) {
    for (size_t i = 0; i < s->count; i++) {
        int n = sentences_length(s, i);
        HOLDS(n >= 1 && (task->key_count || n <= task->max_length));
        for (size_t t = s->start[i]; t < s->start[i + 1]; t++) {
            for (int f = 0; f < FEATURES; f++)
                HOLDS(in_vocabulary(task, f, s->feature[f][t], (int)(t - s->start[i])));
            HOLDS(s->target[t] >= -1 && s->target[t] < n);
            HOLDS(s->relation[t] >= -1 && s->relation[t] < task->relations.count);
        }
    }
}

void fuzz_batch(const Task *task, const Batch *batch) {
    HOLDS(batch->B >= 1 && batch->L >= 1);
    for (int b = 0; b < batch->B; b++) {
        int n = batch->length[b];
        HOLDS(n >= 1 && n <= batch->L);
        for (int i = 0; i < batch->L; i++) {
            size_t at = (size_t)b * (size_t)batch->L + (size_t)i;
            for (int f = 0; f < FEATURES; f++)
                HOLDS(in_vocabulary(task, f, batch->feature[f][at], i));
            HOLDS(batch->target[at] >= -1 && batch->target[at] < n);
            HOLDS(batch->answer[at] >= -1 && batch->answer[at] < task->vocab[FEATURE_WORD].count);
            HOLDS(batch->relation[at] >= -1 && batch->relation[at] < task->relations.count);
            HOLDS(i < n || (batch->target[at] < 0 && batch->answer[at] < 0));
        }
    }
}
