// Ops that move numbers and compute nothing. Read ops.c before it.
//
// A tensor is always contiguous, so transposing, splitting and merging copy the numbers; only
// reshape is a view. The backward of a copy adds each gradient back to where its number came from.
#include <string.h>

#include "fatal.h"
#include "ops.h"
#include "simd/loops.h"

// A view shares data and gradient with its base, so backward has nothing to do.
Tensor *reshape(Tape *tape, Tensor *a, int rank, const int *shape) {
    return tape_view(tape, "reshape", a, rank, shape);
}

// out_ji = a_ij in each matrix: da_ij += dout_ji
static void transpose_backward(Tensor *out) {
    Tensor *a = out->in[0];
    size_t m = (size_t)a->shape[a->rank - 2], n = (size_t)a->shape[a->rank - 1];
    for (size_t at = 0; at < a->size; at += m * n)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++) a->grad[at + i * n + j] += out->grad[at + j * m + i];
}

Tensor *transpose(Tape *tape, Tensor *a) {
    char text[64];
    if (a->rank < 2)
        fatal("transpose: a %s: two dimensions are needed%s", tensor_shape(a, text),
              a->rank == 1 ? "; did you mean to reshape it to one column?" : "");
    int shape[4];
    memcpy(shape, a->shape, sizeof shape);
    shape[a->rank - 2] = a->shape[a->rank - 1];
    shape[a->rank - 1] = a->shape[a->rank - 2];
    Tensor *out = tape_record(tape, "transpose", a->rank, shape, transpose_backward, a, NULL, NULL);
    size_t m = (size_t)shape[a->rank - 1], n = (size_t)shape[a->rank - 2];
    for (size_t at = 0; at < a->size; at += m * n)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++) out->data[at + j * m + i] = a->data[at + i * n + j];
    return out;
}

// The same numbers in two orders: `apart` is (B, H, L, d), `together` is (B, L, H d). Each row of d
// numbers is copied from one to the other, or added.
static void move_heads(const int *apart_shape, float *apart, float *together, bool to_apart,
                       bool add) {
    size_t B = (size_t)apart_shape[0], H = (size_t)apart_shape[1];
    size_t L = (size_t)apart_shape[2], d = (size_t)apart_shape[3];
    for (size_t b = 0; b < B; b++)
        for (size_t h = 0; h < H; h++)
            for (size_t l = 0; l < L; l++) {
                float *x = apart + ((b * H + h) * L + l) * d,
                      *y = together + ((b * L + l) * H + h) * d;
                loops()->scale(d, 1, to_apart ? y : x, to_apart ? x : y, add);
            }
}

// out is a in another order: da += dout, in a's order
static void split_heads_backward(Tensor *out) {
    bool add = grad_started(out->in[0]);
    move_heads(out->shape, out->grad, out->in[0]->grad, false, add);
}

// With one head both orders are the same, and a view is enough.
Tensor *split_heads(Tape *tape, Tensor *a, int H) {
    char text[64];
    if (a->rank != 3)
        fatal("split_heads: a %s: (B, L, H d) is needed%s", tensor_shape(a, text),
              a->rank == 2 ? "; did you mean to reshape it to one sentence, (1, L, H d)?" : "");
    if (H < 1 || a->shape[2] % H)
        fatal("split_heads: a %s into %d heads: its width %d must be a multiple of the heads",
              tensor_shape(a, text), H, a->shape[2]);
    const int shape[] = {a->shape[0], H, a->shape[1], a->shape[2] / H};
    if (H == 1) return tape_view(tape, "split_heads", a, 4, shape);
    Tensor *out = tape_record(tape, "split_heads", 4, shape, split_heads_backward, a, NULL, NULL);
    out->writes_grad = out->releasable = true;
    move_heads(shape, out->data, a->data, true, false);
    tape_release(tape, a);
    return out;
}

// out is a in another order: da += dout, in a's order
static void merge_heads_backward(Tensor *out) {
    bool add = grad_started(out->in[0]);
    move_heads(out->in[0]->shape, out->in[0]->grad, out->grad, true, add);
}

Tensor *merge_heads(Tape *tape, Tensor *a) {
    char text[64];
    if (a->rank != 4)
        fatal("merge_heads: a %s: (B, H, L, d) is needed, as split_heads gives it",
              tensor_shape(a, text));
    const int shape[] = {a->shape[0], a->shape[2], a->shape[1] * a->shape[3]};
    if (a->shape[1] == 1) return tape_view(tape, "merge_heads", a, 3, shape);
    Tensor *out = tape_record(tape, "merge_heads", 3, shape, merge_heads_backward, a, NULL, NULL);
    out->writes_grad = out->releasable = true;
    move_heads(a->shape, a->data, out->data, false, false);
    tape_release(tape, a);
    return out;
}

// out_r = table[ids_r]: dtable[ids_r] += dout_r
static void embedding_backward(Tensor *out) {
    Tensor *table = out->in[0];
    const int *ids = out->saved;
    size_t D = (size_t)out->shape[2], rows = out->size / D;
    for (size_t r = 0; r < rows; r++)
        loops()->add_to(D, out->grad + r * D, table->grad + (size_t)ids[r] * D);
}

Tensor *embedding(Tape *tape, Tensor *table, const int *ids, int B, int L) {
    char text[64];
    if (table->rank < 2)
        fatal("embedding: table %s: it needs rows, (V, D)", tensor_shape(table, text));
    const int shape[] = {B, L, table->shape[table->rank - 1]};
    Tensor *out = tape_record(tape, "embedding", 3, shape, embedding_backward, table, NULL, NULL);
    size_t D = (size_t)shape[2], rows = (size_t)B * (size_t)L, known = table->size / D;
    int *saved = arena_alloc(&tape->arena, rows, sizeof *saved);
    memcpy(saved, ids, rows * sizeof *ids);
    for (size_t r = 0; r < rows; r++) {
        if (ids[r] < 0 || (size_t)ids[r] >= known)
            fatal("embedding: id %d in table %s, ids[%zu]: it has rows 0 to %zu%s", ids[r],
                  tensor_shape(table, text), r, known - 1,
                  (size_t)ids[r] == known ? "; did you count from 1?" : "");
        memcpy(out->data + r * D, table->data + (size_t)ids[r] * D, D * sizeof *out->data);
    }
    out->releasable = true;
    out->saved = saved;
    return out;
}
