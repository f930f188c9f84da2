#include <math.h>

#include "tests/exercises/exercises.h"

Tensor *my_attention(Tape *tape, Tensor *X, Tensor *W_Q, Tensor *W_K, Tensor *W_V) {
    Tensor *Q = matmul(tape, X, W_Q);     // (B, L, d_k)
    Tensor *K = matmul(tape, X, W_K);     // (B, L, d_k)
    Tensor *V = matmul(tape, X, W_V);     // (B, L, d_v)
    Tensor *S = matmul_t(tape, Q, K);     // (B, L, L)
    Tensor *A = softmax(tape, scale(tape, S, 1 / sqrt(W_K->shape[1])));
    return matmul(tape, A, V);            // (B, L, d_v)
}
