#ifndef MODEL_VIEW_TERM_H
#define MODEL_VIEW_TERM_H

#include <stdbool.h>
#include <stdio.h>

// What the terminal behind a stream can do.
typedef struct Term {
    int fd;             // asked for its size at each redraw; -1: the size stays as given
    bool tty;           // may the cursor move? (a terminal, and TERM is neither unset nor dumb)
    int width, height;  // columns, rows
    int colours;        // 0, 256, or 1 << 24
    bool utf8;          // may more than ASCII be shown?
} Term;

Term term_of(FILE *out);
void term_measure(Term *term);  // asks for the size again

// What is shown of the character at *text, which is moved past it: bytes that are safe to print,
// and the columns they take. Controls and bytes that aren't UTF-8 become "?"; without UTF-8 so does
// all that isn't ASCII, but for the few characters that have a stand-in.
int term_glyph(const char **text, bool utf8, char shown[8]);
int term_width(const char *text, bool utf8);
int term_widest(const char *const *text, int count, bool utf8);

#endif
