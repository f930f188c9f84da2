#ifndef MODEL_ARMS_H
#define MODEL_ARMS_H

#include <stdbool.h>

#include "autograd/tape.h"

// An arm is one variant of attention. All arms of a run are trained and measured side by side. An
// arm says what its scores are made of and what it passes on; all else is derived from that.

// How much token i of X (B, L, D) looks for token j of Z (B, M, D): S (B, H, L, M). In
// self-attention Z is X. Unless `own` says otherwise, S = Q Kᵀ with Q = X W_Q and K = Z W_K.
typedef struct Score {
    const char *formula;  // "(X W_Q)(X W_K)ᵀ"
    const char *W_Q;      // the name of its matrix (D, H d_k) for Q; NULL: Q is X itself
    const char *W_K;      // the same for K; NULL: K uses W_Q too, or is Z itself if there is none
    const char *B;        // the name of a matrix (D, H D), which `own` uses; NULL: none
    bool symmetric;       // S_ij = S_ji in self-attention, bit for bit, whatever was learned
    bool gram;            // S_ij = k_i · k_j, so that S is positive semi-definite, too
    bool freezes_x;       // a bare head with this score never trains the embeddings
    // S by another formula, for H heads. If Q or K has no matrix, it is X or Z. The formula must be
    // linear in Q and in K: attention_m derives M from it.
    Tensor *(*own)(Tape *tape, Tensor *Q, Tensor *K, Tensor *B, int H);
} Score;

// What token j passes on to those that attend to it.
typedef enum Value {
    VALUE_X,      // Z itself
    VALUE_KEY,    // Z W_K, the key
    VALUE_QUERY,  // Z W_Q, what j would ask with
    VALUE_V,      // Z W_V
} Value;

typedef struct Arm {
    const char *name;
    const char *formula;  // score, then value
    const Score *score;
    Value value;
    int colour;           // 0xRRGGBB
    char letter;          // where there is no colour
} Arm;

enum { ARMS_MOST = 32 };      // the table fits: arms.c asserts it
extern const Arm arm_table[];
extern const int arm_count;

const Arm *arm_find(const char *name);         // or NULL
// Without a value, arms with the same score are the same model. Gives the first of them.
const Arm *arm_without_value(const Arm *arm);
bool score_trains(const Score *score);         // does it have a matrix of its own?

#endif
