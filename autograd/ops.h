#ifndef AUTOGRAD_OPS_H
#define AUTOGRAD_OPS_H

#include "tape.h"

// Every op runs at once and records itself on the tape. Each checks the shapes it is given and ends
// the program with a line that names the op and the shapes. "(..., n)" is any leading dimensions.
// Each one's backward stands directly above it, adds into the gradients of its inputs, and skips
// those that have none (grad NULL; an op of one input isn't called then). Products may replace
// instead: grad_started. Reverse mode: Baydin et al. 2018, section 3.2. With dy for d loss / d y, the
// rule of each stands at its op.
//
// To add an op: its two functions in a file here, its line below, its row in tests/gradient.c; step
// by step in tests/recipes/add_an_op.md.

// Element by element; b's shape is the end of a's, or an error, and is repeated over a's leading
// dimensions. The output has a's shape. gelu is that of Hendrycks and Gimpel 2016, in their tanh
// form: u = sqrt(2/pi) (a + 0.044715 a^3).  (ops.c)
Tensor *add(Tape *, Tensor *a, Tensor *b);                 // a + b
Tensor *sub(Tape *, Tensor *a, Tensor *b);                 // a - b
Tensor *mul(Tape *, Tensor *a, Tensor *b);                 // a * b
Tensor *scale(Tape *, Tensor *a, double factor);           // factor a
Tensor *relu(Tape *, Tensor *a);                           // max(0, a)
Tensor *gelu(Tape *, Tensor *a);                           // a (1 + tanh u) / 2
Tensor *sum(Tape *, Tensor *a);                            // () all of a, added in double
Tensor *mean(Tape *, Tensor *a);                           // () sum / size

// Shapes. reshape wants a shape of the same size, transpose a rank of 2 or more, split_heads an H
// that divides the width. Several heads: Vaswani et al. 2017, section 3.2.2.  (shape.c)
Tensor *reshape(Tape *, Tensor *a, int rank, const int *shape);  // the same numbers, nothing copied
Tensor *transpose(Tape *, Tensor *a);                      // (..., m, n) -> (..., n, m)
Tensor *split_heads(Tape *, Tensor *a, int H);             // (B, L, H d) -> (B, H, L, d)
Tensor *merge_heads(Tape *, Tensor *a);                    // (B, H, L, d) -> (B, L, H d)
// Rows of a table (V, D), or of any (..., D): out[b, l] = table[ids[b, l]]. ids (B, L) are copied;
// one outside of 0 .. V-1 is an error.
Tensor *embedding(Tape *, Tensor *table, const int *ids, int B, int L);  // (B, L, D)

// Products. b has a's leading dimensions, or is a matrix that serves them all; the k of both must
// agree. C = A B: dA += dC Bᵀ, dB += Aᵀ dC.  (matmul.c)
Tensor *matmul(Tape *, Tensor *a, Tensor *b);              // (..., m, k) (..., k, n) -> (..., m, n)
Tensor *linear(Tape *, Tensor *a, Tensor *W, Tensor *bias);  // a W + bias: (..., k) (k, n), (n)
Tensor *matmul_t(Tape *, Tensor *a, Tensor *b);            // (..., m, k) (..., n, k)ᵀ: (..., m, n)

// Over the last dimension.  (rows.c)
// mask: out = x where allowed, -INFINITY elsewhere. x is (B, L, M) or (B, H, L, M), allowed is
// (B, L, M), or (1, L, M) to serve every sentence; a row that allows nothing is an error.
Tensor *mask(Tape *, Tensor *x, const unsigned char *allowed, int allowed_B);
// exp(x_i) / sum_j exp(x_j), with the row's largest taken off first; -INFINITY gives 0, a row of
// them 0s.
Tensor *softmax(Tape *, Tensor *x);   // the shape of x
// gain (x - mean) / sqrt(variance + 1e-5) + bias, of each row (Ba, Kiros and Hinton 2016). x (...,
// n), gain and bias (n). The variance is that of the row, divided by n.
Tensor *layer_norm(Tape *, Tensor *x, Tensor *gain, Tensor *bias);  // (..., n)
// Mean over the rows of logits (..., V) with targets[row] >= 0 of -log softmax(logits)[target], in
// nats; 0 if there is no such row. A target of -1 asks nothing; one of V or more is an error. Of
// each row that asks: d logits = (softmax(logits) - onehot(target)) / rows that ask.
enum { NO_TARGET = -1 };
Tensor *cross_entropy(Tape *, Tensor *logits, const int *targets);  // ()
// The relative part of a score (Shaw, Uszkoreit and Vaswani 2018, eq. 4): r (..., L, 2n+1) holds
// what query i thinks of the distances -n .. n; out[..., i, j] = r[..., i, n + clip(j - i, -n, n)].
Tensor *relative(Tape *, Tensor *r);  // (..., L, L)

#endif
