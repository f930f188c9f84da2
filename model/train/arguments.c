// Reading a command line by a table.
#include "arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"

bool arguments_wrong(char error[OPTIONS_ERROR], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, OPTIONS_ERROR, format, arguments);
    va_end(arguments);
    // an argument may hold anything; the message stays one line of text
    for (char *c = error; *c;) {
        unsigned code = 0;
        size_t n = utf8_decode(c, strlen(c), &code);
        bool prints = n && code >= ' ' && (code < 0x7F || code >= 0xA0);
        if (!prints) *c = '?';
        c += prints ? n : 1;
    }
    return false;
}

int misused(const char *message) {
    fprintf(stderr, "train: %s\n", message);
    return MISUSED;
}

bool printed(void) {
    bool failed = ferror(stdout), flushed = !fflush(stdout);
    if (flushed && !failed) return true;  // errno is of the flush, not of a write before it
    fprintf(stderr, "train: stdout: %s\n", flushed ? "not all could be written" : strerror(errno));
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

const char *suggest(const char *word, const char *const *known, int count, bool list,
                    char text[160]) {
    const char *best = nearest(word, known, count);
    size_t used = 0;
    text[0] = '\0';
    if (best) snprintf(text, 160, "; did you mean %s?", best);
    for (int i = 0; !best && list && i < count && used + strlen(known[i]) + 12 < 160; i++)
        used += (size_t)sprintf(text + used, "%s%s", i ? ", " : "; there are ", known[i]);
    return text;
}

static bool read_int(const Option *option, const char *text, void *to, char error[OPTIONS_ERROR]) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || strchr(" \t\n\v\f\r+", text[0]))
        return arguments_wrong(error, "%s %.60s: not a whole number", option->name, text);
    if (errno || (double)value < option->least || (double)value > option->most)
        return arguments_wrong(error, "%s %.60s: it must be from %.0f to %.0f", option->name, text,
                               option->least, option->most);
    *(int *)(void *)((char *)to + option->offset) = (int)value;
    return true;
}

static bool read_seed(const Option *option, const char *text, void *to, char error[OPTIONS_ERROR]) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno)
        return arguments_wrong(error, "%s %.60s: not a whole number from 0 to 18446744073709551615",
                               option->name, text);
    *(uint64_t *)(void *)((char *)to + option->offset) = value;
    return true;
}

static bool read_real(const Option *option, const char *text, void *to, char error[OPTIONS_ERROR]) {
    char *end;
    double value = strtod(text, &end);
    bool hexadecimal = strpbrk(text, "xX");  // strtod would read it, the help doesn't promise it
    if (end == text || *end || strchr(" \t\n\v\f\r+", text[0]) || hexadecimal || !isfinite(value))
        return arguments_wrong(error, "%s %.60s: not a number", option->name, text);
    if (value < option->least || value > option->most)
        return arguments_wrong(error, "%s %.60s: it must be from %g to %g", option->name, text,
                               option->least, option->most);
    *(double *)(void *)((char *)to + option->offset) = value;
    return true;
}

static bool read_choice(const Option *option, const char *text, void *to,
                        char error[OPTIONS_ERROR]) {
    const char *bar = strchr(option->value, '|');
    size_t first = (size_t)(bar - option->value);
    int chosen = strlen(text) == first && !strncmp(text, option->value, first) ? 0
                 : !strcmp(text, bar + 1)                                      ? 1 : -1;
    if (chosen < 0)
        return arguments_wrong(error, "%s %.60s: it must be %.*s or %s", option->name, text,
                               (int)first, option->value, bar + 1);
    *(int *)(void *)((char *)to + option->offset) = chosen;
    return true;
}

static bool read_value(const Option *option, const char *text, void *to,
                       char error[OPTIONS_ERROR]) {
    switch (option->kind) {
    case INT: return read_int(option, text, to, error);
    case SEED: return read_seed(option, text, to, error);
    case REAL: return read_real(option, text, to, error);
    case CHOICE: return read_choice(option, text, to, error);
    case TEXT:
        if (!*text)
            return arguments_wrong(error, "%s: its %s is empty", option->name, option->value);
        *(const char **)(void *)((char *)to + option->offset) = text;
        return true;
    case FLAG: break;
    }
    *(bool *)((char *)to + option->offset) = true;
    return true;
}

