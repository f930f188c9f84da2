// The parts that every SVG picture is made of: svg.c and graph_svg.c put them together.
#include "model/view/drawing.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "model/view/term.h"

// Escaped, and as safe as in a terminal.
static void put_text(FILE *out, const char *shown) {
    char safe[8];
    while (*shown) {
        term_glyph(&shown, 1, safe);
        if (!strcmp(safe, "<")) fputs("&lt;", out);
        else if (!strcmp(safe, ">")) fputs("&gt;", out);
        else if (!strcmp(safe, "&")) fputs("&amp;", out);
        else fputs(safe, out);
    }
}

void draw(FILE *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%') fputc(*at, out);
        else if (*++at == 's') put_text(out, va_arg(arguments, const char *));
        else if (*at == 'X') fprintf(out, "#%06X", va_arg(arguments, unsigned));
        else if (*at == 'f') fprintf(out, "%.3g", va_arg(arguments, double));
        else fprintf(out, "%.10g", round(10 * va_arg(arguments, double)) / 10 + 0.0);  // no -0
    }
    va_end(arguments);
}

void draw_label(FILE *out, double x, double y, const char *class, const char *shown) {
    draw(out, "<text x=\"%g\" y=\"%g\" class=\"%s\">%s</text>\n", x, y, class, shown);
}

void drawing_begin(FILE *out, double width, double height, const char *title, const char *style) {
    draw(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" role=\"img\">\n"
         "<title>%s</title>\n<style>\n", width, height, title);
    fputs(
        "text { font: 13px system-ui, sans-serif; fill: #333 }\n"
        ".title { font-weight: 600; font-size: 15px }\n"
        ".soft { fill: #666 }\n"
        ".end { text-anchor: end } .middle { text-anchor: middle }\n"
        ".back { fill: #fff } .line { stroke: #ccc; fill: none } .rule { stroke: #333; fill: none; "
        "stroke-dasharray: 5 4 }\n"
        ".curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }\n"
        ".ground { fill: #F1F4F9 } .cell { fill: #0B3277 }\n"
        ".right { fill: none; stroke: #D55E00; stroke-width: 2 }\n"
        ".arc { fill: none; stroke-linecap: round } .head { stroke: none }\n"
        ".cycle { stroke: #C24E00 } .good { stroke: #1D56A6 } .bad { stroke: #9AA1AE }\n"
        ".head.cycle { fill: #C24E00 } .head.good { fill: #1D56A6 } .head.bad { fill: #9AA1AE }\n"
        "@media (prefers-color-scheme: dark) {\n"
        "text { fill: #ddd } .soft { fill: #aaa } .back { fill: #16181d } .line { stroke: #444 }\n"
        ".rule { stroke: #ddd } .ground { fill: #1F2530 } .cell { fill: #A6D4FA }\n"
        ".cycle { stroke: #FF9248 } .good { stroke: #74B4F5 } .head { stroke: none }\n"
        ".head.cycle { fill: #FF9248 } .head.good { fill: #74B4F5 }\n"
        "}\n",
        out);
    fputs(style, out);
    draw(out, "</style>\n<rect class=\"back\" width=\"%g\" height=\"%g\" rx=\"8\"/>\n", width, height);
}

void drawing_end(FILE *out) { fputs("</svg>\n", out); }
