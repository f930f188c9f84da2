// A sheet of styled cells, onto which every terminal view draws. It is the one place that clips to
// the window, that cleans the text and that writes escape sequences, so no view can get them wrong.
#include "model/view/canvas.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograd/fatal.h"
#include "model/save/memory.h"

Canvas canvas_new(Term term, int height) {
    Canvas canvas = {.term = term, .width = term.width, .height = height};
    size_t cells = (size_t)canvas.width * (size_t)height;
    canvas.cell = zeroed(cells, sizeof *canvas.cell);
    for (size_t i = 0; i < cells; i++) canvas.cell[i].style = STYLE_PLAIN;
    return canvas;
}

static void put(Canvas *canvas, int row, int column, int columns, Style style, const char *shown) {
    Cell *line = canvas->cell + (size_t)row * (size_t)canvas->width;
    int end = column + columns;
    if (line[column].owned) line[column - 1].text[0] = '\0';  // no half of a wide one stays behind
    if (end < canvas->width && line[end].owned) line[end].owned = false;
    for (int i = column; i < end; i++) line[i] = (Cell){.style = style, .owned = i > column};
    if (strcmp(shown, " ")) snprintf(line[column].text, sizeof line[column].text, "%s", shown);
}

static void add_mark(Cell *cell, const char *mark) {
    size_t used = strlen(cell->text), more = strlen(mark);
    if (used && used + more < sizeof cell->text) memcpy(cell->text + used, mark, more + 1);
}

int canvas_text(Canvas *canvas, int row, int column, int width, Style style, const char *text) {
    int at = column, last = -1, end = column + width;
    if (end > canvas->width) end = canvas->width;
    if (row < 0 || row >= canvas->height || column < 0) return 0;
    while (*text) {
        char shown[8];
        int columns = term_glyph(&text, canvas->term.utf8, shown);
        if (at + columns > end) break;
        if (columns == 0) {
            if (last >= 0) add_mark(canvas->cell + row * canvas->width + last, shown);
        } else if (strlen(shown) == (size_t)columns && columns > 1) {  // an ASCII stand-in
            for (int i = 0; i < columns; i++)
                put(canvas, row, at + i, 1, style, (char[]){shown[i], '\0'});
        } else {
            put(canvas, row, at, columns, style, shown);
        }
        if (columns) last = at;
        at += columns;
    }
    return at - column;
}

int canvas_format(Canvas *canvas, int row, int column, int width, Style style,
                  const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return canvas_text(canvas, row, column, width, style, text);
}

void canvas_right(Canvas *canvas, int row, int column, int width, Style style, const char *text) {
    int used = term_width(text, canvas->term.utf8), spare = width > used ? width - used : 0;
    canvas_text(canvas, row, column + spare, width - spare, style, text);
}

// The nearest of 0, 95, 135, 175, 215, 255: the steps of the 6 x 6 x 6 cube of 256 colours.
static int cube_step(int channel) {
    return channel < 48 ? 0 : channel < 115 ? 1 : (channel - 35) / 40;
}

static int cube(int colour) {
    return 16 + 36 * cube_step(colour >> 16 & 255) + 6 * cube_step(colour >> 8 & 255)
         + cube_step(colour & 255);
}

static void print_colour(FILE *out, int colours, int layer, int colour) {
    if (colour < 0) return;
    if (colours > 256)
        fprintf(out, ";%d;2;%d;%d;%d", layer, colour >> 16 & 255, colour >> 8 & 255, colour & 255);
    else fprintf(out, ";%d;5;%d", layer, cube(colour));
}

static bool same(Style a, Style b) {
    return a.colour == b.colour && a.ground == b.ground && a.bold == b.bold;
}

static void print_style(FILE *out, int colours, Style style) {
    if (!colours) return;
    fputs(style.bold ? "\033[0;1" : "\033[0", out);
    print_colour(out, colours, 38, style.colour);
    print_colour(out, colours, 48, style.ground);
    fputs("m", out);
}

// After a full line the cursor still stands on its last cell, which clearing to the end would
// erase.
void canvas_print(Canvas *canvas, FILE *out, bool in_place) {
    for (int row = 0; row < canvas->height; row++) {
        const Cell *line = canvas->cell + (size_t)row * (size_t)canvas->width;
        int end = canvas->width;
        bool grounds = canvas->term.colours != 0;
        while (end && !line[end - 1].text[0] && !line[end - 1].owned
               && !(grounds && line[end - 1].style.ground >= 0)) end--;
        Style now = STYLE_PLAIN;
        for (int i = 0; i < end; i++) {
            if (line[i].owned) continue;
            if (!same(now, line[i].style)) print_style(out, canvas->term.colours, line[i].style);
            now = line[i].style;
            fputs(line[i].text[0] ? line[i].text : " ", out);
        }
        if (!same(now, STYLE_PLAIN)) print_style(out, canvas->term.colours, STYLE_PLAIN);
        if (in_place && end < canvas->width) fputs("\033[K", out);
        fputs(in_place ? "\r\n" : "\n", out);
    }
    free(canvas->cell);
}

// The columns that a word takes, as many as there are.
static int print_word(FILE *out, Term term, const char *word, size_t length) {
    int used = 0;
    for (const char *end = word + length; word < end;) {
        char shown[8];
        int columns = term_glyph(&word, term.utf8, shown);
        if (used + columns > term.width) break;
        if (out) fputs(shown, out);
        used += columns;
    }
    return used;
}

void print_wrapped(FILE *out, Term term, const char *format, ...) {
    char *text;
    size_t size;
    va_list arguments;
    FILE *memory = memory_open(&text, &size);
    va_start(arguments, format);
    vfprintf(memory, format, arguments);
    va_end(arguments);
    memory_close(memory);
    int used = 0;
    for (const char *at = text; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " \n");
        if (length) {
            bool fits = used + 1 + print_word(NULL, term, at, length) <= term.width;
            if (used) fputc(fits ? ' ' : '\n', out);
            used = (used && fits ? used + 1 : 0) + print_word(out, term, at, length);
        }
        at += length;
        if (*at == '\n') at++, used = 0, fputc('\n', out);
    }
    fputc('\n', out);
    free(text);
}

// Bytes that have a meaning in a URL, and all that isn't ASCII, are escaped (RFC 3986).
static void put_path(FILE *out, const char *path) {
    for (const char *c = path; *c; c++)
        fprintf(out, isalnum((unsigned char)*c) || strchr("/-._~", *c) ? "%c" : "%%%02X",
                (unsigned char)*c);
}

void print_link(FILE *out, const char *directory, const char *name) {
    char here[4096];
    fputs("file://", out);
    if (*directory != '/' && getcwd(here, sizeof here)) {
        put_path(out, here);
        fputc('/', out);
    }
    put_path(out, directory);
    fprintf(out, "/%s\n", name);
}
