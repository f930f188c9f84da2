// Reads the command line of a sweep, in which options may be lists, and enumerates its runs.
#include "model/sweep/grid.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/save/memory.h"
#include "model/train/options.h"

// argv as the parser takes it, which writes to none of it.
static char **as_argv(const char **word) {
    union { const char **from; char **to; } argv = {word};
    return argv.to;
}

// ---- the values of an axis ---------------------------------------------------------------------

// As it stands in the rows: read and written again, so that 010 and 10 are one value.
static bool add_value(Axis *axis, const char *text, char error[GRID_ERROR]) {
    const Option *option = axis->option;
    const char *argv[] = {"train", option->name, text};
    Options o = {0};
    char word[32];
    bool arms = option->kind == TEXT;
    if (!*text) return arguments_wrong(error, "%s: a value of its list is empty", option->name);
    if (!(arms ? parse_options : parse_as_typed)(&o, 3, as_argv(argv), error)) return false;
    if (axis->value.count == GRID_MOST)
        return arguments_wrong(error, "%s: at most %d values", option->name, GRID_MOST);
    const char *value = arguments_value(option, &o, word);
    int id = vocab_add(&axis->value, value);
    return axis->value.occurrences[id] == 1
           || arguments_wrong(error, "%s: %s stands there twice", option->name, value);
}

// "1:20", "1:9:2": two or three whole numbers. False: it is no range that rises.
static bool read_range(const char *text, uint64_t part[3]) {
    char *end;
    errno = 0;
    part[2] = 1;
    for (int n = 0; n < 3 && isdigit((unsigned char)*text); n++, text = end + 1) {
        part[n] = strtoull(text, &end, 10);
        if (!*end) return !errno && n > 0 && part[0] <= part[1] && part[2] > 0;
        if (*end != ':') return false;
    }
    return false;
}

static bool add_range(Axis *axis, const char *text, char error[GRID_ERROR]) {
    uint64_t part[3];
    const char *name = axis->option->name;
    bool whole = axis->option->kind == INT || axis->option->kind == SEED;
    if (!whole || !read_range(text, part))
        return arguments_wrong(
            error, "%s %.60s: %s", name, text,
            whole ? "no range; expected one that rises, as 1:20, or 1:20:2 with a step"
                  : "ranges are for whole numbers; expected a list, as 1,2,3");
    uint64_t steps = (part[1] - part[0]) / part[2];
    if (steps >= GRID_MOST)
        return arguments_wrong(error, "%s %.60s: at most %d values", name, text, GRID_MOST);
    for (uint64_t i = 0; i <= steps; i++) {
        char value[32];
        snprintf(value, sizeof value, "%" PRIu64, part[0] + i * part[2]);
        if (!add_value(axis, value, error)) return false;
    }
    return true;
}

static bool add_axis(Grid *g, const Option *option, const char *list, char error[GRID_ERROR]) {
    Axis *axis = &g->axis[g->axes++];
    char *items = memory_print("%s", list), *item = items;
    bool good = true, more = true;
    *axis = (Axis){.option = option};
    snprintf(axis->column, sizeof axis->column, "%s",
             option->kind == TEXT ? "arm" : option->name + 2);
    for (char *c = axis->column; *c; c++)
        if (*c == '-') *c = '_';
    for (; good && more; item += strlen(item) + 1) {
        char *comma = strchr(item, ',');
        more = comma;
        if (comma) *comma = '\0';
        good = (strchr(item, ':') ? add_range : add_value)(axis, item, error);
    }
    free(items);
    return good;
}

// ---- the command line --------------------------------------------------------------------------

// The options of a training as they were typed, at their places in that table, then --shard and
// --seeds.
enum { TYPED = GRID_AXES + 2 };
typedef struct Typed {
    Grid *grid;               // gets what is no option
    const char *text[TYPED];  // NULL: not given
    bool flag[TYPED];
} Typed;

static bool keep_word(void *to, char *word, char *error) {
    Grid *g = ((Typed *)to)->grid;
    (void)error;
    g->word[g->words++] = word;
    return true;
}

// Reads them by the options' own table, in which all that has a value is a text.
static bool read_typed(Typed *typed, int argc, char **argv, char error[GRID_ERROR]) {
    const int count = options_table.count;
    Option table[TYPED];
    if (count > GRID_AXES) fatal("sweep: %d options; GRID_AXES says how many fit", count);
    for (int k = 0; k < count; k++) {
        table[k] = options_table.option[k];
        table[k].offset = table[k].kind == FLAG ? offsetof(Typed, flag) + (size_t)k * sizeof(bool)
                        : offsetof(Typed, text) + (size_t)k * sizeof(char *);
        if (table[k].kind != FLAG) table[k].kind = TEXT;
    }
    table[count] = (Option){.name = "--shard", .value = "I/N", .kind = TEXT,
                            .offset = offsetof(Typed, text) + (size_t)count * sizeof(char *)};
    table[count + 1] = table[count];
    table[count + 1].name = "--seeds";
    table[count + 1].value = "N";
    table[count + 1].offset += sizeof(char *);
    return arguments_read((OptionTable){table, count + 2}, typed, argc - 1, argv + 1, keep_word,
                          error);
}

static bool read_shard(Grid *g, const char *text, char error[GRID_ERROR]) {
    int i, n, end = 0;
    if (!text) return true;
    if (sscanf(text, "%5d/%5d%n", &i, &n, &end) != 2 || text[end] || i < 1 || i > n
        || n > GRID_SHARDS || text[strspn(text, "0123456789/")])
        return arguments_wrong(error, "--shard %.60s: expected I/N, the Ith of N parts, with I "
                               "from 1 to N and N at most %d", text, GRID_SHARDS);
    g->shard = i;
    g->shards = n;
    return true;
}

