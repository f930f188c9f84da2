// The tape of one tiny step as nodes, and what a person would write of each: graph.c prints them,
// graph_svg.c draws them.
#include "model/view/tiny_step.h"

#include <stdio.h>
#include <string.h>

#include "autograd/fatal.h"
#include "autograd/optim.h"
#include "model/save/memory.h"

// What a view views; anything else is itself.
static const Tensor *origin(const Tensor *x) {
    while (!x->backward && x->in[0]) x = x->in[0];
    return x;
}

// Here, where nothing else is a leaf.
static bool is_parameter(const Tensor *x) { return !x->in[0]; }

// ---- the step ----------------------------------------------------------------------------------

// Token 0 sees itself alone, token 1 both.
static const unsigned char causal[] = {1, 0, 1, 1};
static const int answers[] = {NO_TARGET, 0};

static void set(Tensor *x, const float *numbers) {
    memcpy(x->data, numbers, x->size * sizeof *numbers);
}

static Tensor *forward(TinyStep *g, Tape *tape) {
    Tensor *X = g->input.tensor[0];
    g->attended = attention(tape, &g->head, X, X, causal, 1);
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

// As the lesson calls them: X W_Q is Q.
static const char *name_of(const TinyStep *g, const Tensor *x) {
    const Attended *a = &g->attended;
    if (is_parameter(x)) return x->name;
    if (x == g->loss) return "loss";
    if (x == a->S) return "S";
    if (x == a->S->in[0]) return "P";
    if (x == a->masked) return "masked";
    if (x == a->A) return "A";
    if (x == origin(a->Y)) return "Y";
    const char *by = x->in[1] ? x->in[1]->name : "";
    return strncmp(by, "W_", 2) ? x->name : by + 2;
}

static int find(const TinyStep *g, const Tensor *x) {
    for (int i = 0; i < g->count; i++)
        if (g->node[i].x == x) return i;
    return -1;
}

static void add_node(TinyStep *g, const Tensor *x) {
    if (find(g, x) >= 0) return;
    if (g->count == STEP_NODES)
        fatal("graph: more than %d tensors; STEP_NODES says how many fit", STEP_NODES);
    StepNode *n = &g->node[g->count++];
    *n = (StepNode){.x = x, .name = name_of(g, x)};
    for (; n->inputs < 3 && x->in[n->inputs]; n->inputs++) {
        int from = n->in[n->inputs] = find(g, origin(x->in[n->inputs]));
        if (g->node[from].depth >= n->depth) n->depth = g->node[from].depth + 1;
    }
}

// Parameters in the order in which ops read them, then the ops themselves.
static void add_nodes(TinyStep *g) {
    size_t n = 0;
    for (const Tensor *x = g->tape.last; x; x = x->prev) n++;
    const Tensor **recorded = arena_alloc(&g->tape.arena, n, sizeof *recorded), **at = recorded + n;
    for (const Tensor *x = g->tape.last; x; x = x->prev) *--at = x;
    for (size_t k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            if (recorded[k]->in[i] && is_parameter(origin(recorded[k]->in[i])))
                add_node(g, origin(recorded[k]->in[i]));
    for (size_t k = 0; k < n; k++)
        if (origin(recorded[k]) == recorded[k]) add_node(g, recorded[k]);
}

void tiny_step_open(TinyStep *g) {
    *g = (TinyStep){0};
    fill(g);
    g->loss = forward(g, &g->tape);
    tape_backward(&g->tape, g->loss);
    add_nodes(g);
}

void tiny_step_close(TinyStep *g) {
    tape_free(&g->tape);
    params_free(&g->input);
    params_free(&g->weights);
}

// ---- words -------------------------------------------------------------------------------------

void tiny_step_figure(float x, char text[32]) {
    int n = snprintf(text, 32, "%.4f", (double)x);
    if (!strchr(text, '.')) return;  // -inf
    while (text[n - 1] == '0') text[--n] = '\0';
    if (text[n - 1] == '.') text[--n] = '\0';
    if (!strcmp(text, "-0")) strcpy(text, "0");
}

char *tiny_step_call(const TinyStep *g, int node) {
    const StepNode *n = &g->node[node];
    char *text, factor[32];
    size_t size;
    FILE *out = memory_open(&text, &size);
    fprintf(out, n->inputs ? "%s(" : "given", n->x->name);
    for (int i = 0; i < n->inputs; i++) fprintf(out, i ? ", %s" : "%s", g->node[n->in[i]].name);
    tiny_step_figure(n->x->factor, factor);
    if (!strcmp(n->x->name, "scale")) fprintf(out, ", %s", factor);
    if (n->inputs) fputc(')', out);
    memory_close(out);
    return text;
}

// What the backward of each op adds to the gradient of each of its inputs, as the comment above it
// says: a and b are what it read, y what it made.
static const struct {
    const char *op, *adds[2];
} rules[] = {
    {"matmul", {"dy bᵀ", "aᵀ dy"}},
    {"matmul_t", {"dy b", "dyᵀ a"}},
    {"scale", {"factor dy"}},
    {"mask", {"dy where allowed"}},
    {"softmax", {"y (dy - sum(y dy))"}},
    {"cross_entropy", {"softmax(a) - right"}},
};

static const char *rule_of(const char *op, int input) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (input < 2 && !strcmp(rules[i].op, op)) return rules[i].adds[input];
    return NULL;
}

// A rule with the names of a node in it.
static void write_rule(FILE *out, const TinyStep *g, const StepNode *n, const char *rule) {
    char factor[32];
    tiny_step_figure(n->x->factor, factor);
    for (size_t length; *rule; rule += length) {
        size_t word = strspn(rule, "abcdefghijklmnopqrstuvwxyz");
        bool dy = word == 2 && !strncmp(rule, "dy", 2);
        length = word ? word : 1;
        if (dy || (word == 1 && *rule == 'y')) fprintf(out, dy ? "d%s" : "%s", n->name);
        else if (word == 1) fputs(g->node[n->in[*rule - 'a']].name, out);
        else if (!strncmp(rule, "factor", length)) fputs(factor, out);
        else fprintf(out, "%.*s", (int)length, rule);
    }
}

static char *users_of(const TinyStep *g, int node, bool with_rules, const char *none) {
    char *text;
    size_t size;
    int users = 0;
    FILE *out = memory_open(&text, &size);
    for (int k = 0; k < g->count; k++)
        for (int i = 0; i < g->node[k].inputs; i++) {
            if (g->node[k].in[i] != node) continue;
            const char *rule = rule_of(g->node[k].x->name, i);
            if (users++) fputs(with_rules ? " + " : ", ", out);
            if (with_rules && rule) write_rule(out, g, &g->node[k], rule);
            else fputs(g->node[k].name, out);
        }
    if (!users) fputs(none, out);
    memory_close(out);
    return text;
}

char *tiny_step_users(const TinyStep *g, int node) { return users_of(g, node, false, ""); }
char *tiny_step_gradient(const TinyStep *g, int node) {
    return users_of(g, node, true, "1, to begin with");
}
