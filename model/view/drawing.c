// The parts that every SVG picture is made of: svg.c and graph_svg.c put them together.
#include "model/view/drawing.h"

#include <math.h>
#include <string.h>

#include "model/view/term.h"

// A number in tenths of a pixel, without a needless ".0" or "-0".
void drawing_number(FILE *out, const char *name, double x) {
    double tenths = round(10 * x) + 0.0;
    fprintf(out, " %s=\"%.10g\"", name, tenths / 10);
}

void drawing_line(FILE *out, const char *class, double x1, double y1, double x2, double y2) {
    fprintf(out, "<line class=\"%s\"", class);
    drawing_number(out, "x1", x1);
    drawing_number(out, "x2", x2);
    drawing_number(out, "y1", y1);
    drawing_number(out, "y2", y2);
    fputs("/>\n", out);
}

void drawing_rect(FILE *out, const char *class, double x, double y, double width, double height,
                  double opacity) {
    fprintf(out, "<rect class=\"%s\"", class);
    drawing_number(out, "x", x);
    drawing_number(out, "y", y);
    drawing_number(out, "width", width);
    drawing_number(out, "height", height);
    if (opacity < 1) fprintf(out, " opacity=\"%.3g\"", opacity);
    fputs("/>\n", out);
}

static void text(FILE *out, const char *shown) {
    char safe[8];
    while (*shown) {
        int columns = term_glyph(&shown, 1, safe);
        if (columns < 0 || !safe[0]) continue;
        if (!strcmp(safe, "<")) fputs("&lt;", out);
        else if (!strcmp(safe, ">")) fputs("&gt;", out);
        else if (!strcmp(safe, "&")) fputs("&amp;", out);
        else fputs(safe, out);
    }
}

void drawing_label(FILE *out, double x, double y, const char *class, const char *shown) {
    fputs("<text", out);
    drawing_number(out, "x", x);
    drawing_number(out, "y", y);
    fprintf(out, " class=\"%s\">", class);
    text(out, shown);
    fputs("</text>\n", out);
}

void drawing_begin(FILE *out, double width, double height, const char *title, const char *style) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.10g %.10g\" "
            "role=\"img\">\n<title>",
            width, height);
    text(out, title);
    fputs(
        "</title>\n<style>\n"
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
    fprintf(out, "%s</style>\n<rect class=\"back\" width=\"%.10g\" height=\"%.10g\" rx=\"8\"/>\n",
            style, width, height);
}

void drawing_end(FILE *out) { fputs("</svg>\n", out); }
