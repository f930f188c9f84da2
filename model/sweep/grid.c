#include "grid.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/train/parse.h"

enum { ARM, SEED_AXIS };

static bool wrong(char error[GRID_ERROR], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool wrong(char error[GRID_ERROR], const char *format, ...) {
    char line[OPTIONS_ERROR], text[GRID_ERROR];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    arguments_wrong(line, "%s", text);  // one line, whatever was typed
    snprintf(error, GRID_ERROR, "%s", line);
    return false;
}

static char *copy(const char *text, size_t length) {
    char *own = grow(NULL, length + 1, 1);
    memcpy(own, text, length);
    own[length] = '\0';
    return own;
}

// ---- the values of an axis ---------------------------------------------------------------------

// As it stands in the rows: read and written again, so that 010 and 10 are one value. Of numbers
// with a point, 9 digits if they give it back.
static bool normal(const Option *option, char *text, char out[64], char error[GRID_ERROR]) {
    Options scratch;
    char name[32], program[] = "train", word[32];
    char *argv[] = {program, name, text};
    snprintf(name, sizeof name, "%s", option->name);
    bool arms = !strcmp(option->name, "--arms");
    bool good =
        arms ? parse_options(&scratch, 3, argv, error) : parse_as_typed(&scratch, 3, argv, error);
    if (!good) return false;
    snprintf(out, 64, "%s", arguments_value(option, &scratch, word));
    if (option->kind != REAL) return true;
    char shorter[64];
    double value = *(const double *)(const void *)((const char *)&scratch + option->offset);
    snprintf(shorter, sizeof shorter, "%.9g", value);
    if (strtod(shorter, NULL) == value) strcpy(out, shorter);
    return true;
}

static bool add_value(Axis *axis, const char *text, size_t length, char error[GRID_ERROR]) {
    char value[64], *typed = copy(text, length);
    bool good = *typed || wrong(error, "%s: a value of its list is empty", axis->option->name);
    good = good && normal(axis->option, typed, value, error);
    free(typed);
    if (!good) return false;
    if (axis->count == GRID_MOST)
        return wrong(error, "%s: at most %d values", axis->option->name, GRID_MOST);
    if (!(axis->count & (axis->count - 1)))  // full: at 0, 1, 2, 4, ...
        axis->value = grow(axis->value, axis->count ? 2 * (size_t)axis->count : 1,
                                sizeof *axis->value);
    axis->value[axis->count++] = copy(value, strlen(value));
    return true;
}

// "1:20", "1:9:2": up to 3 whole numbers. False: it is none.
static bool read_range(const char *text, size_t length, uint64_t part[3]) {
    const char *at = text;
    part[2] = 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        if (!isdigit((unsigned char)*at)) return false;
        part[i] = strtoull(at, &end, 10);
        if (errno || end > text + length) return false;
        if (end == text + length) return i > 0 && part[0] <= part[1] && part[2] > 0;
        if (*end != ':') return false;
        at = end + 1;
    }
    return false;
}

static bool add_range(Axis *axis, const char *text, size_t length, char error[GRID_ERROR]) {
    uint64_t part[3];
    const char *name = axis->option->name;
    int shown = length < 60 ? (int)length : 60;
    bool whole = axis->option->kind == INT || axis->option->kind == SEED;
    if (!whole || !read_range(text, length, part))
        return wrong(error, "%s %.*s: %s", name, shown, text,
                     whole ? "no range; expected one that rises, as 1:20, or 1:20:2 with a step"
                           : "ranges are for whole numbers; expected a list, as 1,2,3");
    if ((part[1] - part[0]) / part[2] >= GRID_MOST)
        return wrong(error, "%s %.*s: at most %d values", name, shown, text, GRID_MOST);
    for (uint64_t v = part[0];; v += part[2]) {
        char value[32];
        snprintf(value, sizeof value, "%" PRIu64, v);
        if (!add_value(axis, value, strlen(value), error)) return false;
        if (part[1] - v < part[2]) return true;
    }
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool no_twins(const Axis *axis, char error[GRID_ERROR]) {
    size_t n = (size_t)axis->count;
    char **sorted = grow(NULL, n, sizeof *sorted), *twin = NULL;
    memcpy(sorted, axis->value, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_text);
    for (size_t i = 1; i < n && !twin; i++)
        if (!strcmp(sorted[i - 1], sorted[i])) twin = sorted[i];
    free(sorted);
    return !twin || wrong(error, "%s: %s stands there twice", axis->option->name, twin);
}

static bool add_list(Axis *axis, const char *list, char error[GRID_ERROR]) {
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, ",");
        bool range = memchr(at, ':', n);
        if (!(range ? add_range : add_value)(axis, at, n, error)) return false;
        at += n;
        if (!*at) return no_twins(axis, error);
    }
}

