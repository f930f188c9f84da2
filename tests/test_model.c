// The model of a task as a whole, a bare head or blocks: its gradient, what it must not
// depend on, and that it learns.
#include <stdlib.h>
#include <string.h>

#include "net.h"
#include "test.h"

// ---- gradient ----------------------------------------------------------------------------------

static void check_tensor(Net *n, const Tensor *x, Rng *rng) {
    enum { TRIED = 12 };
    double largest = 0;
    for (size_t i = 0; i < x->size; i++) largest = fmax(largest, fabs((double)x->grad[i]));
    CHECK(largest > 1e-4, "%s: no gradient above %g reaches it", x->name, largest);
    for (int k = 0; k < TRIED; k++) {
        size_t i = rng_below(rng, (uint32_t)x->size);
        double expected = net_slope(n, x->data + i);
        CHECK(fabs(x->grad[i] - expected) <= 2e-3 * largest + 5e-5,
              "arm %s: d loss / d %s[%zu]: expected %.6g, got %.6g", n->model.head.arm->name,
              x->name, i, expected, (double)x->grad[i]);
    }
}

// The embeddings are made shorter, so that the softmax is not on one token and the loss bends less.
static void check_gradient(const char *command, const char *arm) {
    Net n;
    net_open(&n, command, arm, 3);
    Params *p = &n.model.params;
    Rng rng = rng_new(5, 5);
    for (int i = 0; i < p->count; i++) {
        Tensor *x = p->tensor[i];
        bool embeds = x == n.model.P || x == n.model.table[0] || x == n.model.table[1];
        if (embeds) setup_normal(x, 30 + (uint64_t)i, 0.7);
        else if (x == n.model.head.R) setup_normal(x, 40, 0.5);
    }
    params_zero_grad(p);
    net_forward(&n);
    CHECK(!p->size == !n.f.loss->grad, "%s: %zu parameters, %s gradient", arm, p->size,
          n.f.loss->grad ? "a" : "no");
    if (p->size) tape_backward(&n.tape, n.f.loss);
    for (int i = 0; i < p->count; i++)
        if (p->tensor[i]->grad) check_tensor(&n, p->tensor[i], &rng);
    net_close(&n);
}

static void gradients_of_pronoun(void) {
    for (int i = 0; i < arm_count; i++) {
        check_gradient("train --held-out 8 --d-model 6 --d-k 4 --init random", arm_table[i].name);
        check_gradient("train --held-out 8 --d-model 6 --d-k 4 --d-v 3 --relative 2 --mask-self",
                       arm_table[i].name);
    }
}

static void gradients_of_heads(void) {
    for (int i = 0; i < arm_count; i++) {
        const char *arm = arm_table[i].name;
        if (arm_without_value(&arm_table[i]) != &arm_table[i]) continue;
        check_gradient("train heads --d-model 6 --d-k 4 --init random", arm);
        check_gradient("train heads --d-model 6 --d-k 4 --relative 2 --no-scale", arm);
        check_gradient("train heads --d-model 6 --d-k 4 --freeze-embeddings", arm);
    }
}

// Blocks, several heads, and keys that are a sequence of their own.
static void gradients_of_blocks(void) {
    for (int i = 0; i < arm_count; i++) {
        check_gradient("train --held-out 8 --d-model 6 --d-k 2 --layers 2 --heads 2 --init random",
                       arm_table[i].name);
        check_gradient("train search --held-out 8 --d-model 6 --d-k 3 --init random",
                       arm_table[i].name);
        check_gradient("train search --held-out 8 --d-model 6 --d-k 2 --layers 1 --heads 2 --init "
                       "random", arm_table[i].name);
    }
    check_gradient("train heads --d-model 6 --d-k 3 --layers 1 --heads 2 --init random", "qk");
}

// ---- what is trained ---------------------------------------------------------------------------

static size_t trained(const char *command, const char *arm) {
    Net n;
    net_open(&n, command, arm, 1);
    size_t size = n.model.params.size;
    net_close(&n);
    return size;
}

// Does the formula name this matrix?
static bool names(const char *formula, const char *matrix) {
    size_t n = strlen(matrix);
    for (const char *at = formula; (at = strstr(at, matrix)); at += n)
        if (!at[n] || strchr(" ,()+-/", at[n])) return true;
    return false;
}

