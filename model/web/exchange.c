// What a page and the C give each other: a file in, JSON out. The modules are web.c, which trains
// for the playground, and answer.c, which answers in a report.
#include "model/web/exchange.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "autograd/fatal.h"
#include "model/save/json.h"
#include "model/save/memory.h"

enum { MOST_KNOWN = 400 };  // words that are offered

static struct Exchange {
    char *file, *answer;
    size_t file_size, answer_size;
} exchange;

char *exchange_room(size_t size) { return grow(NULL, size, 1); }

// ---- the file ----------------------------------------------------------------------------------

void exchange_file(char *name_and_bytes, size_t size) {
    free(exchange.file);
    exchange.file = name_and_bytes;
    exchange.file_size = size - strlen(name_and_bytes) - 1;
}

// The functions from here on stand in place of libc's, which would bring a file system along.
static bool is_there(const char *name) {
    errno = ENOENT;
    return exchange.file && !strcmp(name, exchange.file);
}

FILE *fopen(const char *name, const char *mode) {
    if (!is_there(name)) return NULL;
    return fmemopen(exchange.file + strlen(name) + 1, exchange.file_size, mode);
}

int stat(const char *restrict name, struct stat *restrict status) {
    *status = (struct stat){.st_size = (off_t)exchange.file_size};
    return is_there(name) ? 0 : -1;
}

// What is not there is no link.
int lstat(const char *restrict name, struct stat *restrict status) {
    return (void)name, (void)status, -1;
}

DIR *opendir(const char *name) {
    errno = is_there(name) ? ENOTDIR : ENOENT;
    return NULL;
}
struct dirent *readdir(DIR *directory) { return (void)directory, NULL; }
int closedir(DIR *directory) { return (void)directory, 0; }

// ---- an answer ---------------------------------------------------------------------------------

FILE *exchange_begin(void) {
    free(exchange.answer);
    return memory_open(&exchange.answer, &exchange.answer_size);
}

const char *exchange_end(FILE *out) {
    memory_close(out);
    return exchange.answer;
}

const char *exchange_refuse(const char *error) {
    FILE *out = exchange_begin();
    fputs("{\"error\": ", out);
    json_string(out, error);
    fputc('}', out);
    return exchange_end(out);
}

void exchange_member(FILE *out, const char *name, const char *text) {
    fprintf(out, ", \"%s\": ", name);
    json_string(out, text);
}

static void array(FILE *out, Of type, const void *x, size_t n) {
    fputc('[', out);
    for (size_t i = 0; i < n; i++) {
        if (i) fputc(',', out);
        switch (type) {
        case INTS: fprintf(out, "%d", ((const int *)x)[i]); break;
        case FLAGS: fprintf(out, "%d", ((const bool *)x)[i]); break;
        case FLOATS: fprintf(out, "%.4g", (double)((const float *)x)[i]); break;
        case DOUBLES: json_number(out, ((const double *)x)[i]); break;
        case STRINGS: json_string(out, ((const char *const *)x)[i]); break;
        }
    }
    fputc(']', out);
}

void exchange_list(FILE *out, const char *name, Of type, const void *x, int n) {
    fprintf(out, ", \"%s\": ", name);
    array(out, type, x, (size_t)n);
}

void exchange_known(FILE *out, const Task *task) {
    const Vocab *known = &task->vocab[FEATURE_WORD];
    exchange_list(out, "known", STRINGS, known->word,
                  known->count < MOST_KNOWN ? known->count : MOST_KNOWN);
}

// ---- a sentence --------------------------------------------------------------------------------

// Of ids: those names; -1 and the like: null.
static void names(FILE *out, const char *name, const Vocab *v, const int *id, int n) {
    const char **word = grow(NULL, (size_t)n, sizeof *word);
    for (int i = 0; i < n; i++)
        word[i] = id[i] >= 0 && id[i] < v->count ? v->word[id[i]] : NULL;
    exchange_list(out, name, STRINGS, word, n);
    free(word);
}

void exchange_sentence(FILE *out, const Inspected *x) {
    const Task *task = x->model->task;
    const Vocab *v = task->vocab;
    int keys = task->key_count;
    exchange_list(out, "rows", STRINGS, x->row_word, x->rows);
    exchange_list(out, "columns", STRINGS, x->column_word, x->columns);
    exchange_list(out, "targets", INTS, x->target, x->rows);
    names(out, "relations", &task->relations, x->relation, x->rows);
    exchange_list(out, "cycle", FLAGS, x->cycle, x->rows);
    if (!keys) return;
    names(out, "titles", &v[FEATURE_TAG], x->batch->feature[FEATURE_TAG], keys);
    names(out, "contents", &v[FEATURE_WORD], x->batch->feature[FEATURE_WORD], keys);
}

// [layer][head] of (rows, columns).
void exchange_attention(FILE *out, const Inspected *x) {
    size_t cells = (size_t)x->rows * (size_t)x->columns;
    fputs(", \"attention\": [", out);
    for (int i = 0; i < x->layers; i++) {
        fputs(i ? ",[" : "[", out);
        for (int h = 0; h < inspect_heads(x, i); h++) {
            if (h) fputc(',', out);
            array(out, FLOATS, inspect_attention(x, i, h), cells);
        }
        fputc(']', out);
    }
    fputc(']', out);
}

void exchange_answers(FILE *out, const Inspected *x) {
    const Task *task = x->model->task;
    const char *comma = "";
    fputs(", \"answers\": [", out);
    for (int q = 0; x->forward.logits && q < x->forward.questions; q++, comma = ",") {
        double probability;
        int word = inspect_answer(x, q, &probability);
        fprintf(out, "%s{\"row\": %d", comma, x->forward.row[q] - task->key_count);
        exchange_member(out, "word", task->vocab[FEATURE_WORD].word[word]);
        fprintf(out, ", \"probability\": %.4g}", probability);
    }
    fputc(']', out);
}
