#ifndef MODEL_VIEW_SVG_H
#define MODEL_VIEW_SVG_H

#include "model/train/history.h"
#include "model/view/map.h"

// Pictures for slides and READMEs, light or dark as the reader's page is. Coordinates are whole
// tenths of a pixel, so that last digits of a float don't make another picture.
// The loss, and beside it the attention NLL on the cycle, the asymmetry or the symmetry of M.
void svg_loss(FILE *out, const History *history);
void svg_map(FILE *out, const Map *map);  // what one or two arms attend to

#endif
