// The inside of a model on one sentence: questions and pictures (figures: show_figures.c).
#include "model/view/show_heads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/characters.h"
#include "model/view/map.h"
#include "model/view/palette.h"
#include "model/view/text_table.h"

int chosen_heads(const Look *look, Chosen chosen, int layer, int *first) {
    *first = chosen.head == ALL_HEADS ? 0 : chosen.head;
    return chosen.head == ALL_HEADS ? look_heads(look, layer) : 1;
}

static bool chosen_one(const Look *look, Chosen chosen) {
    int first;
    return chosen.first_layer == chosen.last_layer
           && chosen_heads(look, chosen, chosen.first_layer, &first) == 1;
}

// Whether there is only one head to choose, so that it needs no number.
static bool is_only(const Look *look) {
    return model_layers(&look->model) == 1 && look_heads(look, 0) == 1;
}

// ---- questions ---------------------------------------------------------------------------------

enum { WORD = 14, CELL = 40, ROWS = 36 };  // columns of a word, bytes of a cell, rows of a table

// A mark and a word, cut between characters.
static void write_word(char cell[CELL], const char *mark, const char *word, int utf8) {
    int used = snprintf(cell, CELL, "%s%s", mark, *mark ? " " : ""), columns = 0;
    while (*word) {
        char shown[8];
        columns += text_next(&word, utf8, shown);
        if (columns > WORD || used + (int)strlen(shown) >= CELL - 6) break;
        used += snprintf(cell + used, CELL - (size_t)used, "%s", shown);
    }
}

static const char *mark(Term term, bool right) {
    return right ? term.utf8 ? "◆" : "*" : term.utf8 ? "·" : ".";
}

// The word that answers; where it stands more than once, with its place.
static void write_column(char cell[CELL], const char *before, const Look *look, int j, int utf8) {
    int same = 0;
    const char *word = look_column(look, j);
    for (int i = 0; i < look->columns; i++) same += !strcmp(word, look_column(look, i));
    write_word(cell, before, word, utf8);
    size_t used = strlen(cell);
    if (same > 1) snprintf(cell + used, CELL - used, "(%d)", j + 1);
}

// One row of the table, and what it adds to the sums.
typedef struct Asked {
    Look *look;
    const float *weights;        // (rows, columns)
    int layer;
    int head;                    // or ALL_HEADS
    bool known, points_at_answer;         // does any row ask, and does a column answer?
    int pointed, attended, known_answers, answered;
} Asked;

// The question of row i, or -1.
static int question_of(const Look *look, int i) {
    for (int q = 0; q < look->forward.questions; q++)
        if (look->forward.row[q] == i + look->saved.task.key_count) return q;
    return -1;
}

static bool is_listed(const Asked *a, int i) {
    const Task *task = &a->look->saved.task;
    if (a->known) return question_of(a->look, i) >= 0;
    return !(task->points_at_answer && i == 0);  // the root
}

static const char *answer_word(const Look *look, int id) {
    const char *word = look->saved.task.vocab[FEATURE_WORD].word[id];
    return look->saved.task.is_text ? character_shown(word) : word;
}

// Given up at a level: 1 surprise, 2 the relation, 3 shares, 4 weights, 5 the right word.
enum { SURPRISE = 1, RELATION, SHARES, WEIGHTS, RIGHT };

// Its cells from column c on; gives the next.
static int set_attended(TextTable *table, int row, int c, Asked *a, int i, Term term, int level) {
    Look *look = a->look;
    const float *weight = a->weights + (size_t)i * (size_t)look->columns;
    int target = look_target(look)[i], most = (int)measure_argmax(weight, (size_t)look->columns);
    char cell[CELL];
    if (target >= 0) a->pointed++, a->attended += most == target;
    write_column(cell, target < 0 ? "" : mark(term, most == target), look, most, term.utf8);
    table->left[c] = 1;
    text_table_set(table, row, c++, "%s", cell);
    if (level < WEIGHTS) text_table_figure(table, row, c++, 2, weight[most]);
    if (a->points_at_answer && level < SURPRISE)
        text_table_figure(table, row, c++, 3,
                    target < 0 ? NAN : look_nll(look, a->layer, a->head, i, target));
    return c;
}

static void set_answered(TextTable *table, int row, int c, Asked *a, int q, Term term, int level) {
    const Look *look = a->look;
    double share;
    char cell[CELL];
    int id = look_answer(look, q, &share), open = look->given.open_question;
    bool known = look->forward.row[q] != open, right = id == look->forward.answer[q];
    if (known) a->known_answers++, a->answered += right;
    write_word(cell, known ? mark(term, right) : "", answer_word(look, id), term.utf8);
    table->left[c] = 1;
    text_table_set(table, row, c++, "%s", cell);
    if (level < SHARES) text_table_figure(table, row, c, 2, share);
}

