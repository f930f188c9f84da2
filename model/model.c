#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "model/model.h"

// Frozen embeddings can't be rescaled: their rows are long, and what reads the answer makes up for
// it. Where they learn, logits are layer_norm(x) Eᵀ as they are (Radford et al. 2019). A head that
// points from the last layer norm is given rows of length sqrt(D) / 2 too, as those of X are:
// scores that start near 1.
static const float LAST_GAIN = 0.5f;      // of the last layer norm
static const double FROZEN_LOGITS = 0.5;  // times Y Eᵀ

static const char *const table_name[FEATURES] = {"E", "T", "suffix", "shape", "term"};

// P[i, 2k] = sin(i / 10000^(2k/D)), P[i, 2k+1] = cos of the same, times what gives rows their
// length. An odd D ends in a sine.
static void fill_sinusoids(Tensor *P, double embed_rms) {
    int D = P->shape[1];
    float *row = P->data;
    for (int i = 0; i < P->shape[0]; i++, row += D)
        for (int j = 0; j < D; j++) {
            double angle = i / pow(10000, (double)(j - j % 2) / D);
            row[j] = (float)(embed_rms * sqrt(2.0 / D) * (j % 2 ? cos(angle) : sin(angle)));
        }
}

static void fill(Model *model, uint64_t seed) {
    Rng embeddings = rng_new(seed, STREAM_EMBEDDINGS), head = rng_new(seed, STREAM_HEAD);
    double deviation = model->config.embed_rms / sqrt(model->config.attention.D);
    for (int f = 0; f < FEATURES; f++)
        if (model->table[f]) fill_normal(model->table[f], &embeddings, deviation);
    if (model->P && model->config.positions == POSITIONS_SINUSOIDAL)
        fill_sinusoids(model->P, model->config.embed_rms);
    else if (model->P) fill_normal(model->P, &embeddings, deviation);
    if (model->U) fill_normal(model->U, &embeddings, deviation);
    for (int i = 0; i < model->config.layers; i++)
        block_fill(&model->block[i], &head, model->config.layers);
    float gain = model->task->trains_embeddings && !model->task->points_at_answer ? 1 : LAST_GAIN;
    for (size_t i = 0; model->gain && i < model->gain->size; i++) model->gain->data[i] = gain;
    if (model->head.arm) attention_fill(&model->head, &head);
}

static void add_blocks(Model *model, const Arm *arm) {
    const ModelConfig *c = &model->config;
    AttentionConfig inside = c->attention;
    inside.points_at_answer = false;
    inside.output = true;
    model->block = grow(NULL, (size_t)c->layers, sizeof *model->block);
    for (int i = 0; i < c->layers; i++) block_add(&model->block[i], &model->params, i, arm, inside);
    model->gain = params_add(&model->params, "gain", true, 1, (const int[]){inside.D});
    model->bias = params_add(&model->params, "bias", true, 1, (const int[]){inside.D});
}

// All but the numbers.
static void build(Model *model, const Task *task, const Arm *arm, ModelConfig config) {
    config.attention.points_at_answer = task->points_at_answer;
    *model = (Model){.task = task, .config = config};
    int D = config.attention.D;
    if (task->points_at_answer && config.attention.H != 1 && !config.layers)
        fatal("%s: %d heads; an answer is pointed at by one", task->name, config.attention.H);
    bool trained = task->trains_embeddings && !config.freeze_embeddings && (arm->learns_x || config.layers);
    for (int f = 0; f < FEATURES; f++)
        if (task->vocab[f].count)
            model->table[f] = params_add(&model->params, table_name[f], trained, 2,
                                         (const int[]){task->vocab[f].count, D});
    if (!task_has_keys(task))  // pages and queries have no order
        model->P = params_add(&model->params, "P", trained && config.positions == POSITIONS_LEARNED,
                              2, (const int[]){task->max_length, D});
    if (config.readout == READOUT_OWN)
        model->U = params_add(&model->params, "U", true, 2,
                              (const int[]){task->vocab[FEATURE_WORD].count, D});
    if (config.layers) add_blocks(model, arm);
    AttentionConfig head = config.attention;
    if (config.layers) head.H = 1;
    head.output = task_has_keys(task) && arm->score != SCORE_X;  // what finds a page also learns to read it
    if (!config.layers || task->points_at_answer) attention_add(&model->head, &model->params, "", arm, head);
}

void model_init(Model *model, const Task *task, const Arm *arm, ModelConfig config, uint64_t seed) {
    build(model, task, arm, config);
    params_seal(&model->params);
    fill(model, seed);
}

void model_share(Model *model, const Model *of) {
    build(model, of->task, model_attention(of)->arm, of->config);
    params_share(&model->params, &of->params);
}

void model_free(Model *model) {
    free(model->block);
    params_free(&model->params);
}

int model_layers(const Model *model) { return model->config.layers + (model->head.arm != NULL); }

const Attention *model_layer(const Model *model, int layer) {
    return layer < model->config.layers ? &model->block[layer].attention : &model->head;
}

const Attention *model_attention(const Model *model) {
    return model_layer(model, model_layers(model) - 1);
}

