// The trainer as a WebAssembly module: what the page of `make playground` calls. Nothing in the core
// knows of it. Read web.h and exchange.h first; worker.js holds the other end.
#include "model/web/web.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/train/clock.h"
#include "model/train/record.h"
#include "model/train/tasks.h"
#include "model/view/inspect.h"
#include "model/view/report/m_by_role.h"
#include "model/view/typed.h"
#include "model/web/exchange.h"

enum { WORDS = 128 };           // of a command line
static const double SLICE = 0.03;  // seconds, after which web_train lets the worker hear its page

// An instance has one arm: an export has no argument that could hold it.
static struct Web {
    char *words;
    Options options;
    Task task;
    Trainer trainer;
    ArmHistory history;
} web;

const char *web_parse(char *text) {
    static char *argv[WORDS];
    char error[OPTIONS_ERROR], program[] = "train";
    int argc = 0;
    free(web.words);
    web.words = text;
    argv[argc++] = program;
    for (char *word = strtok(text, "\n"); word && argc < WORDS; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    if (!parse_options(&web.options, argc, argv, error)) return exchange_refuse(error);
    FILE *out = exchange_begin();
    fputs("{\"options\": {\"\": \"\"", out);
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        char value[32];
        exchange_member(out, option->name + 2, arguments_value(option, &web.options, value));
    }
    fputc('}', out);
    exchange_member(out, "task", web.options.task->name);
    const char *arm_name[ARMS_MOST];
    for (int i = 0; i < web.options.arms; i++) arm_name[i] = web.options.arm[i]->name;
    exchange_list(out, "arms", STRINGS, arm_name, web.options.arms);
    fputs(", \"all\": [", out);
    for (int i = 0; i < arm_count; i++) {
        const Arm *arm = &arm_table[i];
        bool points = arm_without_value(arm) == arm;
        fprintf(out, "%s{\"colour\": \"#%06X\"", i ? "," : "", (unsigned)arm->colour);
        exchange_member(out, "name", arm->name);
        exchange_member(out, "formula", arm->formula);
        exchange_member(out, "pointing", points ? arm->score->formula : NULL);
        fputc('}', out);
    }
    fputs("]}", out);
    return exchange_end(out);
}

const char *web_open(int arm) {
    char error[TASK_ERROR];
    if (!tasks_open(&web.task, &web.options, error)) return exchange_refuse(error);
    trainer_init(&web.trainer, options_config(&web.options), &web.task, web.options.arm[arm]);
    web.history = record_begin(&web.trainer);
    Trainer *t = &web.trainer;
    Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
    Cycles turning = task_cycles(&web.task);
    bool bare = model_attention(&t->model)->config.H == 1;
    FILE *out = exchange_begin();
    fprintf(out, "{\"steps\": %d, \"parameters\": %ld, \"has_cycle\": %d, \"points\": %d",
            web.options.steps, web.history.parameters, turning.cycles > 0,
            web.task.points_at_answer);
    fprintf(out, ", \"bound\": %.9g, \"on_training\": %d",
            turning.cycles && bare ? 1 - (double)turning.cycles / (double)turning.questions : 0,
            web.task.measured_on_training);
    exchange_member(out, "name", web.history.name);
    exchange_member(out, "formula", web.history.formula);
    exchange_sentence(out, &x);
    exchange_attention(out, &x);
    exchange_known(out, &web.task);
    fputc('}', out);
    return exchange_end(out);
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
    FILE *out = exchange_begin();
    fprintf(out, "{\"step\": %d", t->step);
    if (t->failure[0]) exchange_member(out, "failure", t->failure);
    exchange_list(out, "point", DOUBLES, figure, sizeof figure / sizeof *figure);
    Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
    exchange_attention(out, &x);
    fputc('}', out);
    return exchange_end(out);
}

const char *web_inside(void) {
    Trainer *t = &web.trainer;
    MByRole m = m_by_role_of(&t->model, &t->measuring, &t->batch);
    Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
    HeadFigures f = inspect_figures(&x, x.layers - 1, 0, true);
    FILE *out = exchange_begin();
    fprintf(out, "{\"step\": %d, \"d_k\": %d, \"symmetry\": %.9g", t->step, f.d_k, f.symmetry);
    exchange_list(out, "asking", STRINGS, m.row, m.rows);
    exchange_list(out, "answering", STRINGS, m.column, m.columns);
    exchange_list(out, "M", DOUBLES, m.M, m.rows * m.columns);
    exchange_list(out, "singular", DOUBLES, f.singular, f.count);
    fputc('}', out);
    m_by_role_free(&m);
    return exchange_end(out);
}

const char *web_typed(char *sentence) {
    char error[TYPED_ERROR];
    Trainer *t = &web.trainer;
    Example g = {0};
    int keys = web.task.key_count;
    const char *answer = NULL;
    if (!typed_read(&g, &web.task, &web.options, sentence, web.options.seed, error)) {
        if (g.unknown) typed_unknown(&g, &web.options, error);
        answer = exchange_refuse(error);
    } else {
        tape_reset(&t->measuring);
        Inspected x = inspect(&t->model, &t->measuring, &g.batch, &g.sentences, 0);
        FILE *out = exchange_begin();
        fprintf(out, "{\"step\": %d", t->step);
        if (g.note[0]) exchange_member(out, "note", g.note);
        exchange_sentence(out, &x);
        exchange_attention(out, &x);
        exchange_answers(out, &x);
        fputc('}', out);
        answer = exchange_end(out);
    }
    example_free(&g);
    free(sentence);
    web.task.key_count = keys;
    return answer;
}

const char *web_tensors(void) {
    const Params *p = &web.trainer.model.params;
    FILE *out = exchange_begin();
    fputc('[', out);
    for (int i = 0; i < p->count; i++) {
        const Tensor *x = p->tensor[i];
        fprintf(out, "%s{\"at\": %zu, \"size\": %zu", i ? "," : "", (size_t)(uintptr_t)x->data,
                x->size);
        exchange_member(out, "name", x->name);
        exchange_list(out, "shape", INTS, x->shape, x->rank);
        fputc('}', out);
    }
    fputc(']', out);
    return exchange_end(out);
}
