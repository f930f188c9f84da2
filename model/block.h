#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include "model/attention.h"

// A pre-norm transformer block: x + MHA(LN(x)), then x + MLP(LN(x)) (Xiong et al. 2020, fig. 1b),
// the MLP being W_2 gelu(W_1 x + c_1) + c_2 of width 4 D, or d_ff.
typedef struct Block {
    Attention attention;
    Tensor *gain_1, *bias_1, *gain_2, *bias_2;  // (D) of the two layer norms
    Tensor *W_1, *c_1;                          // (D, d_ff), (d_ff)
    Tensor *W_2, *c_2;                          // (d_ff, D), (D)
} Block;

// Adds the weights as "block.N.W_Q", ... d_ff 0: 4 D.
void block_add(Block *block, Params *params, int n, const Arm *arm, AttentionConfig config,
               int d_ff);
// After params_seal. W_2 starts smaller by 1/sqrt(2 layers), so that the sum of what the MLPs add
// doesn't grow with their number. (Radford et al. 2019, section 2.3, do the same with W_O; here W_O
// starts as attention_fill says.)
void block_fill(const Block *block, Rng *rng, int layers);

// X (B, L, D) -> (B, L, D), the residual stream (He et al. 2016, eq. 1) after two additions. Keys
// and values come from Z (B, M, D), or from X itself if Z is NULL. *attended is what the attention
// computed.
Tensor *block_forward(Tape *tape, const Block *block, Tensor *X, Tensor *Z,
                      const unsigned char *allowed, int allowed_B, Attended *attended);

#endif
