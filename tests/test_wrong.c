// What an op says to a wrong call: its name, the shapes, and what was probably meant, where one can
// know.
#include "autograd/ops.h"

#include <stdio.h>
#include <string.h>

#include "test.h"
#include "autograd/params.h"

static Tensor *of(Tape *tape, int rank, int a, int b, int c) {
    Tensor *x = tape_tensor(tape, rank, (const int[]){a, b, c, 2});
    memset(x->data, 0, x->size * sizeof *x->data);
    return x;
}

static Tensor *number(Tape *t) { return of(t, 0, 0, 0, 0); }
static Tensor *row(Tape *t, int n) { return of(t, 1, n, 0, 0); }
static Tensor *matrix(Tape *t, int m, int n) { return of(t, 2, m, n, 0); }
static Tensor *cube(Tape *t, int b, int m, int n) { return of(t, 3, b, m, n); }

static Tensor *trained(void) {
    static Params p;
    Tensor *x = params_add(&p, "x", true, 2, (const int[]){1, 3});
    params_seal(&p);
    return x;
}

// ---- element by element ------------------------------------------------------------------------

static void add_other(Tape *t) { add(t, matrix(t, 2, 3), row(t, 2)); }
static void add_turned(Tape *t) { add(t, row(t, 3), matrix(t, 2, 3)); }
static void meant_add(Tape *t) { add(t, matrix(t, 2, 3), row(t, 3)); }
static void sub_turned(Tape *t) { sub(t, row(t, 3), matrix(t, 2, 3)); }
static void meant_sub(Tape *t) { scale(t, sub(t, matrix(t, 2, 3), row(t, 3)), -1); }
static void mul_ones(Tape *t) { mul(t, matrix(t, 2, 3), matrix(t, 1, 3)); }
static void meant_mul(Tape *t) {
    mul(t, matrix(t, 2, 3), reshape(t, matrix(t, 1, 3), 1, (const int[]){3}));
}
static void mul_number(Tape *t) { mul(t, number(t), row(t, 2)); }
static void meant_number(Tape *t) { mul(t, row(t, 2), number(t)); }

// ---- shapes ------------------------------------------------------------------------------------

static void reshape_other(Tape *t) { reshape(t, matrix(t, 2, 3), 1, (const int[]){5}); }
static void reshape_inferred(Tape *t) { reshape(t, matrix(t, 2, 3), 2, (const int[]){3, -1}); }
static void too_many(Tape *t) { tape_tensor(t, 4, (const int[]){1 << 30, 1 << 30, 1 << 30, 1}); }
static void reshape_rank(Tape *t) { reshape(t, row(t, 1), 5, (const int[]){1, 1, 1, 1, 1}); }
static void empty(Tape *t) { tape_tensor(t, 2, (const int[]){3, 0}); }
static void transpose_row(Tape *t) { transpose(t, row(t, 3)); }
static void meant_column(Tape *t) { transpose(t, reshape(t, row(t, 3), 2, (const int[]){3, 1})); }
static void transpose_number(Tape *t) { transpose(t, number(t)); }
static void split_uneven(Tape *t) { split_heads(t, cube(t, 2, 3, 4), 3); }
static void split_none(Tape *t) { split_heads(t, cube(t, 2, 3, 4), 0); }
static void split_matrix(Tape *t) { split_heads(t, matrix(t, 3, 4), 2); }
static void meant_split(Tape *t) {
    split_heads(t, reshape(t, matrix(t, 3, 4), 3, (const int[]){1, 3, 4}), 2);
}
static void split_again(Tape *t) { split_heads(t, split_heads(t, cube(t, 2, 3, 4), 2), 2); }
static void read_released(Tape *t) {
    t->recycles = true;
    Tensor *S = add(t, matrix(t, 2, 3), matrix(t, 2, 3)), *half = scale(t, S, 0.5);
    add(t, half, S);
}

