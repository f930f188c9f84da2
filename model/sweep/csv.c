// The two files of a sweep: what it is (.json), and a row for each finished run (.csv).
#include "model/sweep/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/file.h"
#include "data/hash.h"
#include "data/utf8.h"
#include "model/save/json.h"
#include "model/save/memory.h"
#include "model/save/results.h"
#include "model/train/tasks.h"

enum { FILE_MOST = 1 << 30 };

// "sweep.2-of-8.csv"
static void name_file(const Grid *g, int shard, const char *end, char name[64]) {
    int digits = snprintf(NULL, 0, "%d", g->shards);
    if (g->shards) snprintf(name, 64, "sweep.%0*d-of-%d%s", digits, shard, g->shards, end);
    else snprintf(name, 64, "sweep%s", end);
}

// False if it is there but can't be read; *text is NULL if it isn't there.
static bool read_text(const char *directory, const char *name, char **text,
                      char error[GRID_ERROR]) {
    size_t size = strlen(directory) + strlen(name) + 2, length;
    char *path = grow(NULL, size, 1);
    snprintf(path, size, "%s/%s", directory, name);
    *text = file_read(path, FILE_MOST, &length);
    bool good = *text || errno == ENOENT || errno == ENOTDIR;
    if (!good) snprintf(error, GRID_ERROR, "%.400s: can't be read: %s", path, strerror(errno));
    free(path);
    return good;
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
    char *text, ignored[GRID_ERROR], word[32];
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
        if (option->kind == TEXT)
            put_file(out, option->name + 2, arguments_value(option, &o, word));
    }
    fputs("\n}\n", out);
    memory_close(out);
    return text;
}

// Whether `text` lacks a line of `of`: gives its member's name. Commands may say the same in many
// ways.
static bool lacks_line(const char *text, const char *of, char name[64]) {
    for (const char *line = of, *end; (end = strchr(line, '\n')); line = end + 1) {
        size_t n = (size_t)(end - line) + 1;
        char *copy = memcpy(zeroed(n + 1, 1), line, n);
        bool there = strstr(text, copy) || !strncmp(line, "  \"command\": ", 13);
        free(copy);
        if (there) continue;
        if (sscanf(line, " \"%63[^\"]\"", name) != 1) strcpy(name, "its form");
        return true;
    }
    return false;
}

// Whether a shard's description, if there is one, is this sweep's.
static bool same_sweep(const SweepCsv *r, const char *directory, int shard, bool *there,
                       char error[GRID_ERROR]) {
    char differs[64], shown[128], name[64], *text;
    name_file(r->grid, shard, ".json", name);
    if (!read_text(directory, name, &text, error)) return false;
    *there = text;
    bool other = text && (lacks_line(text, r->description, differs)
                          || lacks_line(r->description, text, differs));
    if (other)
        snprintf(error, GRID_ERROR, "%.400s/%s: another sweep, which differs in \"%s\"; expected "
                 "the same one, or another --out DIR", directory, name,
                 utf8_show(shown, sizeof shown, differs));
    free(text);
    return !other;
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

double csv_figure(const SweepCsv *r, int run, int figure) {
    const char *at = r->row[run - r->first];
    for (int comma = 0; at && comma < r->grid->axes + 3 + figure; comma++) at = strchr(at, ',') + 1;
    return at && *at != ',' && *at != '\n' ? strtod(at, NULL) : NAN;
}

int csv_failed(const SweepCsv *r) {
    int failed = 0;
    for (int run = r->first; run < r->end; run++)
        failed += r->row[run - r->first] && isnan(csv_figure(r, run, CSV_LOSS));
    return failed;
}

// Whether `text` begins with the row of that run; gives its bytes.
static size_t find_row(const SweepCsv *r, int run, const char *text) {
    char *start;
    size_t size, length = strcspn(text, "\n"), commas = 0;
    FILE *out = memory_open(&start, &size);
    put_run(out, r->grid, run);
    fputc(',', out);
    memory_close(out);
    bool same = !strncmp(text, start, size) && text[length];
    free(start);
    for (size_t i = 0; i < length; i++) commas += text[i] == ',';
    return same && commas == (size_t)r->grid->axes + 2 + CSV_FIGURES ? length + 1 : 0;
}

// Rows stand in the order of the grid, so what isn't the row of a run is that of a later one.
static bool take_rows(SweepCsv *r, const char *text) {
    for (int run = r->first; run < r->end; run++) {
        size_t length = find_row(r, run, text);
        if (!length) continue;
        r->row[run - r->first] = memcpy(zeroed(length + 1, 1), text, length);
        r->done++;
        text += length;
    }
    return !*text;
}

static bool take_file(SweepCsv *r, const char *directory, bool described, char error[GRID_ERROR]) {
    char *header, *text, name[64];
    size_t size;
    name_file(r->grid, r->grid->shard, ".csv", name);
    if (!read_text(directory, name, &text, error)) return false;
    FILE *out = memory_open(&header, &size);
    if (r->grid->shard <= 1) put_header(out, r->grid);
    memory_close(out);
    bool good = !text || (!strncmp(text, header, size) && take_rows(r, text + size));
    if (text && !described)
        snprintf(error, GRID_ERROR, "%.400s/%s: no .json beside it says which sweep it is of; "
                 "expected that, or another --out DIR", directory, name);
    else if (!good)
        snprintf(error, GRID_ERROR, "%.400s/%s: not the rows of this sweep; expected them, or "
                 "another --out DIR", directory, name);
    good = good && (!text || described);
    free(header);
    free(text);
    return good;
}

// A directory holds shards of one sweep, as they are to be joined.
bool csv_read(SweepCsv *r, const Grid *grid, const char *directory, const char *command,
              char error[GRID_ERROR]) {
    *r = (SweepCsv){.grid = grid, .first = grid_first(grid), .end = grid_end(grid)};
    bool there, described = false;
    name_file(grid, grid->shard, "", r->name);
    r->description = describe(grid, command);
    r->row = zeroed((size_t)(r->end - r->first), sizeof *r->row);
    for (int shard = 1; shard <= (grid->shards ? grid->shards : 1); shard++) {
        if (!same_sweep(r, directory, shard, &there, error)) return false;
        if (!grid->shards || shard == grid->shard) described = there;
    }
    return take_file(r, directory, described, error);
}

void csv_free(SweepCsv *r) {
    for (int i = 0; r->row && i < r->end - r->first; i++) free(r->row[i]);
    free(r->row);
    free(r->description);
    *r = (SweepCsv){0};
}

// The description, or, with `rows`, the rows that there are.
static bool write_file(const SweepCsv *r, const char *directory, bool rows,
                       char error[GRID_ERROR]) {
    char name[64];
    Result f;
    name_file(r->grid, r->grid->shard, rows ? ".csv" : ".json", name);
    if (!results_open(&f, directory, name, error)) return false;
    if (!rows) fputs(r->description, f.out);
    else if (r->grid->shard <= 1) put_header(f.out, r->grid);
    for (int i = 0; rows && i < r->end - r->first; i++)
        if (r->row[i]) fputs(r->row[i], f.out);
    return results_close(&f, error);
}

bool csv_describe(const SweepCsv *r, const char *directory, char error[GRID_ERROR]) {
    return write_file(r, directory, false, error);
}

bool csv_write(const SweepCsv *r, const char *directory, char error[GRID_ERROR]) {
    return write_file(r, directory, true, error);
}
