// From the words of a command line to Options: the task and its defaults, then what was typed, then
// what depends on other options, and which options do not go together.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/train/tasks.h"

// ---- what was typed ----------------------------------------------------------------------------

static bool name_task(void *to, char *word, char *error) {
    Options *o = to;
    char text[160];
    if (!strcmp(word, "help")) return o->help = true;
    if (o->task)
        return arguments_wrong(error, "%.60s: one task at a time, and it is %s", word,
                               o->task->name);
    o->task = tasks_find(word);
    if (o->task) return true;
    const Names names = {task_table, sizeof *task_table, task_count};
    return arguments_wrong(error, "\"%.60s\" is not a task%s", word,
                           suggest(word, names, "the tasks are", text));
}

static Options defaults_of(const TaskKind *task) {
    Options o = task->defaults;
    o.seed = 1;
    o.accumulate = 1;
    o.momentum = 0.9;
    o.schedule = SCHEDULE_COSINE;
    o.out = "out";
    o.save_every = 10;
    return o;
}

// Reads twice, since the task, whose defaults come first, may be the last word.
bool parse_as_typed(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]) {
    *o = (Options){0};
    if (!arguments_read(options_table, o, argc, argv, name_task, error)) return false;
    const TaskKind *task = o->task ? o->task : &task_table[0];
    *o = defaults_of(task);
    o->d_k = 0;             // These depend on other options: not given yet.
    o->lr = o->momentum = o->warmup = -1;
    if (!arguments_read(options_table, o, argc, argv, name_task, error)) return false;
    o->task = task;
    return true;
}

// ---- what depends on other options -------------------------------------------------------------

static const double BLOCK_LR = 0.003;  // of tasks that have a bare head unless --layers is given

static bool read_arms(Options *o, char error[OPTIONS_ERROR]) {
    const Names names = {arm_table, sizeof *arm_table, arm_count};
    for (const char *at = o->arm_list; ; at++) {
        char name[16] = "", text[160];
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", n < 15 ? (int)n : 15, at);
        const Arm *arm = arm_find(name);
        if (!arm)
            return arguments_wrong(error, "--arms: \"%s\" is not an arm%s", name,
                                   suggest(name, names, "the arms are", text));
        for (int i = 0; i < o->arms; i++)
            if (o->arm[i] == arm) return arguments_wrong(error, "--arms: %s is named twice", name);
        o->arm[o->arms++] = arm;
        at += n;
        if (!*at) return true;
    }
}

// An option of another task is 0 unless it was given.
static bool belong_to_task(const Options *o, char error[OPTIONS_ERROR]) {
    static const Options none;
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        if (!tasks_takes(o->task, option) && !arguments_same(option, o, &none))
            return arguments_wrong(error, "%s belongs to %s, and the task is %s", option->name,
                                   option->only, o->task->name);
    }
    return true;
}

static bool fill_widths(Options *o, char error[OPTIONS_ERROR]) {
    int each = o->d_model / o->heads, usual_d_k = o->task->defaults.d_k;
    if (o->d_model % o->heads)
        return arguments_wrong(error, "--heads %d: they must divide d_model, %d", o->heads,
                               o->d_model);
    if (!o->d_k) o->d_k = each < usual_d_k || o->heads > 1 ? each : usual_d_k;
    if (!o->d_v) o->d_v = each;
    return o->d_k <= each || o->init != START_TIED
           || arguments_wrong(error,
                              "--d-k %d: at most d_model / heads, %d, for orthonormal columns; "
                              "--init random takes any", o->d_k, each);
}

bool parse_options(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]) {
    if (!parse_as_typed(o, argc, argv, error)) return false;
    if (o->help || o->version) return true;
    const TaskKind *task = o->task;
    if (!belong_to_task(o, error) || !read_arms(o, error)) return false;
    if (task->check && !task->check(o, error)) return false;
    int short_warmup = o->steps / 10;
    bool added_blocks = o->layers && !task->defaults.layers;
    if (o->lr < 0) o->lr = added_blocks ? BLOCK_LR : task->defaults.lr;
    if (o->momentum < 0) o->momentum = defaults_of(task).momentum;
    if (o->warmup < 0)
        o->warmup = task->defaults.warmup < short_warmup ? task->defaults.warmup : short_warmup;
    return fill_widths(o, error);
}

