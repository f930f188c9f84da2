// Every op once more: its forward in dual numbers, as autograd/ops.h describes it, and its backward
// in double. The code is the plainest there is, shares nothing with autograd/, and was written from
// the header alone. Read dual.h first; test_dual.c compares.
#include "dual.h"

#include <math.h>

int dual_size(DualShape s) {
    int size = 1;
    for (int i = 0; i < s.rank; i++) size *= s.shape[i];
    return size;
}

static int last(const DualArray *x, int back) { return x->is.shape[x->is.rank - 1 - back]; }

// ---- arithmetic --------------------------------------------------------------------------------

static Dual constant(double x) { return (Dual){x, 0}; }
static Dual plus(Dual a, Dual b) { return (Dual){a.x + b.x, a.d + b.d}; }
static Dual minus(Dual a, Dual b) { return (Dual){a.x - b.x, a.d - b.d}; }
static Dual times(Dual a, Dual b) { return (Dual){a.x * b.x, a.d * b.x + a.x * b.d}; }
static Dual over(Dual a, Dual b) {
    return (Dual){a.x / b.x, (a.d * b.x - a.x * b.d) / (b.x * b.x)};
}
static Dual exponential(Dual a) { return (Dual){exp(a.x), a.d * exp(a.x)}; }
static Dual logarithm(Dual a) { return (Dual){log(a.x), a.d / a.x}; }
static Dual root(Dual a) { return (Dual){sqrt(a.x), a.d / (2 * sqrt(a.x))}; }
static Dual tangent(Dual a) {  // the hyperbolic one, from its definition
    Dual up = exponential(a), down = exponential(minus(constant(0), a));
    return over(minus(up, down), plus(up, down));
}

// ---- numbers that are only moved ---------------------------------------------------------------

static void forward_move(const DualRow *row, const DualArray *in, DualArray *y) {
    for (int i = 0; i < y->size; i++) {
        int from = row->from(in, i);
        y->at[i] = from < 0 ? constant(-INFINITY) : in->at[from];
    }
}

static void backward_move(const DualRow *row, const DualArray *in, const DualArray *y,
                          const double *dy, double grad[3][DUAL_MOST]) {
    for (int i = 0; i < y->size; i++)
        if (row->from(in, i) >= 0) grad[0][row->from(in, i)] += dy[i];
}

static int stays(const DualArray *x, int i) { return (void)x, i; }

static int from_transposed(const DualArray *x, int i) {
    int m = last(x, 1), n = last(x, 0), matrix = i / (m * n), row = i / m % n, column = i % m;
    return (matrix * m + column) * n + row;
}

enum { HEADS = 3 };

static int from_unsplit(const DualArray *x, int i) {  // y (B, H, L, d) of x (B, L, H d)
    int L = last(x, 1), d = last(x, 0) / HEADS;
    int c = i % d, l = i / d % L, h = i / d / L % HEADS, b = i / d / L / HEADS;
    return ((b * L + l) * HEADS + h) * d + c;
}

static int from_split(const DualArray *x, int i) {  // y (B, L, H d) of x (B, H, L, d)
    int H = last(x, 2), L = last(x, 1), d = last(x, 0);
    int c = i % d, h = i / d % H, l = i / d / H % L, b = i / d / H / L;
    return ((b * H + h) * L + l) * d + c;
}

static const int ids[] = {3, 0, 3, 1, 0, 3};  // 2 is never asked for

static int from_table(const DualArray *x, int i) {
    int D = last(x, 0);
    return ids[i / D] * D + i % D;
}

static int from_relative(const DualArray *x, int i) {
    int L = last(x, 1), n = (last(x, 0) - 1) / 2, distance = i % L - i / L % L;
    if (distance > n) distance = n;
    if (distance < -n) distance = -n;
    return i / L * (2 * n + 1) + n + distance;
}

// (2, 3, 4): of two sentences.
static const unsigned char allowed[] = {1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1,
                                        0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0};

static int from_masked(const DualArray *x, int i) {
    int L = last(x, 1), M = last(x, 0), H = x->is.rank == 4 ? x->is.shape[1] : 1;
    int sentence = i / (H * L * M);
    return allowed[sentence * L * M + i % (L * M)] ? i : -1;
}

// ---- element by element ------------------------------------------------------------------------

static void forward_add(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    for (int i = 0; i < y->size; i++) y->at[i] = plus(in[0].at[i], in[1].at[i % in[1].size]);
}

