#ifndef TESTS_EXERCISES_EXERCISES_H
#define TESTS_EXERCISES_EXERCISES_H

#include "autograd/ops.h"
#include "autograd/rng.h"
#include "data/task.h"

// What each exercise asks you to write. The file NN_name.c defines the functions under number NN.

// 1
Tensor *my_mul(Tape *tape, Tensor *a, Tensor *b);  // a * b, element by element; equal shapes

// 2
Tensor *my_tanh(Tape *tape, Tensor *a);            // tanh(a), element by element

// 3: the backward of y = softmax(x) for one row of n numbers: adds dL/dx to dx; dy is dL/dy
void my_softmax_backward(size_t n, const float *y, const float *dy, float *dx);

// 4: three ops of one input; two of them have a bug. `diamond` builds a graph that shows the bug.
typedef Tensor *Op(Tape *tape, Tensor *a);
Op my_halve, my_square, my_relu;                   // a / 2, a * a, max(0, a)
Tensor *diamond(Tape *tape, Tensor *x, Op *op);    // any shape; built from x, op and library ops

// 5: X (B, L, D), W_Q and W_K (D, d_k), W_V (D, d_v) -> (B, L, d_v)
Tensor *my_attention(Tape *tape, Tensor *X, Tensor *W_Q, Tensor *W_K, Tensor *W_V);

// 6: the rows of X are the pronoun, its antecedent and another noun. The scores are X Xᵀ.
void pronoun_vectors(double X[3][2]);
const char *pronoun_options(void);                 // options for ./train: one arm and its settings
typedef enum Why {
    WHY_NOT_SAID, WHY_SCORES_LEARN_DIRECTION, WHY_ROWS_ARE_NORMALISED, WHY_VALUE_POINTS,
} Why;
Why pronoun_why(void);

// 7: the cycle 0 -> 1 -> 2 -> 0. B and S are (3, 3).
Tensor *cycle_score(Tape *tape, Tensor *B);        // symmetric; reaches every symmetric S
Tensor *cycle_nll(Tape *tape, Tensor *S);          // () mean of -log A over the three right weights
double cycle_bound(void);                          // the least NLL that a symmetric score can have
int cycle_found_at_most(void);                     // how many of the three it can find

// 8
Tensor *biased_score(Tape *tape, Tensor *B, Tensor *bias);  // (B + Bᵀ)/2, plus bias_j for key j
void directions(int n, const double *S, double *asymmetry, double *circulation);  // of S (n, n)
double biased_bound(void);                         // as cycle_bound, with a bias for each key

// 9: q and k are vectors of d_k independent normal numbers, of mean 0 and standard deviation std.
// If `tied`, k is q itself.
typedef struct Moments { double mean, variance; } Moments;
Moments dot_measured(int draws, int d_k, bool tied, Rng *rng);  // of q·k, for std 1, by drawing
Moments dot_predicted(int d_k, double std, bool tied);          // of q·k, for any std, by formula
double score_factor(int d_k);                      // the factor that gives q·k a variance of 1

// 10: X (B, L, D) asks, Z (B, M, D) answers; W_Q, W_K (D, d_k), W_O (d_k, D) -> (B, L, D)
Tensor *key_value_head(Tape *tape, Tensor *X, Tensor *Z, Tensor *W_Q, Tensor *W_K, Tensor *W_O);
// Both answers are one of the d_k 3, 4, 6, 8.
int key_value_hurts(void);   // the largest at which `kv` has less than half the accuracy of `qkv`
int key_value_enough(void);  // the smallest at which `kv` has an accuracy of 0.98 or more

// 11
Tensor *my_rms_norm(Tape *tape, Tensor *x, Tensor *gain);  // x (..., D), gain (D); eps 1e-5

// 12
void task_agreement(Task *task, RandomSource random, int held_out);

// 13: one step of n weights w with gradients g and learning rate lr. Adam's betas are 0.9 and
// 0.999, its epsilon is 1e-8, and `step` counts from 1.
void my_momentum(size_t n, const float *g, float *v, float *w, double lr, double momentum);
void my_adam(size_t n, const float *g, float *m, float *v, float *w, double lr, int step);
double stable_lr(double curvature, double momentum);   // of my_momentum on L = curvature w²/2
double adam_first_step(double lr, double gradient);    // how far w moves

// 14
typedef enum ComesBack { COMES_NOT_SAID, COMES_THE_ANSWER, COMES_THE_MEAN, COMES_ITSELF } ComesBack;
typedef struct Practice {
    int parameters;        // how many numbers `xxt` trains in `pronoun`
    double asymmetry;      // of its scores
    double on_itself;      // fraction of the tokens that attend most to themselves
    double accuracy;       // fraction of the questions that it answers
    ComesBack comes_back;  // what the output of a token is most like
    double point_nll;      // X may learn: the least NLL if only token 0 asks, for token 1
    double cycle_nll;      // X may learn: the least NLL if all three ask, in a cycle
} Practice;
Practice practice(void);

// 15: the step of `./train graph`, but with the second word as the right answer
typedef struct ByHand {
    double loss;       // nats
    double dY[2];      // row 2
    double dA[2];      // row 2: of the weights that token 2 gives to tokens 1 and 2
    double dS[2];      // row 2: of the scores, after the softmax's backward
    double dW_Q[2][2];
} ByHand;
ByHand by_hand(void);

// 16: two lines of the proof of ln 3. S (3, 3) are scores of three keys, S_ij = k_i·k_j.
double diagonal_at_least(double S[3][3]);  // S_00 + S_11 + S_22 is at least this
double log_Z_at_least(const double S_i[3]);      // and log(sum_j exp S_ij) at least this, for row i

// 17: which assumption of the theorem can be dropped?
int heads_enough(void);                   // symmetric heads whose mean weight gets below ln 2
double two_heads_nll(void);               // the least NLL of the mean weight of two of them
void cycle_mask(bool allowed[3][3]);      // false where token i may not attend to token j
const char *depth_options(void);          // options for ./train: symmetric, deep, and right
typedef enum Depth { DEPTH_NOT_SAID, DEPTH_BREAKS_IT, DEPTH_GOES_ROUND_IT } Depth;
Depth depth_does(void);                   // does a layer's attention pass the bound?

#endif
