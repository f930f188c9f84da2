// The trainer as a WebAssembly module: what the page of `make playground` calls. Nothing in the core
// knows of it. Read web.h first; worker.js holds the other end.
#include "model/web/web.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/save/json.h"
#include "model/save/memory.h"
#include "model/train/clock.h"
#include "model/train/record.h"
#include "model/train/tasks.h"
#include "model/view/inspect.h"
#include "model/view/report/m_by_role.h"
#include "model/view/typed.h"

enum { WORDS = 128 };           // of a command line
static const double SLICE = 0.03;  // seconds, after which web_train lets the worker hear its page

// An instance has one arm: an export has no argument that could hold it.
static struct Web {
    char *file, *words, *answer;
    size_t answer_size;
    Options options;
    Task task;
    Trainer trainer;
    ArmHistory history;
} web;

char *web_room(size_t size) { return grow(NULL, size, 1); }

void web_file(char *name_and_text) {
    free(web.file);
    web.file = name_and_text;
}

// In place of libc's, which would bring a file system along.
FILE *fopen(const char *name, const char *mode) {
    if (web.file && !strcmp(name, web.file)) {
        char *text = web.file + strlen(name) + 1;
        return fmemopen(text, strlen(text), mode);
    }
    errno = ENOENT;
    return NULL;
}

// ---- answers -----------------------------------------------------------------------------------

static FILE *begin(void) {
    free(web.answer);
    return memory_open(&web.answer, &web.answer_size);
}

static const char *end(FILE *out) {
    memory_close(out);
    return web.answer;
}

static const char *refuse(const char *error) {
    FILE *out = begin();
    fputs("{\"error\": ", out);
    json_string(out, error);
    fputc('}', out);
    return end(out);
}

static void member(FILE *out, const char *name, const char *text) {
    fprintf(out, ", \"%s\": ", name);
    json_string(out, text);
}

typedef enum Of { INTS, FLAGS, FLOATS, DOUBLES, STRINGS } Of;

// Each item of an array of that type.
static void array(FILE *out, Of type, const void *x, size_t n) {
    fputc('[', out);
    for (size_t i = 0; i < n; i++) {
        if (i) fputc(',', out);
        switch (type) {
        case INTS: fprintf(out, "%d", ((const int *)x)[i]); break;
        case FLAGS: fprintf(out, "%d", ((const bool *)x)[i]); break;
        case FLOATS: fprintf(out, "%.4g", (double)((const float *)x)[i]); break;
        case DOUBLES: json_number(out, ((const double *)x)[i]); break;
        case STRINGS: json_string(out, ((const char *const *)x)[i]); break;
        }
    }
    fputc(']', out);
}

static void list(FILE *out, const char *name, Of type, const void *x, int n) {
    fprintf(out, ", \"%s\": ", name);
    array(out, type, x, (size_t)n);
}

// Of ids: those names; -1 and the like: null.
static void names(FILE *out, const char *name, const Vocab *v, const int *id, int n) {
    const char **word = grow(NULL, (size_t)n, sizeof *word);
    for (int i = 0; i < n; i++)
        word[i] = id[i] >= 0 && id[i] < v->count ? v->word[id[i]] : NULL;
    list(out, name, STRINGS, word, n);
    free(word);
}

// ---- a sentence --------------------------------------------------------------------------------

static void write_sentence(FILE *out, const Inspected *x) {
    const Vocab *v = web.task.vocab;
    int keys = web.task.key_count;
    list(out, "rows", STRINGS, x->row_word, x->rows);
    list(out, "columns", STRINGS, x->column_word, x->columns);
    list(out, "targets", INTS, x->target, x->rows);
    names(out, "relations", &web.task.relations, x->relation, x->rows);
    list(out, "cycle", FLAGS, x->cycle, x->rows);
    if (!keys) return;
    names(out, "titles", &v[FEATURE_TAG], x->batch->feature[FEATURE_TAG], keys);
    names(out, "contents", &v[FEATURE_WORD], x->batch->feature[FEATURE_WORD], keys);
}

// [layer][head] of (rows, columns); the scores of the last layer alone.
static void write_attention(FILE *out, const Inspected *x) {
    size_t cells = (size_t)x->rows * (size_t)x->columns;
    fputs(", \"attention\": [", out);
    for (int i = 0; i < x->layers; i++) {
        fputs(i ? ",[" : "[", out);
        for (int h = 0; h < inspect_heads(x, i); h++) {
            if (h) fputc(',', out);
            array(out, FLOATS, inspect_attention(x, i, h), cells);
        }
        fputc(']', out);
    }
    fputc(']', out);
}

static void write_answers(FILE *out, const Inspected *x) {
    const char *comma = "";
    fputs(", \"answers\": [", out);
    for (int q = 0; x->forward.logits && q < x->forward.questions; q++, comma = ",") {
        double probability;
        int word = inspect_answer(x, q, &probability);
        fprintf(out, "%s{\"row\": %d", comma, x->forward.row[q] - web.task.key_count);
        member(out, "word", web.task.vocab[FEATURE_WORD].word[word]);
        fprintf(out, ", \"probability\": %.4g}", probability);
    }
    fputc(']', out);
}

// ---- exports -----------------------------------------------------------------------------------

