// The command line: a table with a line for each option, and one loop that reads it.
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/json.h"

typedef enum Kind { FLAG, INT, SEED, REAL, TEXT, CHOICE } Kind;

typedef struct Option {
    const char *name, *value;  // value: what stands in the help; of a CHOICE, what may be chosen
    Kind kind;
    size_t offset;             // of the field in Options
    double least, most;        // of INT and REAL
    const char *help;
} Option;

#define AT(field) offsetof(Options, field)
enum { MANY = 1 << 20 };

static const Option table[] = {
    {"--arms", "LIST", TEXT, AT(arm_list), 0, 0, "which arms, as in xxt,qk,qkv"},
    {"--seed", "N", SEED, AT(seed), 0, 0, "of everything that is drawn (1)"},
    {"--steps", "N", INT, AT(steps), 1, 1e9, "of training (pronoun 1000, search 1500; heads: see --epochs)"},
    {"--epochs", "N", INT, AT(epochs), 1, MANY, "over the treebank (8; of the small one 16)"},
    {"--batch", "N", INT, AT(batch), 1, MANY, "sentences a step (32)"},
    {"--held-out", "N", INT, AT(held_out), 1, MANY, "sentences that the curves are measured on (512)"},
    {"--d-model", "N", INT, AT(d_model), 1, 1 << 14, "width of a token (64; search 32)"},
    {"--d-k", "N", INT, AT(d_k), 1, 1 << 14, "width of a query and a key (pronoun 16, search 4, heads 32)"},
    {"--d-v", "N", INT, AT(d_v), 1, 1 << 14, "width of a value (d_model / heads)"},
    {"--layers", "N", INT, AT(layers), 0, 1024, "transformer blocks; 0 is a bare head (0)"},
    {"--heads", "N", INT, AT(heads), 1, 1024, "of each block, or of the bare head (1)"},
    {"--row-length", "X", REAL, AT(row_length), 0, 1e6, "of the embeddings as they are drawn (4)"},
    {"--lr", "X", REAL, AT(lr), 0, 1e9, "learning rate (pronoun 0.03, heads 0.005, with blocks 0.003)"},
    {"--optimizer", "adam|sgd", CHOICE, AT(optimizer), 0, 0, "what follows the gradient (adam)"},
    {"--momentum", "X", REAL, AT(momentum), 0, 1, "of sgd (0.9)"},
    {"--schedule", "constant|cosine", CHOICE, AT(schedule), 0, 0, "of the learning rate (cosine)"},
    {"--warmup", "N", INT, AT(warmup), 0, 1e9, "steps over which it rises (0)"},
    {"--decay", "X", REAL, AT(decay), 0, 1e9, "weight decay, as in AdamW (0)"},
    {"--clip", "X", REAL, AT(clip), 0, 1e9, "limit to the gradient's norm, 0 for none (0)"},
    {"--init", "tied|random", CHOICE, AT(init), 0, 0, "start at W_Q = W_K, or anywhere (tied)"},
    {"--no-scale", NULL, FLAG, AT(no_scale), 0, 0, "scores are not divided by sqrt(d_k)"},
    {"--mask-self", NULL, FLAG, AT(mask_self), 0, 0, "no token attends to itself (heads: always)"},
    {"--freeze-embeddings", NULL, FLAG, AT(freeze_embeddings), 0, 0, "heads: only the head learns"},
    {"--conllu", "FILE", TEXT, AT(conllu), 0, 0, "heads: the treebank (data/english.conllu)"},
    {"--dev", "FILE", TEXT, AT(dev), 0, 0, "heads: one to measure on (a fifth of the first)"},
    {"--max-words", "N", INT, AT(max_words), 1, 4096, "heads: longer sentences are left out (128)"},
    {"--no-tags", NULL, FLAG, AT(no_tags), 0, 0, "heads: without parts of speech"},
    {"--suffixes", NULL, FLAG, AT(suffixes), 0, 0, "heads: with each word's last three letters"},
    {"--capitals", NULL, FLAG, AT(capitals), 0, 0, "heads: with capitals, digits and marks"},
    {"--relative", "N", INT, AT(relative), 0, 4096, "scores see the distance, up to N words (0: no)"},
    {"--threads", "N", INT, AT(threads), 1, 1024, "arms that train at once (one a core)"},
    {"--out", "DIR", TEXT, AT(out), 0, 0, "where the results go (out)"},
    {"--resume", NULL, FLAG, AT(resume), 0, 0, "go on from what DIR holds"},
    {"--pace", "SECONDS", REAL, AT(pace), 0, 1e6, "spread the run over that time, to watch it"},
    {"--quiet", NULL, FLAG, AT(quiet), 0, 0, "no curves, the table alone"},
    {"--help", NULL, FLAG, AT(help), 0, 0, "this"},
};
enum { OPTIONS = sizeof table / sizeof *table };

