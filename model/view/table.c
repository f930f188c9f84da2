// The tables at the end of a run. Each is tried with less and less until it fits the window: never
// is a line longer than that, nor a figure cut.
#include "model/view/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/view/claim.h"
#include "model/view/grid.h"
#include "model/view/palette.h"

typedef Grid *Build(const History *, int level);

static void print_grid(FILE *out, Term term, const History *h, Build *build, int levels) {
    Grid *grid = NULL;
    for (int level = 0; level <= levels; level++) {
        free(grid);
        grid = build(h, level);
        if (grid_width(grid, term.utf8) <= term.width) break;
    }
    Canvas canvas = canvas_new(term, grid->rows);
    int left_out = grid->columns - grid_draw(grid, &canvas, (Box){0, 0, term.width, grid->rows});
    canvas_print(&canvas, out, 0);
    if (left_out) print_wrapped(out, term, "(columns that don't fit this window are left out)");
    canvas_free(&canvas);
    free(grid);
}

static const Point *last_point(const ArmHistory *arm) { return &arm->point[arm->count - 1]; }
static double parameters_of(const ArmHistory *arm) { return (double)arm->parameters; }
static double loss_of(const ArmHistory *arm) { return last_point(arm)->loss; }
static double found_of(const ArmHistory *arm) { return last_point(arm)->found; }
static double answered_of(const ArmHistory *arm) { return last_point(arm)->answered; }
static double cycle_found_of(const ArmHistory *arm) { return arm->cycle_found; }
static double cycle_answered_of(const ArmHistory *arm) { return arm->cycle_answered; }
static double surprise_of(const ArmHistory *arm) { return last_point(arm)->surprise; }
static double asymmetry_of(const ArmHistory *arm) { return last_point(arm)->asymmetry; }
static double circulation_of(const ArmHistory *arm) { return last_point(arm)->circulation; }
static double seconds_of(const ArmHistory *arm) { return last_point(arm)->seconds; }

enum { ALWAYS = 9 };

