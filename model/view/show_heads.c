// What `show` prints of the inside of a model on one sentence: questions, maps, and a row of
// figures for each head.
#include "model/view/show_heads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"
#include "model/save/memory.h"
#include "model/view/map.h"
#include "model/view/text_table.h"

bool chosen_head(const Chosen *chosen, int k, int *layer, int *head) {
    bool all = chosen->head == ALL_HEADS;
    for (*layer = chosen->first_layer; *layer <= chosen->last_layer; ++*layer) {
        int heads = all ? inspect_heads(&chosen->sentence, *layer) : 1;
        *head = all ? k : chosen->head;
        if (k < heads) return true;
        k -= heads;
    }
    return false;
}

bool chosen_alone(const Chosen *chosen) {
    int layer, head;
    return !chosen_head(chosen, 1, &layer, &head);
}

// Whether there is only one head to choose, so that it needs no number.
static bool is_only(const Inspected *x) { return x->layers == 1 && inspect_heads(x, 0) == 1; }

static bool is_text(const Inspected *x) { return x->model->task->is_text; }

// ---- questions ---------------------------------------------------------------------------------

enum { WIDE = 14 };  // columns of the window that a word takes at most
enum { WORD, ASKS_FOR, RIGHT, ATTENDS_TO, WEIGHT, NLL, ANSWERS, PROBABILITY };

// The table of questions, and what its rows add up to.
typedef struct Questions {
    const Inspected *x;
    const Chosen *chosen;
    Term term;
    TextTable *table;
    const float *weights;        // (rows, columns)
    int open;                    // the row whose right answer nobody knows, or -1
    bool known;                  // does any row ask?
    int pointed, found, answers, right;
} Questions;

// "" where it isn't known whether it is right.
static const char *mark(const Questions *a, bool known, bool right) {
    return !known ? "" : right ? a->term.utf8 ? "◆ " : "* " : a->term.utf8 ? "· " : ". ";
}

// The word that answers; where it stands more than once, with its place.
static void set_column(const Questions *a, int c, const char *mark, int j) {
    const char **word = a->x->column_word;
    int same = 0;
    for (int i = 0; i < a->x->columns; i++) same += !strcmp(word[j], word[i]);
    text_table_set(a->table, c, same > 1 ? "%s%s(%d)" : "%s%s", mark, word[j], j + 1);
}

// The question of row i, or -1.
static int question_of(const Inspected *x, int i) {
    for (int q = 0; q < x->forward.questions; q++)
        if (x->forward.row[q] == i + x->model->task->key_count) return q;
    return -1;
}

static bool is_listed(const Questions *a, int i) {
    if (a->known) return question_of(a->x, i) >= 0;
    return !(a->x->model->task->points_at_answer && i == 0);  // the root
}

static const char *answer_word(const Inspected *x, int id) {
    const char *word = x->model->task->vocab[FEATURE_WORD].word[id];
    return is_text(x) ? character_shown(word) : word;
}

static void set_right(const Questions *a, int i, int q) {
    const Inspected *x = a->x;
    if (x->target[i] >= 0) set_column(a, RIGHT, "", x->target[i]);
    else if (q >= 0)
        text_table_set(a->table, RIGHT, "%s", x->forward.row[q] == a->open ? "?"
                       : answer_word(x, x->forward.answer[q]));
}

static void set_attended(Questions *a, int i) {
    const Inspected *x = a->x;
    const float *weight = a->weights + (size_t)i * (size_t)x->columns;
    int target = x->target[i], most = (int)measure_argmax(weight, (size_t)x->columns);
    set_column(a, ATTENDS_TO, mark(a, target >= 0, most == target), most);
    text_table_figure(a->table, WEIGHT, 2, weight[most]);
    if (target < 0) return;
    text_table_figure(a->table, NLL, 3,
                      inspect_nll(x, a->chosen->last_layer, a->chosen->head, i, target));
    a->pointed++;
    a->found += most == target;
}

static void set_answered(Questions *a, int q) {
    const Inspected *x = a->x;
    double probability;
    int id = inspect_answer(x, q, &probability);
    bool known = x->forward.row[q] != a->open, right = id == x->forward.answer[q];
    if (known) a->answers++, a->right += right;
    text_table_set(a->table, ANSWERS, "%s%s", mark(a, known, right), answer_word(x, id));
    text_table_figure(a->table, PROBABILITY, 2, probability);
}

static void add_question(Questions *a, int i) {
    const Inspected *x = a->x;
    const Vocab *relations = &x->model->task->relations;
    int q = question_of(x, i), r = x->relation[i];
    text_table_row(a->table, STYLE_PLAIN);
    text_table_set(a->table, WORD, "%s", x->row_word[i]);
    if (a->known && relations->count > 1 && r >= 0 && r < relations->count)
        text_table_set(a->table, ASKS_FOR, "%s%s", relations->word[r], x->cycle[i] ? " *" : "");
    if (a->known) set_right(a, i, q);
    set_attended(a, i);
    if (q >= 0 && x->forward.logits) set_answered(a, q);
}

