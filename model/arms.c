#include "arms.h"

#include <string.h>

const Arm arm_table[ARMS] = {
    {"xxt",   "X Xᵀ, X",                "X Xᵀ",             SCORE_X,    VALUE_X,   false, 0x8A8A8A, 'x'},
    {"xxt-x", "X Xᵀ, X learned",        "X Xᵀ, X learned",  SCORE_X,    VALUE_X,   true,  0xB8A000, 'l'},
    {"xxt-v", "X Xᵀ, X W_V",            NULL,               SCORE_X,    VALUE_V,   true,  0x56B4E9, 'v'},
    {"tied",  "(X W)(X W)ᵀ, X W_V",     "(X W)(X W)ᵀ",      SCORE_TIED, VALUE_V,   true,  0xE69F00, 't'},
    {"sym",   "X (B+Bᵀ)/2 Xᵀ, X W_V",   "X (B+Bᵀ)/2 Xᵀ",    SCORE_SYM,  VALUE_V,   true,  0xCC79A7, 's'},
    {"qk",    "(X W_Q)(X W_K)ᵀ, X",     "(X W_Q)(X W_K)ᵀ",  SCORE_QK,   VALUE_X,   true,  0x0072B2, 'k'},
    {"kv",    "(X W_Q)(X W_K)ᵀ, X W_K", NULL,               SCORE_QK,   VALUE_KEY, true,  0x009E73, 'o'},
    {"qkv",   "(X W_Q)(X W_K)ᵀ, X W_V", NULL,               SCORE_QK,   VALUE_V,   true,  0xD55E00, 'q'},
};

const Arm *arm_find(const char *name) {
    for (int i = 0; i < ARMS; i++)
        if (!strcmp(arm_table[i].name, name)) return &arm_table[i];
    return NULL;
}
