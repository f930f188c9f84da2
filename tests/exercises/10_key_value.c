// Exercise 10: the key is the value.
// The page is 10_key_value.md; check with `make exercise-10`.
#include <math.h>

#include "tests/exercises/exercises.h"

// YOURS: attention whose value is the key itself. W_O brings the result back to the width of X.
Tensor *key_value_head(Tape *tape, Tensor *X, Tensor *Z, Tensor *W_Q, Tensor *W_K, Tensor *W_O) {
    (void)Z, (void)W_K;
    return matmul(tape, matmul(tape, X, W_Q), W_O);
}

// YOURS: from what ./train search --d-k N --arms kv,qkv --quiet prints.
int key_value_hurts(void) { return 0; }
int key_value_enough(void) { return 0; }
