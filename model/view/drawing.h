#ifndef MODEL_VIEW_DRAWING_H
#define MODEL_VIEW_DRAWING_H

#include <stdio.h>

// What all pictures share: SVG that stands alone, light or dark as the reader's page is. `style`
// holds further rules for it, or is "".
void drawing_begin(FILE *out, double width, double height, const char *title, const char *style);
void drawing_end(FILE *out);

// Like printf, with letters of its own: %g a length in whole tenths of a pixel, so that last digits
// of a float don't make another picture; %f an opacity; %X a colour; %s a text, escaped.
void draw(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void draw_label(FILE *out, double x, double y, const char *class, const char *shown);

#endif
