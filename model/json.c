#include "json.h"

#include <math.h>

void json_number(FILE *out, double x) {
    if (isfinite(x)) fprintf(out, "%.9g", x);
    else fputs("null", out);
}

void json_string(FILE *out, const char *text) {
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < ' ') fprintf(out, "\\u%04x", (unsigned)*c);
        else fputc(*c, out);
    }
    fputc('"', out);
}
