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

// "sweep.2-of-8"
static void name_shard(const Grid *g, int shard, char name[64]) {
    int digits = snprintf(NULL, 0, "%d", g->shards);
    if (g->shards) snprintf(name, 64, "sweep.%0*d-of-%d", digits, shard, g->shards);
    else strcpy(name, "sweep");
}

// False if it is there but can't be read; *text is NULL if it isn't there.
static bool read_text(const char *path, char **text, char error[GRID_ERROR]) {
    size_t length;
    *text = file_read(path, FILE_MOST, &length);
    return *text || errno == ENOENT || errno == ENOTDIR
           || file_refuse(error, path, "can't be read: %s", strerror(errno));
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
    for (int i = 0; i < axis->value.count; i++) {
        fputs(i ? ", " : "", out);
        results_value(out, axis->option, axis->value.word[i]);
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
    fprintf(out, ",\n  \"format\": \"" RESULTS_FORMAT "\",\n  \"task\": \"%s\"",
            g->base.task->name);
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
        char *copy = memory_print("%.*s", (int)n, line);
        bool there = strstr(text, copy) || !strncmp(line, "  \"command\": ", 13);
        free(copy);
        if (there) continue;
        if (sscanf(line, " \"%63[^\"]\"", name) != 1) strcpy(name, "its form");
        return true;
    }
    return false;
}

// Whether a shard's description, if there is one, is this sweep's.
static bool same_sweep(const SweepCsv *r, const char *path, bool *there, char error[GRID_ERROR]) {
    char differs[64], shown[128], *text;
    if (!read_text(path, &text, error)) return false;
    *there = text;
    bool other = text && (lacks_line(text, r->description, differs)
                          || lacks_line(r->description, text, differs));
    if (other)
        file_refuse(error, path, "another sweep, which differs in \"%s\"; expected the same "
                    "one, or another --out DIR", utf8_show(shown, sizeof shown, differs));
    free(text);
    return !other;
}

// ---- rows --------------------------------------------------------------------------------------

// Of the first shard alone.
static void put_header(FILE *out, const Grid *g) {
    if (g->shard > 1) return;
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
    size_t size;
    FILE *out = memory_open(&r->row[run], &size);
    put_run(out, r->grid, run);
    fprintf(out, ",%ld,%d", parameters, steps);
    for (int i = 0; i < CSV_FIGURES; i++) results_number(out, figure ? figure[i] : NAN);
    fputc('\n', out);
    memory_close(out);
    r->done++;
}

double csv_figure(const SweepCsv *r, int run, int figure) {
    const char *at = r->row[run];
    for (int comma = 0; at && comma < r->grid->axes + 3 + figure; comma++) at = strchr(at, ',') + 1;
    return at && *at != ',' && *at != '\n' ? strtod(at, NULL) : NAN;
}

int csv_failed(const SweepCsv *r) {
    int failed = 0;
    for (int run = r->grid->first; run < r->grid->end; run++)
        failed += r->row[run] && isnan(csv_figure(r, run, CSV_LOSS));
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
    char *header;
    size_t size;
    FILE *out = memory_open(&header, &size);
    put_header(out, r->grid);
    memory_close(out);
    bool good = !strncmp(text, header, size);
    free(header);
    text += good ? size : 0;
    for (int run = r->grid->first; good && run < r->grid->end; run++) {
        size_t length = find_row(r, run, text);
        if (!length) continue;
        r->row[run] = memory_print("%.*s", (int)length, text);
        r->done++;
        text += length;
    }
    return good && !*text;
}

static bool take_file(SweepCsv *r, const char *path, bool described, char error[GRID_ERROR]) {
    char *text;
    if (!read_text(path, &text, error)) return false;
    const char *wrong = text && !described
        ? "no .json beside it says which sweep it is of; expected that"
        : text && !take_rows(r, text) ? "not the rows of this sweep; expected them" : NULL;
    free(text);
    return !wrong || file_refuse(error, path, "%s, or another --out DIR", wrong);
}

// A directory holds shards of one sweep, as they are to be joined.
bool csv_read(SweepCsv *r, const Grid *grid, const char *directory, const char *command,
              char error[GRID_ERROR]) {
    *r = (SweepCsv){.grid = grid, .description = describe(grid, command),
                    .row = zeroed((size_t)grid->runs, sizeof *r->row)};
    bool good = true, there = false, described = false;
    for (int shard = grid->shards ? 1 : 0; good && shard <= grid->shards; shard++) {
        name_shard(grid, shard, r->name);
        char *path = memory_print("%s/%s.json", directory, r->name);
        good = same_sweep(r, path, &there, error);
        if (shard == grid->shard) described = there;
        free(path);
    }
    name_shard(grid, grid->shard, r->name);
    char *path = memory_print("%s/%s.csv", directory, r->name);
    good = good && take_file(r, path, described, error);
    free(path);
    return good;
}

void csv_free(SweepCsv *r) {
    for (int run = 0; r->row && run < r->grid->runs; run++) free(r->row[run]);
    free(r->row);
    free(r->description);
    *r = (SweepCsv){0};
}

bool csv_write(const SweepCsv *r, CsvPart part, const char *directory, char error[GRID_ERROR]) {
    char name[80];
    AtomicFile f;
    snprintf(name, sizeof name, "%s%s", r->name, part == CSV_ROWS ? ".csv" : ".json");
    if (!atomic_file_open_in(&f, directory, name, error)) return false;
    if (part == CSV_ROWS) put_header(f.out, r->grid);
    else fputs(r->description, f.out);
    for (int run = 0; part == CSV_ROWS && run < r->grid->runs; run++)
        if (r->row[run]) fputs(r->row[run], f.out);
    return atomic_file_close(&f, error);
}
