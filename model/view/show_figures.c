// The figures of S and M, a row a head, in as many columns as there is width for.
#include <stdlib.h>

#include "model/save/memory.h"
#include "model/view/show_heads.h"
#include "model/view/text_table.h"

enum { ROWS = 36, SINGULAR = 6 };  // heads of a table; values shown of each, from the top

// Of a head alone the singular values are written out below.
static int singular_columns(bool alone, int level) { return alone ? 0 : SINGULAR - level; }

static void set_figures(TextTable *table, const Look *look, int layer, int h, const HeadFigures *f,
                        int columns) {
    int row = text_table_row(table, STYLE_PLAIN), c = 2;
    text_table_set(table, row, 0, "%d", layer + 1);
    text_table_set(table, row, 1, "%d", h + 1);
    if (!task_has_keys(&look->saved.task)) {
        text_table_figure(table, row, c++, 3, f->S.asymmetry);
        text_table_figure(table, row, c++, 3, f->S.circulation);
    }
    text_table_figure(table, row, c++, 3, f->symmetry);
    if (f->d_k) text_table_set(table, row, c, "%d", f->d_k);
    else text_table_set(table, row, c, "-");
    c++;
    if (!f->singular) return;
    text_table_set(table, row, c++, "%d", f->rank);
    for (int k = 0; k < f->count && k < columns; k++)
        text_table_figure(table, row, c++, 2, f->singular[k]);
}

static TextTable *figure_heads(const Look *look, bool singular, bool alone, int level) {
    TextTable *table = text_table_new(2, level < 3 ? 2 : 1);
    int c = 2;
    text_table_set(table, 1, 0, level < SINGULAR ? "layer" : "l");
    text_table_set(table, 1, 1, level < SINGULAR ? "head" : "h");
    if (!task_has_keys(&look->saved.task)) {
        text_table_set(table, 0, c, "S");
        text_table_set(table, 1, c++, level < 5 ? "asymmetry" : "asym");
        text_table_set(table, 0, c, "S");
        text_table_set(table, 1, c++, level < 5 ? "circulation" : "circ");
    }
    text_table_set(table, 0, c, "M");
    text_table_set(table, 1, c++, level < 5 ? "symmetry" : "symm");
    text_table_set(table, 0, c, "M");
    text_table_set(table, 1, c++, "d_k");
    if (!singular) return table;
    text_table_set(table, 0, c, "M");
    text_table_set(table, 1, c++, "rank");
    for (int k = 0; k < singular_columns(alone, level); k++) text_table_set(table, 0, c++, "singular");
    return table;
}

// Heads of the model, where each stands, and their figures.
typedef struct Figured {
    const Look *look;
    bool alone;      // one head is all that is looked at
    int n, place[ROWS][2];
    HeadFigures f[ROWS];
} Figured;

static TextTable *figure_grid(const Figured *x, int level) {
    TextTable *table = figure_heads(x->look, x->f->singular != NULL, x->alone, level);
    for (int i = 0; i < x->n; i++)
        set_figures(table, x->look, x->place[i][0], x->place[i][1], &x->f[i],
                    singular_columns(x->alone, level));
    return table;
}

static void print_figures(FILE *out, Term term, const Figured *x) {
    int level = 0;
    TextTable *table = figure_grid(x, 0);
    while (text_table_width(table, term.utf8) > term.width && level < SINGULAR) {
        free(table);
        table = figure_grid(x, ++level);
    }
    text_table_print(table, out, term);
}

static void print_singular(FILE *out, Term term, const HeadFigures *f) {
    char *text;
    size_t size;
    FILE *to = memory_open(&text, &size);
    int shown = f->rank + (f->rank < f->count);  // with one past the rank, to see how small it is
    fprintf(to, "singular values of M, %d of %d:", shown, f->count);
    for (int k = 0; k < shown; k++) {
        char figure[32];
        write_figure(figure, f->singular[k] < 10 ? 3 : 2, f->singular[k]);
        if (k < f->rank) fprintf(to, " %s", figure);
        else fprintf(to, ", then %.1g", f->singular[k]);
    }
    memory_close(to);
    print_wrapped(out, term, text);
    free(text);
}

// Singular values take D³ for each head: with many wide heads that is more than anybody waits for.
static bool is_affordable(const Look *look, int heads) {
    double D = look->saved.options.d_model;
    return heads == 1 || heads * D * D * D < 1e8;
}

static int count_heads(const Look *look, Chosen chosen) {
    int heads = 0, first;
    for (int i = chosen.first_layer; i <= chosen.last_layer; i++)
        heads += chosen_heads(look, chosen, i, &first);
    return heads;
}

void show_figures(FILE *out, Term term, const Look *look, Chosen chosen) {
    int heads = count_heads(look, chosen), done = 0, first;
    bool singular = is_affordable(look, heads);
    Figured x = {.look = look, .alone = heads == 1};
    for (int i = chosen.first_layer; i <= chosen.last_layer; i++) {
        int of_layer = chosen_heads(look, chosen, i, &first);
        for (int h = first; h < first + of_layer; h++) {
            x.place[x.n][0] = i;
            x.place[x.n][1] = h;
            x.f[x.n++] = look_figures(look, i, h, singular);
            if (++done < heads && x.n < ROWS) continue;
            print_figures(out, term, &x);
            if (x.alone) print_singular(out, term, &x.f[0]);
            while (x.n) look_figures_free(&x.f[--x.n]);
        }
    }
    print_wrapped(out, term,
                  "symmetry of M: 1 symmetric, 0 unrelated to its mirror image, -1 antisymmetric");
    if (heads == 1) return;
    char text[200];
    snprintf(text, sizeof text, "--layer and --head show one head alone: its scores, their two "
             "halves, and M's singular values%s",
             singular ? "" : ", which take too long for all of these");
    print_wrapped(out, term, text);
}
