// Is a text JSON? For the tests: the program writes JSON and never reads it.
#include "json.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { DEEPEST = 64 };

static void skip_space(const char **at) { *at += strspn(*at, " \n\t\r"); }

static bool skip_word(const char **at, const char *word) {
    size_t n = strlen(word);
    if (strncmp(*at, word, n)) return false;
    *at += n;
    return true;
}

static bool skip_string(const char **at) {
    if (**at != '"') return false;
    for (++*at; **at != '"'; ++*at) {
        if ((unsigned char)**at < ' ') return false;  // the end too
        if (**at != '\\') continue;
        ++*at;
        if (!**at || !strchr("\"\\/bfnrtu", **at)) return false;
        for (int i = 0, hex = **at == 'u' ? 4 : 0; i < hex; i++)
            if (!isxdigit((unsigned char)*++*at)) return false;
    }
    ++*at;
    return true;
}

static bool skip_digits(const char **at) {
    const char *from = *at;
    while (isdigit((unsigned char)**at)) ++*at;
    return *at > from;
}

// -12.5e-3; a number that begins with 0 has nothing after it but a fraction.
static bool skip_number(const char **at) {
    if (**at == '-') ++*at;
    if (**at == '0') ++*at;
    else if (!skip_digits(at)) return false;
    if (**at == '.' && (++*at, !skip_digits(at))) return false;
    if (**at != 'e' && **at != 'E') return true;
    ++*at;
    if (**at == '+' || **at == '-') ++*at;
    return skip_digits(at);
}

static bool skip_value(const char **at, int depth);

// [value, ...] or {"name": value, ...}
static bool skip_list(const char **at, int depth) {
    bool named = **at == '{';
    char end = named ? '}' : ']';
    ++*at;
    skip_space(at);
    if (**at == end) return ++*at, true;
    for (;;) {
        if (named) {
            skip_space(at);
            if (!skip_string(at)) return false;
            skip_space(at);
            if (**at != ':') return false;
            ++*at;
        }
        if (!skip_value(at, depth + 1)) return false;
        if (**at == end) return ++*at, true;
        if (**at != ',') return false;
        ++*at;
    }
}

static bool skip_value(const char **at, int depth) {
    bool good;
    skip_space(at);
    if (depth > DEEPEST) return false;
    if (**at == '{' || **at == '[') good = skip_list(at, depth);
    else if (**at == '"') good = skip_string(at);
    else good = skip_word(at, "true") || skip_word(at, "false") || skip_word(at, "null")
             || skip_number(at);
    skip_space(at);
    return good;
}

const char *json_wrong(const char *text) {
    const char *at = text;
    return skip_value(&at, 0) && !*at ? NULL : at;
}
