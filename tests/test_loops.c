// Attention of every arm against plain loops in double, and what holds of its weights.
#include <stdlib.h>
#include <string.h>

#include "layer.h"
#include "setup.h"
#include "test.h"

static double weight(const Tensor *W, int row, int column) {
    return W->data[row * W->shape[1] + column];
}

// x (D) times columns from .. from + n - 1 of W; a slice of x itself where W is NULL.
static void project(const float *x, int D, const Tensor *W, int from, int n, double *to) {
    for (int c = 0; c < n; c++) {
        to[c] = W ? 0 : x[from + c];
        for (int k = 0; W && k < D; k++) to[c] += x[k] * weight(W, k, from + c);
    }
}

static double naive_score(const Layer *l, int b, int h, int i, int j) {
    const Attention *a = &l->a;
    int D = a->config.D, H = a->config.H, L = l->X->shape[1], M = l->Z->shape[1],
        n = a->config.relative;
    const float *x = l->X->data + (b * L + i) * D, *z = l->Z->data + (b * M + j) * D;
    bool own = a->arm->score->own;
    int d = score_trains(a->arm->score) ? a->config.d_k : D / H, wide = a->W_Q ? d : D / H;
    double q[64], k[64], m[64 * 64], s = 0;
    project(x, D, a->W_Q, h * wide, wide, q);
    project(z, D, a->W_K, h * wide, wide, k);
    if (own) attention_m(a, h, m);  // which is checked below
    for (int c = 0; !own && c < wide; c++) s += q[c] * k[c];
    for (int e = 0; own && e < D * D; e++) s += x[e / D] * m[e] * z[e % D];
    int far = j - i > n ? n : j - i < -n ? -n : j - i;
    for (int c = 0; a->R && c < wide; c++) s += q[c] * weight(a->R, n + far, c);
    return a->config.scaled ? s / sqrt(d) : s;
}

// What head h makes of query i: A's row, and the values it blends, beginning at y[h d].
static void naive_row(const Layer *l, int b, int h, int i, double *S, double *A, double *y) {
    const Attention *a = &l->a;
    int D = a->config.D, H = a->config.H, L = l->X->shape[1], M = l->Z->shape[1];
    bool X = a->arm->value == VALUE_X, own = a->arm->value == VALUE_V;
    const Tensor *W = X ? NULL : own ? a->W_V : a->arm->value == VALUE_KEY ? a->W_K : a->W_Q;
    int d = X ? D / H : own ? a->config.d_v : a->config.d_k;
    double total = 0, v[64];
    for (int c = 0; c < d; c++) y[h * d + c] = 0;
    for (int j = 0; j < M; j++) {
        S[j] = naive_score(l, b, h, i, j);
        A[j] = l->allowed[(b * L + i) * M + j] ? exp(S[j]) : 0;
        total += A[j];
    }
    for (int j = 0; j < M; j++) {
        A[j] /= total;
        project(l->Z->data + (b * M + j) * D, D, W, h * d, d, v);
        for (int c = 0; c < d; c++) y[h * d + c] += A[j] * v[c];
    }
}

static void check_against_loops(const Layer *l, const char *what) {
    int B = l->X->shape[0], L = l->X->shape[1], M = l->Z->shape[1], D = l->a.config.D,
        H = l->a.config.H;
    double *S = malloc((size_t)(B * H * L * M) * sizeof *S),
           *A = malloc((size_t)(B * H * L * M) * sizeof *A);
    double *Y = calloc((size_t)(B * L * D), sizeof *Y), y[256];
    for (int b = 0; b < B; b++)
        for (int i = 0; i < L; i++) {
            for (int h = 0; h < H; h++) {
                int at = ((b * H + h) * L + i) * M;
                naive_row(l, b, h, i, S + at, A + at, y);
            }
            double *row = Y + (b * L + i) * D;
            for (int c = 0; c < D; c++) {
                row[c] = l->a.W_O ? 0 : y[c];
                for (int k = 0; l->a.W_O && k < l->a.W_O->shape[0]; k++)
                    row[c] += y[k] * weight(l->a.W_O, k, c);
            }
        }
    setup_near(what, l->out.S->data, S, l->out.S->size, 3e-6);
    if (l->out.A) setup_near(what, l->out.A->data, A, l->out.A->size, 3e-6);
    if (l->out.Y) setup_near(what, l->out.Y->data, Y, l->out.Y->size, 3e-6);
    free(S);
    free(A);
    free(Y);
}

// Forbids some keys; never all of a query's.
static void forbid_some(Layer *l) {
    int rows = l->X->shape[0] * l->X->shape[1], M = l->Z->shape[1];
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < M; j++) l->allowed[r * M + j] = (r + 2 * j) % 3 > 0 || j == r % M;
}

