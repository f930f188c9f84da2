// Matrix products, batched, and against a transpose. The loops are in gemm.c.
#include <string.h>

#include "fatal.h"
#include "ops.h"
#include "simd/kernels.h"
#include "simd/loops.h"

// How a product splits into plain ones: `count` of (m, k) (k, n), the
// second matrix moving along or not.
typedef struct Sizes {
    size_t count, m, n, k, a_step, b_step, out_step;
} Sizes;

// What was probably meant by a product whose inner sizes differ.
static const char *meant(const char *op, const Tensor *a, const Tensor *b) {
    int columns = a->shape[a->rank - 1], rows = a->shape[a->rank - 2];
    int b_columns = b->shape[b->rank - 1], b_rows = b->shape[b->rank - 2];
    if (!strcmp(op, "linear"))
        return columns == b_columns ? "; did you mean transpose(W)? W is (in, out)" : "";
    if (!strcmp(op, "matmul_t") && columns == b_rows) return "; did you mean matmul(a, b)?";
    if (!strcmp(op, "matmul_t")) return "";
    if (columns == b_columns)
        return "; did you mean matmul_t, which multiplies by b's transpose?";
    if (a->rank == b->rank && rows == b_columns) return "; did you mean matmul(b, a)?";
    return rows == b_rows ? "; did you mean transpose(a)?" : "";
}

static void check_fit(const char *op, const Tensor *a, const Tensor *b, int transposed) {
    const char *second = strcmp(op, "linear") ? "b" : "W", *by = transposed ? ", transposed" : "";
    char left[64], right[64];
    tensor_shape(a, left);
    tensor_shape(b, right);
    const Tensor *flat = a->rank < 2 ? a : b->rank < 2 ? b : NULL;
    if (flat)
        fatal("%s: a %s by %s %s%s: %s needs two dimensions or more%s", op, left, second, right, by,
              flat == a ? "a" : second,
              !flat->rank               ? ""
              : flat == a || transposed ? "; did you mean that, reshaped to one row?"
                                        : "; did you mean that, reshaped to one column?");
    bool leads = b->rank == 2 || b->rank == a->rank;
    for (int i = 0; leads && b->rank > 2 && i < a->rank - 2; i++)
        leads = a->shape[i] == b->shape[i];
    if (!leads)
        fatal("%s: a %s by %s %s%s: all dimensions but the last two must be the same, or %s a "
              "matrix", op, left, second, right, by, second);
    int columns = a->shape[a->rank - 1], inner = b->shape[b->rank - (transposed ? 1 : 2)];
    if (columns != inner)
        fatal("%s: a %s by %s %s%s: the inner sizes %d and %d differ%s", op, left, second, right,
              by, columns, inner, meant(op, a, b));
}

static Sizes sizes(const char *op, const Tensor *a, const Tensor *b, int transposed) {
    check_fit(op, a, b, transposed);
    int inner = b->shape[b->rank - (transposed ? 1 : 2)];
    size_t k = (size_t)inner, n = (size_t)b->shape[b->rank - (transposed ? 2 : 1)];
    size_t m = b->rank == 2 ? a->size / k : (size_t)a->shape[a->rank - 2];
    return (Sizes){a->size / (m * k), m, n, k, m * k, b->rank == 2 ? 0 : n * k, m * n};
}

static Tensor *record(Tape *tape, const char *op, Tensor *a, Tensor *b, Tensor *bias,
                      void (*backward)(Tensor *), size_t n) {
    int shape[4];
    memcpy(shape, a->shape, sizeof shape);
    shape[a->rank - 1] = (int)n;
    Tensor *out = tape_record(tape, op, a->rank, shape, backward, a, b, bias);
    out->overwrites_grad = true;
    return out;
}

