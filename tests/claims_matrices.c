// Claims 2, 4, 6, 7, 11 and 13 on a trained head: what W_Q, W_K and W_V have become.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "autograd/simd/kernels.h"
#include "claims.h"
#include "model/train/measure.h"

// ---- M -----------------------------------------------------------------------------------------

static double *m_of(const Trainer *t) {
    size_t D = (size_t)t->config.model.attention.D;
    double *M = grow(NULL, D * D, sizeof *M);
    attention_m(&t->model.head, 0, M);
    return M;
}

// |A - B|_F / |B|_F
static double distance(const double *A, const double *B, size_t n) {
    double apart = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        apart += (A[i] - B[i]) * (A[i] - B[i]);
        all += B[i] * B[i];
    }
    return sqrt(apart / all);
}

// |M M - M|_F / |M|_F: 0 for a projection, of which I is one.
static double off_projection(const double *M, size_t D) {
    double *square = grow(NULL, D * D, sizeof *square);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            square[i * D + j] = 0;
            for (size_t k = 0; k < D; k++) square[i * D + j] += M[i * D + k] * M[k * D + j];
        }
    double off = distance(square, M, D * D);
    free(square);
    return off;
}

// The first 32 held-out sentences under the trainer's model.
static Forward look(Trainer *t) {
    size_t which[32];
    for (size_t i = 0; i < 32; i++) which[i] = i;
    batch_fill(&t->batch, &t->task->held_out, which, 32, 0);
    tape_reset(&t->measuring);
    return model_forward(&t->model, &t->measuring, &t->batch);
}

// The largest difference between S and X M X^T / sqrt(d_k), over the largest of S; X is what the
// queries were made of.
static double off_m(Trainer *t, const double *M) {
    Forward f = look(t);
    const Tensor *X, *S = f.attended.S;
    for (X = t->measuring.last; X->in[1] != t->model.head.W_Q; X = X->prev) {}
    X = X->in[0];
    size_t L = (size_t)X->shape[1], D = (size_t)X->shape[2];
    double off = 0, largest = 0;
    for (size_t at = 0; at < L * L; at++) {  // of the first sentence
        const float *x = X->data + at / L * D, *z = X->data + at % L * D;
        double s = 0;
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++) s += (double)x[i] * M[i * D + j] * (double)z[j];
        off = fmax(off, fabs(S->data[at] - s / sqrt(t->config.model.attention.d_k)));
        largest = fmax(largest, fabs(s / sqrt(t->config.model.attention.d_k)));
    }
    return off / largest;
}

// ---- qkv as it comes ---------------------------------------------------------------------------

enum { START, ATTENTION, ACCURACY, TURNED, CIRCULATION, OTHER_PARAMETERS, PROJECTION, S_OFF_M,
       M_MOVED, M_SYMMETRY, WITHIN_RANK, PAST_RANK, FIRST_WEIGHT, NO_WEIGHT, ROW_SUM, W_MOVED };

static void add_weights(Trainer *t, Figure *figure) {
    const Attended attended = look(t).attended;
    size_t L = (size_t)t->batch.L;
    long zeros = 0, weights = 0;
    for (int row = 0; row < t->batch.B * t->batch.L; row++) {
        int n = t->batch.length[row / t->batch.L];
        const float *A = attended.A->data + (size_t)row * L;
        const float *S = attended.masked->data + (size_t)row * L;
        double total = 0;
        float most = kernels()->largest((size_t)n, S);
        for (int j = 0; j < n; j++) {
            double weight = (double)A[j];
            total += weight;
            zeros += weight == 0 && S[j] > most - 38;
            if (!t->step) figure_add(&figure[FIRST_WEIGHT], weight);
        }
        weights += n;
        figure_add(&figure[ROW_SUM], total - 1);
    }
    if (t->step) figure_add(&figure[NO_WEIGHT], (double)zeros / (double)weights);
}

static void add_first(Trainer *t, const double *M, Figure *figure) {
    const Attention *a = &t->model.head;
    Measurement p = evaluate(t, SIZE_MAX, NULL);
    figure_add(&figure[START], p.asymmetry);
    figure_add(&figure[START], p.circulation);
    size_t known = a->W_Q->size + a->W_K->size + a->W_V->size;
    figure_add(&figure[OTHER_PARAMETERS], (double)(t->model.params.size - known));
    figure_add(&figure[PROJECTION], off_projection(M, (size_t)t->config.model.attention.D));
    add_weights(t, figure);
}

static void add_last(Trainer *t, double *M, const double *first, Figure *figure) {
    size_t D = (size_t)t->config.model.attention.D, d_k = (size_t)t->config.model.attention.d_k;
    Measurement p = evaluate(t, SIZE_MAX, NULL);
    figure_add(&figure[ATTENTION], p.attention_accuracy);
    figure_add(&figure[ACCURACY], p.accuracy);
    figure_add(&figure[TURNED], p.asymmetry);
    figure_add(&figure[CIRCULATION], p.circulation);
    figure_add(&figure[S_OFF_M], off_m(t, M));
    figure_add(&figure[M_MOVED], distance(M, first, D * D));
    figure_add(&figure[M_SYMMETRY], measure_symmetry(M, D));
    add_weights(t, figure);
    double *value = grow(NULL, D, sizeof *value);
    measure_singular_values(M, D, value);
    figure_add(&figure[WITHIN_RANK], value[d_k - 1] / value[0]);
    figure_add(&figure[PAST_RANK], value[d_k] / value[0]);
    free(value);
}

