#ifndef MODEL_VIEW_DRAWING_H
#define MODEL_VIEW_DRAWING_H

#include <stdio.h>

// What all pictures share: SVG that stands alone, light or dark as the reader's page is. `style`
// holds further rules for it, or is "".
void drawing_begin(FILE *out, double width, double height, const char *title, const char *style);
void drawing_end(FILE *out);

// An attribute, in whole tenths of a pixel, so that last digits of a float
// don't make another picture.
void drawing_number(FILE *out, const char *name, double x);
void drawing_line(FILE *out, const char *class, double x1, double y1, double x2, double y2);
void drawing_rect(FILE *out, const char *class, double x, double y, double width, double height,
                  double opacity);
void drawing_label(FILE *out, double x, double y, const char *class, const char *shown);

#endif
