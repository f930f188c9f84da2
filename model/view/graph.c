// ./train graph: the tape of one tiny step as text and as a picture.
#include "model/view/graph.h"

#include <math.h>
#include <stddef.h>

#include "data/utf8.h"
#include "model/save/results.h"
#include "model/train/arguments.h"
#include "model/view/commands.h"
#include "model/view/svg.h"
#include "model/view/text_table.h"

// ---- tables ------------------------------------------------------------------------------------

// Two rows of two numbers, with an empty column between them. They are the last columns.
enum { NUMBERS = 5 };

// A narrow window gives up the shapes first, then how a value or a gradient came about.
enum { HOW = 1, SHAPE };

static TextTable *new_table(const char *name, const char *how) {
    TextTable *table = text_table_new();
    text_table_words(table, 0, name, 0);
    text_table_words(table, HOW, how, 0);
    text_table_words(table, SHAPE, "shape", 0);
    for (int i = 0; i < NUMBERS; i++)
        text_table_column(table, 0, i < 2 ? "row 1" : i > 2 ? "row 2" : NULL, NULL);
    return table;
}

static void set_numbers(TextTable *table, const float *x, size_t n) {
    for (size_t i = 0; i < n && i < 4; i++) {
        char text[32];
        tiny_step_figure(x[i], text);
        text_table_set(table, table->columns - NUMBERS + (int)(i + (i > 1)), "%s", text);
    }
}

static TextTable *build_values(const TinyStep *g) {
    TextTable *table = new_table("value", "made by");
    for (int i = 0; i < STEP_NODES; i++) {
        const Tensor *x = g->node[i].x;
        char shape[64];
        text_table_row(table, STYLE_BOLD);
        text_table_set(table, 0, "%s", g->node[i].name);
        text_table_set(table, 1, "%s", g->node[i].call);
        text_table_set(table, 2, "%s", tensor_shape(x, shape));
        set_numbers(table, x->data, x->size);
    }
    return table;
}

// In reverse: a gradient is whole when all ops that read the value have added to it.
static TextTable *build_gradients(const TinyStep *g) {
    TextTable *table = new_table("gradient", "is");
    for (int i = STEP_NODES - 1; i >= 0; i--) {
        const Tensor *x = g->node[i].x;
        text_table_row(table, STYLE_BOLD);
        text_table_set(table, 0, "d%s", g->node[i].name);
        text_table_set(table, 1, "%s", g->node[i].gradient);
        set_numbers(table, x->grad, x->size);
    }
    return table;
}

void graph_print(FILE *out, Term term, const TinyStep *g) {
    print_wrapped(out, term, "forward: the tape in order");
    text_table_print(build_values(g), out, term);
    fputc('\n', out);
    print_wrapped(out, term, "backward: the tape in reverse; dA is d loss / d A");
    text_table_print(build_gradients(g), out, term);
}

// ---- the picture -------------------------------------------------------------------------------

// Boxes and arrows: values and the arrows down are dark, gradients and the arrows up orange.

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

static void rows(FILE *out, const Tensor *x, const float *numbers, double right, double y,
                 const char *class) {
    size_t columns = x->rank ? (size_t)x->shape[x->rank - 1] : 1;
    for (size_t i = 0; i < x->size; i++) {
        char text[32];
        tiny_step_figure(numbers[i], text);
        size_t row = i / columns;
        double from_right = 58.0 * (double)(columns - 1 - i % columns);
        svg_label(out, right - from_right, y + 17.0 * (double)row, class, text);
    }
}

static void box(FILE *out, const TinyStep *g, int i, Place at) {
    const StepNode *n = &g->node[i];
    char text[96], shape[64];
    svg(out, "<rect class=\"box\" rx=\"6\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", at.x,
        at.y, (double)WIDTH, (double)HEIGHT);
    snprintf(text, sizeof text, n->inputs ? "%s = %s" : "%s", n->name, n->call);
    svg_label(out, at.x + 10, at.y + 19, "name", text);
    svg_label(out, at.x + WIDTH - 10, at.y + 19, "soft end", tensor_shape(n->x, shape));
    rows(out, n->x, n->x->data, at.x + 120, at.y + 40, "figure end");
    rows(out, n->x, n->x->grad, at.x + WIDTH - 10, at.y + 40, "figure back-text end");
    snprintf(text, sizeof text, "d%s = %s", n->name, n->gradient);
    svg_label(out, at.x + WIDTH - 10, at.y + HEIGHT - 10, "back-text end", text);
}