// |W - W_0|_F / |W_0|_F of each of the three, where `first` is the start of all trained numbers.
static void add_moved(const Trainer *t, const float *first, Figure *figure) {
    const Attention *a = &t->model.head;
    const Tensor *all[] = {a->W_Q, a->W_K, a->W_V};
    for (int w = 0; w < 3; w++) {
        const float *from = first + (all[w]->data - t->model.params.data);
        double apart = 0, size = 0;
        for (size_t i = 0; i < all[w]->size; i++) {
            apart += pow((double)all[w]->data[i] - (double)from[i], 2);
            size += pow((double)from[i], 2);
        }
        figure_add(&figure[W_MOVED], sqrt(apart / size));
    }
}

static void run_qkv(uint64_t seed, Figure *figure) {
    Setup s;
    Trainer t;
    claims_open(&s, "", seed);
    trainer_init(&t, options_config(&s.options), &s.task, arm_find("qkv"));
    double *first = m_of(&t);
    float *start = grow(NULL, t.model.params.size, sizeof *start);
    memcpy(start, t.model.params.data, t.model.params.size * sizeof *start);
    add_first(&t, first, figure);
    trainer_run(&t, s.options.steps, NULL);
    double *M = m_of(&t);
    add_last(&t, M, first, figure);
    add_moved(&t, start, figure);
    free(M);
    free(first);
    free(start);
    trainer_free(&t);
    setup_close(&s);
}

const Experiment claims_qkv = {
    .sentence = "qkv starts symmetric, and attends and answers right almost always",
    .seeded = true,
    .run = run_qkv,
    .row = {
        [START] = {2, "qkv: asymmetry, circulation at step 0", 0, 0, NULL},
        [ATTENTION] = {2, "qkv: attention accuracy", 0.99, 1, NULL},
        [ACCURACY] = {2, "qkv: accuracy", 0.99, 1, NULL},
        [TURNED] = {2, "qkv: asymmetry at the end", 0.3, 1, NULL},
        [CIRCULATION] = {2, "qkv: circulation at the end", 0.2, 1, NULL},
        [OTHER_PARAMETERS] = {4, "qkv: parameters outside of W_Q, W_K, W_V", 0, 0, NULL},
        [PROJECTION] = {4, "qkv: |MM - M|/|M| at step 0", 0, 1e-6,
                        "if d_k is less than d_model, it starts at a projection of I"},
        [S_OFF_M] = {4, "qkv: S off X M X^T / sqrt(d_k), trained", 0, 1e-5, NULL},
        [M_MOVED] = {4, "qkv: |M - M_0|/|M_0| at the end", 1, INFINITY, NULL},
        [M_SYMMETRY] = {4, "qkv: symmetry of M at the end (1 at step 0)", -0.5, 0.5, NULL},
        [WITHIN_RANK] = {6, "qkv, d_k 16: 16th singular value of M over 1st", 1e-3, 1, NULL},
        [PAST_RANK] = {6, "qkv, d_k 16: 17th singular value over 1st", 0, 1e-12, NULL},
        [FIRST_WEIGHT] = {11, "qkv: every weight at step 0", 1e-6, 1, NULL},
        [NO_WEIGHT] = {11, "qkv: fraction of 0 among weights above e^-38 of a row's largest", 0, 0,
                       "softmax gives 0 below 2^-56 of the largest"},
        [ROW_SUM] = {11, "qkv: sum of a row's weights, less 1", -1e-6, 1e-6, NULL},
        [W_MOVED] = {13, "qkv: |W - W_0|/|W_0| of W_Q, W_K, W_V", 0.1, INFINITY, NULL},
    },
};

// ---- d_k = d_model -----------------------------------------------------------------------------

static float *first_scores(const char *arm, Trainer *t, const Setup *s, size_t *n) {
    trainer_init(t, options_config(&s->options), &s->task, arm_find(arm));
    const Tensor *S = look(t).attended.S;
    float *copy = grow(NULL, S->size, sizeof *copy);
    memcpy(copy, S->data, S->size * sizeof *copy);
    *n = S->size;
    return copy;
}

