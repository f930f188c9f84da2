// What the report needs beside the History: the shown sentence as each arm saw it while it trained,
// and what each arm is like at the end.
#include "model/view/report/snapshots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "version.h"  // made by the Makefile
#include "autograd/fatal.h"
#include "model/save/json.h"
#include "model/save/memory.h"
#include "model/view/inspect.h"
#include "model/view/report/m_by_role.h"
#include "model/view/sample.h"

// ---- taking them -------------------------------------------------------------------------------

static int folded(int n, int fold) { return (n + fold - 1) / fold; }

static int fold_of(const Inspected *x) {
    return folded(x->rows > x->columns ? x->rows : x->columns, SNAPSHOT_WORDS);
}

// A folded map, on the tape: a cell is the mean over its queries of the sum (`mean`: the mean) over
// its keys.
static double *fold_map(const Inspected *x, const float *map, bool mean) {
    int fold = fold_of(x), rows = folded(x->rows, fold), columns = folded(x->columns, fold);
    double *out = arena_alloc(&x->tape->arena, (size_t)(rows * columns), sizeof *out);
    for (int i = 0; i < rows * columns; i++) {
        int queries = 0, keys = 0, row = i / columns * fold, column = i % columns * fold;
        double sum = 0;
        for (int r = row; r < row + fold && r < x->rows; r++, queries++)
            for (int c = column; c < column + fold && c < x->columns; c++, keys++)
                sum += (double)map[(size_t)r * (size_t)x->columns + (size_t)c];
        out[i] = sum / (mean ? keys : queries);
    }
    return out;
}

// The heads that are kept, and how many.
static int kept_heads(const Inspected *x, int layer[SNAPSHOT_HEADS], int head[SNAPSHOT_HEADS]) {
    int left = 0, n = 0;
    for (int l = 0; l < x->layers; l++) left += inspect_heads(x, l);
    for (int l = 0; l < x->layers; l++)
        for (int h = 0; h < inspect_heads(x, l); h++, left--)
            if (left <= SNAPSHOT_HEADS) layer[n] = l, head[n++] = h;
    return n;
}

void snapshots_add(Snapshots *s, Trainer *t) {
    if (s->count && s->step[s->count - 1] >= t->step) return;
    Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
    int layer[SNAPSHOT_HEADS], head[SNAPSHOT_HEADS];
    s->heads = kept_heads(&x, layer, head);
    s->rows = folded(x.rows, fold_of(&x));
    s->columns = folded(x.columns, fold_of(&x));
    size_t cells = (size_t)s->rows * (size_t)s->columns, all = (size_t)s->heads * cells;
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        s->step = grow(s->step, (size_t)s->capacity, sizeof *s->step);
        s->weight = grow(s->weight, (size_t)s->capacity, all * sizeof *s->weight);
        s->trained = grow(s->trained, (size_t)s->capacity, sizeof *s->trained);
    }
    for (int k = 0; k < s->heads; k++) {
        const double *map = fold_map(&x, inspect_attention(&x, layer[k], head[k]), false);
        double *weight = s->weight + (size_t)s->count * all + (size_t)k * cells;
        for (size_t i = 0; i < cells; i++) weight[i] = round(1e4 * map[i]);
    }
    s->step[s->count] = t->step;
    s->trained[s->count++] = t->trained ? t->trained_loss / (double)t->trained : NAN;
    t->trained_loss = 0;
    t->trained = 0;
}

void snapshots_free(Snapshots *s) {
    free(s->step);
    free(s->weight);
    free(s->trained);
    *s = (Snapshots){0};
}

// ---- writing them ------------------------------------------------------------------------------

// Strings, or null, as a list: one for every `fold` tokens, the first of them.
static void write_words(FILE *out, const char *name, const char *const *word, int n, int fold) {
    fprintf(out, ",\n  \"%s\": [", name);
    for (int i = 0; i < n; i += fold) {
        fputs(i ? ", " : "", out);
        json_string(out, word[i]);
    }
    fputc(']', out);
}

// A list of numbers with so many digits; 9 do for whole ones.
static void write_numbers(FILE *out, const char *name, int digits, const double *x, size_t n) {
    fprintf(out, "%s[", name);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", out);
        if (isfinite(x[i])) fprintf(out, "%.*g", digits, x[i]);
        else fputs("null", out);
    }
    fputc(']', out);
}