// The numbers of the matrices that an arm's formula names, at width 8 and d_k 4.
static int numbers_of(const char *formula) {
    const char *value = strstr(formula, ", ");
    return 32 * (names(formula, "W") + names(formula, "W_Q") + names(formula, "W_K"))
           + 64 * (names(formula, "B") + names(formula, "W_V"))
           + 32 * (names(value, "W_K") || names(value, "W_Q"));  // W_O brings a value of 4 to 8
}

static void numbers_that_train(void) {
    const char *pronoun = "train --held-out 1 --d-model 8 --d-k 4";
    for (int i = 0; i < arm_count; i++)
        CHECK_INT(trained(pronoun, arm_table[i].name), numbers_of(arm_table[i].formula));
    CHECK_INT(trained(pronoun, "xxt"), 0);
    CHECK_INT(trained(pronoun, "qkv"), 128);
    CHECK_INT(trained("train heads --d-model 8", "xxt"), 0);
    CHECK_INT(trained("train heads --d-model 8 --d-k 4 --freeze-embeddings", "qk"), 64);
    CHECK(trained("train heads --d-model 8 --d-k 4", "tied") > 1000,
          "the embeddings of heads don't train");
}

// A unit of an MLP has a column of W_1, a row of W_2 and a number of c_1.
static void d_ff_is_the_width_of_the_mlp(void) {
    const char *command = "train --held-out 1 --layers 3 --d-model 8";
    size_t usual = trained(command, "qkv"), unit = 3 * (8 + 8 + 1);
    CHECK_INT(trained("train --held-out 1 --layers 3 --d-model 8 --d-ff 32", "qkv"), usual);
    CHECK_INT(trained("train --held-out 1 --layers 3 --d-model 8 --d-ff 5", "qkv"),
              usual - (32 - 5) * unit);
}

static void every_arm_sees_the_same_tokens(void) {
    const char *command[] = {"train --held-out 1 --d-model 12 --d-k 5",
                             "train heads --d-model 12 --suffixes"};
    for (int k = 0; k < 2; k++) {
        Net first;
        net_open(&first, command[k], "xxt", 1);
        for (int i = 1; i < arm_count; i++) {
            Net n;
            net_open(&n, command[k], arm_table[i].name, 1);
            for (int f = 0; f < FEATURES; f++)
                if (first.model.table[f])
                    setup_same_bits("E, T, ...", n.model.table[f]->data, first.model.table[f]->data,
                                    first.model.table[f]->size);
            setup_same_bits("P", n.model.P->data, first.model.P->data, first.model.P->size);
            net_close(&n);
        }
        net_close(&first);
    }
}

static void seeds_differ(void) {
    Net a, b;
    net_open(&a, "train --held-out 1 --seed 1", "qkv", 1);
    net_open(&b, "train --held-out 1 --seed 2", "qkv", 1);
    CHECK(memcmp(a.model.P->data, b.model.P->data, a.model.P->size * sizeof(float)),
          "P of seeds 1 and 2 agree");
    CHECK(memcmp(a.model.head.W_Q->data, b.model.head.W_Q->data, 64),
          "W_Q of seeds 1 and 2 agree");
    net_close(&a);
    net_close(&b);
}

// ---- loss --------------------------------------------------------------------------------------

// At first the head hands over mostly the asking token itself, and E reads it as its own answer: a
// loss above that of guessing. Without a value it can only guess.
static void the_first_loss(void) {
    const char *arms[] = {"xxt", "tied", "sym", "qk", "qkv"};
    for (int i = 0; i < 5; i++) {
        Net n;
        net_open(&n, "train --held-out 32", arms[i], 32);
        double guess = log(n.setup.task.vocab[FEATURE_WORD].count), loss = net_forward(&n);
        CHECK(loss > guess && loss < 3 * guess, "%s: a first loss of %g; guessing costs %g",
              arms[i], loss, guess);
        if (n.model.head.W_V) {
            memset(n.model.head.W_V->data, 0, n.model.head.W_V->size * sizeof(float));
            CHECK_NEAR(net_forward(&n), guess, 1e-6);
        }
        net_close(&n);
    }
}

