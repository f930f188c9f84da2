#ifndef MODEL_VIEW_SVG_H
#define MODEL_VIEW_SVG_H

#include "model/train/history.h"
#include "model/view/map.h"

// Pictures for slides and READMEs, light or dark as the reader's page is. Coordinates are whole
// tenths of a pixel, so that last digits of a float don't make another picture.
void svg_loss(FILE *out, const History *history);  // loss, and the surprise on
                                                   // the cycle or the asymmetry
void svg_map(FILE *out, const Map *map);           // what one or two arms attend to

#endif
