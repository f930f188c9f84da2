// ./train show: its command line, what it prints in order, and the arrays for NumPy.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/save/memory.h"
#include "model/save/results.h"
#include "model/train/tasks.h"
#include "model/view/canvas.h"
#include "model/view/commands.h"
#include "model/view/show_heads.h"
#include "model/view/typed.h"

typedef struct ShowOptions {
    const char *model, *npy;
    char *sentence;    // owned; NULL: none given
    int layer, head;   // from 1; 0: all
    uint64_t seed;     // 0: none given
    bool help;
} ShowOptions;

#define AT(field) offsetof(ShowOptions, field)

static const Option table[] = {
    {"--layer", "N", INT, AT(layer), 1, 1e6, FORGOTTEN, 0, "that layer alone, counted from 1"},
    {"--head", "N", INT, AT(head), 1, 1e6, FORGOTTEN, 0,
     "that head alone, of each layer, counted from 1"},
    {"--seed", "N", SEED, AT(seed), 0, 0, FORGOTTEN, 0,
     "which one, made up or held out (0: the run's)"},
    {"--npy", "DIR", TEXT, AT(npy), 0, 0, FORGOTTEN, 0,
     "S, A, M and its singular values, for NumPy"},
    {"--help", NULL, FLAG, AT(help), 0, 0, FORGOTTEN, 0, "this"},
};
static const OptionTable show_table = {table, sizeof table / sizeof *table};

static void help(FILE *out) {
    fputs("./train show MODEL [SENTENCE] [options]    what a saved model attends to\n\n"
          "MODEL: a .safetensors file that a run left behind, or a directory with one in it\n\n"
          "SENTENCE, of the task that the model was trained on; or one of the task's own\n", out);
    for (int i = 0; i < task_count; i++)
        fprintf(out, "  %-9s %s\n", task_table[i].name, task_table[i].example);
    fputs("\noptions\n", out);
    arguments_help(out, show_table);
}

static bool read_word(void *to, char *word, char *error) {
    ShowOptions *o = to;
    (void)error;
    char *before = o->sentence;
    if (!o->model) o->model = word;
    else o->sentence = memory_print(before ? "%s %s" : "%s%s", before ? before : "", word);
    if (o->sentence != before) free(before);
    return true;
}

// ---- what is printed ---------------------------------------------------------------------------

static long long steps_of(const SavedModel *m) {
    const SafeTensor *x = safetensors_find(&m->saved.file, "training.step");
    int64_t step = -1;
    if (x && !strcmp(x->dtype, "I64") && x->rank == 0) memcpy(&step, x->data, sizeof step);
    return step;
}

static void write_model(FILE *to, const SavedModel *m) {
    const Options *o = &m->saved.options;
    const Arm *arm = m->saved.arm;
    bool pointing = m->saved.task.points_at_answer && !o->layers;
    fprintf(to, "%s\n%s, arm %s, %s: %s\n", m->file, m->saved.task.name, arm->name,
            pointing ? "score" : "score and value",
            pointing ? arm->score->formula : arm->formula);
    if (o->layers)
        fprintf(to, "%d layer%s of %d head%s, ", o->layers, o->layers > 1 ? "s" : "", o->heads,
                o->heads > 1 ? "s" : "");
    else if (o->heads > 1) fprintf(to, "%d heads, ", o->heads);
    fprintf(to, "d_model %d", o->d_model);
    if (score_trains(arm->score)) fprintf(to, ", d_k %d", o->d_k);
    if (arm->value == VALUE_V && !pointing) fprintf(to, ", d_v %d", o->d_v);
    if (steps_of(m) >= 0) fprintf(to, "; %lld steps", steps_of(m));
    fprintf(to, ", seed %llu\n\n", (unsigned long long)o->seed);
}

// Who the model is, and the sentence that it is given.
static void print_head(Term term, const SavedModel *m) {
    char *text;
    size_t size;
    FILE *to = memory_open(&text, &size);
    write_model(to, m);
    typed_write(to, &m->saved.task, &m->given.sentences);
    if (m->origin[0]) fprintf(to, " (%s)", m->origin);
    if (m->given.note[0]) fprintf(to, "\n%s", m->given.note);
    memory_close(to);
    print_wrapped(stdout, term, "%s\n", text);
    free(text);
}

static void print_all(const Chosen *chosen) {
    Term term = term_of(stdout);
    print_head(term, chosen->model);
    show_questions(stdout, term, chosen);
    putchar('\n');
    show_maps(stdout, term, chosen);
    putchar('\n');
    show_figures(stdout, term, chosen);
}