static void merge_merged(Tape *t) { merge_heads(t, cube(t, 2, 3, 4)); }
static void table_row(Tape *t) { embedding(t, row(t, 3), (const int[]){0}, 1, 1); }
static void id_next(Tape *t) { embedding(t, matrix(t, 3, 2), (const int[]){0, 3}, 1, 2); }
static void meant_id(Tape *t) { embedding(t, matrix(t, 3, 2), (const int[]){0, 2}, 1, 2); }
static void id_far(Tape *t) { embedding(t, matrix(t, 3, 2), (const int[]){7}, 1, 1); }
static void id_negative(Tape *t) { embedding(t, matrix(t, 3, 2), (const int[]){-1}, 1, 1); }

// ---- products ----------------------------------------------------------------------------------

static void by_transpose(Tape *t) { matmul(t, matrix(t, 2, 3), matrix(t, 4, 3)); }
static void meant_matmul_t(Tape *t) { matmul_t(t, matrix(t, 2, 3), matrix(t, 4, 3)); }
static void by_turned(Tape *t) { matmul(t, matrix(t, 2, 3), matrix(t, 4, 2)); }
static void meant_order(Tape *t) { matmul(t, matrix(t, 4, 2), matrix(t, 2, 3)); }
static void by_transposed_first(Tape *t) { matmul(t, matrix(t, 2, 3), matrix(t, 2, 5)); }
static void meant_transpose(Tape *t) { matmul(t, transpose(t, matrix(t, 2, 3)), matrix(t, 2, 5)); }
static void by_stranger(Tape *t) { matmul(t, matrix(t, 2, 3), matrix(t, 4, 5)); }
static void by_batch(Tape *t) { matmul(t, cube(t, 2, 3, 4), cube(t, 5, 4, 3)); }
static void by_rank(Tape *t) { matmul(t, matrix(t, 3, 4), cube(t, 2, 4, 3)); }
static void of_row(Tape *t) { matmul(t, row(t, 3), matrix(t, 3, 2)); }
static void meant_row(Tape *t) {
    matmul(t, reshape(t, row(t, 3), 2, (const int[]){1, 3}), matrix(t, 3, 2));
}
static void by_row(Tape *t) { matmul(t, matrix(t, 2, 3), row(t, 3)); }
static void meant_by_column(Tape *t) {
    matmul(t, matrix(t, 2, 3), reshape(t, row(t, 3), 2, (const int[]){3, 1}));
}
static void by_number(Tape *t) { matmul(t, matrix(t, 2, 3), number(t)); }
static void t_by_plain(Tape *t) { matmul_t(t, matrix(t, 2, 3), matrix(t, 3, 4)); }
static void meant_matmul(Tape *t) { matmul(t, matrix(t, 2, 3), matrix(t, 3, 4)); }
static void t_by_stranger(Tape *t) { matmul_t(t, matrix(t, 2, 3), matrix(t, 4, 5)); }
static void t_by_row(Tape *t) { matmul_t(t, matrix(t, 2, 3), row(t, 3)); }
static void meant_by_row(Tape *t) {
    matmul_t(t, matrix(t, 2, 3), reshape(t, row(t, 3), 2, (const int[]){1, 3}));
}
static void linear_bias(Tape *t) { linear(t, matrix(t, 2, 3), matrix(t, 3, 4), row(t, 3)); }
static void linear_turned(Tape *t) { linear(t, matrix(t, 2, 3), matrix(t, 4, 3), row(t, 4)); }
static void meant_W(Tape *t) {
    linear(t, matrix(t, 2, 3), transpose(t, matrix(t, 4, 3)), row(t, 4));
}
static void linear_inner(Tape *t) { linear(t, matrix(t, 2, 3), matrix(t, 4, 5), row(t, 5)); }
static void linear_cube(Tape *t) { linear(t, matrix(t, 2, 3), cube(t, 1, 3, 4), row(t, 4)); }

// ---- rows --------------------------------------------------------------------------------------

static const unsigned char allowed[] = {1, 1, 1, 0, 0, 1, 0, 0};