static void backward_add(const DualRow *row, const DualArray *in, const DualArray *y,
                         const double *dy, double grad[3][DUAL_MOST]) {
    (void)row;
    for (int i = 0; i < y->size; i++) grad[0][i] += dy[i], grad[1][i % in[1].size] += dy[i];
}

static void forward_sub(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    for (int i = 0; i < y->size; i++) y->at[i] = minus(in[0].at[i], in[1].at[i % in[1].size]);
}

static void backward_sub(const DualRow *row, const DualArray *in, const DualArray *y,
                         const double *dy, double grad[3][DUAL_MOST]) {
    (void)row;
    for (int i = 0; i < y->size; i++) grad[0][i] += dy[i], grad[1][i % in[1].size] -= dy[i];
}

static void forward_mul(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    for (int i = 0; i < y->size; i++) y->at[i] = times(in[0].at[i], in[1].at[i % in[1].size]);
}

static void backward_mul(const DualRow *row, const DualArray *in, const DualArray *y,
                         const double *dy, double grad[3][DUAL_MOST]) {
    (void)row;
    for (int i = 0; i < y->size; i++) {
        int j = i % in[1].size;
        grad[0][i] += dy[i] * in[1].at[j].x;
        grad[1][j] += dy[i] * in[0].at[i].x;
    }
}

enum { FACTOR = -3 };  // an integer, so that float and double have the same

static void forward_scale(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    for (int i = 0; i < y->size; i++) y->at[i] = times(constant(FACTOR), in->at[i]);
}

static void backward_scale(const DualRow *row, const DualArray *in, const DualArray *y,
                           const double *dy, double grad[3][DUAL_MOST]) {
    (void)row, (void)in;
    for (int i = 0; i < y->size; i++) grad[0][i] += FACTOR * dy[i];
}

static void forward_relu(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    for (int i = 0; i < y->size; i++) y->at[i] = in->at[i].x > 0 ? in->at[i] : constant(0);
}

static void backward_relu(const DualRow *row, const DualArray *in, const DualArray *y,
                          const double *dy, double grad[3][DUAL_MOST]) {
    (void)row;
    for (int i = 0; i < y->size; i++) grad[0][i] += in->at[i].x > 0 ? dy[i] : 0;
}

#define ROOT_2_OVER_PI 0.79788456080286535588

static void forward_gelu(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    for (int i = 0; i < y->size; i++) {
        Dual a = in->at[i], cube = times(a, times(a, a));
        Dual u = times(constant(ROOT_2_OVER_PI), plus(a, times(constant(0.044715), cube)));
        y->at[i] = times(times(a, plus(constant(1), tangent(u))), constant(0.5));
    }
}

// With t = tanh u: dy/da = (1 + t)/2 + a (1 - t^2) u'/2.
static void backward_gelu(const DualRow *row, const DualArray *in, const DualArray *y,
                          const double *dy, double grad[3][DUAL_MOST]) {
    (void)row;
    for (int i = 0; i < y->size; i++) {
        double a = in->at[i].x, t = tanh(ROOT_2_OVER_PI * (a + 0.044715 * a * a * a));
        double slope = ROOT_2_OVER_PI * (1 + 3 * 0.044715 * a * a);
        grad[0][i] += dy[i] * ((1 + t) / 2 + a * (1 - t * t) * slope / 2);
    }
}

static void forward_sum(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    y->at[0] = constant(0);
    for (int i = 0; i < in->size; i++) y->at[0] = plus(y->at[0], in->at[i]);
}

static void backward_sum(const DualRow *row, const DualArray *in, const DualArray *y,
                         const double *dy, double grad[3][DUAL_MOST]) {
    (void)row, (void)y;
    for (int i = 0; i < in->size; i++) grad[0][i] += dy[0];
}

static void forward_mean(const DualRow *row, const DualArray *in, DualArray *y) {
    forward_sum(row, in, y);
    y->at[0] = over(y->at[0], constant(in->size));
}

static void backward_mean(const DualRow *row, const DualArray *in, const DualArray *y,
                          const double *dy, double grad[3][DUAL_MOST]) {
    (void)row, (void)y;
    for (int i = 0; i < in->size; i++) grad[0][i] += dy[0] / in->size;
}

// ---- products ----------------------------------------------------------------------------------

