// The tape of a tiny step as boxes and arrows: values and the arrows down are dark, gradients and
// the arrows up orange.
#include "model/view/graph.h"

#include <math.h>
#include <string.h>

#include "model/view/drawing.h"

enum { WIDTH = 268, HEIGHT = 88, ACROSS = 292, DOWN = 146, MARGIN = 24, HEADING = 56 };

typedef struct Place { double x, y; } Place;  // of a box's upper left corner

static const char style[] =
    ".box { fill: #F6F8FB; stroke: #B9C2CF } .name { font-weight: 600 }\n"
    ".back-text { fill: #B34700 } .figure { font-variant-numeric: tabular-nums }\n"
    ".down { fill: none; stroke: #5A6678 } .tip-down { fill: #5A6678 }\n"
    ".up { fill: none; stroke: #C24E00; stroke-dasharray: 4 3 } .tip-up { fill: #C24E00 }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".box { fill: #1F2530; stroke: #48515F } .back-text { fill: #FF9A55 }\n"
    ".down { stroke: #9AA6B8 } .tip-down { fill: #9AA6B8 }\n"
    ".up { stroke: #FF9248 } .tip-up { fill: #FF9248 }\n"
    "}\n";

// ---- where -------------------------------------------------------------------------------------

// Parameters stand side by side, what is computed from them below the last that it reads, and what
// is computed from that below the middle of all that it reads.
static void place(const TinyStep *g, Place *at) {
    int next = 0;
    for (int i = 0; i < STEP_NODES; i++) {
        const StepNode *n = &g->node[i];
        double sum = 0;
        for (int k = 0; k < n->inputs; k++) sum += at[n->in[k]].x;
        if (n->depth > 1) at[i].x = sum / n->inputs;
        else if (n->depth == 0) at[i].x = MARGIN + ACROSS * next++;
        else at[i].x = at[n->in[n->inputs - 1]].x;
        at[i].y = HEADING + DOWN * n->depth;
    }
}

// ---- boxes -------------------------------------------------------------------------------------

static void rows(FILE *out, const Tensor *x, const float *numbers, double right, double y,
                 const char *class) {
    size_t columns = x->rank ? (size_t)x->shape[x->rank - 1] : 1;
    for (size_t i = 0; i < x->size; i++) {
        char text[32];
        tiny_step_figure(numbers[i], text);
        size_t row = i / columns;
        double from_right = 58.0 * (double)(columns - 1 - i % columns);
        draw_label(out, right - from_right, y + 17.0 * (double)row, class, text);
    }
}

static void box(FILE *out, const TinyStep *g, int i, Place at) {
    const StepNode *n = &g->node[i];
    char text[96], shape[64];
    draw(out, "<rect class=\"box\" rx=\"6\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", at.x,
         at.y, (double)WIDTH, (double)HEIGHT);
    snprintf(text, sizeof text, n->inputs ? "%s = %s" : "%s", n->name, n->call);
    draw_label(out, at.x + 10, at.y + 19, "name", text);
    draw_label(out, at.x + WIDTH - 10, at.y + 19, "soft end", tensor_shape(n->x, shape));
    rows(out, n->x, n->x->data, at.x + 120, at.y + 40, "figure end");
    rows(out, n->x, n->x->grad, at.x + WIDTH - 10, at.y + 40, "figure back-text end");
    snprintf(text, sizeof text, "d%s = %s", n->name, n->gradient);
    draw_label(out, at.x + WIDTH - 10, at.y + HEIGHT - 10, "back-text end", text);
}

// ---- arrows ------------------------------------------------------------------------------------

// From (x, y) to (to_x, to_y), which lies below or above it: upright at both ends.
static void arrow(FILE *out, Place from, Place to, const char *kind) {
    double way = to.y > from.y ? 1 : -1, tip = 7 * way;
    double bend = fmin(fabs(to.y - from.y), 160) * way / 2;
    draw(out, "<path class=\"%s\" d=\"M%g %gC%g %g %g %g %g %g\"/>\n", kind, from.x, from.y, from.x,
         from.y + bend, to.x, to.y - bend - tip, to.x, to.y - tip);
    draw(out, "<path class=\"tip-%s\" d=\"M%g %gl-4 %gh8z\"/>\n", kind, to.x, to.y, -tip);
}

// Each input has its part of the box's upper edge, and the arrow ends there as straight below as it
// can.
static double entry(const Place *at, int node, int input, int inputs, double from) {
    double part = (double)WIDTH / inputs, edge = 20;
    double least = fmax(edge, part * input), most = fmin(WIDTH - edge, part * (input + 1));
    return at[node].x + fmin(fmax(from - at[node].x, least), most);
}

// Down with the value, and up beside it with the gradient.
static void edge(FILE *out, const TinyStep *g, const Place *at, int node, int input) {
    const StepNode *n = &g->node[node];
    int from = n->in[input];
    double apart = 7, x = at[from].x + WIDTH / 2.0, to = entry(at, node, input, n->inputs, x);
    double top = at[from].y + HEIGHT, end = at[node].y;
    arrow(out, (Place){x - apart, top}, (Place){to - apart, end}, "down");
    arrow(out, (Place){to + apart, end}, (Place){x + apart, top}, "up");
}

static void legend(FILE *out, double y) {
    static const char *const line[] = {
        "Row 2 of X is x = [1, 0.5]. It asks, and row 1 doesn't:",
        "row 2 of Y is read as the logits of two words, and the",
        "first is right.",
    };
    draw_label(out, MARGIN, y, "name", "Down: values, each op from what it reads");
    draw_label(out, MARGIN, y + 20, "name back-text", "Up: gradients, d loss / d each value");
    for (int i = 0; i < 3; i++) draw_label(out, MARGIN, y + 52 + 19 * i, "soft", line[i]);
}

void graph_svg(FILE *out, const TinyStep *g) {
    Place at[STEP_NODES];
    double width = 0, height = 0;
    place(g, at);
    for (int i = 0; i < STEP_NODES; i++) {
        width = fmax(width, at[i].x + WIDTH + MARGIN);
        height = fmax(height, at[i].y + HEIGHT + MARGIN);
    }
    drawing_begin(out, width, height, "The tape of one step: values forward, gradients backward",
                  style);
    draw_label(out, MARGIN, 34, "title", "The tape of one step of one causal head");
    for (int i = 0; i < STEP_NODES; i++)
        for (int k = 0; k < g->node[i].inputs; k++) edge(out, g, at, i, k);
    for (int i = 0; i < STEP_NODES; i++) box(out, g, i, at[i]);
    legend(out, HEADING + 4 * DOWN + 19);
    drawing_end(out);
}
