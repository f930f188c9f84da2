#include "model.h"

#include <math.h>

#include "autograd/fatal.h"

enum { ROW_LENGTH = 4 };  // root mean square, of a row of E, T, P
enum { STREAM_EMBEDDINGS = 1, STREAM_HEAD = 2 };

static const char *const table_name[FEATURES] = {"E", "T", "suffix", "shape"};

void model_init(Model *model, const Task *task, const Arm *arm, ModelConfig config, uint64_t seed) {
    *model = (Model){.task = task, .config = config};
    int D = config.attention.D;
    if (task->points && config.attention.H != 1)
        fatal("%s: %d heads; an answer is pointed at by one", task->name, config.attention.H);
    // Learning the embeddings through X Xᵀ would be learning after all: that arm trains nothing.
    bool trained = task->points && !config.freeze_embeddings && arm->score != SCORE_X;
    for (int f = 0; f < FEATURES; f++)
        if (task->vocab[f].count)
            model->table[f] = params_add(&model->params, table_name[f], trained, 2,
                                         (const int[]){task->vocab[f].count, D});
    model->P = params_add(&model->params, "P", trained, 2, (const int[]){task->max_length, D});
    attention_add(&model->attention, &model->params, arm, config.attention);
    params_seal(&model->params);

    double deviation = ROW_LENGTH / sqrt(D);
    Rng embeddings = rng_new(seed, STREAM_EMBEDDINGS), head = rng_new(seed, STREAM_HEAD);
    for (int f = 0; f < FEATURES; f++)
        if (model->table[f]) fill_normal(model->table[f], &embeddings, deviation);
    fill_normal(model->P, &embeddings, deviation);
    attention_fill(&model->attention, &head);
}

void model_free(Model *model) { params_free(&model->params); }

// (B, L, D): the sum of what is known of each token, and of where it stands.
static Tensor *embed(Model *model, Tape *tape, const Batch *batch) {
    int *position = arena_alloc(&tape->arena, (size_t)batch->L, sizeof *position);
    for (int i = 0; i < batch->L; i++) position[i] = i;
    Tensor *P = embedding(tape, model->P, position, 1, batch->L);
    P = reshape(tape, P, 2, (const int[]){batch->L, P->shape[2]});
    Tensor *X = embedding(tape, model->table[FEATURE_WORD], batch->feature[FEATURE_WORD], batch->B, batch->L);
    for (int f = FEATURE_WORD + 1; f < FEATURES; f++)
        if (model->table[f])
            X = add(tape, X, embedding(tape, model->table[f], batch->feature[f], batch->B, batch->L));
    return add(tape, X, P);
}

// (B, L, L): padding is never attended to, nor a token by itself if the task says so.
static unsigned char *allow(const Model *model, Tape *tape, const Batch *batch) {
    size_t B = (size_t)batch->B, L = (size_t)batch->L;
    unsigned char *allowed = arena_alloc(&tape->arena, B * L * L, 1);
    for (size_t b = 0; b < B; b++)
        for (size_t i = 0; i < L; i++)
            for (size_t j = 0; j < L; j++)
                allowed[(b * L + i) * L + j] =
                    j < (size_t)batch->length[b] && !(model->config.mask_self && i == j);
    return allowed;
}

static void find_questions(Forward *out, Tape *tape, const Batch *batch) {
    size_t rows = (size_t)batch->B * (size_t)batch->L;
    out->row = arena_alloc(&tape->arena, rows, sizeof *out->row);
    out->answer = arena_alloc(&tape->arena, rows, sizeof *out->answer);
    for (int r = 0; r < (int)rows; r++) {
        if (batch->target[r] < 0) continue;
        out->row[out->questions] = r;
        out->answer[out->questions++] =
            batch->feature[FEATURE_WORD][r - r % batch->L + batch->target[r]];
    }
}

Forward model_forward(Model *model, Tape *tape, const Batch *batch) {
    Forward out = {0};
    Tensor *X = embed(model, tape, batch);
    out.attended = attention(tape, &model->attention, X, X, allow(model, tape, batch), batch->B);
    find_questions(&out, tape, batch);
    if (model->task->points) {
        out.loss = cross_entropy(tape, out.attended.masked, batch->target);
    } else if (out.questions) {
        Tensor *E = model->table[FEATURE_WORD];
        Tensor *asking = embedding(tape, out.attended.Y, out.row, 1, out.questions);  // those rows alone
        out.logits = scale(tape, matmul_t(tape, asking, E), 0.5);
        out.loss = cross_entropy(tape, out.logits, out.answer);
    } else {
        out.loss = tape_tensor(tape, 0, NULL);
        out.loss->data[0] = 0;
    }
    return out;
}
