#include "model/train/measure.h"
#include "tests/exercises/check.h"
#include "tests/exercises/cycle.h"

enum { N = 4, ALL = N * N, TRIES = 5 };

static void check_score(void) {
    Tape tape = {0};
    double right[ALL], none[ALL], queries[ALL], whole[ALL];
    Tensor *B = leaf(&tape, 2, (const int[]){N, N}, 1, 1),
           *bias = leaf(&tape, 1, (const int[]){N}, 2, 1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double b = (double)B->data[i * N + j], mirror = (double)B->data[j * N + i];
            none[i * N + j] = (b + mirror) / 2;
            right[i * N + j] = (b + mirror) / 2 + (double)bias->data[j];
            queries[i * N + j] = (b + mirror) / 2 + (double)bias->data[i];
            whole[i * N + j] = b + (double)bias->data[j];
        }
    trying("biased_score");
    Tensor *S = biased_score(&tape, B, bias);
    check_recorded("biased_score", S, B);
    compare("biased_score", S->data, right, ALL,
            (const Guess[]){
                {"has no bias yet", none},
                {"has the bias on the queries: the softmax cancels a number that a whole row "
                 "shares",
                 queries},
                {"is B plus the bias: B itself is not symmetric", whole},
                {0}});
    if (!S->grad) wrong("biased_score has no gradient: it is not made from B and bias by ops");
    tape_free(&tape);
}

// The two figures of a score, as common mistakes give them.
typedef struct Figures {
    double whole_N[TRIES], mirror[TRIES], gradient[TRIES], of_sums[TRIES];
} Figures;

static void add_figures(const double *S, int try, Figures *f) {
    double p[N] = {0}, all = 0, minus = 0, plus = 0, G = 0, sums = 0;
    for (int i = 0; i < ALL; i++) p[i / N] += (S[i] - S[i % N * N + i / N]) / 2 / N;
    for (int i = 0; i < ALL; i++) {
        double mirror = S[i % N * N + i / N], n = (S[i] - mirror) / 2, g = p[i / N] - p[i % N];
        all += S[i] * S[i];
        minus += (S[i] - mirror) * (S[i] - mirror);
        plus += (S[i] + mirror) * (S[i] + mirror) / 4;
        G += g * g;
        sums += (n - N * g) * (n - N * g);
    }
    f->whole_N[try] = sqrt(minus / all);
    f->mirror[try] = sqrt(plus / all);
    f->gradient[try] = sqrt(G / all);
    f->of_sums[try] = sqrt(sums / all);
}

static void check_directions(void) {
    Tape tape = {0};
    Figures f;
    double asymmetry[TRIES], circulation[TRIES], S[ALL], got[2];
    float got_asymmetry[TRIES], got_circulation[TRIES];
    trying("directions");
    for (int i = 0; i < TRIES; i++) {
        Tensor *x = leaf(&tape, 2, (const int[]){N, N}, 1 + (uint64_t)i, 1);
        Direction d = measure_direction(x->data, N, N);
        copied(x->data, ALL, S);
        add_figures(S, i, &f);
        directions(N, S, &got[0], &got[1]);
        asymmetry[i] = d.asymmetry, circulation[i] = d.circulation;
        got_asymmetry[i] = (float)got[0], got_circulation[i] = (float)got[1];
    }
    compare("the asymmetry", got_asymmetry, asymmetry, TRIES,
            (const Guess[]){{"comes from S - Sᵀ: it is not divided by 2", f.whole_N},
                            {"comes from (S + Sᵀ)/2, the symmetric half", f.mirror},
                            {0}});
    compare("the circulation", got_circulation, circulation, TRIES,
            (const Guess[]){
                {"is the asymmetry again: subtract p_i - p_j from N_ij", asymmetry},
                {"comes from G, the part that biases add: C is the rest, N - G", f.gradient},
                {"uses the sums of the rows of N as p: take their means", f.of_sums},
                {0}});
    tape_free(&tape);
}

static Tensor *anything(Tape *tape, Tensor *B, Tensor *bias) {
    return (void)bias, scale(tape, B, 1);
}

static Direction shown(const char *name, const CycleRun *c) {
    Direction d = measure_direction(c->S, 3, 3);
    measured("%s, on the cycle, 8 seeds: lowest NLL %.4f, asymmetry %.3f, circulation %.3f",
             name, c->attention_nll, d.asymmetry, d.circulation);
    return d;
}

void check(void) {
    check_score();
    check_directions();
    trying("the training");
    CycleRun free_score = cycle_best(anything), biased = cycle_best(biased_score);
    Direction d = shown("a free score", &free_score),
              e = shown("symmetric with a bias on each key", &biased);
    if (free_score.attention_nll > 0.05 || d.circulation < 0.1)
        wrong("the experiment itself fails: a free score should learn the cycle");
    if (e.asymmetry < 1e-4 || e.circulation > 1e-5)
        wrong("the trained score has asymmetry %g and circulation %g; a bias on each key gives an "
              "asymmetry and no circulation",
              e.asymmetry, e.circulation);
    check_bound("biased_bound", biased_bound(), biased.attention_nll);
}
