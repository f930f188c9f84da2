// What the terminal can do, and how wide a text is on it. Asked of the environment and of the
// window itself, not of a locale: the program prints the same figures whatever the language of its
// user.
#include "model/view/term.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "data/utf8.h"

static const char *environment(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static int clamp_size(long size, int otherwise) {
    return size < 1 ? otherwise : size > 1000 ? 1000 : (int)size;
}

void term_measure(Term *term) {
    struct winsize window = {0};
    if (term->fd < 0) return;
    if (ioctl(term->fd, TIOCGWINSZ, &window)) window.ws_col = window.ws_row = 0;
    long columns = window.ws_col ? window.ws_col : strtol(environment("COLUMNS"), NULL, 10);
    long rows = window.ws_row ? window.ws_row : strtol(environment("LINES"), NULL, 10);
    term->width = clamp_size(columns, 80);
    term->height = clamp_size(rows, 24);
}

static bool speaks_utf8(void) {
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"}, *locale = "";
    for (int i = 0; i < 3 && !*locale; i++) locale = environment(names[i]);
    for (; *locale; locale++)
        if (!strncasecmp(locale, "utf-8", 5) || !strncasecmp(locale, "utf8", 4)) return true;
    return false;
}

Term term_of(FILE *out) {
    Term term = {.fd = fileno(out), .utf8 = speaks_utf8()};
    const char *kind = environment("TERM"), *depth = environment("COLORTERM");
    term.tty = isatty(term.fd) && *kind && strcmp(kind, "dumb");
    if (term.tty && !*environment("NO_COLOR"))
        term.colours = strstr(depth, "truecolor") || strstr(depth, "24bit") ? 1 << 24 : 256;
    term_measure(&term);
    return term;
}

typedef struct Range { unsigned first, last; } Range;

// Marks that are set on the character before them, and characters that show nothing.
static const Range narrow[] = {
    {0x300, 0x36F}, {0x483, 0x489}, {0x591, 0x5BD}, {0x5BF, 0x5BF}, {0x5C1, 0x5C2}, {0x5C4, 0x5C5},
    {0x610, 0x61A}, {0x64B, 0x65F}, {0x670, 0x670}, {0x6D6, 0x6DC}, {0x6DF, 0x6E4}, {0x900, 0x902},
    {0x93C, 0x93C}, {0x941, 0x948}, {0x94D, 0x94D}, {0xE31, 0xE31}, {0xE34, 0xE3A}, {0xE47, 0xE4E},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0x302A, 0x302D},
    {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};
static const Range wide[] = {
    {0x1100, 0x115F}, {0x231A, 0x231B}, {0x2E80, 0x303E}, {0x3041, 0x33FF}, {0x3400, 0x4DBF},
    {0x4E00, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},
    {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6}, {0x16FE0, 0x18DFF}, {0x1B000, 0x1B2FF}, {0x1F1E6, 0x1F1FF},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB}, {0x1F900, 0x1FAFF},
    {0x20000, 0x3FFFD}};
// C0, C1, and what would turn the direction of the line or break it.
static const Range controls[] = {{0, 0x1F}, {0x7F, 0x9F}, {0x200E, 0x200F}, {0x2028, 0x202E},
                                 {0x2066, 0x2069}, {0xD800, 0xDFFF}, {0xFFF9, 0xFFFB}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool within(const Range *range, size_t count, unsigned code) {
    for (size_t i = 0; i < count; i++)
        if (range[i].first <= code && code <= range[i].last) return true;
    return false;
}

static int show(char shown[8], const char *text) {
    snprintf(shown, 8, "%s", text);
    return (int)strlen(shown);
}

int term_glyph(const char **text, bool utf8, char shown[8]) {
    unsigned code;
    int length = (int)utf8_decode(*text, strnlen(*text, 4), &code);
    const char *start = *text;
    *text += length ? length : 1;
    if (!length || within(controls, COUNT(controls), code)) return show(shown, "?");
    int columns = within(narrow, COUNT(narrow), code) ? 0 : within(wide, COUNT(wide), code) ? 2 : 1;
    if (!utf8 && code >= 0x80) {
        if (code == 0x1D40) return show(shown, "^T");
        if (code == 0x2019) return show(shown, "'");
        if (code == 0xB7) return show(shown, "|");
        if (code == 0x2423) return show(shown, "_");
        return show(shown, columns ? "?" : "");
    }
    snprintf(shown, 8, "%.*s", length, start);
    return columns;
}

int term_widest(const char *const *text, int count, bool utf8) {
    int most = 0;
    for (int i = 0; i < count; i++) {
        int width = term_width(text[i], utf8);
        if (width > most) most = width;
    }
    return most;
}

int term_width(const char *text, bool utf8) {
    int width = 0;
    char shown[8];
    while (*text) width += term_glyph(&text, utf8, shown);
    return width;
}