// Where b's element (k, j) is, for the matrix that row r of a (all of its rows counted) meets.
static int in_b(const DualArray *a, const DualArray *b, int r, int k, int j, bool transposed) {
    int matrix = b->is.rank == 2 ? 0 : r / last(a, 1), rows = last(b, 1), columns = last(b, 0);
    return (matrix * rows + (transposed ? j : k)) * columns + (transposed ? k : j);
}

static void product(const DualArray *in, DualArray *y, bool transposed) {
    const DualArray *a = &in[0], *b = &in[1];
    int K = last(a, 0), N = last(y, 0);
    for (int i = 0; i < y->size; i++) {
        y->at[i] = constant(0);
        for (int k = 0; k < K; k++)
            y->at[i] = plus(y->at[i], times(a->at[i / N * K + k],
                                            b->at[in_b(a, b, i / N, k, i % N, transposed)]));
    }
}

// y_rj = sum_k a_rk b_kj: each term gives its two factors their share.
static void product_backward(const DualArray *in, const DualArray *y, const double *dy,
                             double grad[3][DUAL_MOST], bool transposed) {
    const DualArray *a = &in[0], *b = &in[1];
    int K = last(a, 0), N = last(y, 0);
    for (int i = 0; i < y->size; i++)
        for (int k = 0; k < K; k++) {
            int at = in_b(a, b, i / N, k, i % N, transposed);
            grad[0][i / N * K + k] += dy[i] * b->at[at].x;
            grad[1][at] += dy[i] * a->at[i / N * K + k].x;
        }
}

static void forward_matmul(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    product(in, y, false);
}

static void backward_matmul(const DualRow *row, const DualArray *in, const DualArray *y,
                            const double *dy, double grad[3][DUAL_MOST]) {
    (void)row;
    product_backward(in, y, dy, grad, false);
}

static void forward_matmul_t(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    product(in, y, true);
}

static void backward_matmul_t(const DualRow *row, const DualArray *in, const DualArray *y,
                              const double *dy, double grad[3][DUAL_MOST]) {
    (void)row;
    product_backward(in, y, dy, grad, true);
}

static void forward_linear(const DualRow *row, const DualArray *in, DualArray *y) {
    (void)row;
    product(in, y, false);
    for (int i = 0; i < y->size; i++) y->at[i] = plus(y->at[i], in[2].at[i % in[2].size]);
}

static void backward_linear(const DualRow *row, const DualArray *in, const DualArray *y,
                            const double *dy, double grad[3][DUAL_MOST]) {
    (void)row;
    product_backward(in, y, dy, grad, false);
    for (int i = 0; i < y->size; i++) grad[2][i % in[2].size] += dy[i];
}

// ---- rows --------------------------------------------------------------------------------------

static void forward_softmax(const DualRow *row, const DualArray *in, DualArray *y) {
    int n = last(in, 0);
    (void)row;
    for (int r = 0; r < y->size; r += n) {
        Dual total = constant(0);
        for (int j = r; j < r + n; j++) total = plus(total, exponential(in->at[j]));
        for (int j = r; j < r + n; j++) y->at[j] = over(exponential(in->at[j]), total);
    }
}

// d y_j / d x_i = y_j ((i = j) - y_i).
static void backward_softmax(const DualRow *row, const DualArray *in, const DualArray *y,
                             const double *dy, double grad[3][DUAL_MOST]) {
    int n = last(in, 0);
    (void)row;
    for (int i = 0; i < y->size; i++)
        for (int j = i / n * n; j < i / n * n + n; j++)
            grad[0][i] += dy[j] * y->at[j].x * ((i == j) - y->at[i].x);
}

static void moments(const Dual *x, int n, Dual *average, Dual *deviation) {
    Dual square = constant(0);
    *average = constant(0);
    for (int j = 0; j < n; j++) *average = plus(*average, over(x[j], constant(n)));
    for (int j = 0; j < n; j++) {
        Dual off = minus(x[j], *average);
        square = plus(square, over(times(off, off), constant(n)));
    }
    *deviation = root(plus(square, constant(1e-5)));
}

static void forward_norm(const DualRow *row, const DualArray *in, DualArray *y) {
    int n = last(in, 0);
    Dual average, deviation;
    (void)row;
    for (int i = 0; i < y->size; i++) {
        moments(in->at + i / n * n, n, &average, &deviation);
        Dual z = over(minus(in->at[i], average), deviation);
        y->at[i] = plus(times(in[1].at[i % n], z), in[2].at[i % n]);
    }
}