// The maps of a layer's heads: weights in ten-thousandths, scores with four digits.
static void write_heads(FILE *out, const Inspected *x, int layer, bool scores) {
    size_t cells = (size_t)folded(x->rows, fold_of(x)) * (size_t)folded(x->columns, fold_of(x));
    fputc('[', out);
    for (int h = 0; h < inspect_heads(x, layer); h++) {
        const float *map = (scores ? inspect_scores : inspect_attention)(x, layer, h);
        double *cell = fold_map(x, map, scores);
        for (size_t i = 0; !scores && i < cells; i++) cell[i] = round(1e4 * cell[i]);
        write_numbers(out, h ? ",\n      " : "", scores ? 4 : 9, cell, cells);
    }
    fputc(']', out);
}

static const char *name_of(const Vocab *names, int id) {
    return id >= 0 && id < names->count ? names->word[id] : NULL;
}

// The name of a feature of the first n tokens.
static void write_feature(FILE *out, const char *name, const Inspected *x, int feature, int n) {
    const Task *task = x->model->task;
    const char **word = arena_alloc(&x->tape->arena, (size_t)n, sizeof *word);
    for (int i = 0; i < n; i++)
        word[i] = name_of(&task->vocab[feature], x->batch->feature[feature][i]);
    write_words(out, name, word, n, fold_of(x));
}

static void write_sentence(FILE *out, const Inspected *x) {
    const Task *task = x->model->task;
    int keys = task->key_count, queries = x->rows, fold = fold_of(x);
    const char **kind = arena_alloc(&x->tape->arena, (size_t)queries, sizeof *kind);
    double *target = arena_alloc(&x->tape->arena, (size_t)queries, sizeof *target);
    for (int i = 0; i < queries; i++) {
        kind[i] = name_of(&task->relations, x->relation[i]);
        // folded rows ask for many words at once
        target[i] = fold > 1 || x->target[i] >= x->columns ? -1 : x->target[i];
    }
    fprintf(out, ",\n  \"fold\": %d, \"queries\": %d, \"keys\": %d, \"separate\": %s", fold,
            queries, x->columns, keys ? "true" : "false");
    int layer[SNAPSHOT_HEADS], head[SNAPSHOT_HEADS], kept = kept_heads(x, layer, head);
    for (int k = 0; k < kept; k++)
        fprintf(out, "%s[%d,%d]", k ? "," : ",\n  \"heads\": [", layer[k] + 1, head[k] + 1);
    fputc(']', out);
    write_words(out, "rows", x->row_word, queries, fold);
    write_words(out, "columns", x->column_word, x->columns, fold);
    write_words(out, "relations", kind, queries, fold);
    write_numbers(out, ",\n  \"targets\": ", 9, target, (size_t)folded(queries, fold));
    if (keys) {
        write_feature(out, "titles", x, FEATURE_TAG, keys);     // what a query looks for
        write_feature(out, "contents", x, FEATURE_WORD, keys);  // and what it gets
    } else if (task->vocab[FEATURE_TAG].count) {
        write_feature(out, "tags", x, FEATURE_TAG, queries);    // as one has to type them
    }
}

static void write_snapshots(FILE *out, const Snapshots *s) {
    size_t cells = (size_t)s->rows * (size_t)s->columns, count = (size_t)s->count;
    write_numbers(out, ",\n     \"steps\": ", 9, s->step, count);
    write_numbers(out, ",\n     \"training_loss\": ", 4, s->trained, count);
    fputs(",\n     \"attention\": [", out);
    size_t heads = (size_t)s->heads;
    for (size_t k = 0; k < count * heads; k++) {
        fputs(k % heads ? ",\n      " : k ? "],\n     [" : "\n     [", out);
        write_numbers(out, "", 9, s->weight + k * cells, cells);
    }
    fputs(count ? "]]" : "]", out);
}

static void write_roles(FILE *out, Trainer *t) {
    MByRole roles = m_by_role_of(&t->model, &t->measuring, &t->batch);
    write_words(out, "query_roles", roles.row, roles.rows, 1);
    write_words(out, "key_roles", roles.column, roles.columns, 1);
    write_numbers(out, ",\n     \"M\": ", 4, roles.M, (size_t)roles.rows * (size_t)roles.columns);
    m_by_role_free(&roles);
}

