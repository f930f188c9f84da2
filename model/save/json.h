#ifndef MODEL_SAVE_JSON_H
#define MODEL_SAVE_JSON_H

#include <stdio.h>

void json_string(FILE *out, const char *text);  // quoted and escaped; NULL: null
void json_text(FILE *out, const char *text, char escaped);  // '<', say, becomes \u003c
void json_number(FILE *out, double x);          // 9 digits; null if it isn't finite
void json_numbers(FILE *out, const double *x, int n);  // [1, 2.5, null]

#endif
