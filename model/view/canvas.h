#ifndef MODEL_VIEW_CANVAS_H
#define MODEL_VIEW_CANVAS_H

#include "model/view/term.h"

typedef struct Style {
    int colour, ground;  // 0xRRGGBB, or -1: the terminal's own
    bool bold;
} Style;

enum { PALETTE_GREY = 0x8A8A8A };  // axes and notes: readable on dark and on light

#define STYLE_PLAIN ((Style){-1, -1, false})
#define STYLE_BOLD ((Style){-1, -1, true})
#define STYLE(colour) ((Style){(colour), -1, false})

// One column of one line; a wide character owns the cell after it.
typedef struct Cell {
    char text[15];  // a character and its marks; "" is a blank
    bool owned;     // the right half of the wide character before it
    Style style;
} Cell;

// A sheet of cells as wide as the terminal. What is written outside of it is dropped.
typedef struct Canvas {
    Term term;
    int width, height;
    Cell *cell;     // (height, width)
} Canvas;

typedef struct Box { int row, column, width, height; } Box;

Canvas canvas_new(Term term, int height);
// Writes in at most `width` columns, cutting between characters; gives the columns written.
int canvas_text(Canvas *canvas, int row, int column, int width, Style style, const char *text);
int canvas_format(Canvas *canvas, int row, int column, int width, Style style,
                  const char *format, ...)
    __attribute__((format(printf, 6, 7)));
// The same, ending at column + width.
void canvas_right(Canvas *canvas, int row, int column, int width, Style style, const char *text);
// In place: over what stands there already. Frees the canvas.
void canvas_print(Canvas *canvas, FILE *out, bool in_place);

// Lines broken between words, and at each newline; a word longer than the window is cut.
void print_wrapped(FILE *out, Term term, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// file:///.../DIRECTORY/NAME, a line that terminals and browsers open.
void print_link(FILE *out, const char *directory, const char *name);

#endif