const char *web_parse(char *text) {
    static char *argv[WORDS];
    char error[OPTIONS_ERROR], program[] = "train";
    int argc = 0;
    free(web.words);
    web.words = text;
    argv[argc++] = program;
    for (char *word = strtok(text, "\n"); word && argc < WORDS; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    if (!parse_options(&web.options, argc, argv, error)) return refuse(error);
    FILE *out = begin();
    fputs("{\"options\": {\"\": \"\"", out);
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        char value[32];
        member(out, option->name + 2, arguments_value(option, &web.options, value));
    }
    fputc('}', out);
    member(out, "task", web.options.task->name);
    const char *arm_name[ARMS_MOST];
    for (int i = 0; i < web.options.arms; i++) arm_name[i] = web.options.arm[i]->name;
    list(out, "arms", STRINGS, arm_name, web.options.arms);
    fputs(", \"all\": [", out);
    for (int i = 0; i < arm_count; i++) {
        const Arm *arm = &arm_table[i];
        bool points = arm_without_value(arm) == arm;
        fprintf(out, "%s{\"colour\": \"#%06X\"", i ? "," : "", (unsigned)arm->colour);
        member(out, "name", arm->name);
        member(out, "formula", arm->formula);
        member(out, "pointing", points ? arm->score->formula : NULL);
        fputc('}', out);
    }
    fputs("]}", out);
    return end(out);
}

const char *web_open(int arm) {
    char error[TASK_ERROR];
    if (!tasks_open(&web.task, &web.options, error)) return refuse(error);
    trainer_init(&web.trainer, options_config(&web.options), &web.task, web.options.arm[arm]);
    web.history = record_begin(&web.trainer);
    Trainer *t = &web.trainer;
    Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
    Cycles turning = task_cycles(&web.task);
    bool bare = model_attention(&t->model)->config.H == 1;
    FILE *out = begin();
    fprintf(out, "{\"steps\": %d, \"parameters\": %ld, \"has_cycle\": %d, \"points\": %d",
            web.options.steps, web.history.parameters, turning.cycles > 0,
            web.task.points_at_answer);
    fprintf(out, ", \"bound\": %.9g, \"on_training\": %d",
            turning.cycles && bare ? 1 - (double)turning.cycles / (double)turning.questions : 0,
            web.task.measured_on_training);
    member(out, "name", web.history.name);
    member(out, "formula", web.history.formula);
    write_sentence(out, &x);
    const Vocab *known = &web.task.vocab[FEATURE_WORD];
    list(out, "known", STRINGS, known->word, known->count < 400 ? known->count : 400);
    fputc('}', out);
    return end(out);
}

int web_train(int step) {
    trainer_run(&web.trainer, step, &(double){clock_now() + SLICE});
    return web.trainer.step;
}

int web_next(int step, int steps) { return history_next(step, steps); }

const char *web_look(void) {
    Trainer *t = &web.trainer;
    ArmHistory *arm = &web.history;
    Measurement p = evaluate(t, tasks_curve_sentences(&web.task, &web.options), arm);
    const double figure[] = {p.loss, p.attention_accuracy, p.accuracy, p.asymmetry, p.circulation,
                             p.attention_nll, p.seconds, arm->cycle_attention_accuracy};
    FILE *out = begin();
    fprintf(out, "{\"step\": %d", t->step);
    if (t->failure[0]) member(out, "failure", t->failure);
    list(out, "point", DOUBLES, figure, sizeof figure / sizeof *figure);
    Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
    write_attention(out, &x);
    fputc('}', out);
    return end(out);
}

const char *web_inside(void) {
    Trainer *t = &web.trainer;
    MByRole m = m_by_role_of(&t->model, &t->measuring, &t->batch);
    Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
    HeadFigures f = inspect_figures(&x, x.layers - 1, 0, true);
    FILE *out = begin();
    fprintf(out, "{\"step\": %d, \"d_k\": %d, \"symmetry\": %.9g", t->step, f.d_k, f.symmetry);
    list(out, "asking", STRINGS, m.row, m.rows);
    list(out, "answering", STRINGS, m.column, m.columns);
    list(out, "M", DOUBLES, m.M, m.rows * m.columns);
    list(out, "singular", DOUBLES, f.singular, f.count);
    fputc('}', out);
    m_by_role_free(&m);
    return end(out);
}

const char *web_typed(char *sentence) {
    char error[TYPED_ERROR];
    Trainer *t = &web.trainer;
    Example g = {0};
    int keys = web.task.key_count;
    const char *answer = NULL;
    if (!typed_read(&g, &web.task, &web.options, sentence, web.options.seed, error)) {
        if (g.unknown) typed_unknown(&g, &web.options, error);
        answer = refuse(error);
    } else {
        tape_reset(&t->measuring);
        Inspected x = inspect(&t->model, &t->measuring, &g.batch, &g.sentences, 0);
        FILE *out = begin();
        fprintf(out, "{\"step\": %d", t->step);
        if (g.note[0]) member(out, "note", g.note);
        write_sentence(out, &x);
        write_attention(out, &x);
        write_answers(out, &x);
        fputc('}', out);
        answer = end(out);
    }
    example_free(&g);
    free(sentence);
    web.task.key_count = keys;
    return answer;
}

const char *web_tensors(void) {
    const Params *p = &web.trainer.model.params;
    FILE *out = begin();
    fputc('[', out);
    for (int i = 0; i < p->count; i++) {
        const Tensor *x = p->tensor[i];
        fprintf(out, "%s{\"at\": %zu, \"size\": %zu", i ? "," : "", (size_t)(uintptr_t)x->data,
                x->size);
        member(out, "name", x->name);
        list(out, "shape", INTS, x->shape, x->rank);
        fputc('}', out);
    }
    fputc(']', out);
    return end(out);
}
