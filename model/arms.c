#include "arms.h"

#include <string.h>

const Arm arm_table[ARMS] = {
    {"xxt",   "X Xᵀ, X",                   "X Xᵀ",            SCORE_X,    VALUE_X,   true, 0x8A8A8A, 'x'},
    {"xxt-v", "X Xᵀ, X W_V",               "X Xᵀ",            SCORE_X,    VALUE_V,   true, 0x56B4E9, 'v'},
    {"tied",  "(X W)(X W)ᵀ, X W_V",        "(X W)(X W)ᵀ",     SCORE_TIED, VALUE_V,   true, 0xE69F00, 't'},
    {"sym",   "X (B+Bᵀ)/2 Xᵀ, X W_V",      "X (B+Bᵀ)/2 Xᵀ",   SCORE_SYM,  VALUE_V,   true, 0xCC79A7, 's'},
    {"qk",    "(X W_Q)(X W_K)ᵀ, X",        "(X W_Q)(X W_K)ᵀ", SCORE_QK,   VALUE_X,   false, 0x0072B2, 'k'},
    {"kv",    "(X W_Q)(X W_K)ᵀ, X W_K",    "(X W_Q)(X W_K)ᵀ", SCORE_QK,   VALUE_KEY, false, 0x009E73, 'o'},
    {"qkv",   "(X W_Q)(X W_K)ᵀ, X W_V",    "(X W_Q)(X W_K)ᵀ", SCORE_QK,   VALUE_V,   false, 0xD55E00, 'q'},
};

const Arm *arm_find(const char *name) {
    for (int i = 0; i < ARMS; i++)
        if (!strcmp(arm_table[i].name, name)) return &arm_table[i];
    return NULL;
}

const char *arm_default(const char *task) {
    if (!strcmp(task, "heads")) return "xxt,tied,sym,qk";
    if (!strcmp(task, "search")) return "xxt,qk,kv,qkv";
    return "xxt,xxt-v,tied,sym,qk,qkv";
}