static void mask_rank(Tape *t) { mask(t, matrix(t, 1, 2), allowed, 1); }
static void mask_batch(Tape *t) { mask(t, cube(t, 3, 1, 1), allowed, 2); }
static void mask_all(Tape *t) { mask(t, cube(t, 2, 2, 2), allowed, 2); }
static void norm(Tape *t) { layer_norm(t, matrix(t, 2, 3), row(t, 3), row(t, 2)); }
static void target_next(Tape *t) { cross_entropy(t, matrix(t, 2, 3), (const int[]){0, 3}); }
static void meant_target(Tape *t) { cross_entropy(t, matrix(t, 2, 3), (const int[]){0, 2}); }
static void target_negative(Tape *t) { cross_entropy(t, matrix(t, 1, 3), (const int[]){-2}); }
static void distances(Tape *t) { relative(t, matrix(t, 3, 4)); }

// ---- the walk back -----------------------------------------------------------------------------

static void loss_row(Tape *t) { tape_backward(t, relu(t, trained())); }
static void meant_loss(Tape *t) { tape_backward(t, mean(t, relu(t, trained()))); }
static void loss_constant(Tape *t) { tape_backward(t, sum(t, row(t, 3))); }

static void loss_unwanted(Tape *t) {
    t->no_gradients = true;
    tape_backward(t, sum(t, trained()));
}

static void walk_twice(Tape *t) {
    Tensor *loss = sum(t, trained());
    tape_backward(t, loss);
    tape_backward(t, loss);
}

static void walk_two_losses(Tape *t) {
    Tensor *x = trained(), *one = sum(t, x), *other = mean(t, x);
    tape_backward(t, one);
    tape_backward(t, other);
}

static void record_after_the_walk(Tape *t) {
    Tensor *x = trained();
    tape_backward(t, sum(t, x));
    mean(t, x);
}

static void read_another_tape(Tape *t) {
    Tape other = {0};
    sum(t, relu(&other, trained()));
}

static void read_a_view_of_another_tape(Tape *t) {
    Tape other = {0};
    sum(t, reshape(&other, relu(&other, trained()), 1, (const int[]){3}));
}

static void walk_another_tape(Tape *t) {
    Tape other = {0};
    tape_backward(t, sum(&other, trained()));
}

// ---- parameters that aren't sealed -------------------------------------------------------------

static Tensor *unsealed(bool is_trained, int rank, int a, int b, int c) {
    static Params p;
    return params_add(&p, "W", is_trained, rank, (const int[]){a, b, c});
}

static void add_unsealed(Tape *t) { add(t, matrix(t, 2, 3), unsealed(true, 1, 3, 0, 0)); }
static void batch_unsealed(Tape *t) { matmul(t, cube(t, 2, 1, 3), unsealed(false, 3, 2, 3, 4)); }
static void bias_unsealed(Tape *t) {
    linear(t, matrix(t, 2, 3), matrix(t, 3, 4), unsealed(true, 1, 4, 0, 0));
}
static void embedding_unsealed(Tape *t) {
    embedding(t, unsealed(true, 2, 2, 3, 0), (const int[]){0}, 1, 1);
}
static void reshape_unsealed(Tape *t) {
    reshape(t, unsealed(false, 1, 4, 0, 0), 2, (const int[]){2, 2});
}

#define AGAIN "backward: a second time on one tape would count the first gradients twice; call " \
              "tape_reset before the next step"

