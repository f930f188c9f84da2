#include "m_by_role.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"

enum { MOST_ROLES = 20, SENTENCES = 256, AT_ONCE = 8, LONGER = 64 };

// At most `n` sentences, and fewer where they are long: a context of 256 takes a quarter of them.
static size_t at_most(const Task *task, size_t n) {
    size_t length = (size_t)task->max_length, fewer = length > LONGER ? n * LONGER / length : n;
    return fewer ? fewer : 1;
}

// The mean row of X of each role, as sums at first.
typedef struct Means {
    const Vocab *names;
    size_t count, D;   // roles: the names', and one for tokens that ask nothing
    double *sum;       // (count, D)
    long *tokens;      // (count)
    int *kept;         // (count) the most frequent first
} Means;

static Means means_new(const Vocab *names, int D) {
    size_t count = (size_t)names->count + 1, cells = count * (size_t)D;
    Means m = {.names = names, .count = count, .D = (size_t)D};
    m.sum = zeroed(cells, sizeof *m.sum);
    m.tokens = zeroed(count, sizeof *m.tokens);
    m.kept = grow(NULL, count, sizeof *m.kept);
    return m;
}

static void means_free(Means *m) {
    free(m->sum);
    free(m->tokens);
    free(m->kept);
}

// X holds tokens `from` .. `to` - 1 of each sentence; `role` (B, L) is -1 where nothing is asked.
static void means_add(Means *m, const Batch *batch, const Tensor *X, const int *role, int from,
                      int to) {
    for (int b = 0; b < batch->B; b++)
        for (int i = from; i < to && i < batch->length[b]; i++) {
            const float *x = X->data + (size_t)(b * (to - from) + i - from) * m->D;
            int r = role[b * batch->L + i];
            double *sum = m->sum + (r < 0 ? m->count - 1 : (size_t)r) * m->D;
            m->tokens[r < 0 ? m->count - 1 : (size_t)r]++;
            for (size_t d = 0; d < m->D; d++) sum[d] += (double)x[d];
        }
}

// Turns sums into means, and gives how many roles are kept: those met most often, in the order of
// their names.
static int means_keep(Means *m) {
    int kept = 0;
    for (size_t r = 0; r < m->count; r++) {
        size_t more = 0;
        for (size_t s = 0; s < m->count; s++)
            more += m->tokens[s] > m->tokens[r] || (m->tokens[s] == m->tokens[r] && s < r);
        if (!m->tokens[r] || more >= MOST_ROLES) continue;
        for (size_t d = 0; d < m->D; d++) m->sum[r * m->D + d] /= (double)m->tokens[r];
        m->kept[kept++] = (int)r;
    }
    return kept;
}

static const char **role_names(const Means *m, const Task *task, int kept) {
    const char **name = grow(NULL, (size_t)kept + 1, sizeof *name);
    for (int i = 0; i < kept; i++) {
        bool asks = (size_t)m->kept[i] < m->count - 1;
        name[i] = asks ? m->names->word[m->kept[i]] : "(asks nothing)";
        if (asks && task->is_text) name[i] = character_shown(name[i]);
    }
    return name;
}

static double dot(const double *u, const double *v, size_t D) {
    double all = 0;
    for (size_t d = 0; d < D; d++) all += u[d] * v[d];
    return all;
}

// The entries u M vᵀ, for each mean row u of those that ask and v of those that answer.
static MByRole compare(const Model *model, Means *asks, Means *answers) {
    const Attention *a = model_attention(model);
    size_t D = asks->D;
    int rows = means_keep(asks), columns = asks == answers ? rows : means_keep(answers);
    MByRole out = {.rows = rows, .columns = columns, .row = role_names(asks, model->task, rows),
                   .column = role_names(answers, model->task, columns)};
    double *M = grow(NULL, D * D, sizeof *M);
    double scale = a->config.scaled ? 1 / sqrt(attention_query_width(a)) : 1;
    attention_m(a, 0, M);
    out.M = grow(NULL, (size_t)rows * (size_t)columns + 1, sizeof *out.M);
    double *uM = grow(NULL, D, sizeof *uM);
    for (int i = 0; i < rows; i++) {
        const double *u = asks->sum + (size_t)asks->kept[i] * D;
        for (size_t d = 0; d < D; d++) uM[d] = 0;
        for (size_t k = 0; k < D; k++)
            for (size_t d = 0; d < D; d++) uM[d] += u[k] * M[k * D + d];
        for (int j = 0; j < columns; j++) {
            const double *v = answers->sum + (size_t)answers->kept[j] * D;
            out.M[i * columns + j] = scale * dot(uM, v, D);
        }
    }
    free(uM);
    free(M);
    return out;
}

MByRole m_by_role_of(Model *model, Tape *tape, Batch *batch) {
    const Task *task = model->task;
    int D = model->config.attention.D, keys = task->key_count;
    int asking = keys ? FEATURE_TERM : FEATURE_WORD;
    bool by_feature = task_has_keys(task) || task->is_text;
    Means asks = means_new(by_feature ? &task->vocab[asking] : &task->relations, D);
    Means titles = means_new(&task->vocab[FEATURE_TAG], D);
    size_t n = at_most(task, SENTENCES), most = at_most(task, AT_ONCE);
    if (n > task_held_out(task)) n = task_held_out(task);
    for (size_t at = 0; at < n; at += most) {
        size_t which[AT_ONCE], B = n - at < most ? n - at : most;
        for (size_t b = 0; b < B; b++) which[b] = at + b;
        task_batch(task, which, (int)B, batch);
        tape_reset(tape);
        Attended f = model_forward(model, tape, batch).attended;
        if (keys) means_add(&titles, batch, f.Z, batch->feature[FEATURE_TAG], 0, keys);
        means_add(&asks, batch, f.X, by_feature ? batch->feature[asking] : batch->relation, keys,
                  batch->L);
    }
    MByRole out = compare(model, &asks, keys ? &titles : &asks);
    means_free(&asks);
    means_free(&titles);
    return out;
}

void m_by_role_free(MByRole *roles) {
    free(roles->row);
    free(roles->column);
    free(roles->M);
    *roles = (MByRole){0};
}
