#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "data/task.h"
#include "model/attention.h"
#include "model/block.h"

// The streams of a seed (rng_new), each for one purpose, so that drawing more for one moves no
// other.
enum {
    STREAM_EMBEDDINGS = 1,  // E, T, P, U
    STREAM_HEAD = 2,        // weights of attention and blocks
    STREAM_BATCHES = 3,     // what is trained on
    STREAM_HELD_OUT = 4,    // synthetic sentences to measure on
    STREAM_SAMPLE = 5,      // characters of ./train sample
    STREAM_HIDDEN = 7,      // characters that ./train show masks
};

typedef enum Positions {
    POSITIONS_LEARNED,     // P is drawn, and trains where the embeddings do
    POSITIONS_SINUSOIDAL,  // P is sines and cosines (Vaswani et al. 2017,
                           // section 3.5), and stays so
} Positions;

typedef enum Readout {
    READOUT_TIED,  // the answer is read by E, the embedding of words (Press and Wolf 2017)
    READOUT_OWN,   // by a matrix of its own, which trains
} Readout;

typedef struct ModelConfig {
    AttentionConfig attention;  // of each block, or of the bare head
    int layers;                 // 0: the bare head
    double embed_rms;          // root mean square, of a row of E, T, P
    Positions positions;
    Readout readout;
    bool freeze_embeddings;     // E, T, P, ... stay as they were drawn
    bool mask_self;             // no token attends to itself
} ModelConfig;

// The model of a task. Token i is x_i = E[word] + T[tag] + ... + P[position].
//
// Bare head (layers 0): the answer is the attended value read by the embedding, logits = Y Eᵀ / 2
// (Y Eᵀ where E learns), or the attention itself (task.points_at_answer).
// Transformer: x goes through the blocks and a layer norm; the answer is that row read by the
// embedding, or where one more head, of scores alone, points from there.
//
// E, T, P train if task.trains_embeddings, and not in `xxt`, which has nothing that trains, unless it
// stands in blocks. Their rows are drawn with a root mean square length of embed_rms. With 4,
// at D 64, a token scores about 4 with itself under X Xᵀ / sqrt(D), and its own logit is about
// 8. Much longer rows start the softmax on the diagonal, much shorter ones leave the logits
// weak: see "Does the start matter?" in tests/claims.md.
typedef struct Model {
    const Task *task;
    ModelConfig config;
    Params params;
    Tensor *table[FEATURES];  // (count, D), NULL where the task lacks the feature
    Tensor *P;                // (max_length, D)
    Tensor *U;                // (V, D) what reads the answer if it isn't E
    Block *block;             // (layers)
    Tensor *gain, *bias;      // (D) of the last layer norm; NULL in a bare head
    Attention head;           // the bare head, or the one that points; else without weights
} Model;

// Draws from `seed` alone: the embeddings are the same for every arm, and
// so are the starts of W_Q, ...
void model_init(Model *model, const Task *task, const Arm *arm, ModelConfig config, uint64_t seed);
void model_free(Model *model);

// A second model over the same weights, with gradients of its own: what another thread works with.
void model_share(Model *model, const Model *of);

// Attention layers: the blocks', then the head's, if there is one. The last is the one whose scores
// are measured: model_attention.
int model_layers(const Model *model);
const Attention *model_layer(const Model *model, int layer);
const Attention *model_attention(const Model *model);

typedef struct Forward {
    Attended *layer;   // (model_layers)
    Attended attended; // the last of them
    int questions;     // rows that ask something, in the order of the batch
    int *row;          // (questions) b L + i
    int *answer;       // (questions) id of the right word
    Tensor *logits;    // (1, questions, V), NULL if task.points_at_answer
    Tensor *loss;      // () mean over the questions, nats
} Forward;

// The loss is the mean over the questions of -log softmax(logits)[answer], or, if the task points,
// of -log A on the right token. Everything on `tape`, which the batch must outlive. A row with
// nothing to attend to ends the program. A batch without a question has loss 0.
Forward model_forward(Model *model, Tape *tape, const Batch *batch);

#endif
