// Cross-attention, blocks, and models built of them against PyTorch in double precision
// (tests/golden_block.py): outputs, every gradient, those of the inputs too, and steps of AdamW.
#include <string.h>

#include "golden.h"
#include "setup.h"
#include "test.h"
#include "model/model.h"

// Of a tensor's largest number; each two to three times the worst that there is. Through
// blocks that is 2.4e-6, where PyTorch's own float32 misses by 2.8e-6: a layer norm of 4
// numbers widens what rounding left.
static const double ATTENTION = 1e-6, BLOCK = 5e-6, STEPS = 5e-7;

typedef struct File { const char *name, *arm; } File;

static const File *running;

// What a layer needs: weights, inputs that want a gradient, and a mask, all as the file has them.
typedef struct Bench {
    Golden g;
    Params params;
    Tape tape;
    AttentionConfig config;
    Tensor *X, *Z;           // (B, L, D), (B, M, D) or NULL
    unsigned char *allowed;  // (B, L, M)
} Bench;

static Tensor *input(Bench *b, const char *name) {
    if (!golden_has(&b->g, name)) return NULL;
    const Tensor *x = golden_find(&b->g, name);
    return params_add(&b->params, name, true, x->rank, x->shape);
}

static void bench_open(Bench *b) {
    enum { D, H, D_K, D_V, OUTPUT };  // of the golden tensor `config`
    *b = (Bench){.g = golden_read(running->name)};
    const int *c = golden_integers(&b->g, "config");
    b->config = (AttentionConfig){.D = c[D], .H = c[H], .d_k = c[D_K], .d_v = c[D_V],
                                  .output = c[OUTPUT], .scaled = true, .start = START_RANDOM};
    b->X = input(b, "X");
    b->Z = input(b, "Z");
    const Tensor *allowed = golden_find(&b->g, "allowed");
    b->allowed = arena_alloc(&b->tape.arena, allowed->size, 1);
    for (size_t i = 0; i < allowed->size; i++) b->allowed[i] = allowed->data[i] != 0;
}

static void fill_all(const Golden *g, Params *params) {
    for (int i = 0; i < params->count; i++)
        golden_fill(g, params->tensor[i]->name, params->tensor[i]);
}

// Each parameter that trains has a gradient in the file, and no other.
static void compare_gradients(const Golden *g, const Params *params, double tolerance) {
    for (int i = 0; i < params->count; i++) {
        char name[64];
        const Tensor *x = params->tensor[i];
        snprintf(name, sizeof name, "d%s", x->name);
        CHECK(golden_has(g, name) == (x->grad != NULL), "%s: %s should %strain", g->name, x->name,
              golden_has(g, name) ? "" : "not ");
        if (x->grad) golden_compare(g, name, x->grad, x->size, tolerance);
    }
}

static void bench_close(Bench *b, Tensor *out, double tolerance) {
    char expected[64], got[64];
    CHECK_STRING(tensor_shape(out, got), tensor_shape(golden_find(&b->g, "out"), expected));
    golden_compare(&b->g, "out", out->data, out->size, tolerance);
    tape_backward(&b->tape, sum(&b->tape, mul(&b->tape, out, golden_find(&b->g, "weight"))));
    compare_gradients(&b->g, &b->params, tolerance);
    params_free(&b->params);
    tape_free(&b->tape);
    golden_free(&b->g);
}

static void one_attention(void) {
    Bench b;
    Attention a;
    bench_open(&b);
    attention_add(&a, &b.params, "", arm_find(running->arm), b.config);
    params_seal(&b.params);
    fill_all(&b.g, &b.params);
    bench_close(&b, attention(&b.tape, &a, b.X, b.Z, b.allowed, b.X->shape[0]).Y, ATTENTION);
}

static void one_block(void) {
    Bench b;
    Block block;
    Attended attended;
    bench_open(&b);
    block_add(&block, &b.params, 0, arm_find(running->arm), b.config, 0);
    params_seal(&b.params);
    fill_all(&b.g, &b.params);
    Tensor *out = block_forward(&b.tape, &block, b.X, b.Z, b.allowed, b.X->shape[0], &attended);
    bench_close(&b, out, BLOCK);
}

// ---- whole models ------------------------------------------------------------------------------

// A model and its batch, as the file has them.
typedef struct Whole {
    Golden g;
    Task task;
    Model model;
    Tape tape;
    Batch batch;  // its arrays are the file's
} Whole;

static int *copy_integers(Golden *g, const char *name) {
    int *copy = arena_alloc(&g->tape.arena, golden_find(g, name)->size, sizeof *copy);
    memcpy(copy, golden_integers(g, name), golden_find(g, name)->size * sizeof *copy);
    return copy;
}

static void ask_for_next(Batch *batch) {
    for (int b = 0; b < batch->B; b++)
        for (int i = 0; i < batch->L; i++) {
            int r = b * batch->L + i;
            batch->target[r] = -1;
            batch->answer[r] = i + 1 < batch->length[b] ? batch->feature[FEATURE_WORD][r + 1] : -1;
        }
}

