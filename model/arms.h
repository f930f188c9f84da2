#ifndef MODEL_ARMS_H
#define MODEL_ARMS_H

#include <stdbool.h>

// What a head scores by, and what it hands over.
typedef enum Score {
    SCORE_X,     // X Xᵀ
    SCORE_TIED,  // (X W)(X W)ᵀ
    SCORE_SYM,   // X M Xᵀ with M = (B + Bᵀ)/2
    SCORE_QK,    // (X W_Q)(X W_K)ᵀ
} Score;

typedef enum Value {
    VALUE_X,     // X
    VALUE_KEY,   // X W_K, the key itself
    VALUE_V,     // X W_V
} Value;

// An arm is a row of the table in arms.c: to add one, add a row, and its
// score or value in attention.c.
typedef struct Arm {
    const char *name;
    const char *formula;  // score, then value
    const char *pointing; // the score alone, where there is no value;
                          // NULL: another arm's twin there
    Score score;
    Value value;
    bool learns_x;        // where a task trains the embeddings, this arm's train too
    int colour;           // 0xRRGGBB
    char letter;          // for where there is no colour
} Arm;

enum { ARMS = 8 };
extern const Arm arm_table[ARMS];

const Arm *arm_find(const char *name);         // or NULL

#endif