// What is given up at a level: 1 the formula, 2 long heads, 3 wide gaps, 4 seconds, 5 circulation,
// 6 parameters.
static const struct {
    const char *above, *name, *brief;
    int until;  // the level at which it is left out
    int cycle;  // only for tasks with a cycle
    int decimals;
    double (*value)(const ArmHistory *);  // NULL: the formula
} columns[] = {{"", "score, value", "", 1, 0, 0, NULL},
               {"", "parameters", "param", 6, 0, 0, parameters_of},
               {"", "loss", "loss", ALWAYS, 0, 3, loss_of},
               {"all", "found", "found", ALWAYS, 0, 2, found_of},
               {"all", "answered", "answ", ALWAYS, 0, 2, answered_of},
               {"cycle", "found", "found", ALWAYS, 1, 2, cycle_found_of},
               {"cycle", "answered", "answ", ALWAYS, 1, 2, cycle_answered_of},
               {"cycle", "surprise", "surpr", ALWAYS, 1, 3, surprise_of},
               {"", "asymmetry", "asym", ALWAYS, 0, 3, asymmetry_of},
               {"", "circulation", "circ", 5, 0, 3, circulation_of},
               {"", "seconds", "sec", 4, 0, 1, seconds_of}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static Style arm_style(const ArmHistory *arm, int index) {
    return (Style){palette_arm(arm->name, index), -1, 1};
}

static Grid *build_arms(const History *h, int level) {
    int heads = h->has_cycle ? 2 : 1, shown[COLUMNS], count = 0;
    Grid *grid = grid_new(heads, level < 3 ? 2 : 1);
    for (int k = 0; k < COLUMNS; k++)
        if (level < columns[k].until && (h->has_cycle || !columns[k].cycle)
            && !(h->points && columns[k].value == answered_of)) shown[count++] = k;
    grid->left[1] = !columns[shown[0]].value;
    grid_set(grid, heads - 1, 0, "arm");
    for (int j = 0; j < count; j++) {
        int k = shown[j];
        if (heads > 1) grid_set(grid, 0, j + 1, "%s", columns[k].above);
        grid_set(grid, heads - 1, j + 1, "%s", level < 2 ? columns[k].name : columns[k].brief);
    }
    for (int i = 0; i < h->arms; i++) {
        const ArmHistory *arm = &h->arm[i];
        if (!arm->count) continue;
        int row = grid_row(grid, arm_style(arm, i));
        grid_set(grid, row, 0, "%s", arm->name);
        for (int j = 0; j < count; j++) {
            int k = shown[j];
            if (columns[k].value)
                grid_figure(grid, row, j + 1, columns[k].decimals, columns[k].value(arm));
            else grid_set(grid, row, j + 1, "%s", arm->formula ? arm->formula : "");
        }
    }
    for (int i = 0; i < h->baselines && i < 2; i++) {
        int row = grid_row(grid, STYLE(PALETTE_GREY));
        grid_set(grid, row, 0, "%s", h->baseline_name[i]);
        for (int j = 0; j < count; j++)
            if (columns[shown[j]].value == found_of)
                grid_figure(grid, row, j + 1, 2, h->baseline[i]);
    }
    return grid;
}

// One relation in every arm; the last row adds up those that are left.
typedef struct Relation { const char *name; long questions; int cycle; } Relation;

enum { MOST_RELATIONS = 20 };

static int more_questions(const void *a, const void *b) {
    const Relation *x = a, *y = b;
    if (x->questions != y->questions) return x->questions < y->questions ? 1 : -1;
    return strcmp(x->name, y->name);
}

static Relation *sort_relations(const ArmHistory *arm) {
    Relation *relation = view_memory((size_t)arm->relations, sizeof *relation);
    for (int i = 0; i < arm->relations; i++) {
        const RelationScore *score = &arm->relation[i];
        relation[i] = (Relation){score->name, score->questions, score->cycle};
    }
    qsort(relation, (size_t)arm->relations, sizeof *relation, more_questions);
    return relation;
}

// Means over the questions of the relations listed.
static void add_up(const ArmHistory *arm, const Relation *relation, int count, double *found,
                   double *answered) {
    double questions = 0;
    *found = *answered = 0;
    for (int i = 0; i < arm->relations; i++)
        for (int j = 0; j < count; j++) {
            const RelationScore *score = &arm->relation[i];
            if (strcmp(score->name, relation[j].name)) continue;
            questions += (double)score->questions;
            *found += score->found * (double)score->questions;
            *answered += score->answered * (double)score->questions;
        }
    *found = questions > 0 ? *found / questions : NAN;
    *answered = questions > 0 ? *answered / questions : NAN;
}

static void write_share(char text[8], int brief, double share) {
    if (isnan(share)) snprintf(text, 8, "-");
    else if (!brief) snprintf(text, 8, "%.2f", share);
    else if (share >= 0.995) snprintf(text, 8, "1.0");
    else snprintf(text, 8, ".%02ld", lround(100 * share));
}

// Given up at a level: 1 the number of questions, 2 the leading 0, 3 answered.
static void set_relation(Grid *grid, const History *h, int row, const Relation *relation, int count,
                         int level) {
    int first = level < 1 ? 2 : 1;
    for (int i = 0; i < h->arms; i++) {
        char found[8], answered[8];
        double share[2];
        add_up(&h->arm[i], relation, count, &share[0], &share[1]);
        write_share(found, level >= 2, share[0]);
        write_share(answered, level >= 2, share[1]);
        if (h->points || level >= 3) grid_set(grid, row, first + i, "%s", found);
        else grid_set(grid, row, first + i, "%s/%s", found, answered);
    }
}

static const ArmHistory *arm_with_relations(const History *h) {
    for (int i = 0; i < h->arms; i++)
        if (h->arm[i].relations > 0) return &h->arm[i];
    return NULL;
}

static Grid *build_relations(const History *h, int level) {
    const ArmHistory *arm = arm_with_relations(h);
    Relation *relation = sort_relations(arm);
    Grid *grid = grid_new(1, level < 2 ? 2 : 1);
    int rows = arm->relations <= MOST_RELATIONS ? arm->relations : MOST_RELATIONS;
    grid_set(grid, 0, 0, h->points || level >= 3 ? "found" : "found/answered");
    if (level < 1) grid_set(grid, 0, 1, "questions");
    for (int i = 0; i < h->arms && i + 2 < GRID_COLUMNS; i++) {
        grid_set(grid, 0, i + (level < 1 ? 2 : 1), "%s", h->arm[i].name);
        grid->head_style[i + (level < 1 ? 2 : 1)] = arm_style(&h->arm[i], i);
    }
    for (int i = 0; i < rows + (rows < arm->relations); i++) {
        int row = grid_row(grid, STYLE_PLAIN), count = i < rows ? 1 : arm->relations - rows;
        long questions = 0;
        for (int j = 0; j < count; j++) questions += relation[i + j].questions;
        grid_set(grid, row, 0, "%s%s", i < rows ? relation[i].name : "others",
                 i < rows && relation[i].cycle ? " *" : "");
        if (level < 1) grid_set(grid, row, 1, "%ld", questions);
        set_relation(grid, h, row, relation + i, count, level);
    }
    free(relation);
    return grid;
}

void table_print(FILE *out, Term term, const History *history) {
    char claim[1024];
    print_grid(out, term, history, build_arms, 6);
    if (arm_with_relations(history)) {
        fputc('\n', out);
        print_grid(out, term, history, build_relations, 3);
        if (history->has_cycle) print_wrapped(out, term, "* the cycle");
    }
    claim_write(claim, sizeof claim, history);
    if (claim[0]) fputc('\n', out);
    print_wrapped(out, term, claim);
}