// Rows of E so short that no logit can tell words apart: guessing, ln V, whatever the arm. A logit
// is at most 1/2 |y| |e|, and the loss is within twice the largest of them.
static void first_loss_without_a_view(void) {
    const char *command[] = {
        "train --held-out 8 --d-model 16 --d-k 4 --embed-rms 0.001",
        "train --held-out 8 --d-model 16 --d-k 4 --layers 2 --heads 2 --embed-rms 0.001",
        "train search --held-out 4 --d-model 16 --embed-rms 0.001",
        "train search --held-out 4 --d-model 16 --layers 1 --embed-rms 0.001",
    };
    for (int i = 0; i < 4 * arm_count; i++) {
        Net n;
        net_open(&n, command[i / arm_count], arm_table[i % arm_count].name, 4);
        double guess = log(n.setup.task.vocab[FEATURE_WORD].count), most = 0;
        double loss = net_forward(&n);
        for (size_t k = 0; k < n.f.logits->size; k++)
            most = fmax(most, fabs((double)n.f.logits->data[k]));
        CHECK(most > 0 && most < 0.004, "%s: a logit of %g", command[i / arm_count], most);
        CHECK_NEAR(loss, guess, 2 * most + 1e-6);
        net_close(&n);
    }
}

// With scores of 0, each token points anywhere: the mean of log(number of tokens it may point at).
static void guess_heads(const char *command) {
    Net n;
    net_open(&n, command, "qk", 8);
    Tensor *W_Q = n.model.head.W_Q;
    memset(W_Q->data, 0, W_Q->size * sizeof(float));
    double expected = 0;
    for (int b = 0; b < 8; b++)
        expected += (n.batch.length[b] - 1) * log(n.batch.length[b] - 1);
    double loss = net_forward(&n);
    CHECK_NEAR(loss, expected / n.f.questions, 1e-6);
    net_close(&n);
}

static void guessing_heads(void) {
    guess_heads("train heads --d-model 8 --d-k 4");
    guess_heads("train heads --d-model 8 --d-k 4 --layers 2 --heads 2");
}

static void overfit(const char *command, const char *arm, int steps) {
    Net n;
    net_open(&n, command, arm, 8);
    Optim optim = optim_adam(0);
    double first = net_forward(&n);
    CHECK(first > 1, "%s: a first loss of %g leaves nothing to learn", arm, first);
    for (int step = 0; step < steps; step++) {
        params_zero_grad(&n.model.params);
        net_forward(&n);
        tape_backward(&n.tape, n.f.loss);
        optim_step(&optim, &n.model.params, 0.01);
    }
    double loss = net_forward(&n);
    CHECK(loss < 0.01, "%s: a loss of %g after %d steps on one batch; expected below 0.01",
          arm, loss, steps);
    net_close(&n);
}

static void one_batch_overfits(void) { overfit("train --held-out 8", "qkv", 100); }

// Two blocks can learn a batch by heart even where the scores have no matrix. E is
// frozen, so the logits grow with the last gain alone, and the last of the loss takes
// more steps than a bare head's.
static void one_batch_overfits_blocks(void) {
    for (int i = 0; i < arm_count; i++)
        overfit("train --held-out 8 --d-model 32 --d-k 8 --layers 2 --heads 2", arm_table[i].name,
                200);
}

static void nothing_asked_costs_nothing(void) {
    const char *command[] = {"train --held-out 4", "train heads --d-model 8"};
    for (int k = 0; k < 2; k++) {
        Net n;
        net_open(&n, command[k], "qk", 4);
        for (int i = 0; i < n.batch.B * n.batch.L; i++) n.batch.target[i] = n.batch.answer[i] = -1;
        CHECK_NEAR(net_forward(&n), 0, 0);
        CHECK_INT(n.f.questions, 0);
        if (n.f.loss->grad) tape_backward(&n.tape, n.f.loss);
        for (size_t i = 0; i < n.model.params.size; i++) CHECK_NEAR(n.model.params.grad[i], 0, 0);
        net_close(&n);
    }
}

