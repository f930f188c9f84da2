// The one step that ./train graph shows: graph.c prints and draws it. All numbers are read off its
// tape; the words are a table, which tests/test_graph.c compares with the tape.
#include "model/view/graph.h"

#include <stdio.h>
#include <string.h>

#include "autograd/optim.h"

// ---- the step ----------------------------------------------------------------------------------

// Token 0 sees itself alone, token 1 both.
static const unsigned char causal[] = {1, 0, 1, 1};
static const int answers[] = {NO_TARGET, 0};

static void set(Tensor *x, const float *numbers) {
    memcpy(x->data, numbers, x->size * sizeof *numbers);
}

static Tensor *forward(TinyStep *g, Tape *tape) {
    Tensor *x = g->input.tensor[0];
    g->attended = attention(tape, &g->head, x, x, causal, 1);
    return cross_entropy(tape, g->attended.Y, answers);
}

static void fill(TinyStep *g) {
    const AttentionConfig config = {.D = 2, .H = 1, .d_k = 2, .d_v = 2, .scaled = true};
    Tensor *X = params_add(&g->input, "X", true, 3, (const int[]){1, 2, 2});
    attention_add(&g->head, &g->weights, "", arm_find("qkv"), config);
    params_seal(&g->input);
    params_seal(&g->weights);
    set(X, (const float[]){0, 1, 1, 0.5F});
    set(g->head.W_Q, (const float[]){1, 0, 0, 1});
    set(g->head.W_K, (const float[]){0, 1, 1, 0});
    set(g->head.W_V, (const float[]){2, 0, 0, 2});
}

double tiny_step_update(TinyStep *g, double rate, Direction *after) {
    Tape tape = {.no_gradients = true};
    Optim descent = optim_sgd(0);
    optim_step(&descent, &g->weights, rate);
    double loss = (double)forward(g, &tape)->data[0];
    *after = measure_direction(g->attended.S->data, 2, 2);
    tape_free(&tape);
    return loss;
}

// ---- its nodes ---------------------------------------------------------------------------------

enum { X, W_Q, W_K, W_V, Q, K, V, P, S, MASKED, A, Y, LOSS };

static const StepNode nodes[STEP_NODES] = {
    [X] = {"X", "given", "dQ W_Qᵀ + dK W_Kᵀ + dV W_Vᵀ", 0, 0, {0}, NULL},
    [W_Q] = {"W_Q", "given", "Xᵀ dQ", 0, 0, {0}, NULL},
    [W_K] = {"W_K", "given", "Xᵀ dK", 0, 0, {0}, NULL},
    [W_V] = {"W_V", "given", "Xᵀ dV", 0, 0, {0}, NULL},
    [Q] = {"Q", "matmul(X, W_Q)", "dP K", 1, 2, {X, W_Q}, NULL},
    [K] = {"K", "matmul(X, W_K)", "dPᵀ Q", 1, 2, {X, W_K}, NULL},
    [V] = {"V", "matmul(X, W_V)", "Aᵀ dY", 1, 2, {X, W_V}, NULL},
    [P] = {"P", "matmul_t(Q, K)", "0.7071 dS", 2, 2, {Q, K}, NULL},
    [S] = {"S", "scale(P, 0.7071)", "dmasked where allowed", 3, 1, {P}, NULL},
    [MASKED] = {"masked", "mask(S)", "A (dA - sum(A dA))", 4, 1, {S}, NULL},
    [A] = {"A", "softmax(masked)", "dY Vᵀ", 5, 1, {MASKED}, NULL},
    [Y] = {"Y", "matmul(A, V)", "softmax(Y) - right", 6, 2, {A, V}, NULL},
    [LOSS] = {"loss", "cross_entropy(Y)", "1, to begin with", 7, 1, {Y}, NULL},
};

// What a view views; anything else is itself.
static const Tensor *origin(const Tensor *x) {
    while (!x->backward && x->in[0]) x = x->in[0];
    return x;
}

void tiny_step_open(TinyStep *g) {
    *g = (TinyStep){0};
    fill(g);
    g->loss = forward(g, &g->tape);
    tape_backward(&g->tape, g->loss);
    const Attended *a = &g->attended;
    const Tensor *product = a->S->in[0], *mixed = origin(a->Y), *const x[STEP_NODES] = {
        g->input.tensor[0], g->head.W_Q, g->head.W_K, g->head.W_V, origin(product->in[0]),
        origin(product->in[1]), origin(mixed->in[1]), product, a->S, a->masked, a->A, mixed,
        g->loss};
    memcpy(g->node, nodes, sizeof nodes);
    for (int i = 0; i < STEP_NODES; i++) g->node[i].x = x[i];
}

void tiny_step_close(TinyStep *g) {
    tape_free(&g->tape);
    params_free(&g->input);
    params_free(&g->weights);
}

void tiny_step_figure(float x, char text[32]) {
    int n = snprintf(text, 32, "%.4f", (double)x);
    if (!strchr(text, '.')) return;  // -inf
    while (text[n - 1] == '0') text[--n] = '\0';
    if (text[n - 1] == '.') text[--n] = '\0';
    if (!strcmp(text, "-0")) strcpy(text, "0");
}