static const char *const task_names[] = {"pronoun", "search", "heads"};
enum { TASKS = sizeof task_names / sizeof *task_names };

static bool wrong(char error[OPTIONS_ERROR], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool wrong(char error[OPTIONS_ERROR], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, OPTIONS_ERROR, format, arguments);
    va_end(arguments);
    for (char *c = error; *c; c++)  // an argument may hold anything; the message stays one line
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    return false;
}

// Edit distance in which a swap of neighbours counts once (Damerau 1964, in its restricted form).
static int edits(const char *a, const char *b) {
    enum { LONGEST = 31 };
    int d[LONGEST + 1][LONGEST + 1], m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST) return 1 << 20;
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (!i || !j) {
                d[i][j] = i + j;
                continue;
            }
            int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            int insert = d[i][j - 1] + 1, delete = d[i - 1][j] + 1;
            d[i][j] = change < insert ? change : insert;
            if (delete < d[i][j]) d[i][j] = delete;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < d[i][j]) d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[m][n];
}

const char *nearest(const char *word, const char *const *known, int count) {
    const char *best = NULL;
    int fewest = (int)strlen(word) / 2 + 1;
    for (int i = 0; i < count; i++) {
        int e = edits(word, known[i]);
        if (e < fewest) {
            fewest = e;
            best = known[i];
        }
    }
    return best;
}

// "; did you mean X?", or "; there are A, B, C"
static const char *suggest(const char *word, const char *const *known, int count, bool list,
                           char text[160]) {
    const char *best = nearest(word, known, count);
    int n = 0;
    text[0] = '\0';
    if (best) snprintf(text, 160, "; did you mean %s?", best);
    for (int i = 0; !best && list && i < count; i++)
        n += snprintf(text + n, 160 - (size_t)n, "%s%s", i ? ", " : "; there are ", known[i]);
    return text;
}

static bool read_int(const Option *option, const char *text, Options *o, char error[OPTIONS_ERROR]) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || strchr(" \t\n\v\f\r+", text[0]))
        return wrong(error, "%s %.60s: not a whole number", option->name, text);
    if (errno || (double)value < option->least || (double)value > option->most)
        return wrong(error, "%s %.60s: it must be from %.0f to %.0f", option->name, text, option->least,
                     option->most);
    *(int *)(void *)((char *)o + option->offset) = (int)value;
    return true;
}

static bool read_seed(const Option *option, const char *text, Options *o, char error[OPTIONS_ERROR]) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno)
        return wrong(error, "%s %.60s: not a whole number from 0 to 18446744073709551615", option->name,
                     text);
    *(uint64_t *)(void *)((char *)o + option->offset) = value;
    return true;
}

static bool read_real(const Option *option, const char *text, Options *o, char error[OPTIONS_ERROR]) {
    char *end;
    double value = strtod(text, &end);
    bool hexadecimal = strpbrk(text, "xX");  // strtod would read it, the help doesn't promise it
    if (end == text || *end || strchr(" \t\n\v\f\r+", text[0]) || hexadecimal || !isfinite(value))
        return wrong(error, "%s %.60s: not a number", option->name, text);
    if (value < option->least || value > option->most)
        return wrong(error, "%s %.60s: it must be from %g to %g", option->name, text, option->least,
                     option->most);
    *(double *)(void *)((char *)o + option->offset) = value;
    return true;
}

static bool read_choice(const Option *option, const char *text, Options *o, char error[OPTIONS_ERROR]) {
    const char *bar = strchr(option->value, '|');
    size_t first = (size_t)(bar - option->value);
    int chosen = strlen(text) == first && !strncmp(text, option->value, first) ? 0
                 : !strcmp(text, bar + 1)                                      ? 1 : -1;
    if (chosen < 0)
        return wrong(error, "%s %.60s: it must be %.*s or %s", option->name, text, (int)first,
                     option->value, bar + 1);
    *(int *)(void *)((char *)o + option->offset) = chosen;
    return true;
}