static bool add_axis(Grid *g, const Option *option, const char *list, char error[GRID_ERROR]) {
    Axis *axis = &g->axis[g->axes++];
    *axis = (Axis){.option = option};
    snprintf(axis->column, sizeof axis->column, "%s", option->name + 2);
    if (!strcmp(axis->column, "arms")) strcpy(axis->column, "arm");
    for (char *c = axis->column; *c; c++)
        if (*c == '-') *c = '_';
    return add_list(axis, list, error);
}

// ---- the command line --------------------------------------------------------------------------

static bool read_shard(Grid *g, const char *text, char error[GRID_ERROR]) {
    int i, n, end = 0;
    if (sscanf(text, "%5d/%5d%n", &i, &n, &end) == 2 && !text[end] && i >= 1 && i <= n
        && n <= SHARDS_MOST && !strpbrk(text, " \t\n\v\f\r+")) {
        g->shard = i;
        g->shards = n;
        return true;
    }
    return wrong(
        error,
        "--shard %.60s: expected I/N, the Ith of N parts, with I from 1 to N and N at most %d",
        text, SHARDS_MOST);
}

// The option that `given` names, up to a "=".
static const Option *named(const char *given) {
    size_t length = strcspn(given, "=");
    if (length == 7 && !strncmp(given, "--seeds", length)) length--;
    for (int i = 0; i < options_table.count; i++) {
        const Option *o = &options_table.option[i];
        if (strlen(o->name) == length && !strncmp(o->name, given, length)) return o;
    }
    return NULL;
}

// Arms and seeds are axes even of a single value.
static bool is_axis(const Option *o) { return o->kind == SEED || !strcmp(o->name, "--arms"); }

// Files aren't lists: their names may hold anything.
static bool is_list(const Option *o, const char *value) {
    if (is_axis(o)) return true;
    return o->kind != TEXT && o->saved != FORGOTTEN && strpbrk(value, ",:");
}

static bool is_shard(const char *given) {
    return !strncmp(given, "--shard", 7) && (!given[7] || given[7] == '=');
}

// What the command line says of the options' table: how often each is given, and its list.
typedef struct Typed { int times; const char *list; } Typed;

// Takes argv[*i] and its value: a shard, an axis, or a word of every run. `option` NULL: none of
// the table.
static bool take(Grid *g, char **argv, int *i, const Option *option, Typed *given,
                 char error[GRID_ERROR]) {
    char *word = argv[*i], *equals = strchr(word, '='), *value = equals ? equals + 1 : argv[*i + 1];
    bool shard = !option && is_shard(word), list = option && value && is_list(option, value);
    if ((!option && !shard) || (option && option->kind == FLAG)) {
        g->word[g->words++] = word;
        return true;
    }
    if (!value && shard) return wrong(error, "--shard needs a part I/N");
    if (!value) return arguments_needs(option, error);
    *i += !equals;
    if (shard) return read_shard(g, value, error);
    given[option - options_table.option].times++;
    if (list) given[option - options_table.option].list = value;
    else {
        g->word[g->words++] = word;
        if (!equals) g->word[g->words++] = value;
    }
    return true;
}

static bool take_all(Grid *g, int argc, char **argv, Typed *given, char error[GRID_ERROR]) {
    int i = 2;
    g->word = grow(NULL, (size_t)argc, sizeof *g->word);
    g->word[g->words++] = argv[0];
    for (; i < argc && strcmp(argv[i], "--"); i++)
        if (!take(g, argv, &i, argv[i][0] == '-' ? named(argv[i]) : NULL, given, error))
            return false;
    while (i < argc) g->word[g->words++] = argv[i++];  // what follows "--" is no option
    for (int k = 0; k < options_table.count; k++)
        if (given[k].list && given[k].times > 1)
            return wrong(error, "%s: given twice; expected one list", options_table.option[k].name);
    return true;
}