// With z = (x - mean)/s: d z_j / d x_i = ((i = j) - 1/n - z_i z_j / n) / s.
static void backward_norm(const DualRow *row, const DualArray *in, const DualArray *y,
                          const double *dy, double grad[3][DUAL_MOST]) {
    int n = last(in, 0);
    Dual m, s;
    (void)row;
    for (int i = 0; i < y->size; i++) {
        int start = i / n * n;
        moments(in->at + start, n, &m, &s);
        double z = (in->at[i].x - m.x) / s.x;
        grad[1][i % n] += dy[i] * z;
        grad[2][i % n] += dy[i];
        for (int j = start; j < start + n; j++) {
            double other = (in->at[j].x - m.x) / s.x;
            grad[0][i] += dy[j] * in[1].at[j % n].x * ((i == j) - 1.0 / n - z * other / n) / s.x;
        }
    }
}

static const int targets[] = {2, NO_TARGET, 0, 4, 2};
enum { TARGETS = 4 };  // that are there

static void forward_cross(const DualRow *row, const DualArray *in, DualArray *y) {
    int V = last(in, 0);
    (void)row;
    y->at[0] = constant(0);
    for (int r = 0; r < in->size / V; r++) {
        Dual total = constant(0);
        if (targets[r] == NO_TARGET) continue;
        for (int v = 0; v < V; v++) total = plus(total, exponential(in->at[r * V + v]));
        Dual right = over(exponential(in->at[r * V + targets[r]]), total);
        y->at[0] = minus(y->at[0], over(logarithm(right), constant(TARGETS)));
    }
}

static void backward_cross(const DualRow *row, const DualArray *in, const DualArray *y,
                           const double *dy, double grad[3][DUAL_MOST]) {
    int V = last(in, 0);
    (void)row, (void)y;
    for (int i = 0; i < in->size; i++) {
        double total = 0;
        if (targets[i / V] == NO_TARGET) continue;
        for (int v = 0; v < V; v++) total += exp(in->at[i / V * V + v].x);
        grad[0][i] += dy[0] / TARGETS * (exp(in->at[i].x) / total - (i % V == targets[i / V]));
    }
}

// A head: softmax(mask(-3 Q Kᵀ)) V.
static void forward_head(const DualRow *row, const DualArray *in, DualArray *y) {
    DualArray S = {.is = {3, {2, 3, 4}}, .size = 24}, two[2] = {S, in[2]};
    (void)row;
    product(in, &S, true);
    for (int i = 0; i < S.size; i++) {
        Dual score = times(constant(FACTOR), S.at[i]);
        S.at[i] = from_masked(&S, i) < 0 ? constant(-INFINITY) : score;
    }
    two[0] = S;
    forward_softmax(row, &S, &two[0]);
    product(two, y, false);
}

// ---- the tape's ops ----------------------------------------------------------------------------

static Tensor *tape_add(Tape *t, Tensor **in) { return add(t, in[0], in[1]); }
static Tensor *tape_sub(Tape *t, Tensor **in) { return sub(t, in[0], in[1]); }
static Tensor *tape_mul(Tape *t, Tensor **in) { return mul(t, in[0], in[1]); }
static Tensor *tape_scale(Tape *t, Tensor **in) { return scale(t, in[0], FACTOR); }
static Tensor *tape_relu(Tape *t, Tensor **in) { return relu(t, in[0]); }
static Tensor *tape_gelu(Tape *t, Tensor **in) { return gelu(t, in[0]); }
static Tensor *tape_sum(Tape *t, Tensor **in) { return sum(t, in[0]); }
static Tensor *tape_mean(Tape *t, Tensor **in) { return mean(t, in[0]); }
static Tensor *tape_reshape(Tape *t, Tensor **in) {
    return reshape(t, in[0], 3, (const int[]){5, 2, 3});
}
static Tensor *tape_transpose(Tape *t, Tensor **in) { return transpose(t, in[0]); }
static Tensor *tape_split(Tape *t, Tensor **in) { return split_heads(t, in[0], HEADS); }
static Tensor *tape_merge(Tape *t, Tensor **in) { return merge_heads(t, in[0]); }
static Tensor *tape_embedding(Tape *t, Tensor **in) { return embedding(t, in[0], ids, 2, 3); }
static Tensor *tape_matmul(Tape *t, Tensor **in) { return matmul(t, in[0], in[1]); }
static Tensor *tape_matmul_t(Tape *t, Tensor **in) { return matmul_t(t, in[0], in[1]); }
static Tensor *tape_linear(Tape *t, Tensor **in) { return linear(t, in[0], in[1], in[2]); }
static Tensor *tape_mask(Tape *t, Tensor **in) { return mask(t, in[0], allowed, 2); }
static Tensor *tape_softmax(Tape *t, Tensor **in) { return softmax(t, in[0]); }
static Tensor *tape_norm(Tape *t, Tensor **in) { return layer_norm(t, in[0], in[1], in[2]); }
static Tensor *tape_cross(Tape *t, Tensor **in) { return cross_entropy(t, in[0], targets); }
static Tensor *tape_relative(Tape *t, Tensor **in) { return relative(t, in[0]); }
static Tensor *tape_head(Tape *t, Tensor **in) {
    Tensor *S = mask(t, scale(t, matmul_t(t, in[0], in[1]), FACTOR), allowed, 2);
    return matmul(t, softmax(t, S), in[2]);
}

