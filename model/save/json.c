// JSON that is written. The program reads none, except the header of safetensors.
#include "json.h"

#include <math.h>
#include <string.h>

#include "data/utf8.h"

void json_number(FILE *out, double x) {
    if (isfinite(x)) fprintf(out, "%.9g", x);
    else fputs("null", out);
}

void json_numbers(FILE *out, const double *x, int n) {
    fputc('[', out);
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : "", out);
        json_number(out, x[i]);
    }
    fputc(']', out);
}

void json_text(FILE *out, const char *text, char escaped) {
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        unsigned code;
        n = utf8_decode(text, left, &code);
        if (!n) fputs("\xEF\xBF\xBD", out);  // U+FFFD for a byte that isn't UTF-8
        else if (code == '"' || code == '\\') fprintf(out, "\\%c", (char)code);
        else if (code < ' ' || code == (unsigned char)escaped) fprintf(out, "\\u%04x", code);
        else fwrite(text, 1, n, out);
        n += !n;
    }
    fputc('"', out);
}

void json_string(FILE *out, const char *text) { json_text(out, text, '\0'); }
