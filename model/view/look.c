// Runs a saved model on one sentence.
#include "look.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"
#include "model/model.h"
#include "model/train/tasks.h"

enum { WINDOW = 24 };  // characters of a text that fit a window

// Shown by a text model whose own text isn't there.
static const char ours[] = "the king gave the old book";

// ---- the model ---------------------------------------------------------------------------------

static bool is_model(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && dot != name && !strcmp(dot, ".safetensors");
}

// The one model of a directory; the caller frees it. NULL: `error` says how many there are.
static char *only_model(const char *path, DIR *directory, char error[LOOK_ERROR]) {
    char *file = NULL, shown[200];
    int count = 0;
    size_t size = 0;
    errno = 0;
    for (struct dirent *entry; (entry = readdir(directory)); errno = 0) {
        if (!is_model(entry->d_name)) continue;
        count++;
        // The first in order, so that the message is the same on every file system.
        if (file && strcmp(entry->d_name, file + strlen(path) + 1) > 0) continue;
        size = strlen(path) + strlen(entry->d_name) + 2;
        file = grow(file, size, 1);
        snprintf(file, size, "%s/%s", path, entry->d_name);
    }
    int reason = errno;
    if (count == 1 && !reason) return file;
    utf8_show(shown, sizeof shown, file ? file : path);
    if (reason) snprintf(error, LOOK_ERROR, "%s: %s", shown, strerror(reason));
    else if (!count)
        snprintf(error, LOOK_ERROR, "%s: no model in it; expected the .safetensors file of a run",
                 shown);
    else
        snprintf(error, LOOK_ERROR,
                 "%d models in that directory; expected the name of one, such as %s", count, shown);
    free(file);
    return NULL;
}

static char *find_model(const char *path, char error[LOOK_ERROR]) {
    DIR *directory = opendir(path);
    char *file = NULL;
    if (directory) {
        file = only_model(path, directory, error);
        closedir(directory);
    } else if (errno == ENOMEM) {
        fatal("out of memory: %s can't be opened", path);
    } else if (errno != ENOTDIR && errno != ENOENT) {
        safetensors_refuse(error, path, "%s; expected a model, or the directory of one",
                           strerror(errno));
    } else {
        file = grow(NULL, strlen(path) + 1, 1);
        strcpy(file, path);
    }
    return file;
}

static bool is_finite(const Look *look, const float *x, size_t n, const char *what,
                      char error[LOOK_ERROR]) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return safetensors_refuse(error, look->file, "%s that aren't finite numbers; "
                                      "expected a trained model", what);
    return true;
}

bool look_open(Look *look, const char *path, char error[LOOK_ERROR]) {
    *look = (Look){.tape.no_gradients = true, .file = find_model(path, error)};
    const char *file = look->file;
    if (!file || !checkpoint_open(&look->saved, file, error)) {
        look_close(look);
        return false;
    }
    const Checkpoint *c = &look->saved;
    model_init(&look->model, &c->task, c->arm, options_config(&c->options).model, 0);
    look->built = true;
    bool good = checkpoint_weights(c, file, &look->model.params, error);
    if (!good) look_close(look);
    return good;
}

void look_close(Look *look) {
    if (look->built) model_free(&look->model);
    tape_free(&look->tape);
    example_free(&look->given);
    if (look->saved.arm) checkpoint_close(&look->saved);
    free(look->file);
    *look = (Look){0};
}

// ---- the sentence ------------------------------------------------------------------------------

static void append(char error[LOOK_ERROR], const char *before, const char *word) {
    char shown[72];
    size_t used = strlen(error);
    snprintf(error + used, LOOK_ERROR - used, "%s%s", before, utf8_show(shown, sizeof shown, word));
}

