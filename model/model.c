// A whole model: token ids become vectors, vectors go through blocks or a bare head, and the result
// is compared with the right answers. Read model.h before, then model_forward at the end of this
// file; the first part (which tensors a model has, and where they start) may be skipped at first.
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

// Where the embeddings train, the logits are layer_norm(x) Eᵀ as they are (Radford et al. 2019).
// Frozen embeddings can't be made shorter by training, and their rows are long: halved logits make
// up for it. They also limit how sure an arm without W_V can be: its loss stays above 0.1. A head
// that points from the last layer norm is given rows half as long: its scores start near 1.
static const float LAST_GAIN = 0.5f;      // of the last layer norm, where a head points from it or E is fixed
static const double FROZEN_LOGITS = 0.5;  // times Y Eᵀ

static const char *const table_name[FEATURES] = {"E", "T", "suffix", "shape", "deprel",
                                                 "agreement", "question", "term"};

// ---- the tensors -------------------------------------------------------------------------------

static void add_embeddings(Model *model, bool trained) {
    const Task *task = model->task;
    const ModelConfig *c = &model->config;
    Params *p = &model->params;
    int D = c->attention.D, words = task->vocab[FEATURE_WORD].count;
    for (int f = 0; f < FEATURES; f++)
        if (task->vocab[f].count)
            model->table[f] = params_add(p, table_name[f], trained, 2,
                                         (const int[]){task->vocab[f].count, D});
    if (!task->key_count)  // pages and queries have no order
        model->P = params_add(p, "P", trained && c->positions == POSITIONS_LEARNED, 2,
                              (const int[]){task->max_length, D});
    if (c->readout == READOUT_OWN)
        model->U = params_add(p, "U", true, 2, (const int[]){words, D});
}

static void add_blocks(Model *model, const Arm *arm) {
    const ModelConfig *c = &model->config;
    AttentionConfig inside = c->attention;
    inside.points_at_answer = false;
    inside.output = true;
    model->block = grow(NULL, (size_t)c->layers, sizeof *model->block);
    for (int i = 0; i < c->layers; i++)
        block_add(&model->block[i], &model->params, i, arm, inside, c->d_ff);
    model->gain = params_add(&model->params, "gain", true, 1, (const int[]){inside.D});
    model->bias = params_add(&model->params, "bias", true, 1, (const int[]){inside.D});
}

static void add_head(Model *model, const Arm *arm) {
    AttentionConfig head = model->config.attention;
    if (model->config.layers) head.H = 1;
    // Where keys are a sequence of their own (`search`), W_O lets the value be read as an answer.
    head.output = model->task->key_count && score_trains(arm->score);
    attention_add(&model->head, &model->params, "", arm, head);
}

// Names and shapes. The numbers come with params_seal or params_share.
static void build(Model *model, const Task *task, const Arm *arm, ModelConfig config) {
    config.attention.points_at_answer = task->points_at_answer;
    *model = (Model){.task = task, .config = config};
    if (task->points_at_answer && config.attention.H != 1 && !config.layers)
        fatal("%s: %d heads; an answer is pointed at by one", task->name, config.attention.H);
    add_embeddings(model, task->trains_embeddings && !config.freeze_embeddings
                              && (config.layers || !arm->score->freezes_x));
    if (config.layers) add_blocks(model, arm);
    if (!config.layers || task->points_at_answer) add_head(model, arm);
}

// ---- where they start --------------------------------------------------------------------------

// P[i, 2k] = sin(i / 10000^(2k/D)), P[i, 2k+1] = cos of the same, scaled to rows of length
// embed_rms. An odd D ends in a sine.
static void fill_sinusoids(Tensor *P, double embed_rms) {
    int D = P->shape[1];
    float *row = P->data;
    for (int i = 0; i < P->shape[0]; i++, row += D)
        for (int j = 0; j < D; j++) {
            double angle = i / pow(10000, (double)(j - j % 2) / D);
            row[j] = (float)(embed_rms * sqrt(2.0 / D) * (j % 2 ? cos(angle) : sin(angle)));
        }
}

static void fill_embeddings(Model *model, Rng *rng) {
    const ModelConfig *c = &model->config;
    double deviation = c->embed_rms / sqrt(c->attention.D);
    for (int f = 0; f < FEATURES; f++)
        if (model->table[f]) fill_normal(model->table[f], rng, deviation);
    if (model->P && c->positions == POSITIONS_SINUSOIDAL) fill_sinusoids(model->P, c->embed_rms);
    else if (model->P) fill_normal(model->P, rng, deviation);
    if (model->U) fill_normal(model->U, rng, deviation);
}

