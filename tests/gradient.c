// Every op with the shapes at which its derivative is tested. To add an op: a builder if it wants
// one that isn't here, and its rows.
#include "gradient.h"

#include <math.h>
#include <string.h>

static Tensor *build_add(Tape *t, Tensor **in, int n) { (void)n; return add(t, in[0], in[1]); }
static Tensor *build_sub(Tape *t, Tensor **in, int n) { (void)n; return sub(t, in[0], in[1]); }
static Tensor *build_mul(Tape *t, Tensor **in, int n) { (void)n; return mul(t, in[0], in[1]); }
static Tensor *build_add_self(Tape *t, Tensor **in, int n) { (void)n; return add(t, in[0], in[0]); }
static Tensor *build_sub_self(Tape *t, Tensor **in, int n) { (void)n; return sub(t, in[0], in[0]); }
static Tensor *build_mul_self(Tape *t, Tensor **in, int n) { (void)n; return mul(t, in[0], in[0]); }
static Tensor *build_scale(Tape *t, Tensor **in, int n) { return scale(t, in[0], 0.37 * n); }
static Tensor *build_relu(Tape *t, Tensor **in, int n) { (void)n; return relu(t, in[0]); }
static Tensor *build_sum(Tape *t, Tensor **in, int n) { (void)n; return sum(t, in[0]); }
static Tensor *build_mean(Tape *t, Tensor **in, int n) { (void)n; return mean(t, in[0]); }
static Tensor *build_transpose(Tape *t, Tensor **in, int n) { (void)n; return transpose(t, in[0]); }
static Tensor *build_split(Tape *t, Tensor **in, int n) { return split_heads(t, in[0], n); }
static Tensor *build_merge(Tape *t, Tensor **in, int n) { (void)n; return merge_heads(t, in[0]); }
static Tensor *build_matmul(Tape *t, Tensor **in, int n) {
    (void)n;
    return matmul(t, in[0], in[1]);
}
static Tensor *build_matmul_t(Tape *t, Tensor **in, int n) {
    (void)n;
    return matmul_t(t, in[0], in[1]);
}
static Tensor *build_square(Tape *t, Tensor **in, int n) {
    (void)n;
    return matmul(t, in[0], in[0]);
}
static Tensor *build_gram(Tape *t, Tensor **in, int n) {
    (void)n;
    return matmul_t(t, in[0], in[0]);
}
static Tensor *build_softmax(Tape *t, Tensor **in, int n) { (void)n; return softmax(t, in[0]); }
static Tensor *build_relative(Tape *t, Tensor **in, int n) { (void)n; return relative(t, in[0]); }

// n makes its inputs results of other ops, whose gradients start uncleared.
static Tensor *build_linear(Tape *t, Tensor **in, int n) {
    if (n) return linear(t, scale(t, in[0], n), scale(t, in[1], n), scale(t, in[2], n));
    return linear(t, in[0], in[1], in[2]);
}

// n widens the inputs, to see the curve where it bends less.
static Tensor *build_gelu(Tape *t, Tensor **in, int n) {
    return gelu(t, n ? scale(t, in[0], n) : in[0]);
}

static Tensor *build_norm(Tape *t, Tensor **in, int n) {
    (void)n;
    return layer_norm(t, in[0], in[1], in[2]);
}

// To rank n: 1, a vector; 4, with two dimensions of 1; 3, the last dimension first.
static Tensor *build_reshape(Tape *t, Tensor **in, int n) {
    Tensor *a = in[0];
    int size = (int)a->size, end = a->shape[a->rank - 1];
    if (n == 1) return reshape(t, a, 1, (const int[]){size});
    if (n == 3) return reshape(t, a, 3, (const int[]){end, size / end, 1});
    return reshape(t, a, 4, (const int[]){1, size / end, 1, end});
}