#define S(...) {sizeof((int[]){__VA_ARGS__}) / sizeof(int), {__VA_ARGS__}}
#define NONE {-1, {0}}
#define ONE(a) {a, NONE, NONE}
#define TWO(a, b) {a, b, NONE}
#define OF(name) tape_##name, forward_##name, backward_##name, 0
#define MOVE(name, from) tape_##name, forward_move, backward_move, from
#define SCALAR {0, {0}}

const DualRow dual_rows[] = {
    {"add", OF(add), TWO(S(2, 3, 5), S(3, 5)), S(2, 3, 5)},
    {"sub", OF(sub), TWO(S(2, 3, 5), S(5)), S(2, 3, 5)},
    {"mul", OF(mul), TWO(S(2, 2, 3, 5), S(3, 5)), S(2, 2, 3, 5)},
    {"scale", OF(scale), ONE(S(7, 5)), S(7, 5)},
    {"relu", OF(relu), ONE(S(2, 3, 7)), S(2, 3, 7)},
    {"gelu", OF(gelu), ONE(S(7, 33)), S(7, 33)},
    {"sum", OF(sum), ONE(S(2, 3, 7)), SCALAR},
    {"mean", OF(mean), ONE(S(2, 3, 7)), SCALAR},
    {"reshape", MOVE(reshape, stays), ONE(S(2, 3, 5)), S(5, 2, 3)},
    {"transpose", MOVE(transpose, from_transposed), ONE(S(2, 3, 5, 7)), S(2, 3, 7, 5)},
    {"split_heads", MOVE(split, from_unsplit), ONE(S(2, 5, 12)), S(2, 3, 5, 4)},
    {"merge_heads", MOVE(merge, from_split), ONE(S(2, 3, 5, 4)), S(2, 5, 12)},
    {"embedding", MOVE(embedding, from_table), ONE(S(4, 5)), S(2, 3, 5)},
    {"matmul", OF(matmul), TWO(S(2, 3, 5), S(2, 5, 7)), S(2, 3, 7)},
    {"matmul", OF(matmul), TWO(S(2, 3, 5), S(5, 17)), S(2, 3, 17)},
    {"matmul_t", OF(matmul_t), TWO(S(2, 3, 5), S(2, 7, 5)), S(2, 3, 7)},
    {"matmul_t", OF(matmul_t), TWO(S(2, 3, 5), S(17, 5)), S(2, 3, 17)},
    {"linear", OF(linear), {S(2, 3, 5), S(5, 17), S(17)}, S(2, 3, 17)},
    {"mask", MOVE(mask, from_masked), ONE(S(2, 2, 3, 4)), S(2, 2, 3, 4)},
    {"softmax", OF(softmax), ONE(S(2, 3, 17)), S(2, 3, 17)},
    {"layer_norm", OF(norm), {S(2, 3, 17), S(17), S(17)}, S(2, 3, 17)},
    {"cross_entropy", OF(cross), ONE(S(5, 9)), SCALAR},
    {"relative", MOVE(relative, from_relative), ONE(S(2, 5, 7)), S(2, 5, 5)},
    {"matmul", tape_head, forward_head, 0, 0, {S(2, 3, 5), S(2, 4, 5), S(2, 4, 7)}, S(2, 3, 7)},
};
const int dual_row_count = sizeof dual_rows / sizeof *dual_rows;
