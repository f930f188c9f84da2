#include "csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/file.h"
#include "data/hash.h"
#include "data/sentences.h"
#include "data/utf8.h"
#include "model/save/json.h"
#include "model/save/memory.h"
#include "model/save/results.h"
#include "model/train/tasks.h"

enum { FILE_MOST = 1 << 30 };

static bool refuse(char error[GRID_ERROR], const char *directory, const char *name,
                   const char *what) {
    snprintf(error, GRID_ERROR, "%.400s/%s: %s", directory, name, what);
    return false;
}

// False if it is there but can't be read; *text is NULL if it isn't there.
static bool read_text(const char *directory, const char *name, const char *end, char **text,
                      char error[GRID_ERROR]) {
    size_t size = strlen(directory) + strlen(name) + strlen(end) + 2, length;
    char *path = grow(NULL, size, 1);
    snprintf(path, size, "%s/%s%s", directory, name, end);
    *text = file_read(path, FILE_MOST, &length);
    bool good = *text || errno == ENOENT || errno == ENOTDIR;
    if (!good) snprintf(error, GRID_ERROR, "%.400s: can't be read: %s", path, strerror(errno));
    free(path);
    return good;
}

static void name_of(const Grid *g, int shard, char name[64]) {
    int digits = snprintf(NULL, 0, "%d", g->shards);
    if (g->shards) snprintf(name, 64, "sweep.%0*d-of-%d", digits, shard, g->shards);
    else snprintf(name, 64, "sweep");
}

// ---- description -------------------------------------------------------------------------------

// FNV-1a of a file's bytes: the data may change under the same name.
static void put_file(FILE *out, const char *name, const char *file) {
    size_t size = 0;
    uint64_t hash = HASH_START;
    char *bytes = file ? file_read(file, FILE_MOST, &size) : NULL;
    for (size_t i = 0; i < size; i++) hash = hash_in(hash, (unsigned char)bytes[i]);
    if (file && !bytes) fatal("%s: %s; it could be read a moment ago", file, strerror(errno));
    if (bytes) fprintf(out, ",\n  \"%s bytes\": \"%zu, FNV-1a %016" PRIx64 "\"", name, size, hash);
    free(bytes);
}

static void put_axis(FILE *out, const Axis *axis) {
    fprintf(out, ",\n  \"%s\": [", axis->column);
    for (int i = 0; i < axis->count; i++) {
        fputs(i ? ", " : "", out);
        if (axis->option->kind == TEXT || axis->option->kind == CHOICE)
            json_string(out, axis->value[i]);
        else fputs(axis->value[i], out);
    }
    fputc(']', out);
}

static bool is_swept(const Grid *g, const Option *option) {
    for (int a = 0; a < g->axes; a++)
        if (g->axis[a].option == option) return true;
    return false;
}

// A member a line; the first isn't compared. Options that change no row stay out.
static char *describe(const Grid *g, const char *command) {
    char *text, ignored[GRID_ERROR];
    size_t size;
    Options o;
    FILE *out = memory_open(&text, &size);
    fputs("{\n  \"command\": ", out);
    json_string(out, command);
    fprintf(out, ",\n  \"format\": \"" RESULTS_FORMAT "\",\n  \"task\": \"%s\"", g->base.task->name);
    for (int a = 0; a < g->axes; a++) put_axis(out, &g->axis[a]);
    grid_options(g, 0, &o, ignored);
    for (int k = 0; k < options_table.count; k++) {
        const Option *option = &options_table.option[k];
        if (option->saved == FORGOTTEN || is_swept(g, option)) continue;
        fprintf(out, ",\n  \"%s\": ", option->name + 2);
        results_option(out, option, &o);
    }
    put_file(out, "sentences", o.sentences);
    put_file(out, "conllu", o.conllu);
    put_file(out, "dev", o.dev);
    put_file(out, "text", o.text);
    fputs("\n}\n", out);
    memory_close(out);
    return text;
}

// Past the command, which says the same in many ways.
static const char *compared(const char *description) {
    const char *command = strstr(description, "\n  \"command\": ");
    const char *end = command ? strchr(command + 1, '\n') : NULL;
    return end ? end : description;
}

// The name of the first member of `a` that `b` doesn't have just so: "d_k". False: it has all.
static bool differs_in(const char *a, const char *b, char name[64]) {
    for (const char *end; (end = strchr(a + 1, '\n')); a = end) {
        size_t n = (size_t)(end - a) + 1, at = 0;  // from the end of the line before
        while (b[at] && strncmp(b + at, a, n)) at++;
        if (!b[at]) return sscanf(a, " \"%63[^\"]\"", name) == 1;
    }
    return false;
}

static bool same_sweep(const SweepCsv *r, const char *directory, const char *name,
                       char error[GRID_ERROR]) {
    char differs[64], shown[128], what[256], *text, file[80];
    if (!read_text(directory, name, ".json", &text, error)) return false;
    bool same = text && !strcmp(compared(text), compared(r->description));
    if (text && !same) {
        if (!differs_in(compared(r->description), compared(text), differs)
            && !differs_in(compared(text), compared(r->description), differs))
            strcpy(differs, "its form");
        snprintf(what, sizeof what,
                 "another sweep, which differs in \"%s\"; expected the same one, or "
                 "another --out DIR",
                 utf8_show(shown, sizeof shown, differs));
        snprintf(file, sizeof file, "%s.json", name);
        refuse(error, directory, file, what);
    }
    free(text);
    return !text || same;
}

