// Every op and every optimiser against PyTorch in double precision (tests/golden.py).
#include "golden.h"

#include <string.h>

#include "setup.h"
#include "test.h"
#include "autograd/ops.h"
#include "autograd/optim.h"

static const double TOLERANCE = 2e-6;  // of a tensor's largest number; the worst is 8e-7, of gelu

static Tensor *build_add(Tape *t, Tensor **in, Golden *g) { (void)g; return add(t, in[0], in[1]); }
static Tensor *build_sub(Tape *t, Tensor **in, Golden *g) { (void)g; return sub(t, in[0], in[1]); }
static Tensor *build_mul(Tape *t, Tensor **in, Golden *g) { (void)g; return mul(t, in[0], in[1]); }
static Tensor *build_scale(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return scale(t, in[0], 0.37);
}
static Tensor *build_relu(Tape *t, Tensor **in, Golden *g) { (void)g; return relu(t, in[0]); }
static Tensor *build_gelu(Tape *t, Tensor **in, Golden *g) { (void)g; return gelu(t, in[0]); }
static Tensor *build_sum(Tape *t, Tensor **in, Golden *g) { (void)g; return sum(t, in[0]); }
static Tensor *build_mean(Tape *t, Tensor **in, Golden *g) { (void)g; return mean(t, in[0]); }
static Tensor *build_transpose(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return transpose(t, in[0]);
}
static Tensor *build_split(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return split_heads(t, in[0], 3);
}
static Tensor *build_split_one(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return split_heads(t, in[0], 1);
}
static Tensor *build_merge(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return merge_heads(t, in[0]);
}
static Tensor *build_matmul(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return matmul(t, in[0], in[1]);
}
static Tensor *build_matmul_t(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return matmul_t(t, in[0], in[1]);
}
static Tensor *build_softmax(Tape *t, Tensor **in, Golden *g) { (void)g; return softmax(t, in[0]); }
static Tensor *build_relative(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return relative(t, in[0]);
}

static Tensor *build_reshape(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return reshape(t, in[0], 2, (const int[]){5, 6});
}

static Tensor *build_embedding(Tape *t, Tensor **in, Golden *g) {
    const Tensor *ids = golden_find(g, "ids");
    return embedding(t, in[0], golden_integers(g, "ids"), ids->shape[0], ids->shape[1]);
}

static Tensor *build_mask(Tape *t, Tensor **in, Golden *g) {
    const Tensor *numbers = golden_find(g, "allowed");
    unsigned char *allowed = arena_alloc(&g->tape.arena, numbers->size, 1);
    for (size_t i = 0; i < numbers->size; i++) allowed[i] = numbers->data[i] != 0;
    return mask(t, in[0], allowed, numbers->shape[0]);
}

static Tensor *build_mask_softmax(Tape *t, Tensor **in, Golden *g) {
    return softmax(t, build_mask(t, in, g));
}

static Tensor *build_norm(Tape *t, Tensor **in, Golden *g) {
    (void)g;
    return layer_norm(t, in[0], in[1], in[2]);
}

static Tensor *build_cross_entropy(Tape *t, Tensor **in, Golden *g) {
    return cross_entropy(t, in[0], golden_integers(g, "targets"));
}

typedef struct Case {
    const char *name;
    Tensor *(*build)(Tape *, Tensor **in, Golden *);
} Case;

static const Case cases[] = {
    {"add", build_add}, {"add_repeated", build_add}, {"sub", build_sub},
    {"mul", build_mul}, {"mul_repeated", build_mul}, {"scale", build_scale},
    {"relu", build_relu}, {"gelu", build_gelu}, {"sum", build_sum}, {"mean", build_mean},
    {"reshape", build_reshape}, {"transpose", build_transpose},
    {"split_heads", build_split}, {"split_heads_one", build_split_one},
    {"merge_heads", build_merge}, {"merge_heads_one", build_merge}, {"embedding", build_embedding},
    {"matmul", build_matmul}, {"matmul_shared", build_matmul},
    {"matmul_batched", build_matmul}, {"matmul_deep", build_matmul},
    {"matmul_t", build_matmul_t}, {"matmul_t_shared", build_matmul_t},
    {"matmul_t_batched", build_matmul_t},
    {"mask", build_mask}, {"mask_softmax", build_mask_softmax},
    {"mask_softmax_heads", build_mask_softmax}, {"mask_softmax_one", build_mask_softmax},
    {"softmax", build_softmax}, {"layer_norm", build_norm}, {"layer_norm_flat", build_norm},
    {"cross_entropy", build_cross_entropy}, {"relative", build_relative},
    {"relative_short", build_relative},
};
enum { CASES = sizeof cases / sizeof *cases };

static const Case *running;  // the case that is being tested