static void whole_open(Whole *w, const char *name, const char *arm) {
    enum { D, H, D_K, D_V, LAYERS, POINTS, KEYS, NEXT };  // of the golden tensor `config`
    *w = (Whole){.g = golden_read(name)};
    Golden *g = &w->g;
    const int *c = golden_integers(g, "config");
    w->task = (Task){.name = name, .points_at_answer = c[POINTS], .key_count = c[KEYS],
                     .trains_embeddings = c[POINTS] || c[NEXT], .causal = c[NEXT]};
    if (golden_has(g, "P")) w->task.max_length = golden_find(g, "P")->shape[0];
    w->task.vocab[FEATURE_WORD].count = golden_find(g, "E")->shape[0];
    w->task.vocab[FEATURE_TAG].count = golden_find(g, "T")->shape[0];
    if (c[KEYS]) w->task.vocab[FEATURE_TERM].count = golden_find(g, "term")->shape[0];
    ModelConfig config = {.attention = {.D = c[D], .H = c[H], .d_k = c[D_K], .d_v = c[D_V],
                                        .points_at_answer = c[POINTS], .scaled = true, .start = START_RANDOM},
                          .layers = c[LAYERS], .mask_self = c[POINTS],
                          .readout = c[NEXT] ? READOUT_OWN : READOUT_TIED};
    model_init(&w->model, &w->task, arm_find(arm), config, 1);
    fill_all(g, &w->model.params);
    const Tensor *words = golden_find(g, "words");
    w->batch = (Batch){.B = words->shape[0], .L = words->shape[1],
                       .length = copy_integers(g, "length"), .target = copy_integers(g, "target")};
    w->batch.feature[FEATURE_WORD] = copy_integers(g, "words");
    w->batch.feature[FEATURE_TAG] = copy_integers(g, "tags");
    w->batch.feature[FEATURE_TERM] = copy_integers(g, "terms");
    w->batch.answer = copy_integers(g, "target");  // for its size
    batch_answer(&w->batch);
    if (c[NEXT]) ask_for_next(&w->batch);
}

static Forward whole_run(Whole *w) {
    params_zero_grad(&w->model.params);
    tape_reset(&w->tape);
    Forward f = model_forward(&w->model, &w->tape, &w->batch);
    tape_backward(&w->tape, f.loss);
    return f;
}

static void whole_close(Whole *w) {
    model_free(&w->model);
    tape_free(&w->tape);
    golden_free(&w->g);
}

static void one_model(void) {
    Whole w;
    whole_open(&w, running->name, running->arm);
    Forward f = whole_run(&w);
    CHECK(golden_has(&w.g, "logits") == (f.logits != NULL), "%s: logits", running->name);
    if (f.logits) golden_compare(&w.g, "logits", f.logits->data, f.logits->size, BLOCK);
    golden_compare(&w.g, "loss", f.loss->data, 1, BLOCK);
    compare_gradients(&w.g, &w.model.params, BLOCK);
    whole_close(&w);
}

static void three_steps_of_a_model(void) {
    Whole w;
    whole_open(&w, "blocks_pronoun", "qkv");
    Golden after = golden_read("blocks_adamw");
    Optim optim = optim_adam((double)golden_number(&after, "decay"));
    for (int step = 1; step <= 3; step++) {
        char name[16];
        snprintf(name, sizeof name, "loss%d", step);
        golden_compare(&after, name, whole_run(&w).loss->data, 1, STEPS);
        optim_step(&optim, &w.model.params, (double)golden_number(&after, "rate"));
    }
    for (int i = 0; i < w.model.params.count; i++) {
        char name[64];
        const Tensor *x = w.model.params.tensor[i];
        snprintf(name, sizeof name, "after.%s", x->name);
        if (x->grad) golden_compare(&after, name, x->data, x->size, STEPS);
        else golden_compare(&w.g, x->name, x->data, x->size, 0);
    }
    golden_free(&after);
    whole_close(&w);
}

static void test_files(const char *format, void (*body)(void), const File *files, size_t count) {
    for (running = files; running < files + count; running++) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "%s: %s", format, running->name);
        test(sentence, body);
    }
}

void tests_golden_block(void) {
    static const File attentions[] = {
        {"attention_xxt", "xxt"}, {"attention_tied", "tied"}, {"attention_sym", "sym"},
        {"attention_kv", "kv"}, {"attention_qkv", "qkv"}, {"attention_multihead", "qkv"},
    };
    static const File blocks[] = {
        {"block_qkv", "qkv"}, {"block_kv", "kv"}, {"block_tied", "tied"}, {"block_sym", "sym"},
        {"block_cross", "qkv"}, {"block_encoder", "qkv"},
    };
    static const File models[] = {
        {"blocks_pronoun", "qkv"}, {"blocks_heads", "tied"}, {"blocks_search", "kv"},
        {"blocks_text", "qkv"},
    };
    test_files("PyTorch gives the same cross-attention and gradients", one_attention, attentions,
               sizeof attentions / sizeof *attentions);
    test_files("PyTorch gives the same block and gradients", one_block, blocks,
               sizeof blocks / sizeof *blocks);
    test_files("PyTorch gives the same model of blocks", one_model, models,
               sizeof models / sizeof *models);
    test("three steps of AdamW on a model of two blocks are PyTorch's", three_steps_of_a_model);
}
