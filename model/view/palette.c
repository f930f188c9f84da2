// The terminal's colours of weights (viridis) and of scores (ColorBrewer's orange and blue, with the
// signs of the report's figure.js): the colour-blind can read both. The arms' colours are in
// model/arms.c.
#include "model/view/palette.h"

#include <math.h>

// Between the anchors; at: 0..1, a NaN is drawn as 0.
static int blend(const int *anchor, int count, double at) {
    at = at > 0 ? fmin(at, 1) * (count - 1) : 0;
    int i = at >= count - 1 ? count - 2 : (int)at, colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int low = anchor[i] >> shift & 255, high = anchor[i + 1] >> shift & 255;
        colour |= (int)lround(low + (at - i) * (high - low)) << shift;
    }
    return colour;
}

int palette_sequential(double weight) {
    static const int anchor[] = {0x440154, 0x482878, 0x3E4989, 0x31688E, 0x26828E,
                                 0x1F9E89, 0x35B779, 0x6DCD59, 0xB4DE2C, 0xFDE725};
    return blend(anchor, 10, weight);
}

int palette_diverging(double value) {
    static const int anchor[] = {0xB35806, 0xF1A340, 0xF7F7F7, 0x67A9CF, 0x2166AC};
    return isnan(value) ? anchor[2] : blend(anchor, 5, (value + 1) / 2);
}

int palette_ink(int ground) {
    int light = 299 * (ground >> 16 & 255) + 587 * (ground >> 8 & 255) + 114 * (ground & 255);
    return light > 128 * 1000 ? 0x000000 : 0xFFFFFF;
}
