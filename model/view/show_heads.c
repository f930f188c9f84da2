// What `show` prints of the inside of a model on one sentence: questions and maps (the figures:
// show_figures.c).
#include "model/view/show_heads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"
#include "model/view/map.h"
#include "model/view/text_table.h"

int chosen_heads(const Chosen *chosen, int layer, int *first) {
    *first = chosen->head == ALL_HEADS ? 0 : chosen->head;
    return chosen->head == ALL_HEADS ? inspect_heads(&chosen->sentence, layer) : 1;
}

static bool chosen_one(const Chosen *chosen) {
    int first;
    return chosen->first_layer == chosen->last_layer
           && chosen_heads(chosen, chosen->first_layer, &first) == 1;
}

// Whether there is only one head to choose, so that it needs no number.
static bool is_only(const Inspected *x) { return x->layers == 1 && inspect_heads(x, 0) == 1; }

static bool is_text(const Inspected *x) { return x->model->task->is_text; }

static bool points(const Inspected *x) {
    for (int i = 0; i < x->rows; i++)
        if (x->target[i] >= 0) return true;
    return false;
}

// ---- questions ---------------------------------------------------------------------------------

enum { WORD = 14 };  // columns of a word
// A narrow window gives up the last of these first.
enum { RIGHT = 1, WEIGHT, PROBABILITY, RELATION, NLL };

// The table of questions, and what its rows add up to.
typedef struct Questions {
    const Inspected *x;
    const Chosen *chosen;
    Term term;
    const float *weights;        // (rows, columns)
    int open;                    // the row whose right answer nobody knows, or -1
    bool known, points;          // does any row ask, and does a column answer?
    bool related;                // is there more than one kind of question?
    int pointed, found, answers, right;
} Questions;

// "" where it isn't known whether it is right.
static const char *mark(const Questions *a, bool known, bool right) {
    return !known ? "" : right ? a->term.utf8 ? "◆ " : "* " : a->term.utf8 ? "· " : ". ";
}