static void fill(Model *model, uint64_t seed) {
    Rng embeddings = rng_new(seed, STREAM_EMBEDDINGS), head = rng_new(seed, STREAM_HEAD);
    fill_embeddings(model, &embeddings);
    for (int i = 0; i < model->config.layers; i++)
        block_fill(&model->block[i], &head, model->config.layers);
    float gain = model->task->trains_embeddings && !model->task->points_at_answer ? 1 : LAST_GAIN;
    for (size_t i = 0; model->gain && i < model->gain->size; i++) model->gain->data[i] = gain;
    if (model->head.arm) attention_fill(&model->head, &head);
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

size_t model_size(const Task *task, const Arm *arm, ModelConfig config) {
    Model model;
    build(&model, task, arm, config);
    size_t size = model.params.size + model.params.frozen;
    model_free(&model);
    return size;
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

// ---- from ids to vectors -----------------------------------------------------------------------

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

// The sum of each token's features and of its position, (B, to - from, D). A span that doesn't
// begin at 0 holds queries of `search`; a query has a term and nothing else.
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

// (B, queries, keys): 1 where a query may attend to a key. Padding may never be attended to; nor a
// later token if the task is causal; nor, if the options say so, the token itself, unless alone.
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
            if (model->config.mask_self && i < keys && seen > 1) row[i] = 0;
        }
    return allowed;
}

// ---- the forward pass --------------------------------------------------------------------------

// The rows that ask. A row's number fits an int: tasks.c refuses batches of more tokens.
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

// Reads the answers from the rows of Y (B, L - keys, D) that ask, and only from those.
static void read_answers(Forward *out, const Model *model, Tape *tape, const Batch *batch,
                         Tensor *Y) {
    int keys = model->task->key_count;
    int *row = arena_alloc(&tape->arena, (size_t)out->questions, sizeof *row);
    for (int q = 0; q < out->questions; q++)  // of Y, which has no rows for the keys
        row[q] = out->row[q] - (out->row[q] / batch->L + 1) * keys;
    Tensor *asking = embedding(tape, Y, row, 1, out->questions);              // (1, questions, D)
    out->logits = matmul_t(tape, asking, model->U ? model->U : model->table[FEATURE_WORD]);
    if (!model->task->trains_embeddings) out->logits = scale(tape, out->logits, FROZEN_LOGITS);
    out->loss = cross_entropy(tape, out->logits, out->answer);
}

// Runs the attention layers. Gives what the answer is read from, (B, queries, D).
static Tensor *run_layers(Forward *out, Model *model, Tape *tape, const Batch *batch) {
    int B = batch->B, keys = model->task->key_count, layers = model_layers(model);
    Tensor *X = embed(model, tape, batch, (Span){keys, batch->L});         // (B, queries, D)
    Tensor *Z = keys ? embed(model, tape, batch, (Span){0, keys}) : NULL;  // (B, keys, D); else X
    const unsigned char *allowed = allow(model, tape, batch, X->shape[1], Z ? keys : batch->L);
    out->layer = arena_alloc(&tape->arena, (size_t)layers, sizeof *out->layer);
    for (int i = 0; i < model->config.layers; i++)
        X = block_forward(tape, &model->block[i], X, Z, allowed, B, &out->layer[i]);
    if (model->gain) X = layer_norm(tape, X, model->gain, model->bias);
    if (model->head.arm)
        out->layer[layers - 1] = attention(tape, &model->head, X, Z ? Z : X, allowed, B);
    out->attended = out->layer[layers - 1];
    return model->config.layers ? X : out->attended.Y;
}

Forward model_forward(Model *model, Tape *tape, const Batch *batch) {
    Forward out = {0};
    Tensor *Y = run_layers(&out, model, tape, batch);
    find_questions(&out, tape, batch);
    if (model->task->points_at_answer) {
        out.loss = cross_entropy(tape, out.attended.masked, batch->target);
    } else if (out.questions) {
        read_answers(&out, model, tape, batch, Y);
    } else {
        out.loss = tape_tensor(tape, 0, NULL);
        out.loss->data[0] = 0;
    }
    return out;
}
