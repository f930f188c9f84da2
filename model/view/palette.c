// The colours of all views. Arms wear the palette of Okabe and Ito (2008), without its yellow and
// black, which vanish on a light and on a dark background; weights wear viridis. Both are told
// apart by the colour-blind.
#include "model/view/palette.h"

#include <math.h>
#include <string.h>

static const struct { const char *name; int colour; char letter; } arms[] = {
    {"xxt", PALETTE_GREY, 'x'}, {"xxt-v", 0x56B4E9, 'v'}, {"tied", 0xE69F00, 't'},
    {"sym", 0xCC79A7, 's'},     {"qk", 0x0072B2, 'k'},    {"kv", 0x009E73, 'o'},  // o: one vector
    {"qkv", 0xD55E00, 'q'}};

enum { ARMS = sizeof arms / sizeof *arms };

static int known(const char *name) {
    for (int i = 0; i < ARMS; i++)
        if (!strcmp(arms[i].name, name)) return i;
    return -1;
}

int palette_arm(const char *name, int index) {
    int i = known(name);
    return arms[i >= 0 ? i : index % ARMS].colour;
}

char palette_letter(const char *name, int index) {
    int i = known(name);
    return (char)(i >= 0 ? arms[i].letter : 'A' + index % 26);
}

int palette_sequential(double weight) {
    static const int anchor[] = {0x440154, 0x482878, 0x3E4989, 0x31688E, 0x26828E,
                                 0x1F9E89, 0x35B779, 0x6DCD59, 0xB4DE2C, 0xFDE725};
    double at = weight > 0 ? fmin(weight, 1) * 9 : 0;  // a NaN is drawn as 0
    int i = at >= 9 ? 8 : (int)at, colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int low = anchor[i] >> shift & 255, high = anchor[i + 1] >> shift & 255;
        colour |= (int)lround(low + (at - i) * (high - low)) << shift;
    }
    return colour;
}

int palette_ink(int ground) {
    int light = 299 * (ground >> 16 & 255) + 587 * (ground >> 8 & 255) + 114 * (ground & 255);
    return light > 128 * 1000 ? 0x000000 : 0xFFFFFF;
}