// ---- rows --------------------------------------------------------------------------------------

static void put_header(FILE *out, const Grid *g) {
    fputs("task", out);
    for (int a = 0; a < g->axes; a++) fprintf(out, ",%s", g->axis[a].column);
    fputs(",parameters,steps,loss,attention_accuracy,accuracy,cycle_attention_accuracy,"
          "cycle_accuracy,attention_nll,asymmetry,circulation,symmetry\n",
          out);
}

static void put_run(FILE *out, const Grid *g, int run) {
    fputs(g->base.task->name, out);
    for (int a = 0; a < g->axes; a++) fprintf(out, ",%s", grid_value(g, run, a));
}

void csv_add(SweepCsv *r, int run, long parameters, int steps, const double figure[CSV_FIGURES]) {
    char **row = &r->row[run - r->first];
    size_t size;
    FILE *out = memory_open(row, &size);
    put_run(out, r->grid, run);
    fprintf(out, ",%ld,%d", parameters, steps);
    for (int i = 0; i < CSV_FIGURES; i++) results_number(out, figure[i]);
    fputc('\n', out);
    memory_close(out);
    r->done++;
}

// The loss is its first figure.
static bool is_failed(const Grid *g, const char *row) {
    for (int comma = 0; comma < g->axes + 3; comma++) row = strchr(row, ',') + 1;
    return *row == ',';
}

int csv_failed(const SweepCsv *r) {
    int failed = 0;
    for (int i = 0; i < r->end - r->first; i++)
        failed += r->row[i] && is_failed(r->grid, r->row[i]);
    return failed;
}

// Whether a line is the row of that run.
static bool is_row(const Grid *g, int run, const char *line, size_t length) {
    char *start;
    size_t size;
    int commas = 0;
    FILE *out = memory_open(&start, &size);
    put_run(out, g, run);
    fputc(',', out);
    memory_close(out);
    bool same = size <= length && !memcmp(line, start, size);
    free(start);
    for (size_t i = 0; i < length; i++) commas += line[i] == ',';
    return same && commas == g->axes + 2 + CSV_FIGURES;
}

// Rows stand in the order of the grid, so each is looked for past the one before.
static bool take_rows(SweepCsv *r, const char *text) {
    int run = r->first;
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        if (!end) return false;
        size_t length = (size_t)(end - line) + 1;
        while (run < r->end && !is_row(r->grid, run, line, length)) run++;
        if (run == r->end) return false;
        char **row = &r->row[run++ - r->first];
        *row = grow(NULL, length + 1, 1);
        memcpy(*row, line, length);
        (*row)[length] = '\0';
        r->done++;
        line += length;
    }
    return true;
}

static bool take_file(SweepCsv *r, const char *directory, char error[GRID_ERROR]) {
    char *header, file[80], *text, *described = NULL;
    size_t size;
    if (!read_text(directory, r->name, ".csv", &text, error)) return false;
    if (text && !read_text(directory, r->name, ".json", &described, error)) {
        free(text);
        return false;
    }
    bool there = text, known = described;
    free(described);
    if (!text) return true;
    FILE *out = memory_open(&header, &size);
    if (r->grid->shard <= 1) put_header(out, r->grid);
    memory_close(out);
    snprintf(file, sizeof file, "%s.csv", r->name);
    bool good = !strncmp(text, header, strlen(header)) && take_rows(r, text + strlen(header));
    free(header);
    free(text);
    if (there && !known)
        return refuse(error, directory, file,
                      "no .json beside it says which sweep it is of; expected that, "
                      "or another --out DIR");
    return good
           || refuse(error, directory, file,
                     "not the rows of this sweep; expected them, or another "
                     "--out DIR");
}

// A directory holds shards of one sweep, as they are to be joined.
bool csv_read(SweepCsv *r, const Grid *grid, const char *directory, const char *command,
               char error[GRID_ERROR]) {
    *r = (SweepCsv){.grid = grid, .first = grid_first(grid), .end = grid_end(grid)};
    size_t n = (size_t)(r->end - r->first);
    name_of(grid, grid->shard, r->name);
    r->description = describe(grid, command);
    r->row = grow(NULL, n + 1, sizeof *r->row);
    for (size_t i = 0; i < n; i++) r->row[i] = NULL;
    for (int shard = 1; shard <= (grid->shards ? grid->shards : 1); shard++) {
        char name[64];
        name_of(grid, shard, name);
        if (!same_sweep(r, directory, name, error)) return false;
    }
    return take_file(r, directory, error);
}

void csv_free(SweepCsv *r) {
    for (int i = 0; r->row && i < r->end - r->first; i++) free(r->row[i]);
    free(r->row);
    free(r->description);
    *r = (SweepCsv){0};
}

bool csv_describe(const SweepCsv *r, const char *directory, char error[GRID_ERROR]) {
    char file[80];
    Result f;
    snprintf(file, sizeof file, "%s.json", r->name);
    if (!results_open(&f, directory, file, error)) return false;
    fputs(r->description, f.out);
    return results_close(&f, error);
}

bool csv_write(const SweepCsv *r, const char *directory, char error[GRID_ERROR]) {
    char file[80];
    Result f;
    snprintf(file, sizeof file, "%s.csv", r->name);
    if (!results_open(&f, directory, file, error)) return false;
    if (r->grid->shard <= 1) put_header(f.out, r->grid);
    for (int i = 0; i < r->end - r->first; i++)
        if (r->row[i]) fputs(r->row[i], f.out);
    return results_close(&f, error);
}
