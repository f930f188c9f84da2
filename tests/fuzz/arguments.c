// The command line, a line of input an argument: what is accepted means the same when it is printed
// and typed again, as a command for a shell and as options.
#include <string.h>
#include <unistd.h>

#include "autograd/fatal.h"
#include "fuzz.h"
#include "model/sweep/grid.h"
#include "model/train/tasks.h"
#include "model/view/commands.h"

enum { MOST = 64 };

// Each line in memory of its own, so that the sanitizer sees its end.
static int part(char *text, char **argv) {
    int argc = 0;
    argv[argc++] = strcpy(grow(NULL, 8, 1), "./train");
    for (char *at = text, *end; *at && argc < MOST; at = end + (*end == '\n')) {
        end = at + strcspn(at, "\n");
        size_t n = (size_t)(end - at);
        argv[argc] = grow(NULL, n + 1, 1);
        memcpy(argv[argc], at, n);
        argv[argc++][n] = '\0';
    }
    argv[argc] = NULL;
    return argc;
}

// ---- as a command ------------------------------------------------------------------------------

// The next word as a shell reads it: blanks part words, '...' is taken as it is, \' is a quote.
static const char *next_word(const char *at, char *to) {
    for (; *at && *at != ' '; at++) {
        if (*at == '\\') *to++ = *++at;
        else if (*at != '\'') *to++ = *at;
        else while (*++at != '\'') *to++ = *at;
    }
    *to = '\0';
    return *at ? at + 1 : at;
}

static void check_command(int argc, char **argv) {
    char *command = arguments_command(argc, argv), *word = grow(NULL, strlen(command) + 1, 1);
    const char *at = command;
    for (int i = 0; i < argc; i++) {
        at = next_word(at, word);
        HOLDS(!strcmp(word, argv[i]));
    }
    HOLDS(!*at);
    free(word);
    free(command);
}

// ---- as options --------------------------------------------------------------------------------

// A bare head that points has no value, but a default for its width. What is below its least isn't
// set.
static const char *typed(const Option *option, const Options *o, char text[32]) {
    const void *at = (const char *)o + option->offset;
    bool no_value = at == &o->d_v && o->task->points_at_answer && !o->layers;
    if (no_value || (option->kind == INT && *(const int *)at < option->least)) return NULL;
    return arguments_value(option, o, text);
}

static void check_options(const Options *o) {
    char text[128][32], error[OPTIONS_ERROR];
    const char *word[260] = {"./train", o->task->name};
    char *argv[260];
    int argc = 2;
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        const char *value = typed(option, o, text[i]);
        if (!value) continue;
        word[argc++] = option->name;
        if (option->kind != FLAG) word[argc++] = value;
    }
    memcpy(argv, word, sizeof argv);
    Options again;
    HOLDS(parse_options(&again, argc, argv, error));
    HOLDS(o->task == again.task && o->arms == again.arms);
    for (int k = 0; k < o->arms; k++) HOLDS(o->arm[k] == again.arm[k]);
    for (int i = 0; i < options_table.count; i++) {
        char a[32], b[32];
        const char *x = typed(&options_table.option[i], o, a);
        const char *y = typed(&options_table.option[i], &again, b);
        HOLDS(!x == !y && (!x || !strcmp(x, y)));
    }
}

// What the sizes promise to those who multiply them.
static void check_sizes(const Options *o) {
    HOLDS(o->arms >= 1 && o->arms <= arm_count);
    HOLDS(o->d_model >= 1 && o->heads >= 1 && o->d_model % o->heads == 0);
    HOLDS(o->d_k >= 1 && o->d_v >= 1 && o->layers >= 0 && o->batch >= 1 && o->held_out >= 1);
    HOLDS(o->steps >= 1 || (o->task->points_at_answer && o->epochs >= 1));
    HOLDS(o->warmup >= 0 && o->lr >= 0 && o->embed_rms >= 0 && o->decay >= 0 && o->clip >= 0);
}

static void check_sweep(int argc, char **argv) {
    char error[GRID_ERROR] = "";
    Grid g;
    if (grid_read(&g, argc, argv, error) && !g.base.help) {
        HOLDS(g.runs >= 1 && g.runs <= GRID_MOST);
        HOLDS(g.first >= 0 && g.first <= g.end && g.end <= g.runs);
        const int some[] = {0, g.runs / 2, g.runs - 1};
        for (int i = 0; i < 3; i++) {
            Options o;
            HOLDS(grid_options(&g, some[i], &o, error));
            check_sizes(&o);
        }
    }
    grid_free(&g);
}

static void check_training(int argc, char **argv) {
    char error[OPTIONS_ERROR] = "";
    Options o;
    if (!parse_options(&o, argc, argv, error)) fuzz_refused(error, "");
    else if (!o.help && !o.version) {
        check_sizes(&o);
        check_options(&o);
    }
}

static bool is(const char *word, const char *command) { return word && !strcmp(word, command); }

// No model is there; a run's in the working directory would be shown, and written of.
static bool is_safe(char **argv) {
    while (*argv && access(*argv, F_OK)) argv++;
    return !*argv;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_string(data, size), *argv[MOST + 1], *given[MOST + 1];
    int argc = part(text, argv);
    memcpy(given, argv, sizeof given);
    check_command(argc, argv);
    if (is(argv[1], "sweep")) check_sweep(argc, argv);
    else if (is(argv[1], "show") || is(argv[1], "sample")) {
        if (is_safe(argv + 2)) (argv[1][1] == 'h' ? command_show : command_sample)(argc, argv);
    } else {
        check_training(argc, argv);
    }
    for (int i = 0; i < argc; i++) free(given[i]);
    free(text);
    return 0;
}