// Arms and seeds are axes even of a single value.
static bool is_axis(const Option *o) { return o->kind == SEED || !strcmp(o->name, "--arms"); }

// Files are not lists: their names may hold anything.
static bool is_list(const Option *o, const char *text) {
    if (is_axis(o)) return true;
    return o->kind != TEXT && o->saved != FORGOTTEN && strpbrk(text, ",:");
}

// The command line of every run: what isn't a list, then the words that are no options.
static bool read_base(Grid *g, const Typed *typed, char error[GRID_ERROR]) {
    const char **words = g->word;
    int n = g->words, last = 0;
    g->word = grow(NULL, (size_t)(2 + n + 2 * options_table.count), sizeof *g->word);
    g->word[last++] = "train";
    for (int k = 0; k < options_table.count; k++) {
        const Option *o = &options_table.option[k];
        if (!typed->flag[k] && (!typed->text[k] || is_list(o, typed->text[k]))) continue;
        g->word[last++] = o->name;
        if (typed->text[k]) g->word[last++] = typed->text[k];
    }
    g->word[last++] = "--";
    memcpy(g->word + last, words, (size_t)n * sizeof *words);
    g->words = last + n;
    free(words);
    return parse_as_typed(&g->base, g->words, as_argv(g->word), error);
}

static bool read_axes(Grid *g, const Typed *typed, char error[GRID_ERROR]) {
    const char *seeds = typed->text[options_table.count + 1];
    char seed[32];
    uint64_t runs = 1;
    for (int k = 0; k < options_table.count; k++) {
        const Option *o = &options_table.option[k];
        const char *list = typed->text[k] && is_list(o, typed->text[k]) ? typed->text[k] : NULL;
        bool named = o->kind == SEED && seeds;  // --seeds
        if (named && list)
            return arguments_wrong(error, "--seed and --seeds: give one of them");
        if (!list && is_axis(o)) list = named ? seeds : arguments_value(o, &g->base, seed);
        if (!list) continue;
        if (!add_axis(g, o, list, error)) {  // it begins with the option's name
            if (named) memmove(error + 7, error + 6, strlen(error) - 5), error[6] = 's';
            return false;
        }
        runs *= (uint64_t)g->axis[g->axes - 1].value.count;
        if (runs > GRID_MOST)
            return arguments_wrong(error, "a grid of %" PRIu64 " runs or more; expected at most %d",
                                   runs, GRID_MOST);
    }
    g->runs = (int)runs;
    g->first = g->shards ? (int)(runs * (uint64_t)(g->shard - 1) / (uint64_t)g->shards) : 0;
    g->end = g->shards ? (int)(runs * (uint64_t)g->shard / (uint64_t)g->shards) : g->runs;
    return true;
}

bool grid_read(Grid *g, int argc, char **argv, char error[GRID_ERROR]) {
    *g = (Grid){.word = grow(NULL, (size_t)argc, sizeof *g->word)};
    Typed typed = {.grid = g};
    if (!read_typed(&typed, argc, argv, error)
        || !read_shard(g, typed.text[options_table.count], error) || !read_base(g, &typed, error))
        return false;
    if (g->base.resume)
        return arguments_wrong(error, "--resume: a sweep keeps its finished rows anyway; start it "
                               "without");
    if (g->base.pace > 0)
        return arguments_wrong(error, "--pace: a sweep draws no curves; it is for one training");
    if (g->base.version)
        return arguments_wrong(error, "--version: a sweep has none of its own; ./train --version");
    if (g->base.help) return true;
    Options o;
    bool good = read_axes(g, &typed, error);
    for (int run = 0; good && run < g->runs; run++) good = grid_options(g, run, &o, error);
    return good;
}

void grid_free(Grid *g) {
    for (int a = 0; a < g->axes; a++) vocab_free(&g->axis[a].value);
    free(g->word);
    *g = (Grid){0};
}

// ---- runs --------------------------------------------------------------------------------------

const char *grid_value(const Grid *g, int run, int axis) {
    int rest = run / g->axis[AXIS_ARM].value.count, at = run % g->axis[AXIS_ARM].value.count;
    for (int a = g->axes - 1; axis != AXIS_ARM && a >= axis; a--) {
        at = rest % g->axis[a].value.count;
        rest /= g->axis[a].value.count;
    }
    return g->axis[axis].value.word[at];
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
    bool swept = g->axes > AXIS_SEED + 1;
    grid_describe(g, run, which, sizeof which);
    snprintf(error, GRID_ERROR, swept ? "%.600s (%s)" : "%.600s", what, which);
    return false;
}

bool grid_options(const Grid *g, int run, Options *o, char error[GRID_ERROR]) {
    char text[OPTIONS_ERROR];
    int n = 1;
    const char **argv = grow(NULL, (size_t)(g->words + 2 * g->axes), sizeof *argv);
    for (int a = 0; a < g->axes; a++) {
        argv[n++] = g->axis[a].option->name;
        argv[n++] = grid_value(g, run, a);
    }
    memcpy(argv + n, g->word + 1, (size_t)(g->words - 1) * sizeof *argv);
    bool good = parse_options(o, n + g->words - 1, as_argv(argv), text);
    free(argv);
    return good || grid_wrong(g, run, text, error);
}