// A narrow window gives up the NLL first, and what is right last.
static TextTable *new_questions(const Inspected *x) {
    TextTable *table = text_table_new();
    text_table_words(table, 0, task_has_keys(x->model->task) ? "query"
                     : is_text(x) ? "character" : "word", WIDE);
    text_table_words(table, 4, "asks for", WIDE + 2);
    text_table_words(table, 1, "right", WIDE + 2);
    text_table_words(table, 0, "attends to", WIDE + 2);
    text_table_column(table, 2, NULL, "weight");
    text_table_column(table, 5, NULL, "attn NLL");
    text_table_words(table, 0, "answers", WIDE + 2);
    text_table_column(table, 3, NULL, "probability");
    return table;
}

static void say_whose(FILE *out, Term term, const Chosen *chosen) {
    int layer = chosen->last_layer, H = inspect_heads(&chosen->sentence, layer);
    if (is_only(&chosen->sentence)) return;
    if (chosen->head == ALL_HEADS && H > 1)
        print_wrapped(out, term, "attention of layer %d, mean of %d heads", layer + 1, H);
    else
        print_wrapped(out, term, "attention of layer %d, head %d", layer + 1,
                      chosen->head == ALL_HEADS ? 1 : chosen->head + 1);
}

// The sums over all rows, in a line; nothing where nothing is known.
static void say_sums(FILE *out, const Questions *a) {
    char text[240] = "";
    int n = 0;
    bool cycle = false;
    for (int i = 0; i < a->x->rows; i++) cycle |= a->x->cycle[i];
    if (a->pointed)
        n += snprintf(text, sizeof text, "attention on the right word: %d of %d", a->found,
                      a->pointed);
    if (a->answers)
        n += snprintf(text + n, sizeof text - (size_t)n, "%sright answers: %d of %d", n ? "; " : "",
                      a->right, a->answers);
    if (n && cycle) snprintf(text + n, sizeof text - (size_t)n, "; * a relation of the cycle");
    if (n) print_wrapped(out, a->term, "%s", text);
}

void show_questions(FILE *out, Term term, const Chosen *chosen) {
    const Inspected *x = &chosen->sentence;
    Questions a = {.x = x, .chosen = chosen, .term = term, .table = new_questions(x),
                   .open = chosen->model->given.open_question, .known = x->forward.questions > 0,
                   .weights = inspect_attention(x, chosen->last_layer, chosen->head)};
    say_whose(out, term, chosen);
    for (int i = 0; i < x->rows; i++)
        if (is_listed(&a, i)) add_question(&a, i);
    text_table_print(a.table, out, term);
    say_sums(out, &a);
}

// ---- pictures ----------------------------------------------------------------------------------

static void range_of(const float *x, size_t n, double range[2]) {
    range[0] = range[1] = x[0];
    for (size_t i = 0; i < n; i++) {
        range[0] = fmin(range[0], x[i]);
        range[1] = fmax(range[1], x[i]);
    }
}

// "A after softmax, <0.01 to 0.98"; "2.1 after ..." where there are several.
static void add_attention(Map *map, const Inspected *x, int layer, int h) {
    char name[32] = "A", least[32] = "<0.01";
    const float *weight = inspect_attention(x, layer, h);
    double range[2];
    range_of(weight, (size_t)x->rows * (size_t)x->columns, range);
    if (!is_only(x)) snprintf(name, sizeof name, "%d.%d", layer + 1, h + 1);
    if (!(range[0] > 0 && range[0] < 0.01)) write_figure(least, 2, range[0]);
    map_add(map, weight, "%s after softmax, %s to %.2f", name, least, range[1]);
}

// All chosen heads, in sheets of as many as a map takes; one legend for all.
static void print_attention(FILE *out, Term term, const Chosen *chosen) {
    const Inspected *x = &chosen->sentence;
    Map map = map_new(x);
    if (!is_only(x))
        print_wrapped(out, term, "attention A of each layer and head (2.1: layer 2, head 1)");
    for (int k = 0, layer, h; chosen_head(chosen, k, &layer, &h); k++) {
        add_attention(&map, x, layer, h);
        map.no_legend = chosen_head(chosen, k + 1, &layer, &h);
        if (map.pictures < MAP_PICTURES && map.no_legend) continue;
        map_print(out, term, &map);
        map.pictures = 0;
    }
}

// (S + Sᵀ)/2 with sign 1, (S - Sᵀ)/2 with sign -1.
static float *half_of(const float *S, size_t n, int sign) {
    float *half = grow(NULL, n * n, sizeof *half);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            half[i * n + j] = S[i * n + j] / 2 + (float)sign * (S[j * n + i] / 2);
    return half;
}