// out = a b: da += dout bᵀ, db += aᵀ dout
static void matmul_backward(Tensor *out) {
    Tensor *a = out->in[0], *b = out->in[1];
    Sizes s = sizes("matmul", a, b, 0);
    bool add_a = a->grad && grad_started(a), add_b = b->grad && grad_started(b);
    for (size_t i = 0; i < s.count; i++) {
        const float *A = a->data + i * s.a_step, *B = b->data + i * s.b_step;
        const float *G = out->grad + i * s.out_step;
        if (a->grad)
            kernels()->gemm(s.m, s.k, s.n, G, s.n, 1, B, 1, s.n, a->grad + i * s.a_step, s.k,
                            add_a);
        if (b->grad)
            kernels()->gemm(s.k, s.n, s.m, A, 1, s.k, G, s.n, 1, b->grad + i * s.b_step, s.n,
                            add_b);
    }
}

static void multiply(Tensor *out, Sizes s) {
    const Tensor *a = out->in[0], *b = out->in[1];
    for (size_t i = 0; i < s.count; i++)
        kernels()->gemm(s.m, s.n, s.k, a->data + i * s.a_step, s.k, 1, b->data + i * s.b_step, s.n,
                        1, out->data + i * s.out_step, s.n, 0);
}

Tensor *matmul(Tape *tape, Tensor *a, Tensor *b) {
    Sizes s = sizes("matmul", a, b, 0);
    Tensor *out = record(tape, "matmul", a, b, NULL, matmul_backward, s.n);
    multiply(out, s);
    return out;
}

// out = a W + bias, each row: da += dout Wᵀ, dW += aᵀ dout, dbias += dout summed over the rows
static void linear_backward(Tensor *out) {
    Tensor *bias = out->in[2];
    if (bias->grad && !grad_started(bias)) memset(bias->grad, 0, bias->size * sizeof *bias->grad);
    for (size_t i = 0; bias->grad && i < out->size; i += bias->size)
        loops()->add_to(bias->size, out->grad + i, bias->grad);
    matmul_backward(out);
}

Tensor *linear(Tape *tape, Tensor *a, Tensor *W, Tensor *bias) {
    char right[64], end[64];
    if (W->rank != 2)
        fatal("linear: W %s; a matrix (in, out) is needed", tensor_shape(W, right));
    Sizes s = sizes("linear", a, W, 0);
    if (bias->rank != 1 || bias->shape[0] != W->shape[1])
        fatal("linear: W %s and bias %s: the bias must be (%d), a number for each column of W",
              tensor_shape(W, right), tensor_shape(bias, end), W->shape[1]);
    Tensor *out = record(tape, "linear", a, W, bias, linear_backward, s.n);
    multiply(out, s);
    for (size_t i = 0; i < out->size; i += bias->size)
        loops()->add(bias->size, out->data + i, bias->data, out->data + i);
    return out;
}

// out = a bᵀ: da += dout b, db += doutᵀ a
static void matmul_t_backward(Tensor *out) {
    Tensor *a = out->in[0], *b = out->in[1];
    Sizes s = sizes("matmul_t", a, b, 1);
    bool add_a = a->grad && grad_started(a), add_b = b->grad && grad_started(b);
    for (size_t i = 0; i < s.count; i++) {
        const float *A = a->data + i * s.a_step, *B = b->data + i * s.b_step;
        const float *G = out->grad + i * s.out_step;
        if (a->grad)
            kernels()->gemm(s.m, s.k, s.n, G, s.n, 1, B, s.k, 1, a->grad + i * s.a_step, s.k,
                            add_a);
        if (b->grad)
            kernels()->gemm(s.n, s.k, s.m, G, 1, s.n, A, s.k, 1, b->grad + i * s.b_step, s.k,
                            add_b);
    }
}

Tensor *matmul_t(Tape *tape, Tensor *a, Tensor *b) {
    Sizes s = sizes("matmul_t", a, b, 1);
    Tensor *out = record(tape, "matmul_t", a, b, NULL, matmul_t_backward, s.n);
    for (size_t i = 0; i < s.count; i++)
        kernels()->gemm(s.m, s.n, s.k, a->data + i * s.a_step, s.k, 1, b->data + i * s.b_step, 1,
                        s.k, out->data + i * s.out_step, s.n, 0);
    return out;
}