static void questions_are_the_batch_s(void) {
    Net n;
    net_open(&n, "train --held-out 8", "qkv", 8);
    net_forward(&n);
    int q = 0;
    for (int r = 0; r < n.batch.B * n.batch.L; r++) {
        if (n.batch.target[r] < 0) continue;
        CHECK_INT(n.f.row[q], r);
        CHECK_INT(n.f.answer[q],
                  n.batch.feature[FEATURE_WORD][r / n.batch.L * n.batch.L + n.batch.target[r]]);
        q++;
    }
    CHECK_INT(n.f.questions, q);
    CHECK_INT(n.f.logits->shape[1], q);
    CHECK_INT(n.f.logits->shape[2], n.setup.task.vocab[FEATURE_WORD].count);
    net_close(&n);
}

// ---- what it must not depend on ----------------------------------------------------------------

// Sentence b of `got` and sentence c of `expected`: S and A of their real rows, and Y, bit for bit.
static void same_sentence(const Net *got, int b, const Net *expected, int c) {
    size_t n = (size_t)got->batch.length[b], L = (size_t)got->batch.L,
           M = (size_t)expected->batch.L;
    const Attended *x = &got->f.attended, *y = &expected->f.attended;
    CHECK_INT(expected->batch.length[c], n);
    for (size_t i = 0; i < n; i++) {
        size_t at = ((size_t)b * L + i), from = ((size_t)c * M + i);
        setup_same_bits("S", x->S->data + at * L, y->S->data + from * M, n);
        if (!x->A) continue;
        size_t D = (size_t)x->Y->shape[2];
        setup_same_bits("A", x->A->data + at * L, y->A->data + from * M, n);
        setup_same_bits("Y", x->Y->data + at * D, y->Y->data + from * D, D);
    }
}

static void order_does_not_matter(void) {
    for (int i = 0; i < arm_count; i++) {
        Net there, back;
        net_open(&there, "train --held-out 7 --d-model 20 --d-k 7", arm_table[i].name, 7);
        net_open(&back, "train --held-out 7 --d-model 20 --d-k 7", arm_table[i].name, 7);
        const size_t reversed[] = {6, 5, 4, 3, 2, 1, 0};
        batch_fill(&back.batch, &back.setup.task.held_out, reversed, 7, 0);
        double loss = net_forward(&there);
        CHECK_NEAR(net_forward(&back), loss, 1e-6);
        for (int b = 0; b < 7; b++) same_sentence(&back, 6 - b, &there, b);
        net_close(&there);
        net_close(&back);
    }
}

// Sentence b of `got` and sentence c of `expected`, which has the same shape: every bit.
static void same_part(const char *what, const Tensor *got, int b, const Tensor *expected, int c) {
    size_t n = got->size / (size_t)got->shape[0];
    setup_same_bits(what, got->data + (size_t)b * n, expected->data + (size_t)c * n, n);
}

// The first of the logits of sentence b's questions, and in *count how many questions it has.
static int first_question(const Net *n, int b, int *count) {
    int first = 0;
    *count = 0;
    for (int q = 0; q < n->f.questions; q++) {
        first += n->f.row[q] / n->batch.L < b;
        *count += n->f.row[q] / n->batch.L == b;
    }
    return first;
}

static void same_logits(const Net *got, int b, const Net *expected, int c) {
    int asked, questions;
    const Tensor *x = got->f.logits, *y = expected->f.logits;
    size_t at = (size_t)first_question(got, b, &asked);
    size_t from = (size_t)first_question(expected, c, &questions), V = (size_t)x->shape[2];
    CHECK(asked == questions && asked > 0, "%d questions, then %d", questions, asked);
    setup_same_bits("logits", x->data + at * V, y->data + from * V, (size_t)asked * V);
}