static void run_square(uint64_t seed, Figure *figure) {
    Setup s;
    Trainer xxt, qkv;
    size_t n, other = 0;
    claims_open(&s, "--d-k 64", seed);
    float *a = first_scores("xxt", &xxt, &s, &n), *b = first_scores("qkv", &qkv, &s, &n);
    for (size_t i = 0; i < n; i++) other += !!memcmp(a + i, b + i, sizeof *a);
    figure_add(&figure[0], (double)other);
    double *first = m_of(&qkv);
    trainer_run(&qkv, s.options.steps, NULL);
    double *last = m_of(&qkv);
    figure_add(&figure[1], distance(last, first, 64 * 64));
    figure_add(&figure[2], evaluate(&qkv, SIZE_MAX, NULL).accuracy);
    free(a);
    free(b);
    free(first);
    free(last);
    trainer_free(&xxt);
    trainer_free(&qkv);
    setup_close(&s);
}

const Experiment claims_square = {
    .sentence = "at d_k 64 of width 64 qkv starts at M = I, with the bits of X X^T, and leaves it",
    .seeded = true,
    .slow = true,
    .run = run_square,
    .row = {
        {4, "qkv, d_k 64: first scores of other bits than xxt's", 0, 0, NULL},
        {4, "qkv, d_k 64: |M - I|/|I| at the end", 1, INFINITY, NULL},
        {4, "qkv, d_k 64: accuracy", 0.95, 1, NULL},
    },
};

// ---- sweeps ------------------------------------------------------------------------------------

static void run_rank(uint64_t seed, Figure *figure) {
    const int d_k[] = {1, 2, 3, 4, 6};
    for (int i = 0; i < 5; i++) {
        char options[32];
        snprintf(options, sizeof options, "--d-k %d", d_k[i]);
        Measurement p = claims_trained(options, "qkv", seed);
        figure_add(&figure[i], p.accuracy);
        figure_add(&figure[i + 5], p.attention_accuracy);
    }
}

const Experiment claims_rank = {
    .sentence = "pronoun needs a rank of about four",
    .seeded = true,
    .slow = true,
    .run = run_rank,
    .row = {
        {6, "qkv, d_k 1: accuracy", 0, 0.8, NULL},
        {6, "qkv, d_k 2: accuracy", 0, 0.97, NULL},
        {6, "qkv, d_k 3: accuracy", 0.93, 0.995, NULL},
        {6, "qkv, d_k 4: accuracy", 0.96, 1, "after 1,000 steps of training"},
        {6, "qkv, d_k 6: accuracy", 0.99, 1, NULL},
        {6, "qkv, d_k 1: attention accuracy", 0, 0.4, NULL},
        {6, "qkv, d_k 2: attention accuracy", 0, 0.7, NULL},
        {6, "qkv, d_k 3: attention accuracy", 0, 0.9, NULL},
        {6, "qkv, d_k 4: attention accuracy", 0, 0.95,
         "W_V reads answers from a mixture: attention needs more rank than answers"},
        {6, "qkv, d_k 6: attention accuracy", 0.95, 1, NULL},
    },
};

static void run_value(uint64_t seed, Figure *figure) {
    const char *const options[] = {"--d-v 2", "--d-v 24", "--d-k 24 --d-v 7"};
    for (int i = 0; i < 3; i++)
        figure_add(&figure[i], claims_trained(options[i], "qkv", seed).accuracy);
}

const Experiment claims_value = {
    .sentence = "d_v bounds the accuracy, whatever d_k is",
    .seeded = true,
    .slow = true,
    .run = run_value,
    .row = {
        {7, "qkv, d_k 16, d_v 2: accuracy", 0, 0.8, NULL},
        {7, "qkv, d_k 16, d_v 24: accuracy", 0.99, 1, NULL},
        {7, "qkv, d_k 24, d_v 7: accuracy", 0.95, 1, NULL},
    },
};

// ---- search ------------------------------------------------------------------------------------

static void run_search(uint64_t seed, Figure *figure) {
    figure_add(&figure[0], claims_trained("search --d-k 4", "kv", seed).accuracy);
    figure_add(&figure[1], claims_trained("search --d-k 4", "qkv", seed).accuracy);
    figure_add(&figure[2], claims_trained("search --d-k 4", "qk", seed).accuracy);
    figure_add(&figure[3], claims_trained("search --d-k 4 --d-v 4", "qkv", seed).accuracy);
    figure_add(&figure[4], claims_trained("search --d-k 8", "kv", seed).accuracy);
    figure_add(&figure[5], claims_trained("search --d-k 16", "tied", seed).accuracy);
}

const Experiment claims_search = {
    .sentence = "search at d_k 4: a key that is also the value cannot answer",
    .seeded = true,
    .slow = true,
    .run = run_search,
    .row = {
        {5, "search, d_k 4: accuracy of kv (value = key)", 0, 0.5, NULL},
        {5, "search, d_k 4: accuracy of qkv", 0.99, 1, NULL},
        {5, "search, d_k 4: accuracy of qk", 0.99, 1,
         "value X does as well as W_V: only value = key hurts"},
        {5, "search, d_k 4, d_v 4: accuracy of qkv", 0.9, 1, NULL},
        {5, "search, d_k 8: accuracy of kv", 0.99, 1,
         "at about twice the width, one vector can serve both"},
        {2, "search, d_k 16: accuracy of tied", 0.99, 1,
         "if queries and keys come from different vectors, one W serves both"},
    },
};
