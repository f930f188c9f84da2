#include "snapshots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "version.h"  // made by the Makefile
#include "autograd/fatal.h"
#include "model/save/json.h"
#include "model/save/memory.h"
#include "model/view/report/m_by_role.h"
#include "model/view/sample.h"

// ---- taking them -------------------------------------------------------------------------------

static int folded(int n, int fold) { return (n + fold - 1) / fold; }

static int fold_of(const Shown *shown) {
    int longest = shown->rows > shown->columns ? shown->rows : shown->columns;
    return folded(longest, SNAPSHOT_WORDS);
}

// Cell (i, j) of a folded map: the mean over its queries of the sum (`mean`: the mean) over its
// keys.
static double fold_cell(const float *map, const Shown *shown, int fold, int i, int j, bool mean) {
    int rows = 0, keys = 0;
    double sum = 0;
    for (int r = i * fold; r < (i + 1) * fold && r < shown->rows; r++, rows++)
        for (int c = j * fold; c < (j + 1) * fold && c < shown->columns; c++, keys++)
            sum += (double)map[(size_t)r * (size_t)shown->columns + (size_t)c];
    return sum / (mean ? keys : rows);
}

void snapshots_add(Snapshots *s, Trainer *t) {
    Shown shown = shown_of(t, shown_sentence(t->task));
    s->fold = fold_of(&shown);
    s->rows = folded(shown.rows, s->fold);
    s->columns = folded(shown.columns, s->fold);
    size_t cells = (size_t)s->rows * (size_t)s->columns;
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        s->step = grow(s->step, (size_t)s->capacity, sizeof *s->step);
        s->weight = grow(s->weight, (size_t)s->capacity, cells * sizeof *s->weight);
        s->trained = grow(s->trained, (size_t)s->capacity, sizeof *s->trained);
    }
    uint16_t *weight = s->weight + (size_t)s->count * cells;
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < s->columns; j++)
            *weight++ = (uint16_t)lround(1e4 * fold_cell(shown.mean, &shown, s->fold, i, j, false));
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

static void write_ints(FILE *out, const char *name, const int *x, int n) {
    fprintf(out, "\"%s\": [", name);
    for (int i = 0; i < n; i++) fprintf(out, "%s%d", i ? "," : "", x[i]);
    fputc(']', out);
}

static void write_doubles(FILE *out, const double *x, int n) {
    fputc('[', out);
    for (int i = 0; i < n; i++) {
        fputs(i ? "," : "", out);
        if (isfinite(x[i])) fprintf(out, "%.4g", x[i]);
        else fputs("null", out);
    }
    fputc(']', out);
}

// A map of the sentence that was shown: weights in ten-thousandths, scores with four digits.
static void write_map(FILE *out, const float *map, const Shown *shown, int fold, bool scores) {
    const char *comma = "";
    fputc('[', out);
    for (int i = 0; i < folded(shown->rows, fold); i++)
        for (int j = 0; j < folded(shown->columns, fold); j++, comma = ",") {
            double x = fold_cell(map, shown, fold, i, j, scores);
            if (scores) fprintf(out, "%s%.4g", comma, x);
            else fprintf(out, "%s%ld", comma, lround(1e4 * x));
        }
    fputc(']', out);
}

// Maps of several heads, one behind the other in memory.
static void write_heads(FILE *out, const float *map, int heads, const Shown *shown, int fold,
                        bool scores) {
    size_t cells = (size_t)shown->rows * (size_t)shown->columns;
    fputc('[', out);
    for (int h = 0; h < heads; h++) {
        fputs(h ? ",\n      " : "", out);
        write_map(out, map + (size_t)h * cells, shown, fold, scores);
    }
    fputc(']', out);
}

static const char *name_of(const Vocab *names, int id) {
    return id >= 0 && id < names->count ? names->word[id] : NULL;
}

// The name of each token's feature, of the pages that queries search.
static void write_feature(FILE *out, const char *name, const Trainer *t, int feature,
                          int fold) {
    int n = t->task->key_count;
    const char **word = grow(NULL, (size_t)n, sizeof *word);
    for (int i = 0; i < n; i++)
        word[i] = name_of(&t->task->vocab[feature], t->batch.feature[feature][i]);
    write_words(out, name, word, n, fold);
    free(word);
}

static void write_sentence(FILE *out, const Trainer *t, const Shown *shown, int fold) {
    const Task *task = t->task;
    int keys = task->key_count, queries = shown->rows;
    const char **kind = grow(NULL, (size_t)queries, sizeof *kind);
    int *target = grow(NULL, (size_t)queries, sizeof *target);
    for (int i = 0; i < queries; i++) {
        int relation = shown->relation[keys + i], j = shown->target[keys + i];
        kind[i] = name_of(&task->relations, relation);
        target[i] =
            fold > 1 || j >= shown->columns ? -1 : j;  // folded rows ask for many words at once
    }
    fprintf(out, ",\n  \"fold\": %d, \"queries\": %d, \"keys\": %d, \"separate\": %s", fold,
            queries, shown->columns, keys ? "true" : "false");
    write_words(out, "rows", shown->word + keys, queries, fold);
    write_words(out, "columns", shown->word, shown->columns, fold);
    write_words(out, "relations", kind, queries, fold);
    fputs(",\n  ", out);
    write_ints(out, "targets", target, folded(queries, fold));
    if (keys) {
        write_feature(out, "titles", t, FEATURE_TAG, fold);  // what a query looks for
        write_feature(out, "contents", t, FEATURE_WORD, fold);  // and what it gets
    }
    free(kind);
    free(target);
}

