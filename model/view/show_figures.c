// The figures of S and M, a row a head, in as many columns as there is width for.
#include <stdlib.h>

#include "model/save/memory.h"
#include "model/view/show_heads.h"
#include "model/view/text_table.h"

// Values shown of each head, from the top; of a head alone they are written out below.
enum { SINGULAR = 6 };

static TextTable *new_table(bool square, bool singular, bool alone) {
    TextTable *table = text_table_new(2);
    text_table_set(table, 1, 0, "layer");
    text_table_column(table, 0, NULL, "head");
    if (square) text_table_column(table, 0, "S", "asymmetry");
    if (square) text_table_column(table, 0, "S", "circulation");
    text_table_column(table, 0, "M", "symmetry");
    text_table_column(table, 1, "M", "d_k");
    if (singular) text_table_column(table, 1, "M", "rank");
    for (int k = 0; singular && !alone && k < SINGULAR; k++)
        text_table_column(table, k + 2, "singular", NULL);
    return table;
}

static void set_figures(TextTable *table, bool square, int layer, int h, const HeadFigures *f) {
    int row = text_table_row(table, STYLE_PLAIN), c = 2;
    text_table_set(table, row, 0, "%d", layer + 1);
    text_table_set(table, row, 1, "%d", h + 1);
    if (square) text_table_figure(table, row, c++, 3, f->S.asymmetry);
    if (square) text_table_figure(table, row, c++, 3, f->S.circulation);
    text_table_figure(table, row, c++, 3, f->symmetry);
    text_table_set(table, row, c++, f->d_k ? "%d" : "-", f->d_k);
    if (!f->singular) return;
    text_table_set(table, row, c++, "%d", f->rank);
    for (int k = 0; k < f->count && c < table->columns; k++)
        text_table_figure(table, row, c++, 2, f->singular[k]);
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
    print_wrapped(out, term, "%s", text);
    free(text);
}

// Singular values take D³ for each head: with many wide heads that is more than anybody waits for.
static bool is_affordable(const Chosen *chosen, int heads) {
    double D = chosen->model->saved.options.d_model;
    return heads == 1 || heads * D * D * D < 1e8;
}

static int count_heads(const Chosen *chosen) {
    int heads = 0, first;
    for (int i = chosen->first_layer; i <= chosen->last_layer; i++)
        heads += chosen_heads(chosen, i, &first);
    return heads;
}

void show_figures(FILE *out, Term term, const Chosen *chosen) {
    int heads = count_heads(chosen), first;
    bool singular = is_affordable(chosen, heads), alone = heads == 1;
    bool square = !task_has_keys(&chosen->model->saved.task);
    TextTable *table = new_table(square, singular, alone);
    HeadFigures f = {0};
    for (int i = chosen->first_layer; i <= chosen->last_layer; i++) {
        int of_layer = chosen_heads(chosen, i, &first);
        for (int h = first; h < first + of_layer; h++) {
            if (table->rows == TEXT_TABLE_ROWS) {
                text_table_print(table, out, term);
                table = new_table(square, singular, alone);
            }
            inspect_figures_free(&f);
            f = inspect_figures(&chosen->sentence, i, h, singular);
            set_figures(table, square, i, h, &f);
        }
    }
    text_table_print(table, out, term);
    if (alone) print_singular(out, term, &f);
    inspect_figures_free(&f);
    print_wrapped(out, term, "symmetry of M: 1 symmetric, 0 unrelated to its transpose, "
                  "-1 antisymmetric");
    if (alone) return;
    print_wrapped(out, term, "--layer and --head show one head alone: its scores, their two "
                  "halves, and M's singular values%s",
                  singular ? "" : ", which take too long for all of these");
}
