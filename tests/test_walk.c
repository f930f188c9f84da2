// Every op that a real model records has a row in the gradient test: an op without one has a
// derivative that nobody checked.
#include <math.h>
#include <string.h>

#include "autograd/ops.h"
#include "gradient.h"
#include "setup.h"
#include "test.h"

// Walks the tape of a real batch. Gives the number of ops.
static int walk(const Setup *s, const Arm *arm, ModelConfig config) {
    Model model;
    Tape tape = {0};
    Batch batch = {0};
    int ops = 0;
    model_init(&model, &s->task, arm, config, 1);
    setup_batch(s, &batch, 4, s->task.max_length > 20 ? 0 : s->task.max_length);
    Forward f = model_forward(&model, &tape, &batch);
    if (f.loss->wants_grad) tape_backward(&tape, f.loss);
    for (const Tensor *x = tape.last; x; x = x->prev, ops++)
        CHECK(!strcmp(x->name, "input") || gradient_has_row(x->name),
              "%s, arm %s: the op %s has no row in tests/gradient.c", s->task.name, arm->name,
              x->name);
    batch_free(&batch);
    tape_free(&tape);
    model_free(&model);
    return ops;
}

// With and without distances, one head and (where the answer isn't pointed at) several, values of
// the model's width and of another.
static void walk_all(const char *command) {
    Setup s;
    setup_open(&s, command);
    for (int a = 0; a < arm_count; a++)
        for (int relative = 0; relative <= 3; relative += 3)
            for (int H = 1; H <= (s.task.points_at_answer ? 1 : 4); H += 3)
                for (int narrow = 0; narrow <= 1; narrow++) {
                    ModelConfig config = options_config(&s.options).model;
                    config.attention.relative = relative;
                    config.attention.H = H;
                    config.attention.d_k = 4;
                    config.attention.d_v = narrow ? 5 : config.attention.D / H;
                    int ops = walk(&s, &arm_table[a], config);
                    CHECK(ops >= 8, "only %d ops on the tape of %s", ops, arm_table[a].name);
                }
    setup_close(&s);
}

// ---- memory that is used again -------------------------------------------------------------------

// Forward and backward on a tape that recycles, or not. The gradients of the parameters stay in the
// model. Gives the memory that it took.
static size_t step(Model *model, const Batch *batch, bool recycles) {
    Tape tape = {.recycles = recycles};
    params_zero_grad(&model->params);
    Forward f = model_forward(model, &tape, batch);
    if (f.loss->wants_grad) tape_backward(&tape, f.loss);
    params_need_grad(&model->params, "test");
    size_t peak = tape.arena.peak;
    tape_free(&tape);
    return peak;
}

static void same_gradients(const Setup *s, const Arm *arm, ModelConfig config) {
    Model model, other;
    Batch batch = {0};
    model_init(&model, &s->task, arm, config, 1);
    model_init(&other, &s->task, arm, config, 1);
    for (size_t i = 0; i < other.params.size; i++) other.params.grad[i] = NAN;  // none is left over
    setup_batch(s, &batch, 4, s->task.max_length > 20 ? 0 : s->task.max_length);
    size_t kept = step(&model, &batch, false), recycled = step(&other, &batch, true);
    setup_same_bits(arm->name, other.params.grad, model.params.grad, model.params.size);
    CHECK(recycled <= kept, "%s: %zu bytes, without recycling %zu", arm->name, recycled, kept);
    batch_free(&batch);
    model_free(&model);
    model_free(&other);
}

static void recycling_changes_no_bit(void) {
    static const char *const command[] = {
        "train --held-out 8 --d-model 16 --d-k 4 --relative 3",
        "train --held-out 8 --d-model 16 --layers 2 --heads 4 --relative 3",
        "train search --held-out 8 --layers 1", "train heads --d-model 16 --suffixes",
    };
    for (int c = 0; c < 4; c++) {
        Setup s;
        setup_open(&s, command[c]);
        for (int a = 0; a < arm_count; a++)
            same_gradients(&s, &arm_table[a], options_config(&s.options).model);
        setup_close(&s);
    }
}