static bool read_axes(Grid *g, const Typed *given, char error[GRID_ERROR]) {
    char seed[32];
    uint64_t runs = 1;
    for (int k = 0; k < options_table.count; k++) {
        const Option *o = &options_table.option[k];
        const char *values = given[k].list;
        if (!values && is_axis(o)) values = arguments_value(o, &g->base, seed);
        if (!values) continue;
        if (!add_axis(g, o, values, error)) return false;
        runs *= (uint64_t)g->axis[g->axes - 1].count;
        if (runs > GRID_MOST)
            return wrong(error, "a grid of %" PRIu64 " runs or more; expected at most %d", runs,
                         GRID_MOST);
    }
    g->runs = (int)runs;
    return true;
}

static bool check_runs(const Grid *g, char error[GRID_ERROR]) {
    Options o;
    for (int run = 0; run < g->runs; run++)
        if (!grid_options(g, run, &o, error)) return false;
    return true;
}

bool grid_read(Grid *g, int argc, char **argv, char error[GRID_ERROR]) {
    size_t bytes = (size_t)options_table.count * sizeof(Typed);
    Typed *given = zeroed(1, bytes);
    *g = (Grid){0};
    bool good = take_all(g, argc, argv, given, error)
             && parse_as_typed(&g->base, g->words, g->word, error);
    if (good && g->base.resume)
        good = wrong(error, "--resume: a sweep keeps its finished rows anyway; start it without");
    if (good && g->base.pace > 0)
        good = wrong(error, "--pace: a sweep draws no curves; it is for one training");
    if (good && !g->base.help) good = read_axes(g, given, error) && check_runs(g, error);
    free(given);
    return good;
}

void grid_free(Grid *g) {
    for (int a = 0; a < g->axes; a++) {
        for (int i = 0; i < g->axis[a].count; i++) free(g->axis[a].value[i]);
        free(g->axis[a].value);
    }
    free(g->word);
    *g = (Grid){0};
}

// ---- runs --------------------------------------------------------------------------------------

static int boundary(const Grid *g, int shard) {
    return g->shards ? (int)((long long)g->runs * shard / g->shards) : shard ? g->runs : 0;
}

int grid_first(const Grid *g) { return g->shards ? boundary(g, g->shard - 1) : 0; }
int grid_end(const Grid *g) { return boundary(g, g->shards ? g->shard : 1); }

const char *grid_value(const Grid *g, int run, int axis) {
    int at = run % g->axis[ARM].count;
    run /= g->axis[ARM].count;
    for (int a = g->axes - 1; a > SEED_AXIS && axis != ARM; a--) {
        at = run % g->axis[a].count;
        run /= g->axis[a].count;
        if (a == axis) break;
    }
    if (axis == SEED_AXIS) at = run;
    return g->axis[axis].value[at];
}

void grid_describe(const Grid *g, int run, char *text, size_t size) {
    size_t n = 0;
    *text = '\0';
    for (int a = 0; a < g->axes && n < size; a++)
        n += (size_t)snprintf(text + n, size - n, "%s%s %s", a ? ", " : "", g->axis[a].column,
                              grid_value(g, run, a));
}

bool grid_wrong(const Grid *g, int run, const char *what, char error[GRID_ERROR]) {
    char which[400];
    bool swept = g->axes > SEED_AXIS + 1;
    grid_describe(g, run, which, sizeof which);
    snprintf(error, GRID_ERROR, swept ? "%.600s (%s)" : "%.600s", what, which);
    return false;
}

bool grid_options(const Grid *g, int run, Options *o, char error[GRID_ERROR]) {
    size_t words = (size_t)(g->words + 2 * g->axes);
    char **argv = grow(NULL, words, sizeof *argv), text[OPTIONS_ERROR];
    union { const char *from; char *to; } name;  // argv's are never written to
    int n = 0;
    argv[n++] = g->word[0];
    for (int a = 0; a < g->axes; a++) {
        name.from = g->axis[a].option->name;
        argv[n++] = name.to;
        name.from = grid_value(g, run, a);
        argv[n++] = name.to;
    }
    memcpy(argv + n, g->word + 1, (size_t)(g->words - 1) * sizeof *argv);
    bool good = parse_options(o, (int)words, argv, text);
    free(argv);
    return good || grid_wrong(g, run, text, error);
}