static bool read_value(const Option *option, const char *text, Options *o, char error[OPTIONS_ERROR]) {
    switch (option->kind) {
    case INT: return read_int(option, text, o, error);
    case SEED: return read_seed(option, text, o, error);
    case REAL: return read_real(option, text, o, error);
    case CHOICE: return read_choice(option, text, o, error);
    case TEXT:
        if (!*text) return wrong(error, "%s: its %s is empty", option->name, option->value);
        *(const char **)(void *)((char *)o + option->offset) = text;
        return true;
    case FLAG: break;
    }
    *(bool *)((char *)o + option->offset) = true;
    return true;
}

static bool read_option(Options *o, int argc, char **argv, int *i, char error[OPTIONS_ERROR]) {
    const char *given = argv[*i], *equals = strchr(given, '=');
    size_t length = equals ? (size_t)(equals - given) : strlen(given);
    const char *names[OPTIONS];
    for (int k = 0; k < OPTIONS; k++) {
        const Option *option = &table[k];
        names[k] = option->name;
        if (strlen(option->name) != length || strncmp(option->name, given, length)) continue;
        if (option->kind == FLAG && equals) return wrong(error, "%s: takes no value", option->name);
        if (option->kind == FLAG) return read_value(option, NULL, o, error);
        if (!equals && *i + 1 >= argc) return wrong(error, "%s: its %s is missing", option->name, option->value);
        return read_value(option, equals ? equals + 1 : argv[++*i], o, error);
    }
    char text[160];
    return wrong(error, "%.60s: no such option%s (--help lists them)", given,
                 suggest(given, names, OPTIONS, false, text));
}

static bool read_arms(Options *o, char error[OPTIONS_ERROR]) {
    const char *known[ARMS];
    for (int i = 0; i < ARMS; i++) known[i] = arm_table[i].name;
    for (const char *at = o->arm_list; ; at++) {
        char name[16] = "", text[160];
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", n < 15 ? (int)n : 15, at);
        const Arm *arm = arm_find(name);
        if (!arm) return wrong(error, "--arms: no arm is named \"%s\"%s", name,
                               suggest(name, known, ARMS, true, text));
        for (int i = 0; i < o->arms; i++)
            if (o->arm[i] == arm) return wrong(error, "--arms: %s stands there twice", name);
        o->arm[o->arms++] = arm;
        at += n;
        if (!*at) return true;
    }
}

static bool finish(Options *o, char error[OPTIONS_ERROR]) {
    bool heads = !strcmp(o->task, "heads"), search = !strcmp(o->task, "search");
    if (!o->d_model) o->d_model = search ? 32 : 64;
    if (search && (o->mask_self || o->relative))
        return wrong(error, "search: pages and queries have no distance from each other, and none is itself: "
                     "--relative and --mask-self belong to the other tasks");
    if (!heads && (o->conllu || o->dev || o->epochs || o->suffixes || o->capitals || o->no_tags
                   || o->freeze_embeddings || o->max_words))
        return wrong(error, "%s has no treebank: --conllu, --dev, --epochs, --max-words, --no-tags, "
                     "--suffixes, --capitals and --freeze-embeddings belong to heads", o->task);
    if (heads && o->d_v && !o->layers) return wrong(error, "--d-v %d: a bare head that points has no value", o->d_v);
    if (!o->arm_list) o->arm_list = arm_default(o->task);
    if (!read_arms(o, error)) return false;
    for (int i = 0; heads && !o->layers && i < o->arms; i++)
        if (!o->arm[i]->pointing)
            return wrong(error, "--arms %s: a bare head that points has no value; there are %s",
                         o->arm[i]->name, arm_default("heads"));
    if (o->d_model % o->heads)
        return wrong(error, "--heads %d: they must divide d_model, %d", o->heads, o->d_model);
    if (heads && o->heads > 1 && !o->layers)
        return wrong(error, "--heads %d: one head points at the answer; more need --layers 1 or more", o->heads);
    int each = o->d_model / o->heads, usual = heads ? 32 : search ? 4 : 16;
    if (!o->d_k) o->d_k = each < usual || o->heads > 1 ? each : usual;
    if (!o->d_v) o->d_v = each;
    if (o->d_k > each && o->init == START_TIED)
        return wrong(error, "--d-k %d: at most d_model / heads, %d, for orthonormal columns; --init random "
                     "takes any", o->d_k, each);
    if (o->lr < 0) o->lr = o->layers ? 0.003 : heads ? 0.005 : 0.03;
    if (heads) {
        o->mask_self = true;
        if (!o->epochs) o->epochs = o->conllu ? 8 : 16;
        if (!o->conllu) o->conllu = "data/english.conllu";
        if (!o->max_words) o->max_words = 128;
    } else if (!o->steps) {
        o->steps = search ? 1500 : 1000;
    }
    return true;
}