// n ids (1, n), some of them repeated, one row never asked for.
static Tensor *build_embedding(Tape *t, Tensor **in, int n) {
    int ids[12], known = (int)in[0]->size / in[0]->shape[in[0]->rank - 1];
    for (int i = 0; i < n; i++) ids[i] = known > 1 ? i * i % (known - 1) : 0;
    if (n % 2) return embedding(t, in[0], ids, 1, n);
    return embedding(t, in[0], ids, 2, n / 2);
}

// A mask of n sentences: query i may see key j where j <= i, without (0, 0) in sentence 1
// if there is a second key for it.
static Tensor *masked(Tape *t, Tensor *x, int n) {
    int L = x->shape[x->rank - 2], M = x->shape[x->rank - 1];
    unsigned char allowed[256];
    for (int b = 0, at = 0; b < n; b++)
        for (int i = 0; i < L; i++)
            for (int j = 0; j < M; j++, at++)
                allowed[at] = b == 1 && M > 1 && i < M - 1 ? j == i + 1 : j <= i;
    return mask(t, x, allowed, n);
}

static Tensor *build_mask(Tape *t, Tensor **in, int n) { return masked(t, in[0], n); }
static Tensor *build_mask_softmax(Tape *t, Tensor **in, int n) {
    return softmax(t, masked(t, in[0], n));
}

// Of n targets out of 3, every third is missing; n < 0: all are missing; n = 0: one target, 0.
static Tensor *build_cross_entropy(Tape *t, Tensor **in, int n) {
    int rows = (int)in[0]->size / (in[0]->rank ? in[0]->shape[in[0]->rank - 1] : 1), targets[32];
    for (int r = 0; r < rows; r++)
        targets[r] = n < 0 || (n > 0 && r % 3 == 2) ? NO_TARGET : r % (n + 1);
    return cross_entropy(t, in[0], targets);
}

// Scores with some forbidden, as pointers are.
static Tensor *build_pointer(Tape *t, Tensor **in, int n) {
    const int targets[] = {0, 1, 2, NO_TARGET, 1, 2, 0, 1, 0};
    return cross_entropy(t, masked(t, in[0], n), targets);
}

#define NONE {-1, {0}}
#define ONE(...) {{__VA_ARGS__}, NONE, NONE}
#define TWO(a, b) {a, b, NONE}
#define SHAPE(...) {sizeof((int[]){__VA_ARGS__}) / sizeof(int), {__VA_ARGS__}}
#define SCALAR {0, {0}}