static bool read_option(OptionTable table, void *to, int argc, char **argv, int *i,
                        char error[OPTIONS_ERROR]) {
    const char *given = argv[*i], *equals = strchr(given, '=');
    size_t length = equals ? (size_t)(equals - given) : strlen(given);
    for (int k = 0; k < table.count; k++) {
        const Option *option = &table.option[k];
        if (strlen(option->name) != length || strncmp(option->name, given, length)) continue;
        if (option->kind == FLAG && equals)
            return arguments_wrong(error, "%s: takes no value", option->name);
        if (option->kind == FLAG) return read_value(option, NULL, to, error);
        if (!equals && *i + 1 >= argc)
            return arguments_wrong(error, "%s: its %s is missing", option->name, option->value);
        return read_value(option, equals ? equals + 1 : argv[++*i], to, error);
    }
    char text[160];
    const char **names = grow(NULL, (size_t)table.count, sizeof *names);
    for (int k = 0; k < table.count; k++) names[k] = table.option[k].name;
    suggest(given, names, table.count, false, text);
    free(names);
    return arguments_wrong(error, "%.60s: no such option%s (--help lists them)", given, text);
}

bool arguments_read(OptionTable table, void *to, int argc, char **argv,
                    bool (*word)(void *to, char *text, char *error), char error[OPTIONS_ERROR]) {
    bool options = true;  // until "--"
    for (int i = 1; i < argc; i++) {
        bool dashed = options && argv[i][0] == '-';
        if (dashed && !strcmp(argv[i], "--")) options = false;
        else if (!(dashed ? read_option(table, to, argc, argv, &i, error)
                          : word(to, argv[i], error)))
            return false;
    }
    return true;
}

// "a|b"
static const char *chosen(const char *value, int choice, char text[32]) {
    const char *bar = strchr(value, '|');
    if (choice) snprintf(text, 32, "%s", bar + 1);
    else snprintf(text, 32, "%.*s", (int)(bar - value), value);
    return text;
}

const char *arguments_value(const Option *option, const void *from, char text[32]) {
    const void *at = (const char *)from + option->offset;
    switch (option->kind) {
    case FLAG: return *(const bool *)at ? "" : NULL;
    case TEXT: return *(const char *const *)at;
    case CHOICE: return chosen(option->value, *(const int *)at, text);
    case SEED: snprintf(text, 32, "%" PRIu64, *(const uint64_t *)at); break;
    case REAL:
        snprintf(text, 32, "%.15g", *(const double *)at);
        if (strtod(text, NULL) != *(const double *)at)
            snprintf(text, 32, "%.17g", *(const double *)at);
        break;
    case INT: snprintf(text, 32, "%d", *(const int *)at); break;
    }
    return text;
}

void arguments_help(FILE *out, OptionTable table) {
    for (int i = 0; i < table.count; i++) {
        const Option *option = &table.option[i];
        int n = fprintf(out, "  %s %s", option->name, option->value ? option->value : "");
        fprintf(out, "%*s%s\n", n < 32 ? 33 - n : 1, "", option->help);
    }
}

static bool plain(const char *text) {
    return *text
           && !text[strspn(text,
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                           "-_=./,:+@%")];
}

char *arguments_command(int argc, char **argv) {
    size_t size = 1;
    for (int i = 0; i < argc; i++) size += 4 * strlen(argv[i]) + 3;
    char *text = grow(NULL, size, 1), *at = text;
    for (int i = 0; i < argc; i++) {
        if (i) *at++ = ' ';
        bool quoted = !plain(argv[i]);
        if (quoted) *at++ = '\'';
        // a quote ends the quoted part, stands alone, reopens it
        for (const char *c = argv[i]; *c; c++)
            at += *c == '\'' ? sprintf(at, "'\\''") : sprintf(at, "%c", *c);
        if (quoted) *at++ = '\'';
    }
    *at = '\0';
    return text;
}
