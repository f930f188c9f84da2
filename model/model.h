#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "data/task.h"
#include "model/attention.h"
#include "model/block.h"

// A seed has a stream of random numbers (rng_new) for each purpose, so that drawing more for one
// purpose changes no other.
enum {
    STREAM_EMBEDDINGS = 1,  // E, T, P, U
    STREAM_HEAD = 2,        // weights of attention and blocks
    STREAM_BATCHES = 3,     // what is trained on
    STREAM_HELD_OUT = 4,    // synthetic sentences to measure on
    STREAM_SAMPLE = 5,      // characters of ./train sample
    STREAM_HIDDEN = 7,      // characters that ./train show masks
};

typedef enum Positions {
    POSITIONS_LEARNED,     // P is drawn, and trains if the embeddings do
    POSITIONS_SINUSOIDAL,  // P is sines and cosines, and never trains (Vaswani et al. 2017, 3.5)
} Positions;

typedef enum Readout {
    READOUT_TIED,  // logits are Y Eᵀ, E being the embedding of words (Press and Wolf 2017)
    READOUT_OWN,   // logits are Y Uᵀ, U being a matrix of its own that trains
} Readout;

typedef struct ModelConfig {
    AttentionConfig attention;  // of each block, or of the bare head
    int layers;                 // number of blocks; 0: a bare head
    int d_ff;                   // width of their MLPs; 0: 4 D
    double embed_rms;           // root mean square length of a row of E, T, P as it is drawn
    Positions positions;
    Readout readout;
    bool freeze_embeddings;     // E, T, P, ... never train
    bool mask_self;             // no token attends to itself
} ModelConfig;

// The model of a task. Token i is x_i = E[word] + T[tag] + ... + P[position].
//
// Bare head (layers 0): the answer is read from the attended value, logits = Y Eᵀ / 2 (Y Eᵀ in
// tasks that train E), or it is the token attended to (task.points_at_answer).
// Transformer: X goes through the blocks and a layer norm. The answer is read from the result, or
// one more head, without values, points from it.
//
// The embeddings train if task.trains_embeddings, except in a bare head whose score freezes them.
// With embed_rms 4 and D 64, a token scores about 4 with itself under X Xᵀ / sqrt(D), and its own
// logit is about 8. Much longer rows start the softmax on the diagonal; much shorter ones leave the
// logits weak (tests/claims.md: Does the length of the embeddings matter?).
typedef struct Model {
    const Task *task;
    ModelConfig config;
    Params params;
    Tensor *table[FEATURES];  // (count, D) E, T, ...; NULL where the task lacks the feature
    Tensor *P;                // (max_length, D)
    Tensor *U;                // (V, D) with READOUT_OWN
    Block *block;             // (layers)
    Tensor *gain, *bias;      // (D) of the last layer norm; NULL in a bare head
    Attention head;           // the bare head, or the head that points; else without an arm
} Model;

// Everything is drawn from `seed`, and the embeddings come first: they are the same for every arm.
void model_init(Model *model, const Task *task, const Arm *arm, ModelConfig config, uint64_t seed);
void model_free(Model *model);

// A second model with the weights of `of` and gradients of its own, for another thread.
void model_share(Model *model, const Model *of);

// How many numbers such a model has, trained and frozen. Allocates none of them.
size_t model_size(const Task *task, const Arm *arm, ModelConfig config);

// Attention layers: the blocks', then the head, if there is one. model_attention is the last of
// them; its scores are the ones that are measured.
int model_layers(const Model *model);
const Attention *model_layer(const Model *model, int layer);
const Attention *model_attention(const Model *model);

typedef struct Forward {
    Attended *layer;   // (model_layers)
    Attended attended; // the last of them
    int questions;     // rows of the batch that ask something, in order
    int *row;          // (questions) b L + i
    int *answer;       // (questions) id of the right word
    Tensor *logits;    // (1, questions, V), NULL if task.points_at_answer
    Tensor *loss;      // () mean over the questions, nats; 0 without a question
} Forward;

// The loss of a question is -log softmax(logits)[answer], or, if the task points at the answer,
// -log A on the right token. All tensors are on `tape`; the batch must outlive it. A row with
// nothing to attend to ends the program.
Forward model_forward(Model *model, Tape *tape, const Batch *batch);

#endif
