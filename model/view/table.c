// The tables at the end of a run. Each is tried with less and less until it fits the window: never
// is a line longer than that, nor a figure cut.
#include "model/view/table.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/measure.h"
#include "model/view/claim.h"
#include "model/view/palette.h"
#include "model/view/text_table.h"

typedef TextTable *Build(const History *, Term, int level);

static TextTable *fitting(const History *h, Term term, int width, Build *build, int levels) {
    TextTable *table = build(h, term, 0);
    for (int level = 1; level <= levels && text_table_width(table, term.utf8) > width; level++) {
        free(table);
        table = build(h, term, level);
    }
    return table;
}

static void print_table(FILE *out, Term term, const History *h, Build *build, int levels) {
    if (text_table_print(fitting(h, term, term.width, build, levels), out, term))
        print_wrapped(out, term, "(columns that don't fit this window are left out)");
}

static double parameters_of(const ArmHistory *arm) { return (double)arm->parameters; }
static double loss_of(const ArmHistory *arm) { return history_newest(arm)->loss; }
static double found_of(const ArmHistory *arm) { return history_newest(arm)->attention_accuracy; }
static double answered_of(const ArmHistory *arm) { return history_newest(arm)->accuracy; }
static double cycle_found_of(const ArmHistory *arm) { return arm->cycle_attention_accuracy; }
static double cycle_answered_of(const ArmHistory *arm) { return arm->cycle_accuracy; }
static double surprise_of(const ArmHistory *arm) { return history_newest(arm)->attention_nll; }
static double asymmetry_of(const ArmHistory *arm) { return history_newest(arm)->asymmetry; }
static double circulation_of(const ArmHistory *arm) { return history_newest(arm)->circulation; }
static double bits_of(const ArmHistory *arm) { return loss_of(arm) / log(2); }
static double symmetry_of(const ArmHistory *arm) {
    return arm->count ? arm->point[arm->count - 1].symmetry : NAN;
}
static double speed_of(const ArmHistory *arm) {
    return arm->tokens / history_newest(arm)->seconds;
}
static double memory_of(const ArmHistory *arm) { return (double)arm->memory / (1 << 20); }
static double seconds_of(const ArmHistory *arm) { return history_newest(arm)->seconds; }

enum { ALWAYS = 9 };
// Shown while it trains; only with a cycle, with a readout, of a text; not of a text, whose
// attention has no right answer.
enum { LIVE = 1, CYCLE = 2, READOUT = 4, OF_TEXT = 8, NOT_TEXT = 16 };

