// ./train graph: the tape of one tiny step as text.
#include "model/view/graph.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "data/utf8.h"
#include "model/save/results.h"
#include "model/train/arguments.h"
#include "model/view/text_table.h"

// ---- words -------------------------------------------------------------------------------------

void graph_figure(float x, char text[32]) {
    int n = snprintf(text, 32, "%.4f", (double)x);
    if (!strchr(text, '.')) return;  // -inf
    while (text[n - 1] == '0') text[--n] = '\0';
    if (text[n - 1] == '.') text[--n] = '\0';
    if (!strcmp(text, "-0")) strcpy(text, "0");
}

void graph_call(const TinyStep *g, int node, char *text, size_t size) {
    const StepNode *n = &g->node[node];
    char factor[32];
    snprintf(text, size, n->inputs ? "%s(" : "given", n->x->name);
    for (int i = 0; i < n->inputs; i++)
        text_append(text, size, i ? ", %s" : "%s", g->node[n->in[i]].name);
    graph_figure(n->x->factor, factor);
    if (!strcmp(n->x->name, "scale")) text_append(text, size, ", %s", factor);
    if (n->inputs) text_append(text, size, ")");
}

// What the backward of each op adds to the gradient of each of its inputs, as the comment above it
// says: a and b are what it read, y what it made.
static const struct {
    const char *op, *adds[2];
} rules[] = {
    {"matmul", {"dy bᵀ", "aᵀ dy"}},
    {"matmul_t", {"dy b", "dyᵀ a"}},
    {"scale", {"factor dy"}},
    {"mask", {"dy where allowed"}},
    {"softmax", {"y (dy - sum(y dy))"}},
    {"cross_entropy", {"softmax(a) - right"}},
};

static const char *rule_of(const char *op, int input) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (input < 2 && !strcmp(rules[i].op, op)) return rules[i].adds[input];
    return NULL;
}

// A rule with the names of a node in it.
static void append_rule(const TinyStep *g, const StepNode *n, const char *rule, char *text,
                        size_t size) {
    char factor[32];
    graph_figure(n->x->factor, factor);
    for (size_t length; *rule; rule += length) {
        size_t word = strspn(rule, "abcdefghijklmnopqrstuvwxyz");
        bool dy = word == 2 && !strncmp(rule, "dy", 2);
        length = word ? word : 1;
        if (dy || (word == 1 && *rule == 'y')) text_append(text, size, dy ? "d%s" : "%s", n->name);
        else if (word == 1) text_append(text, size, "%s", g->node[n->in[*rule - 'a']].name);
        else if (!strncmp(rule, "factor", length)) text_append(text, size, "%s", factor);
        else text_append(text, size, "%.*s", (int)length, rule);
    }
}

// Gives how many ops read it.
static int append_users(const TinyStep *g, int node, bool rules_too, char *text, size_t size) {
    int users = 0;
    for (int k = 0; k < g->count; k++)
        for (int i = 0; i < g->node[k].inputs; i++) {
            if (g->node[k].in[i] != node) continue;
            const char *rule = rule_of(g->node[k].x->name, i);
            if (users++) text_append(text, size, rules_too ? " + " : ", ");
            if (rules_too && rule) append_rule(g, &g->node[k], rule, text, size);
            else text_append(text, size, "%s", g->node[k].name);
        }
    return users;
}

void graph_gradient(const TinyStep *g, int node, char *text, size_t size) {
    *text = '\0';
    if (!append_users(g, node, true, text, size)) text_append(text, size, "1, to begin with");
}

// ---- tables ------------------------------------------------------------------------------------

// Columns: name, two that may be given up, then two rows of two numbers, apart.
enum { NAME, CALL, SHAPE, FIRST };

static int number_column(size_t i) { return FIRST + (int)i + (i > 1); }

static void set_numbers(TextTable *grid, int row, const float *x, size_t n, int first) {
    for (size_t i = 0; i < n && i < 4; i++) {
        char text[32];
        graph_figure(x[i], text);
        text_table_set(grid, row, first + number_column(i) - FIRST, "%s", text);
    }
}

enum { LEVELS = 3 };

static TextTable *new_grid(int first, int level) {
    TextTable *grid = text_table_new(2, level < LEVELS ? 2 : 1);
    for (size_t i = 0; i < 4; i++)
        text_table_set(grid, 0, first + number_column(i) - FIRST, i < 2 ? "row 1" : "row 2");
    for (int i = 0; i < first; i++) grid->left[i] = 1;
    return grid;
}

// Given up at a level: the shapes, then how a value was made, then a blank between columns.
static TextTable *build_values(const TinyStep *g, int level) {
    int first = level < 2 ? FIRST - level : CALL;
    TextTable *grid = new_grid(first, level);
    if (level < LEVELS) text_table_set(grid, 1, NAME, "value");
    if (level < 2) text_table_set(grid, 1, CALL, "made by");
    if (level < 1) text_table_set(grid, 1, SHAPE, "shape");
    for (int i = 0; i < g->count; i++) {
        const Tensor *x = g->node[i].x;
        int row = text_table_row(grid, STYLE_BOLD);
        char call[TEXT_TABLE_TEXT], shape[64];
        graph_call(g, i, call, sizeof call);
        text_table_set(grid, row, NAME, "%s", g->node[i].name);
        if (level < 2) text_table_set(grid, row, CALL, "%s", call);
        if (level < 1) text_table_set(grid, row, SHAPE, "%s", tensor_shape(x, shape));
        set_numbers(grid, row, x->data, x->size, first);
    }
    return grid;
}

// In reverse: a gradient is whole when all that read the value have added to it. Given up at a
// level: what each added, then who did, then a blank.
static TextTable *build_gradients(const TinyStep *g, int level) {
    int first = level < 2 ? SHAPE : CALL;
    TextTable *grid = new_grid(first, level);
    if (level < LEVELS) text_table_set(grid, 1, NAME, "gradient");
    if (level < 2) text_table_set(grid, 1, CALL, level ? "from" : "is");
    for (int i = g->count - 1; i >= 0; i--) {
        const Tensor *x = g->node[i].x;
        int row = text_table_row(grid, STYLE_BOLD);
        char text[TEXT_TABLE_TEXT] = "";
        if (level) append_users(g, i, false, text, sizeof text);
        else graph_gradient(g, i, text, sizeof text);
        text_table_set(grid, row, NAME, "d%s", g->node[i].name);
        if (level < 2) text_table_set(grid, row, CALL, "%s", text);
        set_numbers(grid, row, x->grad, x->size, first);
    }
    return grid;
}

static void print_table(FILE *out, Term term, const TinyStep *g, TextTable *(*build)(const TinyStep *, int)) {
    TextTable *grid = build(g, 0);
    for (int level = 1; level <= LEVELS && text_table_width(grid, term.utf8) > term.width; level++) {
        free(grid);
        grid = build(g, level);
    }
    text_table_print(grid, out, term);
}

void graph_print(FILE *out, Term term, const TinyStep *g) {
    print_wrapped(out, term, "forward: the tape in order");
    print_table(out, term, g, build_values);
    fputc('\n', out);
    print_wrapped(out, term, "backward: the tape in reverse; dA is d loss / d A");
    print_table(out, term, g, build_gradients);
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