// From (x, y) to (to_x, to_y), which lies below or above it: upright at both ends.
static void arrow(FILE *out, Place from, Place to, const char *kind) {
    double way = to.y > from.y ? 1 : -1, tip = 7 * way;
    double bend = fmin(fabs(to.y - from.y), 160) * way / 2;
    svg(out, "<path class=\"%s\" d=\"M%g %gC%g %g %g %g %g %g\"/>\n", kind, from.x, from.y, from.x,
        from.y + bend, to.x, to.y - bend - tip, to.x, to.y - tip);
    svg(out, "<path class=\"tip-%s\" d=\"M%g %gl-4 %gh8z\"/>\n", kind, to.x, to.y, -tip);
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
    svg_label(out, MARGIN, y, "name", "Down: values, each op from what it reads");
    svg_label(out, MARGIN, y + 20, "name back-text", "Up: gradients, d loss / d each value");
    for (int i = 0; i < 3; i++) svg_label(out, MARGIN, y + 52 + 19 * i, "soft", line[i]);
}

void graph_svg(FILE *out, const TinyStep *g) {
    Place at[STEP_NODES];
    double width = 0, height = 0;
    place(g, at);
    for (int i = 0; i < STEP_NODES; i++) {
        width = fmax(width, at[i].x + WIDTH + MARGIN);
        height = fmax(height, at[i].y + HEIGHT + MARGIN);
    }
    svg_begin(out, width, height, "The tape of one step: values forward, gradients backward",
              style);
    svg_label(out, MARGIN, 34, "title", "The tape of one step of one causal head");
    for (int i = 0; i < STEP_NODES; i++)
        for (int k = 0; k < g->node[i].inputs; k++) edge(out, g, at, i, k);
    for (int i = 0; i < STEP_NODES; i++) box(out, g, i, at[i]);
    legend(out, HEADING + 4 * DOWN + 19);
    svg_end(out);
}

// ---- the command -------------------------------------------------------------------------------

typedef struct Asked {
    const char *out;
    bool help;
} Asked;

static const Option option[] = {
    {"--out", "DIR", TEXT, offsetof(Asked, out), 0, 0, FORGOTTEN, 0, "where graph.svg goes (out)"},
    {"--help", NULL, FLAG, offsetof(Asked, help), 0, 0, FORGOTTEN, 0, "this"},
};
static const OptionTable options = {option, 2};

static bool no_word(void *to, char *word, char *error) {
    (void)to;
    return arguments_wrong(error, "graph: %.60s: it takes options alone", word);
}

// The step that the gradients are for, taken.
static void print_step(FILE *out, Term term, TinyStep *g) {
    Direction before = measure_direction(g->attended.S->data, 2, 2), after;
    double loss = (double)g->loss->data[0], next = tiny_step_update(g, 1, &after);
    print_wrapped(out, term,
                  "One step, W = W - dW: the loss falls from %.4f to %.4f. S was symmetric, as "
                  "W_Q W_Kᵀ was; but dW_Q and dW_K differ, and its asymmetry goes from %.4g to "
                  "%.4f.", loss, next, before.asymmetry, after.asymmetry);
}

static int show(const char *directory) {
    TinyStep g;
    AtomicFile file;
    char error[RESULTS_ERROR], shown[256];
    Term term = term_of(stdout);
    tiny_step_open(&g);
    bool written = atomic_file_open_in(&file, directory, "graph.svg", error);
    if (written) graph_svg(file.out, &g);
    written = written && atomic_file_close(&file, error);
    print_wrapped(stdout, term,
                  "One causal head, two tokens of width 2. The second, x = [1, 0.5], asks; row 2 "
                  "of Y is read as the logits of two words, and the first is right.");
    putchar('\n');
    graph_print(stdout, term, &g);
    putchar('\n');
    print_step(stdout, term, &g);
    if (written)
        print_wrapped(stdout, term, "%s/graph.svg", utf8_show(shown, sizeof shown, directory));
    else fprintf(stderr, "train: %s\n", error);
    tiny_step_close(&g);
    return printed() && written ? DONE : FAILED;
}

int command_graph(int argc, char **argv) {
    Asked asked = {.out = "out"};
    char error[RESULTS_ERROR];
    if (!arguments_read(options, &asked, argc - 1, argv + 1, no_word, error)) return misused(error);
    if (!asked.help) return results_directory(asked.out, error) ? show(asked.out) : misused(error);
    puts(
        "./train graph [--out DIR]    the tape of one tiny step, to follow by hand\n\n"
        "options (in brackets: the default)");
    arguments_help(stdout, options);
    return printed() ? DONE : FAILED;
}