static void loops(AttentionConfig c, int M) {
    for (int i = 0; i < arm_count; i++) {
        Layer layer;
        char what[128];
        snprintf(what, sizeof what, "%s, D %d, H %d, d_k %d, d_v %d, n %d", arm_table[i].name, c.D,
                 c.H, c.d_k, c.d_v, c.relative);
        layer_open(&layer, arm_table[i].name, c, 2, 6, M);
        forbid_some(&layer);
        layer_run(&layer);
        check_against_loops(&layer, what);
        layer_close(&layer);
    }
}

static void self_attention_is_the_loops(void) {
    loops(layer_config(8, 1, 4, 8), 0);
    loops(layer_config(9, 3, 5, 3), 0);
    AttentionConfig plain = layer_config(7, 1, 3, 7);
    plain.scaled = false;
    loops(plain, 0);
}

static void other_value_widths_are_the_loops(void) {
    loops(layer_config(8, 1, 4, 5), 0);
    loops(layer_config(6, 2, 2, 7), 0);
    Layer layer;
    layer_open(&layer, "kv", layer_config(8, 1, 4, 8), 1, 3, 0);
    layer_shape(layer.a.W_O, "(4, 8)");
    layer_close(&layer);
}

static void cross_attention_is_the_loops(void) {
    loops(layer_config(8, 1, 4, 8), 3);
    loops(layer_config(9, 3, 5, 2), 11);
}

static void relative_scores_are_the_loops(void) {
    AttentionConfig c = layer_config(8, 1, 4, 8);
    for (c.relative = 1; c.relative < 9; c.relative += 3) loops(c, 0);
    AttentionConfig many = layer_config(9, 3, 5, 3);
    many.relative = 2;
    loops(many, 0);
}

static void m_makes_the_scores(void) {
    for (int i = 0; i < arm_count; i++) {
        Layer l;
        double M[9 * 9], expected[3 * 5 * 5];
        layer_open(&l, arm_table[i].name, layer_config(9, 3, 4, 3), 1, 5, 0);
        layer_run(&l);
        for (int h = 0; h < 3; h++) {
            attention_m(&l.a, h, M);
            for (int r = 0; r < 25; r++) {
                const float *x = l.X->data + r / 5 * 9, *z = l.X->data + r % 5 * 9;
                double s = 0;
                for (int k = 0; k < 81; k++) s += (double)x[k / 9] * M[k] * z[k % 9];
                expected[h * 25 + r] = s / sqrt(score_trains(l.a.arm->score) ? 4 : 3);
            }
        }
        setup_near(arm_table[i].name, l.out.S->data, expected, 75, 3e-6);
        layer_close(&l);
    }
}

static void m_of_sym_is_half_of_both(void) {
    Layer l;
    double M[9 * 9];
    layer_open(&l, "sym", layer_config(9, 3, 4, 3), 1, 5, 0);
    for (int h = 0; h < 3; h++) {
        attention_m(&l.a, h, M);
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++)
                CHECK_NEAR(M[i * 9 + j],
                           (weight(l.a.B, i, h * 9 + j) + weight(l.a.B, j, h * 9 + i)) / 2, 1e-7);
    }
    layer_close(&l);
}

// ---- heads -------------------------------------------------------------------------------------

static void copy_columns(Tensor *to, const Tensor *from, int first) {
    int rows = (int)(from->size / (size_t)from->shape[from->rank - 1]);
    int n = to->shape[to->rank - 1], width = from->shape[from->rank - 1];
    for (int r = 0; r < rows; r++)
        memcpy(to->data + r * n, from->data + r * width + first, (size_t)n * sizeof *to->data);
}

// Head h of `many` as a layer of its own, whose W_O does nothing: columns h d .. of each weight,
// and of X where the arm scores or passes on X itself.
static void slice_open(Layer *one, const Layer *many, int h) {
    AttentionConfig c = many->a.config;
    bool sliced = !score_trains(many->a.arm->score) && many->a.arm->value == VALUE_X;
    int width = sliced ? c.D / c.H : c.D;
    layer_open(one, many->a.arm->name, layer_config(width, 1, c.d_k, c.d_v), many->X->shape[0],
               many->X->shape[1], 0);
    copy_columns(one->X, many->X, sliced ? h * width : 0);
    if (one->a.W_Q) copy_columns(one->a.W_Q, many->a.W_Q, h * c.d_k);
    if (one->a.W_K) copy_columns(one->a.W_K, many->a.W_K, h * c.d_k);
    if (one->a.B) copy_columns(one->a.B, many->a.B, h * c.D);
    if (one->a.W_V) copy_columns(one->a.W_V, many->a.W_V, h * c.d_v);
    if (one->a.W_O) fill_identity(one->a.W_O);
}

