#ifndef MODEL_VIEW_PALETTE_H
#define MODEL_VIEW_PALETTE_H

// Colours are 0xRRGGBB, the same in all views.
enum { PALETTE_GREY = 0x8A8A8A };  // axes and notes: readable on dark and on light

int palette_sequential(double weight);          // 0..1: dark blue to yellow, even to the eye
int palette_diverging(double value);            // -1..1: orange, white at 0, blue
int palette_ink(int ground);                    // black or white, whichever reads better on it

#endif
