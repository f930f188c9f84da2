// The tables at the end of a run, and the one beside the live curves. Their figures come from the
// History alone.
#include "model/view/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/train/measure.h"
#include "model/view/figures.h"
#include "model/view/text_table.h"

static Style arm_style(const ArmHistory *arm) { return (Style){arm->colour, -1, true}; }

// ---- the arms ----------------------------------------------------------------------------------

// Shown while it trains; only with a cycle, with a readout, of a text; not of a text, whose
// attention has no right answer.
enum { LIVE = 1, CYCLE = 2, READOUT = 4, OF_TEXT = 8, NOT_TEXT = 16 };

static const struct {
    const char *above, *head;
    int given_up, when, decimals;
    Figure figure;
    const char *means;  // a line below the table says so; NULL: the head says it
} columns[] = {
    {"", "param", 2, LIVE, 0, FIGURE_PARAMETERS, "trained parameters"},
    {"", "loss", 0, LIVE, 3, FIGURE_LOSS, NULL},
    {"", "bits", 0, LIVE | OF_TEXT, 3, FIGURE_BITS, "loss in bits a character"},
    {"all", "attn acc", 0, LIVE | NOT_TEXT, 2, FIGURE_ATTENTION_ACCURACY,
     "attention accuracy (the largest weight is on the right token)"},
    {"all", "acc", 0, LIVE | READOUT, 2, FIGURE_ACCURACY, "accuracy (the answer is right)"},
    {"cycle", "attn acc", 0, CYCLE, 2, FIGURE_CYCLE_ATTENTION_ACCURACY, NULL},
    {"cycle", "acc", 0, CYCLE, 2, FIGURE_CYCLE_ACCURACY, NULL},
    {"cycle", "NLL", 0, CYCLE, 3, FIGURE_ATTENTION_NLL,
     "attention NLL (-log of the weight on the right token, nats)"},
    {"", "asym", 1, LIVE | NOT_TEXT, 3, FIGURE_ASYMMETRY, "asymmetry of the scores (0: symmetric)"},
    {"", "circ", 3, NOT_TEXT, 3, FIGURE_CIRCULATION,
     "circulation (the part of it that goes round in cycles)"},
    {"", "symm", 0, LIVE | OF_TEXT, 3, FIGURE_SYMMETRY, "symmetry of M, median of all heads"},
    {"", "tokens/s", 3, OF_TEXT, 0, FIGURE_SPEED, NULL},
    {"", "MiB", 3, OF_TEXT, 1, FIGURE_MIB, NULL},
    {"", "sec", 4, 0, 1, FIGURE_SECONDS, NULL},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

// Is the token that is pointed at the whole answer?
static bool only_points(const History *h) { return h->points_at_answer && !h->alike; }

static bool is_shown(int k, const History *h, bool live) {
    int when = columns[k].when;
    return (!live || when & LIVE) && (h->has_cycle || !(when & CYCLE))
        && !(only_points(h) && when & READOUT) && !(when & (h->text ? NOT_TEXT : OF_TEXT));
}

static TextTable *build_arms(const History *h, bool live, bool letters) {
    TextTable *table = text_table_new();
    text_table_words(table, 0, "arm", 0);
    int formula = text_table_words(table, 5, "score, value", 0), first = table->columns;
    for (int k = 0; k < COLUMNS; k++)
        text_table_column(table, columns[k].given_up,
                          h->has_cycle && !live ? columns[k].above : NULL, columns[k].head);
    for (int i = 0; i < h->arms; i++) {
        const ArmHistory *arm = &h->arm[i];
        const char letter[] = {arm->letter, ' ', '\0'};
        text_table_row(table, arm_style(arm));
        text_table_set(table, 0, "%s%s", letters ? letter : "", arm->name);
        if (!live) text_table_set(table, formula, "%s", arm->formula);
        for (int k = 0; k < COLUMNS; k++)
            if (is_shown(k, h, live))
                text_table_figure(table, first + k, columns[k].decimals,
                                  figure_newest(arm, columns[k].figure));
    }
    for (int i = 0; !live && i < h->baselines; i++) {
        text_table_row(table, STYLE(PALETTE_GREY));
        text_table_set(table, 0, "%s", h->baseline_name[i]);
        for (int k = 0; k < COLUMNS; k++) {
            if (columns[k].figure == FIGURE_ATTENTION_ACCURACY)
                text_table_figure(table, first + k, 2, h->baseline[i]);
            if (columns[k].figure == FIGURE_ACCURACY)
                text_table_figure(table, first + k, 2, h->baseline_accuracy[i]);
        }
    }
    return table;
}

void table_print_live(FILE *out, Term term, const History *history) {
    text_table_print(build_arms(history, true, false), out, term);
}

void table_live(Canvas *canvas, Box box, const History *history) {
    bool letters = !canvas->term.colours || !canvas->term.utf8;
    text_table_draw(build_arms(history, true, letters), canvas, box);
}

static void print_meanings(FILE *out, Term term, const History *h) {
    char text[1024] = "";
    int n = 0;
    for (int k = 0; k < COLUMNS; k++)
        if (columns[k].means && is_shown(k, h, false))
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%s: %s", n ? "; " : "",
                          columns[k].head, columns[k].means);
    print_wrapped(out, term, "%s%s", text, h->alike
                  ? "; here the right token is one of several that name the answer, and any of "
                    "them is right for acc" : h->points_at_answer
                  ? "; here attn acc is UAS (unlabelled attachment score), except with --mix" : "");
}