static void four_heads_are_four_layers(void) {
    const char *arms[] = {"qkv", "xxt", "sym", "tied"};
    for (int arm = 0; arm < 4; arm++) {
        Layer many, one;
        layer_open(&many, arms[arm], layer_config(12, 4, 3, 3), 2, 5, 0);
        layer_run(&many);
        for (int h = 0; h < 4; h++) {
            slice_open(&one, &many, h);
            layer_run(&one);
            for (int b = 0; b < 2; b++) {
                size_t at = (size_t)(b * 4 + h) * 25;
                setup_same_bits("S", many.out.S->data + at, one.out.S->data + b * 25, 25);
                setup_same_bits("A", many.out.A->data + at, one.out.A->data + b * 25, 25);
            }
            int width = one.out.Y->shape[2];
            for (int r = 0; r < 10; r++)
                setup_same_bits("Y", many.out.Y->data + r * 12 + h * 3, one.out.Y->data + r * width,
                                3);
            layer_close(&one);
        }
        layer_close(&many);
    }
}

// ---- weights of A ------------------------------------------------------------------------------

static void check_rows_of(const Forward *f, const Batch *batch, bool mask_self) {
    size_t L = (size_t)batch->L;
    for (size_t r = 0; r < (size_t)batch->B * L; r++) {
        const float *A = f->attended.A->data + r * L;
        size_t length = (size_t)batch->length[r / L];
        double total = 0;
        for (size_t j = 0; j < L; j++) {
            bool may = j < length && !(mask_self && j == r % L);
            total += A[j];
            CHECK(may ? A[j] > 0 : A[j] == 0, "A[%zu][%zu] is %g of %zu tokens; expected %s", r % L,
                  j, (double)A[j], length, may ? "a positive weight" : "exactly 0");
        }
        CHECK_NEAR(total, 1, 1e-6);
    }
}

static void weights(const char *command, bool mask_self) {
    Setup s;
    setup_open(&s, command);
    for (int i = 0; i < arm_count; i++) {
        Model model;
        Tape tape = {0};
        Batch batch = {0};
        model_init(&model, &s.task, &arm_table[i], options_config(&s.options).model, 3);
        setup_batch(&s, &batch, 16, s.task.max_length);
        CHECK(batch.length[0] < batch.L, "a batch without padding");
        Forward f = model_forward(&model, &tape, &batch);
        check_rows_of(&f, &batch, mask_self);
        batch_free(&batch);
        tape_free(&tape);
        model_free(&model);
    }
    setup_close(&s);
}

static void weights_sum_to_one(void) { weights("train --held-out 16", false); }
static void mask_self_forbids_the_diagonal(void) {
    weights("train --held-out 16 --mask-self", true);
}

// ---- mistakes ----------------------------------------------------------------------------------

typedef struct Mistake {
    AttentionConfig config;
    int Z_width, M, allowed_B;
    const char *message;
} Mistake;

static void make_mistake(void *argument) {
    const Mistake *m = argument;
    Layer l;
    layer_open(&l, "qkv", m->config, 2, 5, m->M);
    if (m->Z_width) l.Z = tape_tensor(&l.tape, 3, (const int[]){2, 5, m->Z_width});
    attention(&l.tape, &l.a, l.X, l.Z, l.allowed, m->allowed_B);
}

static void shapes_that_do_not_fit(void) {
    AttentionConfig far = layer_config(8, 1, 4, 8);
    far.relative = 2;
    Mistake mistakes[] = {
        {layer_config(8, 3, 4, 8), 0, 0, 2,
         "train: attention: width 8 in 3 heads: the heads must divide the width\n"},
        {layer_config(8, 1, 4, 8), 6, 0, 2,
         "train: attention: X (2, 5, 8) and Z (2, 5, 6): (B, L, 8) and (B, M, 8) are needed\n"},
        {layer_config(8, 1, 4, 8), 0, 0, 3,
         "train: mask: scores (2, 1, 5, 5) and 3 masks: (B, L, M) or (B, H, L, M) is needed, and B "
         "masks or 1\n"},
        {far, 0, 3, 2,
         "train: attention: X (2, 5, 8) and Z (2, 3, 8): relative distances need as many keys as "
         "queries; did you mean Z = X, or relative 0?\n"},
        {layer_config(8, 1, 0, 8), 0, 0, 2,
         "train: W_Q: dimension 1 is 0; it must be at least 1\n"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        int status;
        CHECK_STRING(test_stderr_of(make_mistake, &mistakes[i], &status), mistakes[i].message);
        CHECK_INT(status, 1);
    }
}

void tests_loops(void) {
    test("self-attention of every arm is what plain loops give", self_attention_is_the_loops);
    test("values of any width come back to the model's through W_O",
         other_value_widths_are_the_loops);
    test("queries from X, keys and values from Z: what plain loops give",
         cross_attention_is_the_loops);
    test("relative positions are what plain loops give", relative_scores_are_the_loops);
    test("M of every arm and head makes its scores: S = X M X^T", m_makes_the_scores);
    test("M of sym is (B + B^T)/2", m_of_sym_is_half_of_both);
    test("four heads are four layers on slices, to the bit", four_heads_are_four_layers);
    test("weights are positive, sum to 1, and are exactly 0 for padding", weights_sum_to_one);
    test("with --mask-self no token attends to itself", mask_self_forbids_the_diagonal);
    test("shapes that don't fit an attention are refused by name", shapes_that_do_not_fit);
}