static void write_snapshots(FILE *out, const Snapshots *s) {
    size_t cells = (size_t)s->rows * (size_t)s->columns;
    fputs(",\n     ", out);
    write_ints(out, "steps", s->step, s->count);
    fputs(",\n     \"training_loss\": ", out);
    write_doubles(out, s->trained, s->count);
    fputs(",\n     \"attention\": [", out);
    for (int k = 0; k < s->count; k++) {
        const uint16_t *weight = s->weight + (size_t)k * cells;
        fputs(k ? ",\n      [" : "\n      [", out);
        for (size_t c = 0; c < cells; c++) fprintf(out, "%s%d", c ? "," : "", weight[c]);
        fputc(']', out);
    }
    fputc(']', out);
}

static void write_roles(FILE *out, Trainer *t) {
    MByRole roles = m_by_role_of(t);
    write_words(out, "query_roles", roles.row, roles.rows, 1);
    write_words(out, "key_roles", roles.column, roles.columns, 1);
    fputs(",\n     \"M\": ", out);
    write_doubles(out, roles.M, roles.rows * roles.columns);
    m_by_role_free(&roles);
}

// How a causal model of a text goes on after the first characters that were held out.
static void write_sample(FILE *out, Trainer *t) {
    enum { GIVEN = 24, DRAWN = 400 };
    const Corpus *corpus = &t->task->corpus;
    int drawn[GIVEN + DRAWN], n = 0;
    char *text;
    size_t size;
    Sample sample;
    sample_open(&sample, &t->model, t->config.seed, 0.8, 0);
    for (int i = 0, id = 0; i < GIVEN + DRAWN && id >= 0; i++) {
        bool given = i < GIVEN && corpus->held_out + (size_t)i < corpus->count;
        id = given ? corpus->id[corpus->held_out + (size_t)i] : sample_next(&sample);
        if (id < 0) break;
        if (given) sample_read(&sample, id);
        drawn[n++] = id;
    }
    sample_close(&sample);
    FILE *memory = memory_open(&text, &size);
    for (int i = 0; i < n; i++) {
        const char *name = t->task->vocab[FEATURE_WORD].word[drawn[i]];
        fputs(strcmp(name, "<0x0A>") ? name : "\n", memory);
        if (i + 1 == GIVEN) fputc('\1', memory);  // from here on it is the model's
    }
    memory_close(memory);
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
    Shown shown = shown_of(t, shown_sentence(t->task));
    int fold = fold_of(&shown);
    fputs(",\n     \"scores\": ", out);
    write_heads(out, shown.scores, shown.heads, &shown, fold, true);
    fputs(",\n     \"layers\": [", out);
    for (int i = 0; i < shown.layers; i++) {
        fputs(i ? ",\n      " : "", out);
        write_heads(out, shown.layer[i], shown.layer_heads[i], &shown, fold, false);
    }
    fputs("]}", out);
}

// Each relation's share of questions that "the previous word" and "the next word" would answer.
static void write_baselines(FILE *out, const Task *task) {
    fputs(",\n  \"baselines\": {", out);
    for (int r = 0; task->points_at_answer && r < task->relations.count; r++) {
        Neighbours count = task_neighbours(&task->held_out, r);
        fputs(r ? ", " : "", out);
        json_string(out, task->relations.word[r]);
        fprintf(out, ": [%ld, %ld, %ld]", count.questions, count.previous, count.next);
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
    fputs(",\n  \"question\": ", out);
    json_string(out, h->asked);
    write_flag(out, "has_cycle", h->has_cycle);
    write_flag(out, "has_bound", h->bound > 0);
    write_flag(out, "points_at_answer", h->points_at_answer);
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
    Result file;
    if (!results_open(&file, directory, "snapshots.json", error)) return false;
    FILE *out = file.out;
    write_run(out, trainer, history, making);
    Shown shown = shown_of(trainer, shown_sentence(trainer->task));
    write_sentence(out, trainer, &shown, fold_of(&shown));
    write_baselines(out, trainer->task);
    fputs(",\n  \"arms\": [\n", out);
    for (int i = 0; i < history->arms; i++) {
        if (i) fputs(",\n", out);
        write_arm(out, &trainer[i], &snapshots[i], &history->arm[i]);
    }
    fputs("\n  ]\n}\n", out);
    return results_close(&file, error);
}