const GradientRow gradient_rows[] = {
    {"add", build_add, 0, TWO(SHAPE(1), SHAPE(1)), false},
    {"add", build_add, 0, TWO(SHAPE(3, 5), SHAPE(3, 5)), false},
    {"add", build_add, 0, TWO(SHAPE(2, 3, 5), SHAPE(5)), false},
    {"add", build_add, 0, TWO(SHAPE(2, 2, 3, 5), SHAPE(3, 5)), false},
    {"add", build_add, 0, TWO(SHAPE(3, 2), SCALAR), false},
    {"add", build_add, 0, TWO(SCALAR, SCALAR), false},
    {"add", build_add_self, 0, ONE(2, {3, 3}), false},
    {"sub", build_sub, 0, TWO(SHAPE(1, 1), SHAPE(1)), false},
    {"sub", build_sub, 0, TWO(SHAPE(7), SHAPE(7)), false},
    {"sub", build_sub, 0, TWO(SHAPE(2, 3, 5), SHAPE(3, 5)), false},
    {"sub", build_sub, 0, TWO(SHAPE(4, 3), SCALAR), false},
    {"sub", build_sub_self, 0, ONE(1, {5}), true},
    {"mul", build_mul, 0, TWO(SHAPE(1), SCALAR), false},
    {"mul", build_mul, 0, TWO(SHAPE(3, 5), SHAPE(3, 5)), false},
    {"mul", build_mul, 0, TWO(SHAPE(2, 3, 5), SHAPE(5)), false},
    {"mul", build_mul, 0, TWO(SHAPE(2, 2, 3, 3), SHAPE(2, 3, 3)), false},
    {"mul", build_mul_self, 0, ONE(2, {3, 5}), false},
    {"scale", build_scale, 1, ONE(2, {3, 5}), false},
    {"scale", build_scale, -3, ONE(4, {1, 2, 1, 3}), false},
    {"scale", build_scale, 2, {SCALAR, NONE, NONE}, false},
    {"relu", build_relu, 0, ONE(1, {5}), false},
    {"relu", build_relu, 0, ONE(3, {2, 3, 7}), false},
    {"gelu", build_gelu, 0, ONE(1, {1}), false},
    {"gelu", build_gelu, 0, ONE(2, {5, 7}), false},
    {"gelu", build_gelu, 2, ONE(1, {33}), false},
    {"sum", build_sum, 0, ONE(1, {1}), false},
    {"sum", build_sum, 0, ONE(3, {2, 3, 5}), false},
    {"mean", build_mean, 0, ONE(1, {1}), false},
    {"mean", build_mean, 0, ONE(2, {3, 7}), false},
    {"reshape", build_reshape, 1, ONE(3, {2, 3, 5}), false},
    {"reshape", build_reshape, 3, ONE(2, {3, 5}), false},
    {"reshape", build_reshape, 4, ONE(2, {3, 5}), false},
    {"transpose", build_transpose, 0, ONE(2, {1, 1}), false},
    {"transpose", build_transpose, 0, ONE(2, {3, 5}), false},
    {"transpose", build_transpose, 0, ONE(3, {2, 7, 3}), false},
    {"transpose", build_transpose, 0, ONE(4, {2, 2, 1, 5}), false},
    {"split_heads", build_split, 1, ONE(3, {2, 3, 4}), false},
    {"split_heads", build_split, 3, ONE(3, {2, 5, 6}), false},
    {"split_heads", build_split, 2, ONE(3, {1, 1, 2}), false},
    {"merge_heads", build_merge, 0, ONE(4, {2, 1, 3, 4}), false},
    {"merge_heads", build_merge, 0, ONE(4, {2, 3, 5, 2}), false},
    {"merge_heads", build_merge, 0, ONE(4, {1, 2, 1, 1}), false},
    {"embedding", build_embedding, 1, ONE(2, {1, 1}), false},
    {"embedding", build_embedding, 9, ONE(2, {5, 3}), false},
    {"embedding", build_embedding, 12, ONE(3, {2, 3, 4}), false},
    {"matmul", build_matmul, 0, TWO(SHAPE(1, 1), SHAPE(1, 1)), false},
    {"matmul", build_matmul, 0, TWO(SHAPE(3, 5), SHAPE(5, 7)), false},
    {"matmul", build_matmul, 0, TWO(SHAPE(2, 3, 5), SHAPE(5, 17)), false},
    {"matmul", build_matmul, 0, TWO(SHAPE(2, 3, 2, 5), SHAPE(5, 3)), false},
    {"matmul", build_matmul, 0, TWO(SHAPE(3, 2, 4), SHAPE(3, 4, 5)), false},
    {"matmul", build_matmul, 0, TWO(SHAPE(2, 3, 3, 1), SHAPE(2, 3, 1, 2)), false},
    {"matmul", build_matmul, 0, TWO(SHAPE(9, 33), SHAPE(33, 3)), false},
    {"matmul", build_square, 0, ONE(3, {2, 3, 3}), false},
    {"linear", build_linear, 0, {SHAPE(1, 1), SHAPE(1, 1), SHAPE(1)}, false},
    {"linear", build_linear, 0, {SHAPE(2, 3, 5), SHAPE(5, 17), SHAPE(17)}, false},
    {"linear", build_linear, 1, {SHAPE(2, 3, 5), SHAPE(5, 17), SHAPE(17)}, false},
    {"matmul_t", build_matmul_t, 0, TWO(SHAPE(1, 1), SHAPE(1, 1)), false},
    {"matmul_t", build_matmul_t, 0, TWO(SHAPE(3, 5), SHAPE(7, 5)), false},
    {"matmul_t", build_matmul_t, 0, TWO(SHAPE(2, 3, 5), SHAPE(17, 5)), false},
    {"matmul_t", build_matmul_t, 0, TWO(SHAPE(2, 2, 3, 4), SHAPE(5, 4)), false},
    {"matmul_t", build_matmul_t, 0, TWO(SHAPE(3, 2, 4), SHAPE(3, 5, 4)), false},
    {"matmul_t", build_matmul_t, 0, TWO(SHAPE(2, 3, 3, 1), SHAPE(2, 3, 2, 1)), false},
    {"matmul_t", build_gram, 0, ONE(3, {2, 5, 3}), false},
    {"mask", build_mask, 1, ONE(3, {1, 1, 1}), false},
    {"mask", build_mask, 2, ONE(3, {2, 3, 5}), false},
    {"mask", build_mask, 1, ONE(3, {3, 4, 4}), false},
    {"mask", build_mask, 2, ONE(4, {2, 3, 4, 4}), false},
    {"mask", build_mask, 1, ONE(4, {2, 3, 5, 3}), false},
    {"softmax", build_softmax, 0, ONE(1, {1}), true},
    {"softmax", build_softmax, 0, ONE(1, {2}), false},
    {"softmax", build_softmax, 0, ONE(2, {3, 7}), false},
    {"softmax", build_softmax, 0, ONE(3, {2, 2, 17}), false},
    {"softmax", build_mask_softmax, 2, ONE(3, {2, 4, 4}), false},
    {"softmax", build_mask_softmax, 2, ONE(4, {2, 3, 5, 5}), false},
    {"softmax", build_mask_softmax, 1, ONE(4, {2, 2, 3, 3}), false},
    {"layer_norm", build_norm, 0, {SHAPE(1), SHAPE(1), SHAPE(1)}, false},
    {"layer_norm", build_norm, 0, {SHAPE(3, 5), SHAPE(5), SHAPE(5)}, false},
    {"layer_norm", build_norm, 0, {SHAPE(2, 3, 7), SHAPE(7), SHAPE(7)}, false},
    {"layer_norm", build_norm, 0, {SHAPE(2, 2, 1, 17), SHAPE(17), SHAPE(17)}, false},
    {"cross_entropy", build_cross_entropy, 0, ONE(1, {3}), false},
    {"cross_entropy", build_cross_entropy, 0, ONE(1, {1}), true},
    {"cross_entropy", build_cross_entropy, 2, ONE(2, {7, 3}), false},
    {"cross_entropy", build_cross_entropy, 4, ONE(3, {2, 4, 17}), false},
    {"cross_entropy", build_cross_entropy, -1, ONE(2, {3, 5}), true},
    {"cross_entropy", build_pointer, 1, ONE(3, {2, 3, 3}), false},
    {"relative", build_relative, 0, ONE(2, {1, 1}), false},
    {"relative", build_relative, 0, ONE(2, {3, 1}), false},
    {"relative", build_relative, 0, ONE(3, {2, 5, 3}), false},
    {"relative", build_relative, 0, ONE(2, {3, 9}), false},
    {"relative", build_relative, 0, ONE(4, {2, 3, 4, 5}), false},
};
const int gradient_row_count = sizeof gradient_rows / sizeof *gradient_rows;

int gradient_inputs(const GradientRow *row) {
    int n = 0;
    while (n < 3 && row->in[n].rank >= 0) n++;
    return n;
}

int gradient_has_row(const char *op) {
    for (int i = 0; i < gradient_row_count; i++)
        if (!strcmp(gradient_rows[i].op, op)) return 1;
    return 0;
}
