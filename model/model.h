#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "data/task.h"
#include "model/attention.h"

typedef struct ModelConfig {
    AttentionConfig attention;
    bool freeze_embeddings;   // E, T, P, ... stay as they were drawn
    bool mask_self;           // no token attends to itself
} ModelConfig;

// The bare head of a task. Token i is x_i = E[word] + T[tag] + ... + P[position]; the answer is the
// attended value read by the embedding, logits = Y Eᵀ / 2, or the attention itself (task.points).
//
// Rows of E, T, P are drawn with a mean square length of 16, so at D 64 a token scores about 4 with
// itself under X Xᵀ / sqrt(D), and its own logit is about 8. Of the lengths tried (2 to 8) this is where
// each arm, the symmetric ones above all, did best: longer rows start the softmax on the diagonal.
typedef struct Model {
    const Task *task;
    ModelConfig config;
    Params params;
    Tensor *table[FEATURES];  // (count, D), NULL where the task lacks the feature
    Tensor *P;                // (max_length, D)
    Attention attention;
} Model;

// Draws from `seed` alone: the embeddings are the same for every arm, and so are the starts of W_Q, ...
void model_init(Model *model, const Task *task, const Arm *arm, ModelConfig config, uint64_t seed);
void model_free(Model *model);

typedef struct Forward {
    Attended attended;
    int questions;     // rows that ask something, in the order of the batch
    int *row;          // (questions) b L + i
    int *answer;       // (questions) id of the right word
    Tensor *logits;    // (1, questions, V), NULL if task.points
    Tensor *loss;      // () mean over the questions, nats
} Forward;

// Everything on `tape`, which the batch must outlive. A batch without a question has loss 0.
Forward model_forward(Model *model, Tape *tape, const Batch *batch);

#endif
