// Matrix products, batched, and with a transposed matrix. Read ops.c before it.
//
// A transpose is another way to step through the same numbers, and is never copied: that is what
// Matrices (simd/kernels.h) are for. So every product, forward or backward, is one call that reads
// like the formula above it. What multiplies in the end is gemm, in simd/gemm.c.
#include <stdio.h>
#include <string.h>

#include "fatal.h"
#include "ops.h"
#include "simd/kernels.h"
#include "simd/loops.h"

// A hint for the message when the inner sizes differ: what was probably meant.
static const char *hint_of_product(const char *op, const Tensor *a, const Tensor *b) {
    int columns = a->shape[a->rank - 1], rows = a->shape[a->rank - 2];
    int b_columns = b->shape[b->rank - 1], b_rows = b->shape[b->rank - 2];
    if (!strcmp(op, "linear"))
        return columns == b_columns ? "; did you mean transpose(W)? W is (in, out)" : "";
    if (!strcmp(op, "matmul_t")) return columns == b_rows ? "; did you mean matmul(a, b)?" : "";
    if (columns == b_columns) return "; did you mean matmul_t, which multiplies by b's transpose?";
    if (a->rank == b->rank && rows == b_columns) return "; did you mean matmul(b, a)?";
    return rows == b_rows ? "; did you mean transpose(a)?" : "";
}

static void check_fit(const char *op, const Tensor *a, const Tensor *b, bool transposed) {
    const char *second = strcmp(op, "linear") ? "b" : "W";
    char left[64], right[64], why[160] = "";
    const Tensor *flat = a->rank < 2 ? a : b->rank < 2 ? b : NULL;
    bool leads = b->rank == 2 || b->rank == a->rank;
    for (int i = 0; leads && i < b->rank - 2; i++) leads = a->shape[i] == b->shape[i];
    if (flat)
        snprintf(why, sizeof why, "%s needs two dimensions or more%s", flat == a ? "a" : second,
                 !flat->rank               ? ""
                 : flat == a || transposed ? "; did you mean to reshape it to one row?"
                                           : "; did you mean to reshape it to one column?");
    else if (!leads)
        snprintf(why, sizeof why,
                 "all dimensions but the last two must be the same, or %s a matrix", second);
    else if (a->shape[a->rank - 1] != b->shape[b->rank - (transposed ? 1 : 2)])
        snprintf(why, sizeof why, "the inner sizes %d and %d differ%s", a->shape[a->rank - 1],
                 b->shape[b->rank - (transposed ? 1 : 2)], hint_of_product(op, a, b));
    if (*why)
        fatal("%s: a %s by %s %s%s: %s", op, tensor_shape(a, left), second, tensor_shape(b, right),
              transposed ? ", transposed" : "", why);
}

static Tensor *record(Tape *tape, const char *op, Tensor *a, Tensor *b, Tensor *bias,
                      void (*backward)(Tensor *), size_t n) {
    int shape[4];
    memcpy(shape, a->shape, sizeof shape);
    shape[a->rank - 1] = (int)n;
    Tensor *out = tape_record(tape, op, a->rank, shape, backward, a, b, bias);
    out->writes_grad = out->releasable = true;
    return out;
}

// x, but over these numbers.
static Matrices over(float *numbers, Matrices x) {
    x.at = numbers;
    return x;
}

static Matrices turned(Matrices x) {
    return (Matrices){x.at, x.columns, x.rows, x.column, x.row, x.step};
}

// d loss / d x = or += A B, for an input x whose matrices are those of `as`; nothing if x wants
// none.
static void multiply_back(size_t count, Tensor *x, Matrices as, Matrices A, Matrices B) {
    if (!x->wants_grad) return;
    bool add = grad_started(x);
    kernels()->gemm(count, over(x->grad, as), A, B, add);
}

typedef struct Product { size_t count; Matrices a, b, out; } Product;  // out.at is NULL: see over()

// A b of rank 2 multiplies all rows of a at once: one tall product.
static Product product(const char *op, const Tensor *a, const Tensor *b, bool transposed) {
    check_fit(op, a, b, transposed);
    size_t k = (size_t)a->shape[a->rank - 1], rows = (size_t)b->shape[b->rank - 2];
    size_t m = b->rank == 2 ? a->size / k : (size_t)a->shape[a->rank - 2];
    size_t columns = (size_t)b->shape[b->rank - 1], n = transposed ? rows : columns;
    return (Product){a->size / (m * k), {a->data, m, k, k, 1, m * k},
                     {b->data, rows, columns, columns, 1, n * k},
                     {NULL, m, n, n, 1, m * n}};
}

// out = a b: da += dout bᵀ, db += aᵀ dout
static void matmul_backward(Tensor *out) {
    Tensor *a = out->in[0], *b = out->in[1];
    Product p = product("matmul", a, b, false);
    Matrices dout = over(out->grad, p.out);
    multiply_back(p.count, a, p.a, dout, turned(p.b));
    multiply_back(p.count, b, p.b, turned(p.a), dout);
}

Tensor *matmul(Tape *tape, Tensor *a, Tensor *b) {
    Product p = product("matmul", a, b, false);
    Tensor *out = record(tape, "matmul", a, b, NULL, matmul_backward, p.out.columns);
    kernels()->gemm(p.count, over(out->data, p.out), p.a, p.b, false);
    return out;
}

// out = a bᵀ: da += dout b, db += doutᵀ a
static void matmul_t_backward(Tensor *out) {
    Tensor *a = out->in[0], *b = out->in[1];
    Product p = product("matmul_t", a, b, true);
    Matrices dout = over(out->grad, p.out);
    multiply_back(p.count, a, p.a, dout, p.b);
    multiply_back(p.count, b, p.b, turned(dout), p.a);
}

Tensor *matmul_t(Tape *tape, Tensor *a, Tensor *b) {
    Product p = product("matmul_t", a, b, true);
    Tensor *out = record(tape, "matmul_t", a, b, NULL, matmul_t_backward, p.out.columns);
    kernels()->gemm(p.count, over(out->data, p.out), p.a, turned(p.b), false);
    return out;
}

// out = a W + bias, each row: da += dout Wᵀ, dW += aᵀ dout, dbias += dout summed over the rows
static void linear_backward(Tensor *out) {
    pass_grad(out->in[2], out);
    matmul_backward(out);
}

Tensor *linear(Tape *tape, Tensor *a, Tensor *W, Tensor *bias) {
    char right[64], end[64];
    if (W->rank != 2) fatal("linear: W %s; a matrix (in, out) is needed", tensor_shape(W, right));
    Product p = product("linear", a, W, false);
    if (bias->rank != 1 || bias->shape[0] != W->shape[1])
        fatal("linear: W %s and bias %s: the bias must be (%d), a number for each column of W",
              tensor_shape(W, right), tensor_shape(bias, end), W->shape[1]);
    Tensor *out = record(tape, "linear", a, W, bias, linear_backward, p.out.columns);
    kernels()->gemm(p.count, over(out->data, p.out), p.a, p.b, false);
    for (size_t i = 0; i < out->size; i += bias->size)
        loops()->add_to(bias->size, bias->data, out->data + i);
    return out;
}