// ---- the arms by relation ----------------------------------------------------------------------

enum { MOST_RELATIONS = 20 };

static int more_questions(const void *a, const void *b) {
    const RelationScore *x = *(const RelationScore *const *)a,
                        *y = *(const RelationScore *const *)b;
    if (x->questions != y->questions) return x->questions < y->questions ? 1 : -1;
    return strcmp(x->name, y->name);
}

// Means over the questions of some relations. All arms have the same relations in the same order,
// and `which` are those of the first arm.
static RelationScore mean_of(const History *h, int arm, const RelationScore *const *which,
                             int count) {
    RelationScore sum = {.questions = 0};
    for (int i = 0; i < count; i++) {
        const RelationScore *r = &h->arm[arm].relation[which[i] - h->arm[0].relation];
        if (!r->questions) continue;  // its figures are NAN
        sum.questions += r->questions;
        sum.attention_accuracy += (double)r->questions * r->attention_accuracy;
        sum.accuracy += (double)r->questions * r->accuracy;
    }
    sum.attention_accuracy /= (double)sum.questions;  // NAN if there is none
    sum.accuracy /= (double)sum.questions;
    return sum;
}

// Without the leading 0 where many arms stand side by side.
static void write_share(char text[8], bool brief, double share) {
    if (isnan(share)) snprintf(text, 8, "-");
    else if (!brief) snprintf(text, 8, "%.2f", share);
    else snprintf(text, 8, share >= 0.995 ? "1.0" : ".%02ld", lround(100 * share));
}

static void add_relations(TextTable *table, const History *h, const RelationScore *const *which,
                          int count, const char *name) {
    char found[8], right[8];
    text_table_row(table, STYLE_PLAIN);
    text_table_set(table, 0, "%s%s", name, count == 1 && which[0]->cycle ? " *" : "");
    for (int k = 0; k < h->arms; k++) {
        RelationScore r = mean_of(h, k, which, count);
        write_share(found, h->arms > 6, r.attention_accuracy);
        write_share(right, h->arms > 6, r.accuracy);
        text_table_set(table, 1, "%ld", r.questions);
        text_table_set(table, 2 + k, only_points(h) ? "%s" : "%s/%s", found, right);
    }
}

static TextTable *build_relations(const History *h) {
    int relations = h->arm[0].relations;
    const RelationScore **sorted = zeroed((size_t)relations, sizeof *sorted);
    for (int i = 0; i < relations; i++) sorted[i] = &h->arm[0].relation[i];
    qsort(sorted, (size_t)relations, sizeof *sorted, more_questions);
    while (relations > 1 && !sorted[relations - 1]->questions) relations--;  // not held out
    int rows = relations <= MOST_RELATIONS ? relations : MOST_RELATIONS;
    TextTable *table = text_table_new();
    text_table_words(table, 0, only_points(h) ? "attn acc" : "attn acc/acc", 0);
    text_table_column(table, 1, NULL, "questions");
    for (int i = 0; i < h->arms; i++)
        table->column[text_table_column(table, 0, NULL, h->arm[i].name)].style = arm_style(&h->arm[i]);
    for (int i = 0; i < rows; i++) add_relations(table, h, sorted + i, 1, sorted[i]->name);
    if (rows < relations) add_relations(table, h, sorted + rows, relations - rows, "others");
    free(sorted);
    return table;
}

// ---- M -----------------------------------------------------------------------------------------

enum { SINGULAR = 6 };  // values shown, from the top

// M is all that a score knows of its words (S = X M Xᵀ): how symmetric it has stayed, and how many
// directions it uses, which d_k bounds.
static TextTable *build_matrix(const History *h) {
    TextTable *table = text_table_new();
    text_table_words(table, 0, "M", 0);
    text_table_column(table, 0, NULL, "symmetry");
    text_table_column(table, 0, NULL, "rank");
    for (int k = 0; k < SINGULAR; k++) text_table_column(table, k + 1, "singular", "value");
    for (int i = 0; i < h->arms; i++) {
        const ArmHistory *arm = &h->arm[i];
        text_table_row(table, arm_style(arm));
        text_table_set(table, 0, "%s", arm->name);
        text_table_figure(table, 1, 3, arm->symmetry);
        text_table_set(table, 2, "%d", measure_rank(arm->singular, arm->singular_values));
        for (int k = 0; k < arm->singular_values && k < SINGULAR; k++)
            text_table_figure(table, 3 + k, 2, arm->singular[k]);
    }
    return table;
}

// ---- all ---------------------------------------------------------------------------------------

void table_print(FILE *out, Term term, const History *h) {
    text_table_print(build_arms(h, false, false), out, term);
    print_meanings(out, term, h);
}

void table_print_details(FILE *out, Term term, const History *h) {
    if (h->arms && h->arm[0].relations && !h->text) {
        text_table_print(build_relations(h), out, term);
        if (h->has_cycle) print_wrapped(out, term, "* a relation of the cycle");
        fputc('\n', out);
    }
    if (h->arms && h->arm[0].singular && h->arm[0].heads == 1) {
        text_table_print(build_matrix(h), out, term);
        print_wrapped(out, term, "symmetry of M (the scores are X M Xᵀ): 1 symmetric, 0 unrelated to "
                      "its transpose, -1 antisymmetric");
        fputc('\n', out);
    }
}
