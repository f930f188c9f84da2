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
        bool prints = n && utf8_prints(code);
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

static const char *name_of(Names names, int i) {
    return *(const char *const *)(const void *)((const char *)names.row + (size_t)i * names.size);
}

const char *nearest(const char *word, Names names) {
    const char *best = NULL;
    int fewest = (int)strlen(word) / 2 + 1;
    for (int i = 0; i < names.count; i++) {
        int e = edits(word, name_of(names, i));
        if (e < fewest) best = name_of(names, i);
        if (e < fewest) fewest = e;
    }
    return best;
}

const char *suggest(const char *word, Names names, const char *list, char text[160]) {
    const char *best = nearest(word, names);
    text[0] = '\0';
    if (best) snprintf(text, 160, "; did you mean %s?", best);
    else if (list) snprintf(text, 160, "; %s", list);
    for (int i = 0; !best && list && i < names.count; i++) {
        size_t used = strlen(text), more = strlen(name_of(names, i)) + 2;
        if (used + more < 159) sprintf(text + used, "%s%s", i ? ", " : " ", name_of(names, i));
    }
    return text;
}

static void *field(const Option *option, void *to) { return (char *)to + option->offset; }

// What doesn't fit a long or a double becomes its last number, which is out of range too.
static bool read_number(const Option *option, const char *text, void *to,
                        char error[OPTIONS_ERROR]) {
    bool whole = option->kind == INT;
    char *end;
    errno = 0;
    double value = whole ? (double)strtol(text, &end, 10) : strtod(text, &end);
    bool hexadecimal = strpbrk(text, "xX");  // strtod would read it, the help doesn't promise it
    if (end == text || *end || strchr(" \t\n\v\f\r+", *text) || hexadecimal || isnan(value))
        return arguments_wrong(error, "%s %.60s: not a %snumber from %.15g to %.15g", option->name,
                               text, whole ? "whole " : "", option->least, option->most);
    if (errno == ERANGE && fabs(value) < 1)
        return arguments_wrong(error, "%s %.60s: too near to 0 for a number of this program; it "
                               "must be 0, or 1e-307 or more", option->name, text);
    if (value < option->least || value > option->most)
        return arguments_wrong(error, "%s %.60s: it must be from %.15g to %.15g", option->name,
                               text, option->least, option->most);
    if (whole) *(int *)field(option, to) = (int)value;
    else *(double *)field(option, to) = value;
    return true;
}

static bool read_seed(const Option *option, const char *text, void *to, char error[OPTIONS_ERROR]) {
    char *end;
    errno = 0;
    *(uint64_t *)field(option, to) = strtoull(text, &end, 10);
    return (*text >= '0' && *text <= '9' && !*end && !errno)
        || arguments_wrong(error, "%s %.60s: not a whole number from 0 to 18446744073709551615",
                           option->name, text);
}

// Choice number i of "a|b|c"; NULL past the last.
static const char *choice(const Option *option, int i, char text[32]) {
    const char *at = option->value;
    for (; i > 0 && at; i--) at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
    if (at) snprintf(text, 32, "%.*s", (int)strcspn(at, "|"), at);
    return at ? text : NULL;
}

static bool read_choice(const Option *option, const char *given, void *to,
                        char error[OPTIONS_ERROR]) {
    char list[160] = "", text[32], next[32];
    for (int i = 0; choice(option, i, text); i++) {
        *(int *)field(option, to) = i;
        if (!strcmp(text, given)) return true;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s",
                 !i ? "" : choice(option, i + 1, next) ? ", " : " or ", text);
    }
    return arguments_wrong(error, "%s %.60s: it must be %s", option->name, given, list);
}

// `text` NULL: the line ends behind the option.
static bool read_value(const Option *option, const char *text, void *to,
                       char error[OPTIONS_ERROR]) {
    if (option->kind != FLAG && (!text || (option->kind == TEXT && !*text)))
        return arguments_wrong(error, "%s needs a value: %s", option->name, option->value);
    switch (option->kind) {
    case INT:
    case REAL: return read_number(option, text, to, error);
    case SEED: return read_seed(option, text, to, error);
    case CHOICE: return read_choice(option, text, to, error);
    case TEXT: *(const char **)field(option, to) = text; break;
    case FLAG: *(bool *)field(option, to) = true;
    }
    return true;
}

static bool read_option(OptionTable table, void *to, int argc, char **argv, int *i,
                        char error[OPTIONS_ERROR]) {
    const char *given = strcmp(argv[*i], "-h") ? argv[*i] : "--help";
    const char *equals = strchr(given, '=');
    size_t length = equals ? (size_t)(equals - given) : strlen(given);
    for (int k = 0; k < table.count; k++) {
        const Option *option = &table.option[k];
        if (strlen(option->name) != length || strncmp(option->name, given, length)) continue;
        if (option->kind != FLAG && !equals)
            return read_value(option, *i + 1 < argc ? argv[++*i] : NULL, to, error);
        if (option->kind == FLAG && equals)
            return arguments_wrong(error, "%s: takes no value", option->name);
        return read_value(option, equals ? equals + 1 : NULL, to, error);
    }
    char text[160];
    const Names names = {table.option, sizeof *table.option, table.count};
    return arguments_wrong(error, "%.60s is not an option%s (--help lists them)", given,
                           suggest(given, names, NULL, text));
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

const char *arguments_value(const Option *option, const void *from, char text[32]) {
    const void *at = (const char *)from + option->offset;
    switch (option->kind) {
    case FLAG: return *(const bool *)at ? "" : NULL;
    case TEXT: return *(const char *const *)at;
    case CHOICE: return choice(option, *(const int *)at, text);
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

bool arguments_same(const Option *option, const void *a, const void *b) {
    char text[2][32];
    const char *x = arguments_value(option, a, text[0]), *y = arguments_value(option, b, text[1]);
    return x == y || (x && y && !strcmp(x, y));
}

// The default stands in brackets, on a line of its own where the line would be wider than 80.
void arguments_help_line(FILE *out, const Option *option, const char *usual) {
    enum { INDENT = 33, WIDTH = 80 };
    int n = fprintf(out, "  %s %s", option->name, option->value ? option->value : "");
    n += fprintf(out, "%*s%s%s%s", n < INDENT - 1 ? INDENT - n : 1, "",
                 option->only ? option->only : "", option->only ? ": " : "", option->help);
    bool fits = n + (int)strlen(usual) + 3 <= WIDTH;
    if (*usual) fprintf(out, fits ? "%*s(%s)" : "\n%*s(%s)", fits ? 1 : INDENT, "", usual);
    fputc('\n', out);
}

void arguments_help(FILE *out, OptionTable table) {
    for (int i = 0; i < table.count; i++) arguments_help_line(out, &table.option[i], "");
}

char *arguments_command(int argc, char **argv) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-_=./,:+@%";
    size_t size = 1;
    for (int i = 0; i < argc; i++) size += 4 * strlen(argv[i]) + 3;
    char *text = grow(NULL, size, 1), *at = text;
    *text = '\0';
    for (int i = 0; i < argc; i++) {
        bool quoted = !*argv[i] || argv[i][strspn(argv[i], plain)];
        at += sprintf(at, "%s%s", i ? " " : "", quoted ? "'" : "");
        // a quote ends the quoted part, stands alone, reopens it
        for (const char *c = argv[i]; *c; c++)
            at += *c == '\'' ? sprintf(at, "'\\''") : sprintf(at, "%c", *c);
        if (quoted) at += sprintf(at, "'");
    }
    return text;
}
