// ./train graph: the tape of one tiny step as text. The picture is drawn by graph_svg.c.
#include "model/view/graph.h"

#include <stddef.h>
#include <stdlib.h>

#include "data/utf8.h"
#include "model/save/results.h"
#include "model/train/arguments.h"
#include "model/view/text_table.h"

// ---- tables ------------------------------------------------------------------------------------

// Given up at a level: the shape of a value, or what each op added to a gradient; then how a value
// was made, or which ops added; then the head of the names and a blank between columns.
enum { FIRST = 1, SECOND, LAST };

static int add_text_column(TextTable *table, int from, int until, const char *head) {
    int c = text_table_column(table, from, until);
    table->column[c].left = true;
    text_table_set(table, 1, c, "%s", head);
    return c;
}

static TextTable *new_table(const char *name) {
    TextTable *table = text_table_new(2, LAST, LAST);
    text_table_set(table, 1, 0, "%s", name);
    table->column[0].brief = "";
    return table;
}

// Two rows of two numbers, with an empty column between them. They are the last columns.
enum { NUMBERS = 5 };

static void add_number_columns(TextTable *table) {
    for (int i = 0; i < NUMBERS; i++) {
        int c = text_table_column(table, 0, 0);
        if (i != 2) text_table_set(table, 0, c, i < 2 ? "row 1" : "row 2");
    }
}

static void set_numbers(TextTable *table, int row, const float *x, size_t n) {
    for (size_t i = 0; i < n && i < 4; i++) {
        char text[32];
        tiny_step_figure(x[i], text);
        text_table_set(table, row, table->columns - NUMBERS + (int)(i + (i > 1)), "%s", text);
    }
}

static void set_owned(TextTable *table, int row, int column, char *text) {
    text_table_set(table, row, column, "%s", text);
    free(text);
}

static TextTable *build_values(const TinyStep *g) {
    TextTable *table = new_table("value");
    int call = add_text_column(table, 0, SECOND, "made by"),
        shape = add_text_column(table, 0, FIRST, "shape");
    add_number_columns(table);
    for (int i = 0; i < g->count; i++) {
        const Tensor *x = g->node[i].x;
        int row = text_table_row(table, STYLE_BOLD);
        char text[64];
        text_table_set(table, row, 0, "%s", g->node[i].name);
        set_owned(table, row, call, tiny_step_call(g, i));
        text_table_set(table, row, shape, "%s", tensor_shape(x, text));
        set_numbers(table, row, x->data, x->size);
    }
    return table;
}

// In reverse: a gradient is whole when all ops that read the value have added to it.
static TextTable *build_gradients(const TinyStep *g) {
    TextTable *table = new_table("gradient");
    int rule = add_text_column(table, 0, FIRST, "is"),
        users = add_text_column(table, FIRST, SECOND, "from");
    add_number_columns(table);
    for (int i = g->count - 1; i >= 0; i--) {
        const Tensor *x = g->node[i].x;
        int row = text_table_row(table, STYLE_BOLD);
        text_table_set(table, row, 0, "d%s", g->node[i].name);
        set_owned(table, row, rule, tiny_step_gradient(g, i));
        set_owned(table, row, users, tiny_step_users(g, i));
        set_numbers(table, row, x->grad, x->size);
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
    char text[512];
    Direction before = measure_direction(g->attended.S->data, 2, 2), after;
    double loss = (double)g->loss->data[0], next = tiny_step_update(g, 1, &after);
    snprintf(text, sizeof text,
             "One step, W = W - dW: the loss falls from %.4f to %.4f. S was symmetric, as W_Q W_Kᵀ "
             "was; but dW_Q and dW_K differ, and its asymmetry goes from %.4g to %.4f.",
             loss, next, before.asymmetry, after.asymmetry);
    print_wrapped(out, term, text);
}

static int show(const char *directory) {
    TinyStep g;
    char error[RESULTS_ERROR], text[512], shown[256];
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
    snprintf(text, sizeof text, "%s/graph.svg", utf8_show(shown, sizeof shown, directory));
    if (written) print_wrapped(stdout, term, text);
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