static void set_question(TextTable *table, Asked *a, int i, Term term, int level) {
    Look *look = a->look;
    const Task *task = &look->saved.task;
    int row = text_table_row(table, STYLE_PLAIN), c = 0, q = question_of(look, i),
        target = look_target(look)[i];
    int relation = look->given.batch.relation[i + task->key_count];
    char cell[CELL];
    write_word(cell, "", look_row(look, i), term.utf8);
    text_table_set(table, row, c++, "%s", cell);
    if (a->known && level < RELATION && task->relations.count > 1) {
        table->left[c] = 1;
        if (relation >= 0 && relation < task->relations.count) {
            write_word(cell, "", task->relations.word[relation], term.utf8);
            text_table_set(table, row, c, "%s%s", cell, task_in_cycle(task, relation) ? " *" : "");
        }
        c++;
    }
    if (a->known && level < RIGHT) {
        table->left[c] = 1;
        if (target >= 0) write_column(cell, "", look, target, term.utf8);
        else if (q >= 0 && look->forward.row[q] == look->given.open_question) snprintf(cell, CELL, "?");
        else
            write_word(cell, "", q < 0 ? "" : answer_word(look, look->forward.answer[q]),
                       term.utf8);
        text_table_set(table, row, c++, "%s", cell);
    }
    c = set_attended(table, row, c, a, i, term, level);
    if (q >= 0 && look->forward.logits) set_answered(table, row, c, a, q, term, level);
}

static void set_heads(TextTable *table, const Asked *a, int level) {
    const Task *task = &a->look->saved.task;
    int c = 0;
    text_table_set(table, 0, c++, task_has_keys(task) ? "query" : task->is_text ? "character" : "word");
    if (a->known && level < RELATION && task->relations.count > 1)
        text_table_set(table, 0, c++, "asks for");
    if (a->known && level < RIGHT) text_table_set(table, 0, c++, "right");
    text_table_set(table, 0, c++, "attends to");
    if (level < WEIGHTS) text_table_set(table, 0, c++, "weight");
    if (a->points_at_answer && level < SURPRISE) text_table_set(table, 0, c++, "surprise");
    if (!a->known || !a->look->forward.logits) return;
    text_table_set(table, 0, c++, "answers");
    if (level < SHARES) text_table_set(table, 0, c, "share");
}

// Rows of the sentence from *at on, as many as a table takes; *at is moved past them.
static TextTable *question_grid(Asked *a, int *at, Term term, int level) {
    TextTable *table = text_table_new(1, level < SHARES ? 2 : 1);
    a->pointed = a->attended = a->known_answers = a->answered = 0;
    set_heads(table, a, level);
    for (; *at < a->look->rows && table->rows <= ROWS; ++*at)
        if (is_listed(a, *at)) set_question(table, a, *at, term, level);
    return table;
}

static void say_whose(FILE *out, Term term, const Look *look, Chosen chosen) {
    char text[160];
    int layer = chosen.last_layer, H = look_heads(look, layer);
    if (is_only(look)) return;
    if (chosen.head != ALL_HEADS || H == 1)
        snprintf(text, sizeof text, "attention of layer %d, head %d", layer + 1,
                 chosen.head == ALL_HEADS ? 1 : chosen.head + 1);
    else snprintf(text, sizeof text, "attention of layer %d, mean of %d heads", layer + 1, H);
    print_wrapped(out, term, text);
}

// The sums over all tables, in a line; nothing where nothing is known.
static void say_sums(FILE *out, Term term, const Asked *sum) {
    const Look *look = sum->look;
    const Task *task = &look->saved.task;
    char text[160] = "";
    int n = 0;
    bool cycle = false;
    for (int i = 0; i < look->given.batch.L; i++) {
        int r = look->given.batch.relation[i];
        cycle |= r >= 0 && r < task->relations.count && task_in_cycle(task, r);
    }
    if (sum->pointed) n += snprintf(text, sizeof text, "found %d of %d", sum->attended, sum->pointed);
    if (sum->known_answers)
        n += snprintf(text + n, sizeof text - (size_t)n, "%sanswered %d of %d", n ? ", " : "",
                      sum->answered, sum->known_answers);
    if (n) snprintf(text + n, sizeof text - (size_t)n, "%s", cycle ? "; * the cycle" : "");
    if (n) print_wrapped(out, term, text);
}

static bool points(const Look *look) {
    for (int i = 0; i < look->rows; i++)
        if (look_target(look)[i] >= 0) return true;
    return false;
}

void show_questions(FILE *out, Term term, Look *look, Chosen chosen) {
    Asked sum = {.look = look, .layer = chosen.last_layer, .head = chosen.head,
                 .points_at_answer = points(look), .known = look->forward.questions > 0};
    sum.weights = look_weights(look, chosen.last_layer, chosen.head);
    say_whose(out, term, look, chosen);
    for (int at = 0; at < look->rows; ) {
        int from = at, level = 0;
        Asked part = sum;
        TextTable *table = question_grid(&part, &at, term, 0);
        while (text_table_width(table, term.utf8) > term.width && level < RIGHT) {
            free(table);
            at = from;
            table = question_grid(&part, &at, term, ++level);
        }
        if (table->rows > 1) text_table_print(table, out, term);
        else free(table);
        sum.pointed += part.pointed;
        sum.attended += part.attended;
        sum.known_answers += part.known_answers;
        sum.answered += part.answered;
    }
    say_sums(out, term, &sum);
}

