#ifndef TESTS_EXERCISES_EXERCISES_H
#define TESTS_EXERCISES_EXERCISES_H

#include "autograd/ops.h"
#include "autograd/rng.h"
#include "data/task.h"

// What the exercises ask for, in their order: each file NN_name.c defines its part of this.

// 1
Tensor *my_mul(Tape *tape, Tensor *a, Tensor *b);  // a * b, element by element, of one shape

// 2
Tensor *my_tanh(Tape *tape, Tensor *a);            // tanh(a), element by element

// 3: dx += what softmax's backward gives to one row of n, out of y = softmax(x) and dy = dL/dy
void my_softmax_backward(size_t n, const float *y, const float *dy, float *dx);

// 4: ops of one input, two of them with a bug; and a graph that shows it
typedef Tensor *Op(Tape *tape, Tensor *a);
Op my_halve, my_square, my_relu;                   // a / 2, a * a, max(0, a)
Tensor *diamond(Tape *tape, Tensor *x, Op *op);    // of any shape: made of x, op, and other ops

// 5: X (B, L, D), W_Q and W_K (D, d_k), W_V (D, d_v) -> (B, L, d_v)
Tensor *my_attention(Tape *tape, Tensor *X, Tensor *W_Q, Tensor *W_K, Tensor *W_V);

// 6: rows of X are the pronoun, its antecedent, another noun; the scores are X Xᵀ, symmetric
void pronoun_vectors(double X[3][2]);
const char *pronoun_options(void);                 // as after ./train: an arm, and what it takes
typedef enum Why {
    WHY_NOT_SAID, WHY_SCORES_LEARN_DIRECTION, WHY_ROWS_ARE_NORMALISED, WHY_VALUE_POINTS,
} Why;
Why pronoun_why(void);

// 7: B is (3, 3). What the three tokens of a cycle, 0 -> 1 -> 2 -> 0, think of each other
Tensor *cycle_score(Tape *tape, Tensor *B);        // (3, 3), any symmetric one for some B
Tensor *cycle_surprise(Tape *tape, Tensor *S);     // () mean of -log A over the right weights
double cycle_bound(void);                          // what no symmetric score gets below
int cycle_found_at_most(void);                     // of the three

// 8
Tensor *biased_score(Tape *tape, Tensor *B, Tensor *bias);  // (B + Bᵀ)/2, and bias_j on key j
void directions(int n, const double *S, double *asymmetry, double *circulation);  // of S (n, n)
double biased_bound(void);                         // as cycle_bound, with a bias on each key

// 9: q and k have d_k independent normal numbers of mean 0; `tied`: k is q
typedef struct Moments { double mean, variance; } Moments;
Moments dot_measured(int draws, int d_k, bool tied, Rng *rng);        // of q·k, deviation 1
Moments dot_predicted(int d_k, double deviation, bool tied);          // the same, by thought
double score_factor(int d_k);                      // what q·k is multiplied by, to have variance 1

// 10: X (B, L, D) asks, Z (B, M, D) answers; W_Q, W_K (D, d_k), W_O (d_k, D) -> (B, L, D)
Tensor *key_value_head(Tape *tape, Tensor *X, Tensor *Z, Tensor *W_Q, Tensor *W_K, Tensor *W_O);
// Of d_k 3, 4, 6, 8: the largest at which `kv` answers less than half of what `qkv` does, and the
// least at which it answers 0.98.
int key_value_hurts(void);
int key_value_enough(void);

// 11
Tensor *my_rms_norm(Tape *tape, Tensor *x, Tensor *gain);  // x (..., D), gain (D); eps 1e-5

// 12
void task_agreement(Task *task, RandomSource random, int held_out);

// 13: a step each, of n weights w with gradients g; Adam's betas are 0.9 and 0.999, epsilon 1e-8
// (step 1, 2, ...)
void my_momentum(size_t n, const float *g, float *v, float *w, double rate, double momentum);
void my_adam(size_t n, const float *g, float *m, float *v, float *w, double rate, int step);
double stable_rate(double curvature, double momentum);  // of L = curvature w²/2, by my_momentum
double adam_first_step(double rate, double gradient);   // how far w goes

// 14
typedef enum ComesBack { COMES_NOT_SAID, COMES_THE_ANSWER, COMES_THE_MEAN, COMES_ITSELF } ComesBack;
typedef struct Practice {
    int trained;            // numbers that train in `xxt` on `pronoun`
    double asymmetry;       // of its scores
    double on_itself;       // share of the tokens that attend most to themselves
    double answered;        // share of the questions that it answers
    ComesBack comes_back;   // what a token is handed
    double point_surprise;  // where X may learn: the least, when token 0 alone asks, for token 1
    double cycle_surprise;  // the same when three ask in a cycle
} Practice;
Practice practice(void);

#endif