// S = (S + Sᵀ)/2 + (S - Sᵀ)/2, all three in one palette.
static void print_scores(FILE *out, Term term, const Chosen *chosen, int layer, int h) {
    static const char *const name[] = {"S before mask", "(S+Sᵀ)/2", "(S-Sᵀ)/2"};
    const Inspected *x = &chosen->sentence;
    const float *S = inspect_scores(x, layer, h);
    size_t n = (size_t)x->rows, m = (size_t)x->columns;
    bool square = !task_has_keys(x->model->task);
    float *half[] = {square ? half_of(S, n, 1) : NULL, square ? half_of(S, n, -1) : NULL};
    Map map = map_new(x);
    for (int k = 0; k < (square ? 3 : 1); k++) {
        const float *part = k ? half[k - 1] : S;
        double range[2];
        range_of(part, n * m, range);
        map_add(&map, part, "%s, %.3g to %.3g", name[k], range[0], range[1]);
        map.most = fmax(map.most, fmax(-range[0], range[1]));
    }
    if (!(map.most > 0)) map.most = 1;
    map_print(out, term, &map);
    print_wrapped(out, term, "S: scores, %sdivided by sqrt(%s), before mask and softmax%s",
                  chosen->model->saved.options.no_scale ? "not " : "",
                  score_trains(chosen->model->saved.arm->score) ? "d_k" : "d_model / heads",
                  square ? "; then its symmetric and antisymmetric halves" : "");
    free(half[0]);
    free(half[1]);
}

void show_maps(FILE *out, Term term, const Chosen *chosen) {
    int layer, head;
    print_attention(out, term, chosen);
    if (!chosen_alone(chosen) || !chosen_head(chosen, 0, &layer, &head)) return;
    fputc('\n', out);
    print_scores(out, term, chosen, layer, head);
}

// ---- figures -----------------------------------------------------------------------------------

// Values shown of each head, from the top; of a head alone they are written out below.
enum { SINGULAR = 6 };

static TextTable *new_figures(void) {
    TextTable *table = text_table_new();
    text_table_words(table, 0, "layer", 0);
    text_table_column(table, 0, NULL, "head");
    text_table_column(table, 0, "S", "asymmetry");
    text_table_column(table, 0, "S", "circulation");
    text_table_column(table, 0, "M", "symmetry");
    text_table_column(table, 1, "M", "d_k");
    text_table_column(table, 1, "M", "rank");
    for (int k = 0; k < SINGULAR; k++) text_table_column(table, k + 2, "singular", "value");
    return table;
}

static void add_figures(TextTable *table, bool square, bool alone, int layer, int h,
                        const HeadFigures *f) {
    int c = 0;
    text_table_row(table, STYLE_PLAIN);
    text_table_set(table, c++, "%d", layer + 1);
    text_table_set(table, c++, "%d", h + 1);
    if (square) text_table_figure(table, c, 3, f->S.asymmetry);
    if (square) text_table_figure(table, c + 1, 3, f->S.circulation);
    text_table_figure(table, c += 2, 3, f->symmetry);
    text_table_set(table, ++c, f->d_k ? "%d" : "-", f->d_k);
    if (f->singular) text_table_set(table, ++c, "%d", f->rank);
    for (int k = 0; f->singular && !alone && k < f->count && k < SINGULAR; k++)
        text_table_figure(table, ++c, 2, f->singular[k]);
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
static bool is_affordable(const Chosen *chosen) {
    double D = chosen->model->saved.options.d_model;
    int heads = 0;
    for (int layer, h; chosen_head(chosen, heads, &layer, &h); ) heads++;
    return heads == 1 || heads * D * D * D < 1e8;
}

void show_figures(FILE *out, Term term, const Chosen *chosen) {
    bool singular = is_affordable(chosen), alone = chosen_alone(chosen);
    bool square = !task_has_keys(&chosen->model->saved.task);
    TextTable *table = new_figures();
    HeadFigures f = {0};
    for (int k = 0, layer, h; chosen_head(chosen, k, &layer, &h); k++) {
        f = inspect_figures(&chosen->sentence, layer, h, singular);
        add_figures(table, square, alone, layer, h, &f);
    }
    text_table_print(table, out, term);
    if (alone) print_singular(out, term, &f);
    print_wrapped(out, term, "symmetry of M (the scores are X M Xᵀ): 1 symmetric, 0 unrelated to its "
                  "transpose, -1 antisymmetric");
    if (alone) return;
    print_wrapped(out, term, "--layer and --head show one head alone: its scores, their two "
                  "halves, and M's singular values%s",
                  singular ? "" : ", which take too long for all of these");
}
