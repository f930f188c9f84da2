// Whole models of every arm against PyTorch in double precision (tests/golden_model.py): scores,
// weights, output, loss, every gradient, and every parameter after a step of Adam.
#include <string.h>

#include "golden.h"
#include "setup.h"
#include "test.h"
#include "model/model.h"

static const double TOLERANCE = 2e-6;  // of a tensor's largest number; the worst is 6e-7

enum { D, H, D_K, D_V, RELATIVE, MASK_SELF, SCALED };  // of the golden tensor `config`

static const char *running;  // "pronoun_qkv"

static ModelConfig config_of(const int *c, bool points) {
    return (ModelConfig){
        .attention = {.D = c[D], .H = c[H], .d_k = c[D_K], .d_v = c[D_V], .points_at_answer = points,
                      .scaled = c[SCALED], .relative = c[RELATIVE], .start = START_RANDOM},
        .mask_self = c[MASK_SELF],
    };
}

// A task as far as a model looks at it: how many words and tags there are, and how long a
// sentence is.
static Task task_of(const Golden *g, bool points) {
    Task task = {.name = running, .points_at_answer = points, .trains_embeddings = points,
                 .max_length = golden_find(g, "P")->shape[0]};
    task.vocab[FEATURE_WORD].count = golden_find(g, "E")->shape[0];
    if (points) task.vocab[FEATURE_TAG].count = golden_find(g, "T")->shape[0];
    return task;
}

static int *copy_integers(Golden *g, const char *name) {
    int *copy = arena_alloc(&g->tape.arena, golden_find(g, name)->size, sizeof *copy);
    memcpy(copy, golden_integers(g, name), golden_find(g, name)->size * sizeof *copy);
    return copy;
}

static Batch batch_of(Golden *g, int *length) {
    const Tensor *words = golden_find(g, "words");
    Batch batch = {.B = words->shape[0], .L = words->shape[1], .length = length,
                   .target = copy_integers(g, "target")};
    batch.feature[FEATURE_WORD] = copy_integers(g, "words");
    batch.feature[FEATURE_TAG] = copy_integers(g, "tags");
    batch.answer = copy_integers(g, "target");  // for its size
    batch_answer(&batch);
    return batch;
}

static void compare_gradients(Golden *g, Model *model) {
    const Params *p = &model->params;
    for (int i = 0; i < p->count; i++) {
        char name[64];
        const Tensor *x = p->tensor[i];
        snprintf(name, sizeof name, "d%s", x->name);
        CHECK(golden_has(g, name) == (x->grad != NULL), "%s: %s should %strain", running, x->name,
              golden_has(g, name) ? "" : "not ");
        if (x->grad) golden_compare(g, name, x->grad, x->size, TOLERANCE);
    }
}

static void compare_step(Golden *g, Model *model) {
    Optim optim = optim_adam(0);
    optim_step(&optim, &model->params, 0.01);
    for (int i = 0; i < model->params.count; i++) {
        char name[64];
        const Tensor *x = model->params.tensor[i];
        snprintf(name, sizeof name, "after.%s", x->name);
        if (x->grad) golden_compare(g, name, x->data, x->size, TOLERANCE);
        else golden_compare(g, x->name, x->data, x->size, 0);
    }
}

static void whole_model(void) {
    char file[64];
    snprintf(file, sizeof file, "model_%s", running);
    Golden g = golden_read(file);
    bool points = !strncmp(running, "heads_", 6);
    Task task = task_of(&g, points);
    Model model;
    Tape tape = {0};
    int length[2] = {6, 4};
    model_init(&model, &task, arm_find(strchr(running, '_') + 1),
               config_of(golden_integers(&g, "config"), points), 1);
    for (int i = 0; i < model.params.count; i++)
        golden_fill(&g, model.params.tensor[i]->name, model.params.tensor[i]);
    Batch batch = batch_of(&g, length);
    Forward f = model_forward(&model, &tape, &batch);
    golden_compare(&g, "S", f.attended.S->data, f.attended.S->size, TOLERANCE);
    if (!points) golden_compare(&g, "A", f.attended.A->data, f.attended.A->size, TOLERANCE);
    if (!points) golden_compare(&g, "Y", f.attended.Y->data, f.attended.Y->size, TOLERANCE);
    golden_compare(&g, "loss", f.loss->data, 1, TOLERANCE);
    if (f.loss->grad) tape_backward(&tape, f.loss);
    compare_gradients(&g, &model);
    compare_step(&g, &model);
    model_free(&model);
    tape_free(&tape);
    golden_free(&g);
}

void tests_golden_model(void) {
    static const char *const files[] = {
        "pronoun_xxt", "pronoun_xxt-v", "pronoun_tied", "pronoun_sym", "pronoun_qk", "pronoun_kv",
        "pronoun_qkv", "heads_xxt", "heads_tied", "heads_sym", "heads_qk",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char sentence[128];
        running = files[i];
        snprintf(sentence, sizeof sentence, "PyTorch gives the same model: %s", running);
        test(sentence, whole_model);
    }
}