// The word that answers; where it stands more than once, with its place.
static void set_column(TextTable *table, int row, int c, const char *mark, const Inspected *x,
                       int j) {
    int same = 0;
    for (int i = 0; i < x->columns; i++) same += !strcmp(x->column_word[j], x->column_word[i]);
    text_table_set(table, row, c, same > 1 ? "%s%s(%d)" : "%s%s", mark, x->column_word[j], j + 1);
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

static void set_right(TextTable *table, int row, int c, const Questions *a, int i, int q) {
    const Inspected *x = a->x;
    if (x->target[i] >= 0) set_column(table, row, c, "", x, x->target[i]);
    else if (q >= 0 && x->forward.row[q] == a->open) text_table_set(table, row, c, "?");
    else if (q >= 0) text_table_set(table, row, c, "%s", answer_word(x, x->forward.answer[q]));
}

// Its cells from column c on; gives the next.
static int set_attended(TextTable *table, int row, int c, Questions *a, int i) {
    const Inspected *x = a->x;
    const float *weight = a->weights + (size_t)i * (size_t)x->columns;
    int target = x->target[i], most = (int)measure_argmax(weight, (size_t)x->columns);
    if (target >= 0) a->pointed++, a->found += most == target;
    set_column(table, row, c++, mark(a, target >= 0, most == target), x, most);
    text_table_figure(table, row, c++, 2, weight[most]);
    if (a->points)
        text_table_figure(table, row, c++, 3, target < 0 ? NAN
                          : inspect_nll(x, a->chosen->last_layer, a->chosen->head, i, target));
    return c;
}

static void set_answered(TextTable *table, int row, int c, Questions *a, int q) {
    const Inspected *x = a->x;
    double probability;
    int id = inspect_answer(x, q, &probability);
    bool known = x->forward.row[q] != a->open, right = id == x->forward.answer[q];
    if (known) a->answers++, a->right += right;
    text_table_set(table, row, c++, "%s%s", mark(a, known, right), answer_word(x, id));
    text_table_figure(table, row, c, 2, probability);
}

static void set_question(TextTable *table, Questions *a, int i) {
    const Inspected *x = a->x;
    int row = text_table_row(table, STYLE_PLAIN), c = 1, q = question_of(x, i), r = x->relation[i];
    const Vocab *relations = &x->model->task->relations;
    text_table_set(table, row, 0, "%s", x->row_word[i]);
    if (a->known && a->related)
        text_table_set(table, row, c++, "%s%s",
                       r >= 0 && r < relations->count ? relations->word[r] : "",
                       x->cycle[i] ? " *" : "");
    if (a->known) set_right(table, row, c++, a, i, q);
    c = set_attended(table, row, c, a, i);
    if (q >= 0 && x->forward.logits) set_answered(table, row, c, a, q);
}

static void add_words(TextTable *table, int given_up, const char *head) {
    int c = text_table_column(table, given_up, NULL, head);
    table->column[c].left = true;
    table->column[c].most = WORD + 2;
}

static TextTable *new_questions(const Questions *a) {
    TextTable *table = text_table_new(1);
    table->column[0].most = WORD;
    text_table_set(table, 0, 0, task_has_keys(a->x->model->task) ? "query"
                   : is_text(a->x) ? "character" : "word");
    if (a->known && a->related) add_words(table, RELATION, "asks for");
    if (a->known) add_words(table, RIGHT, "right");
    add_words(table, 0, "attends to");
    text_table_column(table, WEIGHT, NULL, "weight");
    if (a->points) text_table_column(table, NLL, NULL, "attn NLL");
    if (a->known && a->x->forward.logits) {
        add_words(table, 0, "answers");
        text_table_column(table, PROBABILITY, NULL, "probability");
    }
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

// The sums over all tables, in a line; nothing where nothing is known.
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
    Questions a = {.x = x, .chosen = chosen, .term = term, .open = chosen->model->given.open_question,
                   .weights = inspect_attention(x, chosen->last_layer, chosen->head),
                   .points = points(x), .known = x->forward.questions > 0,
                   .related = x->model->task->relations.count > 1};
    TextTable *table = new_questions(&a);
    say_whose(out, term, chosen);
    for (int i = 0; i < x->rows; i++) {
        if (!is_listed(&a, i)) continue;
        if (table->rows == TEXT_TABLE_ROWS) {
            text_table_print(table, out, term);
            table = new_questions(&a);
        }
        set_question(table, &a, i);
    }
    if (table->rows > 1) text_table_print(table, out, term);
    else free(table);
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

enum { TITLE = 128 };

// "A after softmax, <0.01 to 0.98"; "2.1 after ..." where there are several.
static void write_title(char title[TITLE], const Inspected *x, int layer, int h,
                        const float *weight) {
    char name[32] = "A", least[32];
    double range[2];
    range_of(weight, (size_t)x->rows * (size_t)x->columns, range);
    if (!is_only(x)) snprintf(name, sizeof name, "%d.%d", layer + 1, h + 1);
    if (range[0] > 0 && range[0] < 0.01) strcpy(least, "<0.01");
    else write_figure(least, 2, range[0]);
    snprintf(title, TITLE, "%s after softmax, %s to %.2f", name, least, range[1]);
}

static Map map_of(const Inspected *x) {
    return (Map){.rows = x->rows, .columns = x->columns, .row_word = x->row_word,
                 .column_word = x->column_word};
}

// All chosen heads, in sheets of as many as a map takes; one legend for all.
static void print_attention(FILE *out, Term term, const Chosen *chosen) {
    const Inspected *x = &chosen->sentence;
    char title[MAP_PICTURES][TITLE];
    Map map = map_of(x);
    map.target = points(x) ? x->target : NULL;
    if (!is_only(x))
        print_wrapped(out, term, "attention A of each layer and head (2.1: layer 2, head 1)");
    for (int layer = chosen->first_layer; layer <= chosen->last_layer; layer++) {
        int first, heads = chosen_heads(chosen, layer, &first);
        for (int h = first; h < first + heads; h++) {
            bool last = layer == chosen->last_layer && h == first + heads - 1;
            int k = map.pictures++;
            map.weight[k] = inspect_attention(x, layer, h);
            write_title(title[k], x, layer, h, map.weight[k]);
            map.title[k] = title[k];
            if (map.pictures < MAP_PICTURES && !last) continue;
            map.no_legend = !last;
            map_print(out, term, &map);
            map.pictures = 0;
        }
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
    Map map = map_of(x);
    char title[3][TITLE];
    map.pictures = square ? 3 : 1;
    for (int k = 0; k < map.pictures; k++) {
        double range[2];
        map.weight[k] = k ? half[k - 1] : S;
        range_of(map.weight[k], n * m, range);
        snprintf(title[k], TITLE, "%s, %.3g to %.3g", name[k], range[0], range[1]);
        map.title[k] = title[k];
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
    int first;
    print_attention(out, term, chosen);
    if (!chosen_one(chosen)) return;
    chosen_heads(chosen, chosen->first_layer, &first);
    fputc('\n', out);
    print_scores(out, term, chosen, chosen->first_layer, first);
}
