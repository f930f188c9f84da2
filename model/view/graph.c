// ./train graph: the tape of one tiny step as text. The picture is drawn by graph_svg.c.
#include "model/view/graph.h"

#include <stddef.h>

#include "data/utf8.h"
#include "model/save/results.h"
#include "model/train/arguments.h"
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

static bool write_picture(const TinyStep *g, const char *directory, char error[RESULTS_ERROR]) {
    Result file;
    if (!results_open(&file, directory, "graph.svg", error)) return false;
    graph_svg(file.out, g);
    return results_close(&file, error);
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
    char error[RESULTS_ERROR], shown[256];
    Term term = term_of(stdout);
    tiny_step_open(&g);
    bool written = write_picture(&g, directory, error);
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