bool options_parse(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]) {
    *o = (Options){.seed = 1, .batch = 32, .held_out = 512, .heads = 1, .row_length = 4, .lr = -1, .momentum = 0.9,
                   .schedule = SCHEDULE_COSINE,
                   .out = "out"};
    for (int i = 1; i < argc; i++) {
        char text[160];
        bool known = false;
        if (argv[i][0] == '-') {
            if (!read_option(o, argc, argv, &i, error)) return false;
            continue;
        }
        if (o->task) return wrong(error, "%.60s: one task at a time, and it is %s", argv[i], o->task);
        for (int k = 0; k < TASKS; k++) known |= !strcmp(argv[i], task_names[k]);
        if (!known) return wrong(error, "%.60s: no such task%s", argv[i],
                                 suggest(argv[i], task_names, TASKS, true, text));
        o->task = argv[i];
    }
    if (!o->task) o->task = task_names[0];
    return o->help || finish(o, error);
}

void options_help(FILE *out) {
    fputs("./train [TASK] [options]    train the arms of TASK side by side\n\n"
          "tasks\n"
          "  pronoun                made-up sentences: which word answers each word's question? (default)\n"
          "  search                 queries and pages: what does the page say whose title matches?\n"
          "  heads                  real sentences: which word does each word depend on?\n\narms\n", out);
    for (int i = 0; i < ARMS; i++) fprintf(out, "  %-22s %s\n", arm_table[i].name, arm_table[i].formula);
    fputs("\noptions (in brackets: the default)\n", out);
    for (int i = 0; i < OPTIONS; i++) {
        int n = fprintf(out, "  %s %s", table[i].name, table[i].value ? table[i].value : "");
        fprintf(out, "%*s%s\n", n < 32 ? 33 - n : 1, "", table[i].help);
    }
}

static bool plain(const char *text) {
    return *text && !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                       "-_=./,:+@%")];
}

char *options_command(int argc, char **argv) {
    size_t size = 1;
    for (int i = 0; i < argc; i++) size += 4 * strlen(argv[i]) + 3;
    char *text = malloc(size), *at = text;
    if (!text) fatal("out of memory: the command line");
    for (int i = 0; i < argc; i++) {
        if (i) *at++ = ' ';
        bool quoted = !plain(argv[i]);
        if (quoted) *at++ = '\'';
        for (const char *c = argv[i]; *c; c++)  // a quote ends the quoted part, stands alone, reopens it
            at += *c == '\'' ? sprintf(at, "'\\''") : sprintf(at, "%c", *c);
        if (quoted) *at++ = '\'';
    }
    *at = '\0';
    return text;
}

void options_json(FILE *out, const Options *o) {
    const char *comma = "";
    for (int i = 0; i < OPTIONS; i++) {
        const Option *option = &table[i];
        const void *field = (const char *)o + option->offset;
        if (field == &o->help || field == &o->quiet || field == &o->resume || field == &o->pace) continue;
        fprintf(out, "%s\n    \"%s\": ", comma, option->name + 2);
        comma = ",";
        switch (option->kind) {
        case INT: fprintf(out, "%d", *(const int *)field); break;
        case SEED: fprintf(out, "%llu", (unsigned long long)*(const uint64_t *)field); break;
        case REAL: json_number(out, *(const double *)field); break;
        case FLAG: fputs(*(const bool *)field ? "true" : "false", out); break;
        case TEXT: json_string(out, *(const char *const *)field); break;
        case CHOICE: {
            const char *value = option->value, *bar = strchr(value, '|');
            int n = *(const int *)field ? (int)strlen(bar + 1) : (int)(bar - value);
            fprintf(out, "\"%.*s\"", n, *(const int *)field ? bar + 1 : value);
        }
        }
    }
}