// What is given up at a level: 1 the formula, 2 long heads, 3 wide gaps, 4 seconds, 5 circulation,
// 6 parameters.
static const struct {
    const char *above, *name, *brief;
    int until;  // the level at which it is left out
    int when;
    int decimals;
    double (*value)(const ArmHistory *);  // NULL: the formula
} columns[] = {{"", "score, value", "", 1, 0, 0, NULL},
               {"", "parameters", "param", 6, LIVE, 0, parameters_of},
               {"", "loss", "loss", ALWAYS, LIVE, 3, loss_of},
               {"", "bits", "bits", ALWAYS, LIVE | OF_TEXT, 3, bits_of},
               {"all", "found", "found", ALWAYS, LIVE | NOT_TEXT, 2, found_of},
               {"all", "answered", "answ", ALWAYS, LIVE | READOUT, 2, answered_of},
               {"cycle", "found", "found", ALWAYS, CYCLE, 2, cycle_found_of},
               {"cycle", "answered", "answ", ALWAYS, CYCLE, 2, cycle_answered_of},
               {"cycle", "surprise", "surpr", ALWAYS, CYCLE, 3, surprise_of},
               {"", "asymmetry", "asym", ALWAYS, LIVE | NOT_TEXT, 3, asymmetry_of},
               {"", "circulation", "circ", 5, NOT_TEXT, 3, circulation_of},
               {"", "symmetry", "symm", ALWAYS, LIVE | OF_TEXT, 3, symmetry_of},
               {"", "tokens/s", "tok/s", 5, OF_TEXT, 0, speed_of},
               {"", "MiB", "MiB", 5, OF_TEXT, 1, memory_of},
               {"", "seconds", "sec", 4, 0, 1, seconds_of}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static Style arm_style(const ArmHistory *arm) { return (Style){arm->colour, -1, 1}; }

static int is_shown(int k, const History *h, int level, int live) {
    int when = columns[k].when;
    return level < columns[k].until && (!live || when & LIVE) && (h->has_cycle || !(when & CYCLE))
        && !(h->points_at_answer && when & READOUT) && !(when & (h->text ? NOT_TEXT : OF_TEXT));
}

static TextTable *arms_grid(const History *h, int level, int live, int letters) {
    int heads = h->has_cycle && !live ? 2 : 1, column = 0;
    TextTable *table = text_table_new(heads, level < 3 ? 2 : 1);
    text_table_set(table, heads - 1, 0, "arm");
    for (int i = 0; i < h->arms; i++) {
        const char letter[] = {h->arm[i].letter, ' ', '\0'};
        int row = text_table_row(table, arm_style(&h->arm[i]));
        text_table_set(table, row, 0, "%s%s", letters ? letter : "", h->arm[i].name);
    }
    for (int i = 0; !live && i < h->baselines; i++)
        text_table_set(table, text_table_row(table, STYLE(PALETTE_GREY)), 0, "%s", h->baseline_name[i]);
    for (int k = 0; k < COLUMNS; k++) {
        if (!is_shown(k, h, level, live)) continue;
        column++;
        if (heads > 1) text_table_set(table, 0, column, "%s", columns[k].above);
        text_table_set(table, heads - 1, column, "%s", level < 2 ? columns[k].name : columns[k].brief);
        table->left[column] = !columns[k].value;
        for (int i = 0; i < h->arms; i++) {
            const ArmHistory *arm = &h->arm[i];
            if (!columns[k].value) text_table_set(table, heads + i, column, "%s", arm->formula);
            else if (arm->count)
                text_table_figure(table, heads + i, column, columns[k].decimals, columns[k].value(arm));
        }
        for (int i = 0; !live && i < h->baselines && columns[k].value == found_of; i++)
            text_table_figure(table, heads + h->arms + i, column, 2, h->baseline[i]);
    }
    return table;
}

static TextTable *build_arms(const History *h, Term term, int level) {
    (void)term;
    return arms_grid(h, level, 0, 0);
}

static TextTable *build_live(const History *h, Term term, int level) {
    return arms_grid(h, level, 1, !term.colours || !term.utf8);
}

void table_live(Canvas *canvas, Box box, const History *history) {
    TextTable *table = fitting(history, canvas->term, box.width, build_live, 6);
    text_table_draw(table, canvas, box);
    free(table);
}

enum { MOST_RELATIONS = 20 };

static int more_questions(const void *a, const void *b) {
    const RelationScore *x = *(const RelationScore *const *)a,
                        *y = *(const RelationScore *const *)b;
    if (x->questions != y->questions) return x->questions < y->questions ? 1 : -1;
    return strcmp(x->name, y->name);
}

// The mean of a figure over the questions of some relations. All arms have the same relations in
// the same order, and `which` are those of the first arm.
static double mean_of(const History *h, int arm, const RelationScore *const *which, int count,
                      size_t figure) {
    double sum = 0, questions = 0;
    for (int i = 0; i < count; i++) {
        const RelationScore *r = &h->arm[arm].relation[which[i] - h->arm[0].relation];
        if (!r->questions) continue;  // its figures are NAN
        sum += (double)r->questions * *(const double *)(const void *)((const char *)r + figure);
        questions += (double)r->questions;
    }
    return questions > 0 ? sum / questions : NAN;
}

static void write_share(char text[8], int brief, double share) {
    if (isnan(share)) snprintf(text, 8, "-");
    else if (!brief) snprintf(text, 8, "%.2f", share);
    else if (share >= 0.995) snprintf(text, 8, "1.0");
    else snprintf(text, 8, ".%02ld", lround(100 * share));
}

// Given up at a level: 1 the number of questions, 2 the leading 0, 3 answered.
static void set_relations(TextTable *table, const History *h, const RelationScore *const *which,
                          int count, const char *name, int level) {
    int row = text_table_row(table, STYLE_PLAIN), left = level < 1 ? 2 : 1;
    long questions = 0;
    for (int i = 0; i < count; i++) questions += which[i]->questions;
    text_table_set(table, row, 0, "%s%s", name, count == 1 && which[0]->cycle ? " *" : "");
    if (level < 1) text_table_set(table, row, 1, "%ld", questions);
    for (int k = 0; k < h->arms; k++) {
        char found[8], answered[8];
        write_share(found, level >= 2, mean_of(h, k, which, count, offsetof(RelationScore, attention_accuracy)));
        write_share(answered, level >= 2,
                    mean_of(h, k, which, count, offsetof(RelationScore, accuracy)));
        if (h->points_at_answer || level >= 3) text_table_set(table, row, left + k, "%s", found);
        else text_table_set(table, row, left + k, "%s/%s", found, answered);
    }
}

static TextTable *build_relations(const History *h, Term term, int level) {
    int relations = h->arm[0].relations, left = level < 1 ? 2 : 1;
    int rows = relations <= MOST_RELATIONS ? relations : MOST_RELATIONS;
    const RelationScore **sorted = zeroed((size_t)relations, sizeof *sorted);
    for (int i = 0; i < relations; i++) sorted[i] = &h->arm[0].relation[i];
    qsort(sorted, (size_t)relations, sizeof *sorted, more_questions);
    TextTable *table = text_table_new(1, level < 2 ? 2 : 1);
    (void)term;
    text_table_set(table, 0, 0, h->points_at_answer || level >= 3 ? "found" : "found/answered");
    if (level < 1) text_table_set(table, 0, 1, "questions");
    for (int i = 0; i < h->arms && i + left < TEXT_TABLE_COLUMNS; i++) {
        text_table_set(table, 0, i + left, "%s", h->arm[i].name);
        table->head_style[i + left] = arm_style(&h->arm[i]);
    }
    for (int i = 0; i < rows; i++) set_relations(table, h, sorted + i, 1, sorted[i]->name, level);
    if (rows < relations) set_relations(table, h, sorted + rows, relations - rows, "others", level);
    free(sorted);
    return table;
}

enum { SINGULAR = 6 };  // values shown, from the top

// M is all that a score knows of its words (S = X M Xᵀ): how symmetric it has stayed, and how many
// directions it uses, which d_k bounds. Given up at a level: that many singular values.
static TextTable *build_matrix(const History *h, Term term, int level) {
    TextTable *table = text_table_new(2, 2);
    (void)term;
    text_table_set(table, 1, 0, "M");
    text_table_set(table, 1, 1, "symmetry");
    text_table_set(table, 1, 2, "rank");
    for (int k = 0; k < SINGULAR - level; k++) text_table_set(table, 0, 3 + k, "singular");
    for (int i = 0; i < h->arms; i++) {
        const ArmHistory *arm = &h->arm[i];
        int row = text_table_row(table, arm_style(arm)),
            rank = measure_rank(arm->singular, arm->singular_values);
        text_table_set(table, row, 0, "%s", arm->name);
        text_table_figure(table, row, 1, 3, arm->symmetry);
        text_table_set(table, row, 2, "%d", rank);
        for (int k = 0; k < arm->singular_values && k < SINGULAR - level; k++)
            text_table_figure(table, row, 3 + k, 2, arm->singular[k]);
    }
    return table;
}

enum { MOST_HEADS = TEXT_TABLE_COLUMNS - 1 };

static void set_layer(TextTable *table, const ArmHistory *arm, int layer) {
    int row = text_table_row(table, (Style){arm->colour, -1, 1}), column = 1;
    const double *newest = arm->head_symmetry + (size_t)(arm->count - 1) * (size_t)arm->heads;
    text_table_set(table, row, 0, "%s %d", arm->name, layer + 1);
    for (int k = 0; k < arm->heads; k++)
        if (arm->layer_of[k] == layer && column <= MOST_HEADS)
            text_table_figure(table, row, column++, 2, newest[k]);
}

// How symmetric M is in each head of each layer. Given up at a level: the gap between columns.
static TextTable *build_heads(const History *h, Term term, int level) {
    TextTable *table = text_table_new(1, level ? 1 : 2);
    int most = 0, of_layer = 0;
    (void)term;
    for (int i = 0; i < h->arms; i++) {
        const ArmHistory *arm = &h->arm[i];
        for (int k = 0; k < arm->heads; k++) {
            bool first = !k || arm->layer_of[k] != arm->layer_of[k - 1];
            of_layer = first ? 1 : of_layer + 1;
            if (of_layer > most) most = of_layer;
            if (first && table->rows < TEXT_TABLE_ROWS) set_layer(table, arm, arm->layer_of[k]);
        }
    }
    text_table_set(table, 0, 0, "layer");
    for (int k = 0; k < most && k < MOST_HEADS; k++) text_table_set(table, 0, k + 1, "head %d", k + 1);
    return table;
}

void table_print(FILE *out, Term term, const History *history) {
    char claim[1024];
    print_table(out, term, history, build_arms, 6);
    if (history->arms && history->arm[0].relations && !history->text) {
        fputc('\n', out);
        print_table(out, term, history, build_relations, 3);
        if (history->has_cycle) print_wrapped(out, term, "* the cycle");
    }
    claim_write(claim, sizeof claim, history);
    if (claim[0]) fputc('\n', out);
    print_wrapped(out, term, claim);
    if (history->arms && history->arm[0].singular) {
        bool one = history->arm[0].heads == 1;
        fputc('\n', out);
        print_table(out, term, history, one ? build_matrix : build_heads, one ? SINGULAR : 1);
        print_wrapped(out, term, "symmetry of M: 1 symmetric, 0 unrelated to its mirror image, "
                      "-1 antisymmetric");
    }
}
