#include <string.h>

#include "tests/exercises/check.h"

enum { B = 2, L = 3, D = 6, D_K = 4, OUT = B * L * D };

typedef enum Variant {
    RIGHT, NO_SCALE, SCALE_D_K, SCALE_D, SCALE_UP, AFTER, SWAPPED,
    NO_SOFTMAX, COLUMNS, VALUE_X, OWN_VALUE, VARIANTS,
} Variant;

static const char *const words[VARIANTS] = {
    [NO_SCALE] = "comes from scores that are not divided by sqrt(d_k)",
    [SCALE_D_K] = "comes from scores divided by d_k; divide by its square root",
    [SCALE_D] = "comes from scores divided by sqrt(D): the sum q·k has d_k terms, not D",
    [SCALE_UP] = "comes from scores multiplied by sqrt(d_k); divide by it",
    [AFTER] = "comes from weights divided by sqrt(d_k) after the softmax: they do not sum to 1",
    [SWAPPED] = "comes from scores K Qᵀ: there the keys ask and the queries answer",
    [NO_SOFTMAX] = "comes from scores used as weights: there is no softmax",
    [COLUMNS] = "comes from weights that sum to 1 in each column; they should in each row, "
                "which belongs to one query",
    [VALUE_X] = "uses X itself as the value: the value is X W_V",
    [OWN_VALUE] = "is the value of each token itself: no token attends to another yet",
};

// The right attention, or one with a common mistake.
static Tensor *variant(Tape *t, Tensor *X, Tensor **W, Variant v) {
    double by = v == NO_SCALE || v == AFTER ? 1
              : v == SCALE_D_K              ? D_K
              : v == SCALE_UP               ? 1 / sqrt(D_K)
                                            : sqrt(v == SCALE_D ? D : D_K);
    Tensor *Q = matmul(t, X, W[0]), *K = matmul(t, X, W[1]);
    Tensor *V = v == VALUE_X ? X : matmul(t, X, W[2]);
    Tensor *S =
        scale(t, v == SWAPPED || v == COLUMNS ? matmul_t(t, K, Q) : matmul_t(t, Q, K), 1 / by);
    Tensor *A = v == NO_SOFTMAX ? S : softmax(t, S);
    if (v == COLUMNS) A = transpose(t, A);
    if (v == AFTER) A = scale(t, A, 1 / sqrt(D_K));
    return v == OWN_VALUE ? V : matmul(t, A, V);
}

static void backward(Tape *tape, Tensor *X, Tensor **W, Tensor *out) {
    Tensor *weights = tape_tensor(tape, 3, (const int[]){B, L, D});
    for (int i = 0; i < OUT; i++) weights->data[i] = 0.3f + 0.5f * (float)(i * i % 5);
    clear(X);
    for (int w = 0; w < 3; w++) clear(W[w]);
    tape_backward(tape, sum(tape, mul(tape, out, weights)));
}

void check(void) {
    Tape tape = {0}, other = {0};
    double expected[OUT], guess[VARIANTS][OUT], dW[3][D * D];
    Guess guesses[VARIANTS] = {{0}};
    Tensor *X = leaf(&tape, 3, (const int[]){B, L, D}, 1, 1), *W[3];
    for (int w = 0; w < 3; w++)
        W[w] = leaf(&tape, 2, (const int[]){D, w < 2 ? D_K : D}, 2 + (uint64_t)w, 0.6);
    for (int v = RIGHT; v < VARIANTS; v++) {
        copied(variant(&other, X, W, (Variant)v)->data, OUT, guess[v]);
        if (v > RIGHT) guesses[v - 1] = (Guess){words[v], guess[v]};
    }
    memcpy(expected, guess[RIGHT], sizeof expected);
    tape_reset(&other);
    backward(&other, X, W, variant(&other, X, W, RIGHT));
    for (int w = 0; w < 3; w++) copied(W[w]->grad, W[w]->size, dW[w]);
    trying("my_attention");
    Tensor *out = my_attention(&tape, X, W[0], W[1], W[2]);
    check_recorded("my_attention", out, X);
    compare("the output", out->data, expected, OUT, guesses);
    if (!out->grad)
        wrong("the output of my_attention has no gradient: it is not made from X and the weights "
              "by ops");
    backward(&tape, X, W, out);
    compare("dL/dW_Q", W[0]->grad, dW[0], W[0]->size, NULL);
    compare("dL/dW_K", W[1]->grad, dW[1], W[1]->size, NULL);
    compare("dL/dW_V", W[2]->grad, dW[2], W[2]->size, NULL);
    tape_free(&other);
    tape_free(&tape);
}
