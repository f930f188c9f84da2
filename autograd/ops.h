#ifndef AUTOGRAD_OPS_H
#define AUTOGRAD_OPS_H

#include "tape.h"

// The reference of all ops. "(..., n)" means any leading dimensions and n as the last.
//
// An op runs at once and records its output on the tape. It checks the shapes of its inputs; if
// they don't fit, the program ends with a line that names the op and the shapes.
//
// The contract of every backward: it adds (+=) to the gradients of its inputs, and skips an input
// without gradient (grad NULL). The backward of an op with one input needs no check: it isn't
// called then. An op that sets writes_grad may also write (=): see grad_started in tape.h. Each
// backward stands directly above its op, and the rule above both; dy there means d loss / d y.
//
// Where the inner loops are: an op that a profile of a training step shows calls loops() (plain
// loops, compiled for wide vectors) or kernels() (exp, softmax, gelu and products, written for
// them); see simd/. All other ops are plain C in place. Speed is the only reason.
//
// No model uses sub, mul, relu, sum and mean: they are there for tests, exercises and your models.
//
// To add an op: tests/recipes/add_an_op.md.

// Element by element. b's shape must be the end of a's, and b is repeated over a's leading
// dimensions. The output has a's shape. gelu is the tanh form of Hendrycks and Gimpel 2016, with
// u = sqrt(2/pi) (a + 0.044715 a^3).  (ops.c)
Tensor *add(Tape *, Tensor *a, Tensor *b);                 // a + b
Tensor *sub(Tape *, Tensor *a, Tensor *b);                 // a - b
Tensor *mul(Tape *, Tensor *a, Tensor *b);                 // a * b
Tensor *scale(Tape *, Tensor *a, double factor);           // factor a
Tensor *relu(Tape *, Tensor *a);                           // max(0, a)
Tensor *gelu(Tape *, Tensor *a);                           // a (1 + tanh u) / 2
Tensor *sum(Tape *, Tensor *a);                            // () sum of all elements, in double
Tensor *mean(Tape *, Tensor *a);                           // () sum / size

// For the backward of what is added, repeated, to out: dx += dout summed over the repeats of x, for
// an x that wants it.  (ops.c)
void pass_grad(Tensor *x, const Tensor *out);

// Shapes. Several heads: Vaswani et al. 2017, section 3.2.2.  (shape.c)
Tensor *reshape(Tape *, Tensor *a, int rank, const int *shape);  // a view of the same size
Tensor *transpose(Tape *, Tensor *a);                      // (..., m, n) -> (..., n, m)
Tensor *split_heads(Tape *, Tensor *a, int H);             // (B, L, H d) -> (B, H, L, d)
Tensor *merge_heads(Tape *, Tensor *a);                    // (B, H, L, d) -> (B, L, H d)
// Rows of a table (V, D), or of any (..., D): out[b, l] = table[ids[b, l]]. ids (B, L) are copied;
// an id outside of 0 .. V-1 is an error.
Tensor *embedding(Tape *, Tensor *table, const int *ids, int B, int L);  // (B, L, D)

// Products. b has a's leading dimensions, or is a matrix that is used for all of them; the k of a
// and b must agree. C = A B: dA += dC Bᵀ, dB += Aᵀ dC.  (matmul.c)
Tensor *matmul(Tape *, Tensor *a, Tensor *b);              // (..., m, k) (..., k, n) -> (..., m, n)
Tensor *linear(Tape *, Tensor *a, Tensor *W, Tensor *bias);  // a W + bias: (..., k) (k, n), (n)
Tensor *matmul_t(Tape *, Tensor *a, Tensor *b);            // (..., m, k) (..., n, k)ᵀ: (..., m, n)

// Over the last dimension.  (rows.c)
// mask: out = x where allowed, -INFINITY elsewhere. x is (B, L, M) or (B, H, L, M). allowed is
// (B, L, M), or (1, L, M) for all sentences; a row that allows nothing is an error.
Tensor *mask(Tape *, Tensor *x, const unsigned char *allowed, int allowed_B);
// exp(x_i) / sum_j exp(x_j), after the row's largest element is subtracted from all. -INFINITY
// gives 0, and so does an element whose exp is below 2^-56 of the largest one's (tiny.h). A row of
// -INFINITY gives zeros.
Tensor *softmax(Tape *, Tensor *x);   // the shape of x
// gain (x - mean) / sqrt(variance + 1e-5) + bias, of each row (Ba, Kiros and Hinton 2016). x is
// (..., n), gain and bias are (n). The variance is that of the row, divided by n.
Tensor *layer_norm(Tape *, Tensor *x, Tensor *gain, Tensor *bias);  // (..., n)
// Mean of -log softmax(logits)[target] over the rows of logits (..., V) that have a target, in
// nats; 0 if no row has one. A target of V or more is an error. For each row with a target:
// d logits = (softmax(logits) - onehot(target)) / rows with a target.
enum { NO_TARGET = -1 };
Tensor *cross_entropy(Tape *, Tensor *logits, const int *targets);  // ()
// The relative part of a score (Shaw, Uszkoreit and Vaswani 2018, eq. 4). r (..., L, 2n+1) holds
// the scores of query i for the distances -n .. n: out[..., i, j] = r[..., i, n + clip(j - i)],
// where clip keeps a distance within -n .. n.
Tensor *relative(Tape *, Tensor *r);  // (..., L, L)

#endif
