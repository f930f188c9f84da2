#include "arms.h"

#include <string.h>

const Arm arm_table[ARMS] = {
    {"xxt",   "X Xᵀ, X",                   "X Xᵀ",            SCORE_X,    VALUE_X,   true},
    {"xxt-v", "X Xᵀ, X W_V",               "X Xᵀ",            SCORE_X,    VALUE_V,   true},
    {"tied",  "(X W)(X W)ᵀ, X W_V",        "(X W)(X W)ᵀ",     SCORE_TIED, VALUE_V,   true},
    {"sym",   "X (B+Bᵀ)/2 Xᵀ, X W_V",      "X (B+Bᵀ)/2 Xᵀ",   SCORE_SYM,  VALUE_V,   true},
    {"qk",    "(X W_Q)(X W_K)ᵀ, X",        "(X W_Q)(X W_K)ᵀ", SCORE_QK,   VALUE_X,   false},
    {"kv",    "(X W_Q)(X W_K)ᵀ, X W_K",    "(X W_Q)(X W_K)ᵀ", SCORE_QK,   VALUE_KEY, false},
    {"qkv",   "(X W_Q)(X W_K)ᵀ, X W_V",    "(X W_Q)(X W_K)ᵀ", SCORE_QK,   VALUE_V,   false},
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
