// The arms, one row each, and above the rows the scores that they are made of. Read arms.h before,
// attention.c after. To add an arm, add a row; for a new score, add a Score and its function, too.
// The command line, checkpoints, views and tests go through the table.
#include "arms.h"

#include <string.h>

#include "autograd/ops.h"

// X B_h Zᵀ for every head h. The rows of all heads are stacked, (B, H L, D), so that one product
// with Z serves all heads.
static Tensor *bilinear(Tape *tape, Tensor *X, Tensor *Z, Tensor *B, int H) {
    int batch = X->shape[0], L = X->shape[1], D = X->shape[2], M = Z->shape[1];
    Tensor *XB = split_heads(tape, matmul(tape, X, B), H);                       // (B, H, L, D)
    Tensor *S = matmul_t(tape, reshape(tape, XB, 3, (const int[]){batch, H * L, D}), Z);
    return reshape(tape, S, 4, (const int[]){batch, H, L, M});
}

// X M Zᵀ with M = (B + Bᵀ)/2, as half the sum of a score and its mirror image: S_ij and S_ji are
// then the same two numbers added, so they have the same bits. (X M) Xᵀ would round them apart.
static Tensor *symmetric_half(Tape *tape, Tensor *X, Tensor *Z, Tensor *B, int H) {
    Tensor *S = bilinear(tape, X, Z, B, H), *mirror = X == Z ? S : bilinear(tape, Z, X, B, H);
    return scale(tape, add(tape, S, transpose(tape, mirror)), 0.5);
}

static const Score raw = {"X Xᵀ", .symmetric = true, .gram = true, .freezes_x = true};
static const Score raw_learned = {"X Xᵀ, X learned", .symmetric = true, .gram = true};
static const Score tied = {"(X W)(X W)ᵀ", .W_Q = "W", .symmetric = true, .gram = true};
static const Score sym = {"X (B+Bᵀ)/2 Xᵀ", .B = "B", .symmetric = true, .own = symmetric_half};
static const Score qk = {"(X W_Q)(X W_K)ᵀ", .W_Q = "W_Q", .W_K = "W_K"};

const Arm arm_table[] = {
    {"xxt",   "X Xᵀ, X",                &raw,         VALUE_X,   0x8A8A8A, 'x'},
    {"xxt-x", "X Xᵀ, X learned",        &raw_learned, VALUE_X,   0xB8A000, 'l'},
    {"xxt-v", "X Xᵀ, X W_V",            &raw_learned, VALUE_V,   0x56B4E9, 'v'},
    {"tied",  "(X W)(X W)ᵀ, X W_V",     &tied,        VALUE_V,   0xE69F00, 't'},
    {"sym",   "X (B+Bᵀ)/2 Xᵀ, X W_V",   &sym,         VALUE_V,   0xCC79A7, 's'},
    {"qk",    "(X W_Q)(X W_K)ᵀ, X",     &qk,          VALUE_X,   0x0072B2, 'k'},
    {"kv",    "(X W_Q)(X W_K)ᵀ, X W_K", &qk,          VALUE_KEY, 0x009E73, 'o'},
    {"vq",    "(X W_Q)(X W_K)ᵀ, X W_Q", &qk,          VALUE_QUERY, 0x8F63D2, 'u'},
    {"qkv",   "(X W_Q)(X W_K)ᵀ, X W_V", &qk,          VALUE_V,   0xD55E00, 'q'},
};
const int arm_count = sizeof arm_table / sizeof *arm_table;
_Static_assert(sizeof arm_table / sizeof *arm_table <= ARMS_MOST, "ARMS_MOST is too small");

const Arm *arm_find(const char *name) {
    for (int i = 0; i < arm_count; i++)
        if (!strcmp(arm_table[i].name, name)) return &arm_table[i];
    return NULL;
}

const Arm *arm_without_value(const Arm *arm) {
    const Arm *first = arm_table;
    while (first->score != arm->score) first++;
    return first;
}

bool score_trains(const Score *score) { return score->W_Q || score->B; }