static void op(void) {
    const char *names[] = {"a", "b", "c"}, *gradients[] = {"da", "db", "dc"};
    Golden g = golden_read(running->name);
    Params params = {0};
    Tape tape = {0};
    Tensor *in[3] = {NULL};
    for (int i = 0; i < 3 && golden_has(&g, names[i]); i++) {
        const Tensor *x = golden_find(&g, names[i]);
        in[i] = params_add(&params, names[i], true, x->rank, x->shape);
    }
    params_seal(&params);
    for (int i = 0; i < 3 && in[i]; i++) golden_fill(&g, names[i], in[i]);
    Tensor *out = running->build(&tape, in, &g);
    char expected[64], got[64];
    CHECK_STRING(tensor_shape(out, got), tensor_shape(golden_find(&g, "out"), expected));
    golden_compare(&g, "out", out->data, out->size, TOLERANCE);
    tape_backward(&tape, sum(&tape, mul(&tape, out, golden_find(&g, "weight"))));
    for (int i = 0; i < 3 && in[i]; i++)
        golden_compare(&g, gradients[i], in[i]->grad, in[i]->size, TOLERANCE);
    golden_free(&g);
    params_free(&params);
    tape_free(&tape);
}

// The rows of layer_norm's file as (2, 3, 16) or, with `flat`, as (6, 16): both are PyTorch's, and
// the output and the gradients of x, gain and bias go to `all`.
static size_t norm_rows(bool flat, float *all) {
    const char *names[] = {"a", "b", "c"}, *gradients[] = {"da", "db", "dc"};
    Golden g = golden_read("layer_norm");
    Params params = {0};
    Tape tape = {0};
    Tensor *in[3], *from = golden_find(&g, "a"), *weight = golden_find(&g, "weight");
    int D = from->shape[2], rows[] = {from->shape[0] * from->shape[1], D};
    in[0] = params_add(&params, "a", true, flat ? 2 : 3, flat ? rows : from->shape);
    in[1] = params_add(&params, "b", true, 1, &D);
    in[2] = params_add(&params, "c", true, 1, &D);
    params_seal(&params);
    for (int i = 0; i < 3; i++)
        memcpy(in[i]->data, golden_find(&g, names[i])->data, in[i]->size * sizeof(float));
    if (flat) weight = reshape(&tape, weight, 2, rows);
    Tensor *out = layer_norm(&tape, in[0], in[1], in[2]);
    CHECK_INT(out->rank, flat ? 2 : 3);
    golden_compare(&g, "out", out->data, out->size, TOLERANCE);
    tape_backward(&tape, sum(&tape, mul(&tape, out, weight)));
    memcpy(all, out->data, out->size * sizeof *all);
    size_t used = out->size;
    for (int i = 0; i < 3; used += in[i++]->size) {
        golden_compare(&g, gradients[i], in[i]->grad, in[i]->size, TOLERANCE);
        memcpy(all + used, in[i]->grad, in[i]->size * sizeof *all);
    }
    golden_free(&g);
    params_free(&params);
    tape_free(&tape);
    return used;
}

static void norm_of_rank_2_and_3(void) {
    enum { NUMBERS = 2 * 6 * 16 + 2 * 16 };
    static float rank_2[NUMBERS], rank_3[NUMBERS];
    CHECK_INT(norm_rows(true, rank_2), NUMBERS);
    CHECK_INT(norm_rows(false, rank_3), NUMBERS);
    setup_same_bits("rank 3 after rank 2", rank_3, rank_2, NUMBERS);
}

// Three steps of a matrix and a vector on given gradients.
static void follow(const char *name, Optim optim) {
    Golden g = golden_read(name);
    Params params = {0};
    Tensor *W = params_add(&params, "W", true, 2, (const int[]){3, 4});
    Tensor *b = params_add(&params, "b", true, 1, (const int[]){5});
    params_seal(&params);
    golden_fill(&g, "W0", W);
    golden_fill(&g, "b0", b);
    for (int step = 1; step <= 3; step++) {
        char of_W[16], of_b[16];
        snprintf(of_W, sizeof of_W, "dW%d", step);
        snprintf(of_b, sizeof of_b, "db%d", step);
        memcpy(W->grad, golden_find(&g, of_W)->data, W->size * sizeof *W->grad);
        memcpy(b->grad, golden_find(&g, of_b)->data, b->size * sizeof *b->grad);
        optim_step(&optim, &params, (double)golden_number(&g, "rate"));
        CHECK_INT(optim.step, step);
        golden_compare(&g, of_W + 1, W->data, W->size, TOLERANCE);
        golden_compare(&g, of_b + 1, b->data, b->size, TOLERANCE);
    }
    golden_free(&g);
    params_free(&params);
}

static void adam(void) { follow("adam", optim_adam(0)); }
static void adamw(void) { follow("adamw", optim_adam(0.3)); }
static void sgd(void) { follow("sgd", optim_sgd(0.9)); }

void tests_golden(void) {
    for (running = cases; running < cases + CASES; running++) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "PyTorch gives the same values and gradients: %s",
                 running->name);
        test(sentence, op);
    }
    test("layer norm of rank 3 gives the bits of rank 2, and PyTorch's values",
         norm_of_rank_2_and_3);
    test("three steps of Adam are PyTorch's", adam);
    test("three steps of AdamW are PyTorch's, with decay for matrices alone", adamw);
    test("three steps of SGD with momentum are PyTorch's", sgd);
}
