// Every right number comes from the tape. Each mistake that is named is computed from the right
// numbers of the line before.
#include "model/view/graph.h"
#include "tests/exercises/check.h"

// The step for each right word, [0] as in ./train graph, [1] as the exercise asks.
typedef struct Step {
    double loss, dY[2], dA[2], dS[2], dW_Q[4];
} Step;

static Step step_for(int right) {
    TinyStep g;
    Tape tape = {0};
    Step s;
    const int answers[] = {NO_TARGET, right};
    tiny_step_open(&g);
    params_zero_grad(&g.input);
    params_zero_grad(&g.weights);
    Tensor *X = g.input.tensor[0];
    Attended a = attention(&tape, &g.head, X, X, (const unsigned char[]){1, 0, 1, 1}, 1);
    Tensor *loss = cross_entropy(&tape, a.Y, answers);
    tape_backward(&tape, loss);
    s.loss = (double)loss->data[0];
    copied(a.Y->grad + 2, 2, s.dY);
    copied(a.A->grad + 2, 2, s.dA);
    copied(a.S->grad + 2, 2, s.dS);
    copied(g.head.W_Q->grad, 4, s.dW_Q);
    tape_free(&tape);
    tiny_step_close(&g);
    return s;
}

static bool close(const double *said, const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!(fabs(said[i] - x[i]) <= 6e-4)) return false;
    return true;
}

// A verdict unless the n numbers are right to four decimals, up to rounding on the way.
static void check_line(const char *what, const double *said, const double *right, int n,
                       const double *other_word, const Guess *guess) {
    double negative[4];
    for (int i = 0; i < n; i++) negative[i] = -right[i];
    for (int i = 0; i < n; i++)
        if (isnan(said[i])) wrong("%s: no number yet", what);
    if (close(said, right, n)) return;
    if (close(said, other_word, n))
        wrong("%s: that is what ./train graph prints, where the first word is right", what);
    if (close(said, negative, n)) wrong("%s has the right size but the wrong sign", what);
    for (; guess->words; guess++)
        if (close(said, guess->x, n)) wrong("%s %s", what, guess->words);
    for (int i = 0; i < n; i++)
        if (fabs(said[i] - right[i]) > 6e-4)
            wrong("%s: number %d is not %.4f; do this line again", what, i + 1, said[i]);
}

static void check_dW_Q(const ByHand *b, const Step *s, const Step *other) {
    const double *w = s->dW_Q, root = sqrt(2);
    double unscaled[4], twice[4], turned[4] = {w[0], w[2], w[1], w[3]};
    // dP Q in place of dP K: Q has the rows [0, 1] and [1, 0.5].
    double dP[2] = {s->dS[0] / root, s->dS[1] / root}, first = dP[1], second = dP[0] + dP[1] / 2,
           queries[4] = {first, second, first / 2, second / 2};
    for (int i = 0; i < 4; i++) unscaled[i] = w[i] * root, twice[i] = w[i] / root;
    check_line("dW_Q", b->dW_Q[0], w, 4, other->dW_Q,
               (const Guess[]){{"is not divided by sqrt(2): see dP", unscaled},
                                 {"is divided by 2: divide by sqrt(2), once", twice},
                                 {"is transposed: the row is the number of x, the column the "
                                  "number of dQ", turned},
                                 {"comes from dP Q; dQ is dP K", queries},
                                 {0}});
}

void check(void) {
    trying("by_hand");
    ByHand b = by_hand();
    Step s = step_for(1), other = step_for(0);
    const Guess none[] = {{0}};
    double p[2] = {s.dY[0], s.dY[1] + 1}, loss2 = s.loss / log(2);
    double plain[2] = {s.dA[0] / 2, s.dA[1] / 2}, mean = plain[0] + plain[1],
           unweighted[2] = {s.dA[0] - mean, s.dA[1] - mean};
    check_line("loss", &b.loss, &s.loss, 1, &other.loss,
               (const Guess[]){{"is in bits: take the natural logarithm", &loss2}, {0}});
    check_line("dY", b.dY, s.dY, 2, other.dY,
               (const Guess[]){{"holds the probabilities: subtract 1 at the right word", p}, {0}});
    check_line("dA", b.dA, s.dA, 2, other.dA, none);
    check_line("dS", b.dS, s.dS, 2, other.dS,
               (const Guess[]){{"is A dA alone: subtract sum(A dA) before", plain},
                                 {"lacks the factor A", unweighted},
                                 {0}});
    check_dW_Q(&b, &s, &other);
    measured("all five lines agree with the tape; each gradient is %.4f times that of ./train "
             "graph", s.dW_Q[0] / other.dW_Q[0]);
}