// Tokens `from` to `to` - 1 of each sentence.
typedef struct Span { int from, to; } Span;

// One feature of a span, (B, to - from, D).
static Tensor *look_up(Model *model, Tape *tape, const Batch *batch, int feature, Span span) {
    int n = span.to - span.from;
    int *ids = arena_alloc(&tape->arena, (size_t)batch->B * (size_t)n, sizeof *ids), *to = ids;
    const int *from = batch->feature[feature] + span.from;
    for (int b = 0; b < batch->B; b++, to += n, from += batch->L)
        memcpy(to, from, (size_t)n * sizeof *ids);
    return embedding(tape, model->table[feature], ids, batch->B, n);
}

// The sum of what is known of each token, and of where it stands.
static Tensor *embed(Model *model, Tape *tape, const Batch *batch, Span span) {
    if (span.from) return look_up(model, tape, batch, FEATURE_TERM, span);
    Tensor *X = look_up(model, tape, batch, FEATURE_WORD, span);
    for (int f = FEATURE_WORD + 1; f < FEATURE_TERM; f++)
        if (model->table[f]) X = add(tape, X, look_up(model, tape, batch, f, span));
    if (!model->P) return X;
    int *position = arena_alloc(&tape->arena, (size_t)batch->L, sizeof *position);
    for (int i = 0; i < batch->L; i++) position[i] = i;
    Tensor *P = embedding(tape, model->P, position, 1, batch->L);
    return add(tape, X, reshape(tape, P, 2, (const int[]){batch->L, P->shape[2]}));
}

// (B, queries, keys): padding is never attended to, nor a later token where the task is causal, nor
// a token by itself if the options say so.
static unsigned char *allow(const Model *model, Tape *tape, const Batch *batch, int queries,
                            int keys) {
    unsigned char *allowed = arena_alloc(&tape->arena, (size_t)batch->B * (size_t)queries,
                                         (size_t)keys);
    unsigned char *row = allowed;
    for (int b = 0; b < batch->B; b++)
        for (int i = 0; i < queries; i++, row += keys) {
            int seen = batch->length[b] < keys ? batch->length[b] : keys;
            if (model->task->causal && i + 1 < seen) seen = i + 1;
            memset(row, 1, (size_t)seen);
            memset(row + seen, 0, (size_t)(keys - seen));
            if (model->config.mask_self && i < keys) row[i] = 0;
        }
    return allowed;
}

// A row's number is an int: open.c refuses batches of more tokens.
static void find_questions(Forward *out, Tape *tape, const Batch *batch) {
    size_t rows = (size_t)batch->B * (size_t)batch->L;
    out->row = arena_alloc(&tape->arena, rows, sizeof *out->row);
    out->answer = arena_alloc(&tape->arena, rows, sizeof *out->answer);
    for (int r = 0; r < (int)rows; r++) {
        if (batch->answer[r] < 0) continue;
        out->row[out->questions] = r;
        out->answer[out->questions++] = batch->answer[r];
    }
}

Forward model_forward(Model *model, Tape *tape, const Batch *batch) {
    Forward out = {0};
    int B = batch->B, keys = model->task->key_count;
    Tensor *X = embed(model, tape, batch, (Span){keys, batch->L});
    Tensor *Z = keys ? embed(model, tape, batch, (Span){0, keys}) : NULL;  // NULL: X itself
    const unsigned char *allowed = allow(model, tape, batch, X->shape[1], Z ? keys : batch->L);
    int layers = model_layers(model);
    out.layer = arena_alloc(&tape->arena, (size_t)layers, sizeof *out.layer);
    for (int i = 0; i < model->config.layers; i++)
        X = block_forward(tape, &model->block[i], X, Z, allowed, B, &out.layer[i]);
    if (model->gain) X = layer_norm(tape, X, model->gain, model->bias);
    if (model->head.arm)
        out.layer[layers - 1] = attention(tape, &model->head, X, Z ? Z : X, allowed, B);
    out.attended = out.layer[layers - 1];
    Tensor *Y = model->config.layers ? X : out.attended.Y;
    find_questions(&out, tape, batch);
    if (model->task->points_at_answer) {
        out.loss = cross_entropy(tape, out.attended.masked, batch->target);
    } else if (out.questions) {
        Tensor *reader = model->U ? model->U : model->table[FEATURE_WORD];
        int *row = arena_alloc(&tape->arena, (size_t)out.questions, sizeof *row);
        for (int q = 0; q < out.questions; q++)  // from the batch's rows to those that may ask
            row[q] = out.row[q] - (out.row[q] / batch->L + 1) * keys;
        Tensor *asking = embedding(tape, Y, row, 1, out.questions);  // those rows alone
        out.logits = matmul_t(tape, asking, reader);
        if (!model->task->trains_embeddings) out.logits = scale(tape, out.logits, FROZEN_LOGITS);
        out.loss = cross_entropy(tape, out.logits, out.answer);
    } else {
        out.loss = tape_tensor(tape, 0, NULL);
        out.loss->data[0] = 0;
    }
    return out;
}