// How a causal model of a text goes on after the first characters that were held out.
static void write_sample(FILE *out, Trainer *t) {
    enum { GIVEN = 24, DRAWN = 400 };
    const Corpus *corpus = &t->task->corpus;
    char *text;
    size_t size;
    Sample sample;
    sample_open(&sample, &t->model, t->config.seed, 0.8, 0);
    for (size_t i = corpus->held_out; i < corpus->count && sample.count < GIVEN; i++)
        sample_read(&sample, corpus->id[i]);
    int given = sample.count;
    while (sample.count < GIVEN + DRAWN && sample_next(&sample) >= 0) continue;
    FILE *memory = memory_open(&text, &size);
    sample_write(memory, &sample, 0, given);
    fputc('\1', memory);  // from here on it is the model's
    sample_write(memory, &sample, given, sample.count);
    memory_close(memory);
    sample_close(&sample);
    fputs(",\n     \"sample\": ", out);
    json_string(out, text);
    free(text);
}

static void write_arm(FILE *out, Trainer *t, const Snapshots *s, const ArmHistory *arm) {
    fputs("    {\"name\": ", out);
    json_string(out, arm->name);
    fputs(", \"formula\": ", out);
    json_string(out, arm->formula);
    fprintf(out, ", \"colour\": \"#%06X\", \"d_k\": %d", (unsigned)arm->colour,
            attention_query_width(model_attention(&t->model)));
    write_snapshots(out, s);
    write_roles(out, t);
    if (t->task->is_text && !t->task->corpus.masked) write_sample(out, t);
    Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
    fputs(",\n     \"scores\": ", out);
    write_heads(out, &x, x.layers - 1, true);
    fputs(",\n     \"layers\": [", out);
    for (int i = 0; i < x.layers; i++) {
        fputs(i ? ",\n      " : "", out);
        write_heads(out, &x, i, false);
    }
    fputs("]}", out);
}

// Of each relation: its questions, and how many of them each guess has right.
static void write_baselines(FILE *out, const Task *task) {
    fputs(",\n  \"baselines\": {", out);
    for (int r = 0; task->guesses && r < task->relations.count; r++) {
        fputs(r ? ", " : "", out);
        json_string(out, task->relations.word[r]);
        fprintf(out, ": [%ld", task_neighbours(&task->held_out, r).questions);
        for (int i = 0; i < task->guesses; i++) fprintf(out, ", %ld", task->guess[i].right[r]);
        fputc(']', out);
    }
    fputc('}', out);
}

static void write_flag(FILE *out, const char *name, bool is) {
    fprintf(out, ",\n  \"%s\": %s", name, is ? "true" : "false");
}

static void write_run(FILE *out, const Trainer *t, const History *h, Making making) {
    results_begin(out, h);
    fputs("  \"version\": ", out);
    json_string(out, QKV_VERSION);
    fprintf(out, ",\n  \"threads\": %d, \"seconds\": %.3f, \"steps\": %d,\n  \"claim\": ",
            making.threads, making.seconds, h->steps);
    json_string(out, making.claim);
    fprintf(out, ",\n  \"pair\": [%d,%d],\n  \"question\": ", making.pair[0], making.pair[1]);
    json_string(out, h->asked);
    write_flag(out, "has_cycle", h->has_cycle);
    fprintf(out, ",\n  \"bound\": %.9g", h->bound);
    write_flag(out, "points_at_answer", h->points_at_answer);
    write_flag(out, "alike", h->alike);
    write_flag(out, "text", h->text);
    write_flag(out, "user_sentences", h->own);
    write_flag(out, "measured_on_training", h->measured_on_training);
    fputs(",\n  \"cycle_relations\": [", out);
    const char *comma = "";
    for (int i = 0; i < t->task->relations.count; i++) {
        if (!task_in_cycle(t->task, i)) continue;
        fputs(comma, out);
        json_string(out, t->task->relations.word[i]);
        comma = ", ";
    }
    fputc(']', out);
}

bool snapshots_write(const char *directory, Trainer *trainer, const Snapshots *snapshots,
                     const History *history, Making making, char error[RESULTS_ERROR]) {
    AtomicFile file;
    if (!atomic_file_open_in(&file, directory, "snapshots.json", error)) return false;
    FILE *out = file.out;
    write_run(out, trainer, history, making);
    Inspected x = inspect_held_out(&trainer->model, &trainer->measuring, &trainer->batch);
    write_sentence(out, &x);
    write_baselines(out, trainer->task);
    fputs(",\n  \"arms\": [\n", out);
    for (int i = 0; i < history->arms; i++) {
        if (i) fputs(",\n", out);
        write_arm(out, &trainer[i], &snapshots[i], &history->arm[i]);
    }
    fputs("\n  ]\n}\n", out);
    return atomic_file_close(&file, error);
}