// The nearest of the known words, the very nearest first; or, if none is near, some of them.
static void say_unknown(const Example *g, char error[LOOK_ERROR]) {
    enum { NEAREST = 3, EXAMPLES = 4 };
    int count = g->known->count - g->first_known, told = 0;
    char of[64];
    const char *word, **left = grow(NULL, (size_t)(count > 0 ? count : 0), sizeof *left);
    for (int i = 0; i < count; i++) left[i] = g->known->word[g->first_known + i];
    snprintf(of, sizeof of, "\" is unknown to the model; it knows %d: ", count);
    error[0] = '\0';
    append(error, "\"", g->unknown);
    for (; told < NEAREST && (word = nearest(g->unknown, left, count)); told++) {
        append(error, told ? ", " : "\" is unknown to the model; the nearest it knows: ", word);
        for (int i = 0; i < count; i++)
            if (left[i] == word) left[i] = left[--count];
    }
    for (int i = 0; !told && i < EXAMPLES && i < count; i++) append(error, i ? ", " : of, left[i]);
    if (!told) append(error, count > EXAMPLES ? ", ..." : "", "");
    free(left);
}

static bool read_sentence(Look *look, const char *text, uint64_t seed, char error[LOOK_ERROR]) {
    Task *task = &look->saved.task;
    Example *g = &look->given;
    Rng rng = rng_new(seed, STREAM_HIDDEN);
    const Source *source = tasks_source(&look->saved.options);
    bool good = source->typed(g, task, text, random_source(&rng), error);
    task->key_count = g->key_count;
    if (!good && g->unknown) say_unknown(g, error);
    return good;
}

// The first held-out sentence of the run's own options with another seed, as it would be typed:
// what is read is then looked up in the model's vocabularies, whatever they are.
static bool made_up(Look *look, uint64_t seed, char error[LOOK_ERROR]) {
    Options o = look->saved.options;
    Task task;
    char text[1024] = "";
    int used = 0;
    o.seed = seed;
    o.held_out = 1;
    if (!tasks_open(&task, &o, error)) return false;
    const Sentences *s = &task.held_out;
    for (size_t i = 0; i < s->tokens && used < (int)sizeof text - 64; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", i ? " " : "",
                         task_form(&task, s, i));
        if ((int)i < task.key_count)
            used += snprintf(text + used, sizeof text - (size_t)used, ":%s",
                             task.vocab[FEATURE_WORD].word[s->feature[FEATURE_WORD][i]]);
    }
    task_free(&task);
    snprintf(look->origin, sizeof look->origin, "made up from seed %llu", (unsigned long long)seed);
    return read_sentence(look, text, seed, error);
}

static bool from_file(Look *look, uint64_t seed, char error[LOOK_ERROR]) {
    const Options *o = &look->saved.options;
    const Task *task = &look->saved.task;
    uint64_t number = seed ? seed - 1 : 0;
    SourceOptions source = tasks_source_options(o);
    const char *file = source.dev ? source.dev : source.file;
    char why[TASK_ERROR], shown[200];
    Rng rng = rng_new(seed ? seed : o->seed, STREAM_HIDDEN);
    utf8_show(shown, sizeof shown, file);
    snprintf(look->origin, sizeof look->origin, "%s %llu of what is held out of %s",
             task->is_text ? "window" : "sentence", (unsigned long long)number + 1, shown);
    source.context = task->max_length < WINDOW ? task->max_length : WINDOW;
    bool good = tasks_source(o)->held_out(&look->given, task, &source, number,
                                          random_source(&rng), why);
    if (look->given.trained_on)
        snprintf(look->origin, sizeof look->origin, "sentence %llu of %s; it was trained on, too",
                 (unsigned long long)number + 1, shown);
    if (good) return true;
    if (look->given.unknown) return say_unknown(&look->given, error), false;
    if (!task->is_text) return snprintf(error, LOOK_ERROR, "%.440s; give a sentence instead", why), false;
    snprintf(look->origin, sizeof look->origin,
             "one of ours, as its own text can't be read (%.300s)", why);
    char part[sizeof ours];
    snprintf(part, sizeof part, "%.*s", task->max_length, ours);
    return text_typed(&look->given, task, part, random_source(&rng), error);
}

static void run(Look *look) {
    Model *model = &look->model;
    int layers = model_layers(model);
    look->forward = model_forward(model, &look->tape, &look->given.batch);
    look->attention = arena_alloc(&look->tape.arena, (size_t)layers, sizeof *look->attention);
    for (int i = 0; i < layers; i++)
        look->attention[i] = softmax(&look->tape, look->forward.layer[i].masked)->data;
    look->rows = look->forward.attended.S->shape[2];
    look->columns = look->forward.attended.S->shape[3];
}