// ---- what is written ---------------------------------------------------------------------------

static bool write_matrix(const char *directory, const char *name, int layer, int head,
                         const float *x, int rows, int columns, char error[RESULTS_ERROR]) {
    char file[64];
    const int shape[] = {rows, columns}, rank = columns ? 2 : 1;
    snprintf(file, sizeof file, "%s.%d.%d", name, layer + 1, head + 1);
    return results_npy(directory, file, x, rank, shape, error);
}

// M and its singular values.
static bool write_m(const Inspected *x, const char *directory, int layer, int head,
                    char error[RESULTS_ERROR]) {
    const Attention *a = model_layer(x->model, layer);
    int D = a->config.D, cells = D * D;
    double *M = grow(NULL, (size_t)cells, sizeof *M);
    float *written = grow(NULL, (size_t)cells, sizeof *written);
    attention_m(a, head, M);
    for (int i = 0; i < cells; i++) written[i] = (float)M[i];
    bool good = write_matrix(directory, "M", layer, head, written, D, D, error);
    HeadFigures f = inspect_figures(x, layer, head, true);
    for (int i = 0; i < D; i++) written[i] = (float)f.singular[i];
    good = good && write_matrix(directory, "singular", layer, head, written, D, 0, error);
    free(written);
    free(M);
    return good;
}

static bool write_arrays(const Chosen *chosen, const char *directory, char error[RESULTS_ERROR]) {
    const Inspected *x = &chosen->sentence;
    int n = x->rows, m = x->columns, D = chosen->model->saved.options.d_model, k = 0, layer, h;
    for (; chosen_head(chosen, k, &layer, &h); k++) {
        const float *S = inspect_scores(x, layer, h), *A = inspect_attention(x, layer, h);
        if (!write_matrix(directory, "S", layer, h, S, n, m, error)
            || !write_matrix(directory, "A", layer, h, A, n, m, error)
            || !write_m(x, directory, layer, h, error))
            return false;
    }
    printf("\n%s: S and A (%d, %d), M (%d, %d), singular (%d,), as NAME.", directory,
           n, m, D, D, D);
    if (k == 1 && chosen_head(chosen, 0, &layer, &h)) printf("%d.%d.npy\n", layer + 1, h + 1);
    else printf("LAYER.HEAD.npy,\nof %d heads\n", k);
    return true;
}

// ---- the command -------------------------------------------------------------------------------

static bool choose(const ShowOptions *o, const SavedModel *m, Chosen *chosen,
                   char error[OPTIONS_ERROR]) {
    int layers = model_layers(&m->model);
    if (o->layer > layers)
        return arguments_wrong(error, "--layer %d: the model has %d, counted from 1", o->layer,
                               layers);
    *chosen = (Chosen){.model = m, .last_layer = layers - 1,
                       .head = o->head ? o->head - 1 : ALL_HEADS};
    if (o->layer) chosen->first_layer = chosen->last_layer = o->layer - 1;
    for (int i = chosen->first_layer; i <= chosen->last_layer; i++) {
        int H = model_layer(&m->model, i)->config.H;
        if (o->head > H)
            return arguments_wrong(error, "--head %d: layer %d has %d, counted from 1", o->head,
                                   i + 1, H);
    }
    return true;
}

static int show_model(const ShowOptions *o, SavedModel *m) {
    char error[SAVED_MODEL_ERROR];
    Chosen chosen;
    if (!choose(o, m, &chosen, error)
        || !saved_model_inspect(m, o->sentence, o->seed, &chosen.sentence, error)
        || (o->npy && !results_directory(o->npy, error)))
        return misused(error);
    print_all(&chosen);
    if (o->npy && !write_arrays(&chosen, o->npy, error)) {
        fprintf(stderr, "train: %s\n", error);
        return FAILED;
    }
    return printed() ? DONE : FAILED;
}

int command_show(int argc, char **argv) {
    ShowOptions o = {0};
    SavedModel model;
    char error[SAVED_MODEL_ERROR];
    int status;
    if (!arguments_read(show_table, &o, argc - 1, argv + 1, read_word, error))
        status = misused(error);
    else if (o.help) {
        help(stdout);
        status = printed() ? DONE : FAILED;
    }
    else if (!o.model)
        status = misused("show: of which model? ./train show out/qkv.safetensors, "
                         "and show --help tells more");
    else if (!saved_model_open(&model, o.model, error)) status = misused(error);
    else {
        status = show_model(&o, &model);
        saved_model_close(&model);
    }
    free(o.sentence);
    return status;
}