// ---- pictures ----------------------------------------------------------------------------------

typedef struct Words { const char **row, **column; } Words;

static Words words_of(const Look *look) {
    Words w = {zeroed((size_t)look->rows, sizeof *w.row),
               zeroed((size_t)look->columns, sizeof *w.column)};
    for (int i = 0; i < look->rows; i++) w.row[i] = look_row(look, i);
    for (int j = 0; j < look->columns; j++) w.column[j] = look_column(look, j);
    return w;
}

static void range_of(const float *x, size_t n, double range[2]) {
    range[0] = range[1] = x[0];
    for (size_t i = 0; i < n; i++) {
        range[0] = fmin(range[0], x[i]);
        range[1] = fmax(range[1], x[i]);
    }
}

enum { TITLE = 128 };

// "A after softmax, <0.01 to 0.98"; "2.1 after ..." where there are several.
static void write_title(char title[TITLE], const Look *look, int layer, int h,
                        const float *weight) {
    char name[32] = "A", least[32];
    double range[2];
    range_of(weight, (size_t)look->rows * (size_t)look->columns, range);
    if (!is_only(look)) snprintf(name, sizeof name, "%d.%d", layer + 1, h + 1);
    if (range[0] > 0 && range[0] < 0.01) strcpy(least, "<0.01");
    else write_figure(least, 2, range[0]);
    snprintf(title, TITLE, "%s after softmax, %s to %.2f", name, least, range[1]);
}

static Map map_of(const Look *look, const Words *w) {
    return (Map){.rows = look->rows, .columns = look->columns,
                 .row_word = w->row, .column_word = w->column};
}

// All chosen heads, in sheets of as many as a map takes; one legend for all.
static void print_attention(FILE *out, Term term, Look *look, Chosen chosen, const Words *w) {
    char title[MAP_PICTURES][TITLE];
    Map map = map_of(look, w);
    map.target = points(look) ? look_target(look) : NULL;
    if (!is_only(look))
        print_wrapped(out, term, "attention A of each layer and head (2.1: layer 2, head 1)");
    for (int layer = chosen.first_layer; layer <= chosen.last_layer; layer++) {
        int first, heads = chosen_heads(look, chosen, layer, &first);
        for (int h = first; h < first + heads; h++) {
            bool last = layer == chosen.last_layer && h == first + heads - 1;
            int k = map.arms++;
            map.weight[k] = look_weights(look, layer, h);
            write_title(title[k], look, layer, h, map.weight[k]);
            map.title[k] = title[k];
            if (map.arms < MAP_PICTURES && !last) continue;
            map.no_legend = !last;
            map_print(out, term, &map);
            map.arms = 0;
        }
    }
}

// S = (S + Sᵀ)/2 + (S - Sᵀ)/2, all three in one palette.
static void print_scores(FILE *out, Term term, const Look *look, int layer, int h, const Words *w) {
    size_t n = (size_t)look->rows, m = (size_t)look->columns;
    const float *S = look_scores(look, layer, h);
    float *half[2] = {zeroed(n * m, sizeof **half), zeroed(n * m, sizeof **half)};
    bool square = !task_has_keys(&look->saved.task);
    Map map = map_of(look, w);
    map.arms = square ? 3 : 1;
    for (size_t i = 0; square && i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (int k = 0; k < 2; k++)
                half[k][i * n + j] = S[i * n + j] / 2 + (k ? -1 : 1) * (S[j * n + i] / 2);
    static const char *const name[] = {"S before mask", "(S+Sᵀ)/2", "(S-Sᵀ)/2"};
    char title[3][TITLE];
    for (int k = 0; k < map.arms; k++) {
        double range[2];
        map.weight[k] = k ? half[k - 1] : S;
        range_of(map.weight[k], n * m, range);
        snprintf(title[k], TITLE, "%s, %.3g to %.3g", name[k], range[0], range[1]);
        map.title[k] = title[k];
        map.most = fmax(map.most, fmax(-range[0], range[1]));
    }
    if (!(map.most > 0)) map.most = 1;
    map_print(out, term, &map);
    char text[160];
    snprintf(text, sizeof text, "S: scores, %sdivided by sqrt(%s), neither masked nor softmaxed%s",
             look->saved.options.no_scale ? "not " : "",
             score_trains(look->saved.arm->score) ? "d_k" : "d_model / heads",
             square ? "; then its symmetric and antisymmetric halves" : "");
    print_wrapped(out, term, text);
    free(half[0]);
    free(half[1]);
}

void show_maps(FILE *out, Term term, Look *look, Chosen chosen) {
    Words w = words_of(look);
    int first;
    print_attention(out, term, look, chosen, &w);
    if (chosen_one(look, chosen)) {
        chosen_heads(look, chosen, chosen.first_layer, &first);
        fputc('\n', out);
        print_scores(out, term, look, chosen.first_layer, first, &w);
    }
    free(w.row);
    free(w.column);
}