// Finite weights may be so large that what comes of them isn't; no figure would mean anything.
static bool is_sound(const Look *look, char error[LOOK_ERROR]) {
    const Tensor *logits = look->forward.logits;
    for (int i = 0; i < model_layers(&look->model); i++) {
        const Tensor *S = look->forward.layer[i].S;
        if (!is_finite(look, S->data, S->size, "scores", error)) return false;
    }
    return !logits || is_finite(look, logits->data, logits->size, "logits", error);
}

bool look_at(Look *look, const char *sentence, uint64_t seed, char error[LOOK_ERROR]) {
    const Options *o = &look->saved.options;
    uint64_t luck = seed ? seed : o->seed;
    tape_reset(&look->tape);
    example_free(&look->given);
    look->origin[0] = '\0';
    bool from = tasks_source(o)->held_out != NULL;
    bool good = sentence ? read_sentence(look, sentence, luck, error)
              : from ? from_file(look, seed, error) : made_up(look, luck, error);
    if (!good) return false;
    if (o->mask_self && !task_has_keys(&look->saved.task) && look->given.batch.L < 2) {
        snprintf(error, LOOK_ERROR,
                 "one word, which may not attend to itself (--mask-self); expected two or more");
        return false;
    }
    run(look);
    return is_sound(look, error);
}

// ---- what there is to see ----------------------------------------------------------------------

int look_heads(const Look *look, int layer) { return model_layer(&look->model, layer)->config.H; }

const char *look_column(const Look *look, int j) { return look->given.sentences.form[j]; }
const char *look_row(const Look *look, int i) {
    return look->given.sentences.form[i + look->saved.task.key_count];
}
const int *look_target(const Look *look) {
    return look->given.batch.target + look->saved.task.key_count;
}

const float *look_scores(const Look *look, int layer, int head) {
    return look->forward.layer[layer].S->data
           + (size_t)head * (size_t)look->rows * (size_t)look->columns;
}

const float *look_weights(Look *look, int layer, int head) {
    size_t cells = (size_t)look->rows * (size_t)look->columns;
    int H = look_heads(look, layer);
    const float *A = look->attention[layer];
    if (head != ALL_HEADS) return A + (size_t)head * cells;
    if (H == 1) return A;
    float *mean = arena_alloc(&look->tape.arena, cells, sizeof *mean);
    measure_mean_map(A, (size_t)H, cells, mean);
    return mean;
}

double look_nll(const Look *look, int layer, int head, int i, int j) {
    size_t n = (size_t)look->rows, m = (size_t)look->columns;
    const float *row = look->forward.layer[layer].masked->data + (size_t)i * m;
    if (head != ALL_HEADS) return measure_nll(row + (size_t)head * n * m, m, (size_t)j);
    return measure_mean_nll(row, (size_t)look_heads(look, layer), n * m, m, (size_t)j);
}

HeadFigures look_figures(const Look *look, int layer, int head, bool singular) {
    const Attention *a = model_layer(&look->model, layer);
    size_t D = (size_t)a->config.D, n = (size_t)look->rows;
    HeadFigures f = {.S = {NAN, NAN}, .d_k = a->W_Q ? a->config.d_k : 0, .count = (int)D};
    if (!task_has_keys(&look->saved.task)) f.S = measure_direction(look_scores(look, layer, head), n, n);
    double *M = grow(NULL, D * D, sizeof *M);
    attention_m(a, head, M);
    f.symmetry = measure_symmetry(M, D);
    if (singular) {
        f.singular = grow(NULL, D, sizeof *f.singular);
        measure_singular_values(M, D, f.singular);
        f.rank = measure_rank(f.singular, f.count);
    }
    free(M);
    return f;
}

void look_figures_free(HeadFigures *f) {
    free(f->singular);
    *f = (HeadFigures){0};
}

int look_answer(const Look *look, int q, double *share) {
    size_t V = (size_t)look->forward.logits->shape[2];
    const float *row = look->forward.logits->data + (size_t)q * V;
    size_t best = measure_argmax(row, V);
    *share = exp(-measure_nll(row, V, best));
    return (int)best;
}