bool parse_command(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]) {
    Options given;
    if (!parse_options(o, argc, argv, error)) return false;
    if (o->help || o->version) return true;
    parse_as_typed(&given, argc, argv, error);
    bool scores = false, values = false;
    for (int i = 0; i < o->arms; i++) {
        scores |= score_trains(o->arm[i]->score);
        values |= o->arm[i]->value == VALUE_V;
    }
    const struct { bool idle; const char *option, *why; } row[] = {
        {given.momentum >= 0 && o->optimizer != OPTIM_SGD, "--momentum",
         "it belongs to --optimizer sgd, and the optimiser is adam"},
        {given.steps && given.epochs, "--epochs", "--steps says how long to train; give one of them"},
        {given.d_k && !scores, "--d-k", "no arm has a matrix for its scores, as tied, sym and qk do"},
        {given.relative && !scores, "--relative",
         "no arm has a matrix for its scores, as tied, sym and qk do"},
        {given.d_v && !values, "--d-v", "no arm has a W_V, as qkv does"},
        {given.d_ff && !o->layers, "--d-ff", "without --layers there is no MLP"},
        {given.init != o->task->defaults.init && !scores && !values && !o->layers, "--init",
         "no arm has a matrix that starts as it says"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].idle)
            return arguments_wrong(error, "%s has no effect: %s", row[i].option, row[i].why);
    return true;
}

// ---- --help ------------------------------------------------------------------------------------

// "0.03; heads, coref 0.005, text 0.001": the first task's default, then the others that differ
// from it. A value stands behind the last of those tasks that have it.
static const char *describe_default(const Option *option, char text[160]) {
    char first[32] = "", other[32] = "", last[34] = "";
    size_t used = 0;
    int different = 0;
    text[0] = '\0';
    if (option->kind == FLAG || option->kind == TEXT) return text;
    for (int i = 0; i < task_count; i++) {
        const Options o = defaults_of(&task_table[i]);
        const char *value = arguments_value(option, &o, *first ? other : first);
        bool unset = option->kind == INT && atoi(value) < option->least;
        if (unset || !tasks_takes(&task_table[i], option)) continue;
        if (!used) used = (size_t)sprintf(text, "%s", value);
        else if (strcmp(first, value)) {
            bool same = *last && !strcmp(last + 1, value);
            used += (size_t)snprintf(text + used, 160 - used, "%s%s %s", same ? "" : last,
                                     different++ ? "," : ";", task_table[i].name);
            snprintf(last, sizeof last, " %s", value);
        }
    }
    if (different) snprintf(text + used, 160 - used, "%s", last);
    return text;
}

void parse_help(FILE *out) {
    fputs("./train [TASK] [options]        train the arms of TASK side by side\n"
          "./train show MODEL [SENTENCE]   what a saved model attends to (show --help)\n"
          "./train sample MODEL            text from a trained `text` model (sample --help)\n"
          "./train sweep [TASK] ...        over a grid of options (sweep --help)\n"
          "./train report DIR              the page of a run once more (report --help)\n"
          "./train graph                   the tape of one tiny step, to follow by hand\n"
          "\ntasks, and the arms that each trains\n", out);
    for (int i = 0; i < task_count; i++)
        fprintf(out, "  %-10s %s\n%13s%s\n", task_table[i].name, task_table[i].asks, "",
                task_table[i].defaults.arm_list);
    fputs("\narms: the score, the value\n", out);
    for (int i = 0; i < arm_count; i++)
        fprintf(out, "  %-10s %s\n", arm_table[i].name, arm_table[i].formula);
    fputs("\noptions (in brackets: the default)\n", out);
    for (int i = 0; i < options_table.count; i++) {
        char text[160];
        const Option *option = &options_table.option[i];
        arguments_help_line(out, option, describe_default(option, text));
    }
}