static const struct Wrong {
    void (*call)(Tape *), (*meant)(Tape *);  // NULL where the line suggests nothing
    const char *says;
} wrong[] = {
    {add_other, NULL, "add: a (2, 3) and b (2); b's shape must be the end of a's"},
    {add_turned, meant_add,
     "add: a (3) and b (2, 3); b's shape must be the end of a's; did you mean a and b "
     "the other way round?"},
    {sub_turned, meant_sub,
     "sub: a (3) and b (2, 3); b's shape must be the end of a's; did you mean "
     "scale(sub(b, a), -1)?"},
    {mul_ones, meant_mul,
     "mul: a (2, 3) and b (1, 3); b's shape must be the end of a's; did you mean to "
     "reshape b without its leading 1s?"},
    {mul_number, meant_number,
     "mul: a () and b (2); b's shape must be the end of a's; did you mean a and b the "
     "other way round?"},

    {reshape_other, NULL,
     "reshape: (2, 3) holds 6 numbers, (5) would hold 5; a view keeps them all"},
    {reshape_inferred, NULL,
     "reshape: dimension 1 is -1; it must be at least 1, and none is worked out "
     "from the others"},
    {reshape_rank, NULL, "reshape: rank 5; a tensor has 0 to 4 dimensions"},
    {empty, NULL, "input: dimension 1 is 0; it must be at least 1"},
    {too_many, NULL, "input: more numbers than can be addressed"},
    {transpose_row, meant_column,
     "transpose: a (3): two dimensions are needed; did you mean to reshape it to "
     "one column?"},
    {transpose_number, NULL, "transpose: a (): two dimensions are needed"},
    {split_uneven, NULL,
     "split_heads: a (2, 3, 4) into 3 heads: its width 4 must be a multiple of the "
     "heads"},
    {split_none, NULL,
     "split_heads: a (2, 3, 4) into 0 heads: its width 4 must be a multiple of the heads"},
    {split_matrix, meant_split,
     "split_heads: a (3, 4): (B, L, H d) is needed; did you mean to reshape it to one "
     "sentence, (1, L, H d)?"},
    {split_again, NULL, "split_heads: a (2, 2, 3, 2): (B, L, H d) is needed"},
    {read_released, NULL,
     "add: the memory of add (2, 3) is in use again, since an op that read it has released it; "
     "read it before that op, or unset `recycles` of the tape"},
    {merge_merged, NULL,
     "merge_heads: a (2, 3, 4): (B, H, L, d) is needed, as split_heads gives it"},
    {table_row, NULL, "embedding: table (3): it needs rows, (V, D)"},
    {id_next, meant_id,
     "embedding: id 3 in table (3, 2), ids[1]: it has rows 0 to 2; did you count from 1?"},
    {id_far, NULL, "embedding: id 7 in table (3, 2), ids[0]: it has rows 0 to 2"},
    {id_negative, NULL, "embedding: id -1 in table (3, 2), ids[0]: it has rows 0 to 2"},

    {by_transpose, meant_matmul_t,
     "matmul: a (2, 3) by b (4, 3): the inner sizes 3 and 4 differ; did you mean "
     "matmul_t, which multiplies by b's transpose?"},
    {by_turned, meant_order,
     "matmul: a (2, 3) by b (4, 2): the inner sizes 3 and 4 differ; did you mean "
     "matmul(b, a)?"},
    {by_transposed_first, meant_transpose,
     "matmul: a (2, 3) by b (2, 5): the inner sizes 3 and 2 differ; did you mean "
     "transpose(a)?"},
    {by_stranger, NULL, "matmul: a (2, 3) by b (4, 5): the inner sizes 3 and 4 differ"},
    {by_batch, NULL,
     "matmul: a (2, 3, 4) by b (5, 4, 3): all dimensions but the last two must be the same, "
     "or b a matrix"},
    {by_rank, NULL,
     "matmul: a (3, 4) by b (2, 4, 3): all dimensions but the last two must be the same, or "
     "b a matrix"},
    {of_row, meant_row,
     "matmul: a (3) by b (3, 2): a needs two dimensions or more; did you mean to "
     "reshape it to one row?"},
    {by_row, meant_by_column,
     "matmul: a (2, 3) by b (3): b needs two dimensions or more; did you mean to "
     "reshape it to one column?"},
    {by_number, NULL, "matmul: a (2, 3) by b (): b needs two dimensions or more"},
    {t_by_plain, meant_matmul,
     "matmul_t: a (2, 3) by b (3, 4), transposed: the inner sizes 3 and 4 differ; did you "
     "mean matmul(a, b)?"},
    {t_by_stranger, NULL,
     "matmul_t: a (2, 3) by b (4, 5), transposed: the inner sizes 3 and 5 differ"},
    {t_by_row, meant_by_row,
     "matmul_t: a (2, 3) by b (3), transposed: b needs two dimensions or more; did you mean "
     "to reshape it to one row?"},
    {linear_bias, NULL,
     "linear: W (3, 4) and bias (3): the bias must be (4), a number for each column of "
     "W"},
    {linear_turned, meant_W,
     "linear: a (2, 3) by W (4, 3): the inner sizes 3 and 4 differ; did you mean "
     "transpose(W)? W is (in, out)"},
    {linear_inner, NULL, "linear: a (2, 3) by W (4, 5): the inner sizes 3 and 4 differ"},
    {linear_cube, NULL, "linear: W (1, 3, 4); a matrix (in, out) is needed"},

    {mask_rank, NULL,
     "mask: scores (1, 2) and 1 masks: (B, L, M) or (B, H, L, M) is needed, and B masks or 1"},
    {mask_batch, NULL,
     "mask: scores (3, 1, 1) and 2 masks: (B, L, M) or (B, H, L, M) is needed, and B masks or 1"},
    {mask_all, NULL,
     "mask: query 1 of sentence 1 may attend to nothing; each needs a key that is allowed"},
    {norm, NULL, "layer_norm: x (2, 3), gain (3), bias (2): both must be (3), as wide as x's rows"},
    {target_next, meant_target,
     "cross_entropy: target 3 of row 1, logits (2, 3): classes are 0 to 2, or -1 for "
     "none; did you count from 1?"},
    {target_negative, NULL,
     "cross_entropy: target -2 of row 0, logits (1, 3): classes are 0 to 2, or -1 "
     "for none"},
    {distances, NULL,
     "relative: r (3, 4): (..., L, 2n + 1) is needed, an odd number of distances -n to n"},

    {loss_row, meant_loss,
     "backward: the loss has shape (1, 3); it must be a single number; did you mean the sum "
     "or the mean of it?"},
    {loss_constant, NULL,
     "backward: nothing that the loss depends on wants a gradient; parameters that "
     "params_add calls trained do"},
    {loss_unwanted, NULL,
     "backward: nothing that the loss depends on wants a gradient; the tape has "
     "no_gradients set"},
    {walk_twice, NULL, AGAIN},
    {walk_two_losses, NULL, AGAIN},
    {record_after_the_walk, NULL,
     "mean: the tape has run backward; call tape_reset before the next forward"},
    {read_another_tape, NULL,
     "sum: relu (1, 3) was computed on another tape; backward would not get there"},
    {read_a_view_of_another_tape, NULL,
     "sum: reshape (3) was computed on another tape; backward would not get there"},
    {walk_another_tape, NULL,
     "backward: the loss was computed on another tape; pass the tape that recorded it"},

    {add_unsealed, NULL, "add: parameter W has no data yet; call params_seal first"},
    {batch_unsealed, NULL, "matmul: parameter W has no data yet; call params_seal first"},
    {bias_unsealed, NULL, "linear: parameter W has no data yet; call params_seal first"},
    {embedding_unsealed, NULL, "embedding: parameter W has no data yet; call params_seal first"},
    {reshape_unsealed, NULL, "reshape: parameter W has no data yet; call params_seal first"},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

static void call(void *argument) {
    const struct Wrong *w = argument;
    Tape tape = {0};
    w->call(&tape);
}

static void call_meant(void *argument) {
    const struct Wrong *w = argument;
    Tape tape = {0};
    w->meant(&tape);
}

static void wrong_calls(void) {
    for (int i = 0; i < WRONG; i++) {
        struct Wrong w = wrong[i];
        char line[256];
        int status;
        snprintf(line, sizeof line, "train: %s\n", w.says);
        const char *got = test_stderr_of(call, &w, &status);
        CHECK_STRING(got, line);
        CHECK(status == 1, "%s: expected status 1, got %d", w.says, status);
    }
}

static void suggestions(void) {
    for (int i = 0; i < WRONG; i++) {
        struct Wrong w = wrong[i];
        bool suggests = strstr(w.says, "did you");
        int status = 0;
        CHECK(suggests == (w.meant != NULL), "%s: a suggestion without its trial", w.says);
        const char *got = suggests ? test_stderr_of(call_meant, &w, &status) : "";
        CHECK(status == 0 && !*got, "%s: what it suggests says %s", w.says, got);
    }
}

void tests_wrong(void) {
    test("a wrong call ends with status 1 and a line: the op, the shapes, what was probably meant",
         wrong_calls);
    test("what the line after a wrong call suggests is accepted", suggestions);
}