// A gain that an op computed has no gradient before the first that it gets.
static void computed_gain_recycled(void) {
    float got[2][4];
    for (int recycles = 0; recycles < 2; recycles++) {
        Params p = {0};
        Tape tape = {.recycles = recycles};
        Tensor *w = params_add(&p, "w", true, 1, (const int[]){4});
        Tensor *x = params_add(&p, "x", true, 2, (const int[]){3, 4});
        params_seal(&p);
        setup_normal(w, 1, 1);
        setup_normal(x, 2, 1);
        Tensor *gain = scale(&tape, w, 2), *bias = scale(&tape, w, -1);
        Tensor *y = layer_norm(&tape, x, gain, bias);
        tape_backward(&tape, sum(&tape, mul(&tape, y, y)));
        memcpy(got[recycles], w->grad, sizeof got[0]);
        tape_free(&tape);
        params_free(&p);
    }
    setup_same_bits("a computed gain", got[1], got[0], 4);
}

// The product reads h again backward, so that scale, which reads h after it, must not release h.
static void read_twice_recycled(void) {
    float got[2][16];
    for (int recycles = 0; recycles < 2; recycles++) {
        Params p = {0};
        Tape tape = {.recycles = recycles};
        Tensor *W = params_add(&p, "W", true, 2, (const int[]){4, 4});
        Tensor *x = params_add(&p, "x", true, 2, (const int[]){3, 4});
        params_seal(&p);
        setup_normal(W, 1, 1);
        setup_normal(x, 2, 1);
        Tensor *h = scale(&tape, x, 2), *y = matmul(&tape, h, W), *z = scale(&tape, h, 3);
        tape_backward(&tape, sum(&tape, mul(&tape, y, z)));
        memcpy(got[recycles], W->grad, sizeof got[0]);
        tape_free(&tape);
        params_free(&p);
    }
    setup_same_bits("W", got[1], got[0], 16);
}

// Of a transformer, most is in its blocks: of each, values and gradients without recycling, and
// with it the values that backward reads.
static void recycling_takes_less_memory(void) {
    Setup s;
    Model model;
    Batch batch = {0};
    setup_open(&s, "train --held-out 32 --layers 4 --heads 4");
    model_init(&model, &s.task, arm_find("qkv"), options_config(&s.options).model, 1);
    setup_batch(&s, &batch, 32, 0);
    size_t kept = step(&model, &batch, false), recycled = step(&model, &batch, true);
    CHECK(100 * recycled < 45 * kept, "%zu bytes of %zu", recycled, kept);
    batch_free(&batch);
    model_free(&model);
    setup_close(&s);
}

static void walk_pronoun(void) { walk_all("train --held-out 8 --d-model 16"); }
static void walk_pronoun_otherwise(void) {
    walk_all("train --held-out 8 --d-model 16 --no-scale --mask-self --init random");
}
static void walk_heads(void) { walk_all("train heads --d-model 16"); }
static void walk_heads_otherwise(void) {
    walk_all("train heads --d-model 16 --suffixes --capitals --freeze-embeddings");
}

static void walk_blocks(void) { walk_all("train --held-out 8 --d-model 16 --layers 1"); }

static void unknown_op(void) { CHECK(!gradient_has_row("no such op"), "a row for no such op"); }

void tests_walk(void) {
    test("every op of pronoun has a gradient test", walk_pronoun);
    test("every op of pronoun has a gradient test, under other options", walk_pronoun_otherwise);
    test("every op of heads has a gradient test", walk_heads);
    test("every op of heads has a gradient test, under other options", walk_heads_otherwise);
    test("every op of a transformer block has a gradient test", walk_blocks);
    test("an op without a gradient test is noticed", unknown_op);
    test("a tape that recycles gives the same gradients, of every arm", recycling_changes_no_bit);
    test("a tape that recycles keeps what another op will read again", read_twice_recycled);
    test("a tape that recycles has room for the gradient of a computed gain", computed_gain_recycled);
    test("a tape that recycles takes less than half of the memory", recycling_takes_less_memory);
}