// The gradient is a sum over the sentences, and rounds by their order: to
// within `near` of its largest.
static void permute(const char *command, const char *arm) {
    enum { B = 7 };
    const double near = 1e-5;
    const size_t from[B] = {3, 0, 6, 1, 5, 2, 4};  // not its own inverse
    Net there, permuted;
    net_open(&there, command, arm, B);
    net_open(&permuted, command, arm, B);
    batch_fill(&permuted.batch, &permuted.setup.task.held_out, from, B, 0);
    double loss = net_forward(&there);
    CHECK_NEAR(net_forward(&permuted), loss, 1e-6 * loss);
    const Attended *x = &permuted.f.attended, *y = &there.f.attended;
    for (int b = 0; b < B; b++) {
        int c = (int)from[b];
        same_part("S", x->S, b, y->S, c);
        same_part("masked scores", x->masked, b, y->masked, c);
        if (x->A) same_part("A", x->A, b, y->A, c);
        if (x->Y) same_part("Y", x->Y, b, y->Y, c);
        if (permuted.f.logits) same_logits(&permuted, b, &there, c);
    }
    if (there.f.loss->grad) {
        const Params *p = &there.model.params, *q = &permuted.model.params;
        double largest = 0;
        tape_backward(&there.tape, there.f.loss);
        tape_backward(&permuted.tape, permuted.f.loss);
        for (size_t i = 0; i < p->size; i++) largest = fmax(largest, fabs((double)p->grad[i]));
        CHECK(largest > 0, "%s: no gradient", arm);
        for (size_t i = 0; i < p->size; i++) CHECK_NEAR(q->grad[i], p->grad[i], near * largest);
    }
    net_close(&there);
    net_close(&permuted);
}

static void permuting_permutes(void) {
    for (int i = 0; i < arm_count; i++) {
        const char *arm = arm_table[i].name;
        permute("train --held-out 7 --d-model 20 --d-k 5 --layers 2 --heads 2", arm);
        permute("train --held-out 7 --d-model 20 --d-k 5 --heads 4 --relative 3 --init random",
                arm);
        permute("train search --held-out 7 --d-model 20", arm);
        permute("train search --held-out 7 --d-model 20 --layers 2 --heads 2", arm);
        permute("train heads --d-model 20 --d-k 5 --layers 2 --heads 4", arm);
    }
}

static void padding_changes_no_bit(const char *command, const char *arm, int longer) {
    Net plain, padded;
    net_open(&plain, command, arm, 3);
    net_open(&padded, command, arm, 3);
    setup_batch(&padded.setup, &padded.batch, 3, longer);
    CHECK_INT(padded.batch.L, longer);
    double loss = net_forward(&plain);
    CHECK_NEAR(net_forward(&padded), loss, 0);
    for (int b = 0; b < 3; b++) same_sentence(&padded, b, &plain, b);
    net_close(&plain);
    net_close(&padded);
}

static void padding_does_not_matter(void) {
    for (int i = 0; i < arm_count; i++) {
        const char *arm = arm_table[i].name;
        padding_changes_no_bit("train --held-out 3 --d-model 20 --d-k 7", arm, 15);
        padding_changes_no_bit("train --held-out 3 --d-model 20 --d-k 7 --relative 2", arm, 15);
        if (arm_without_value(&arm_table[i]) == &arm_table[i])
            padding_changes_no_bit("train heads --d-model 20 --d-k 7", arm, 15);
    }
}

void tests_model(void) {
    test("the gradient of pronoun's loss is right for every arm", gradients_of_pronoun);
    test("the gradient of heads' loss is right for every arm, embeddings included",
         gradients_of_heads);
    test("the gradient of blocks and of search is right for every arm", gradients_of_blocks);
    test("an arm trains the matrices that its formula names, xxt none", numbers_that_train);
    test("--d-ff is the width of every block's MLP", d_ff_is_the_width_of_the_mlp);
    test("every arm sees the same tokens", every_arm_sees_the_same_tokens);
    test("another seed gives other tokens and weights", seeds_differ);
    test("the first loss is above that of guessing; without a value it is ln V", the_first_loss);
    test("logits that can't tell words apart have a first loss of ln V, for every arm and depth",
         first_loss_without_a_view);
    test("with scores of 0, heads guesses among the other tokens", guessing_heads);
    test("qkv overfits one batch", one_batch_overfits);
    test("two blocks overfit one batch, whatever the arm", one_batch_overfits_blocks);
    test("a batch without a question has loss 0", nothing_asked_costs_nothing);
    test("the questions of a forward pass are those of the batch", questions_are_the_batch_s);
    test("the order of a batch changes no bit of a sentence", order_does_not_matter);
    test("permuting a batch permutes scores, attention, output and logits bit for bit",
         permuting_permutes);
    test("padding changes no bit of a sentence, nor of the loss", padding_does_not_matter);
}
