#ifndef MODEL_VIEW_SVG_H
#define MODEL_VIEW_SVG_H

#include "model/train/history.h"
#include "model/view/map.h"

// What all pictures share: SVG that stands alone, light or dark as the reader's page is. `style`
// holds further rules for it, or is "".
void svg_begin(FILE *out, double width, double height, const char *title, const char *style);
void svg_end(FILE *out);

// Like printf, with letters of its own: %g a length in whole tenths of a pixel, so that last digits
// of a float don't make another picture; %f an opacity; %X a colour; %s a text, escaped.
void svg(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void svg_label(FILE *out, double x, double y, const char *class, const char *shown);

// The loss, and beside it the attention NLL on the cycle, the asymmetry or the symmetry of M.
void svg_loss(FILE *out, const History *history);
void svg_map(FILE *out, const Map *map);  // what one or two arms attend to

#endif
