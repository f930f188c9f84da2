// No subnormal numbers arise in training: some processors take a hundred times as long for them.
#include <math.h>

#include "setup.h"
#include "test.h"
#include "autograd/simd/kernels.h"

typedef struct Count { size_t subnormal, numbers; const char *first; } Count;

static void count(Count *c, const char *name, const float *x, size_t n) {
    for (size_t i = 0; x && i < n; i++) {
        bool subnormal = fpclassify(x[i]) == FP_SUBNORMAL;
        if (subnormal && !c->subnormal++) c->first = name;
    }
    c->numbers += x ? n : 0;
}

// Everything that the last step left.
static Count count_all(const Trainer *t) {
    Count c = {0};
    const Params *p = &t->model.params;
    for (const Tensor *x = t->tape.last; x; x = x->prev) {
        count(&c, x->name, x->data, x->size);
        count(&c, x->name, x->grad, x->size);
    }
    count(&c, "weights", p->data, p->size);
    count(&c, "gradients", p->grad, p->size);
    for (int i = 0; i < 2; i++) count(&c, i ? "Adam's v" : "Adam's m", p->moment[i], p->size);
    return c;
}

// Late in training the probabilities, their gradients and the moments all go towards 0.
static void no_subnormal_numbers(const char *command, const char *arm, double most_loss) {
    Setup s;
    Trainer t;
    setup_open(&s, command);
    trainer_init(&t, options_config(&s.options), &s.task, arm_find(arm));
    trainer_run(&t, s.options.steps - 1, NULL);
    t.tape.recycles = false;  // the last step leaves everything to be looked at
    trainer_run(&t, s.options.steps, NULL);
    double loss = t.trained_loss / (double)t.trained;
    Count c = count_all(&t);
    CHECK(loss < most_loss, "%s, arm %s: a mean loss of %.3g", command, arm, loss);
    CHECK(c.numbers > 10000, "%zu numbers were looked at", c.numbers);
    CHECK(!c.subnormal, "%s, arm %s: %zu of %zu numbers are subnormal, first in %s", command, arm,
          c.subnormal, c.numbers, c.first);
    trainer_free(&t);
    setup_close(&s);
}

static void none_after_a_long_run(void) {
    no_subnormal_numbers("train pronoun --held-out 4 --steps 2500", "qk", 0.5);
    no_subnormal_numbers("train pronoun --held-out 4 --steps 2500", "kv", 0.5);
    no_subnormal_numbers("train pronoun --held-out 4 --steps 2500", "qkv", 0.3);
    no_subnormal_numbers("train search --held-out 4 --steps 1500", "qkv", 2);
    no_subnormal_numbers("train pronoun --held-out 4 --optimizer sgd --lr 0.1 --momentum 0.9 "
                         "--decay 0.01 --steps 1000", "qkv", 3);
}

// ---- the rules, one by one ---------------------------------------------------------------------

static void small_derivatives_of_softmax(void) {
    const float y[] = {0x1p-40f, 0x1p-40f, 1}, dy[] = {0x1p-21f, 0x1p-23f, 0};
    float dx[] = {0, 0, 0};
    loops()->softmax_backward(1, 3, y, dy, dx, true);
    CHECK_NEAR(dx[0] / 0x1p-61f, 1, 0);
    CHECK_NEAR(dx[1], 0, 0);
}

// A step with gradient 0, then one with a gradient whose square would be subnormal.
static void small_moments_of_adam(void) {
    const Adam a = {0.5f, 0.5f, 0.5f, 0.5f, 0.1f, 1, 1e-8f};
    float g[] = {0, 0, 0x1p-70f}, m[] = {0x1p-98f, 0x1p-100f, 0}, v[] = {0x1p-110f, 0x1p-112f, 0},
          w[] = {1, 1, 1};
    loops()->adam(3, &a, g, m, v, w);
    const float m_after[] = {0x1p-99f, 0, 0x1p-71f}, v_after[] = {0x1p-111f, 0, 0};
    for (int i = 0; i < 3; i++) {
        CHECK(m[i] == m_after[i], "m[%d]: expected %g, got %g", i, (double)m_after[i], (double)m[i]);
        CHECK(v[i] == v_after[i], "v[%d]: expected %g, got %g", i, (double)v_after[i], (double)v[i]);
        CHECK(w[i] == 1, "w[%d] has moved by %g", i, (double)w[i] - 1);
    }
}

// Without a gradient, momentum halves the velocity and decay the weight at every step.
static void small_weights_end_at_zero(void) {
    Params p = {0};
    Optim optim = optim_sgd(0.5);
    optim.decay = 0.5;
    Tensor *w = params_add(&p, "w", true, 2, (int[]){1, 1});
    params_seal(&p);
    w->data[0] = p.moment[0][0] = 1;
    params_zero_grad(&p);
    for (int step = 0; step < 99; step++) optim_step(&optim, &p, 1);
    CHECK(p.moment[0][0] == 0x1p-99f, "a velocity of %g", (double)p.moment[0][0]);
    for (int step = 0; step < 50; step++) optim_step(&optim, &p, 1);
    CHECK(p.moment[0][0] == 0 && w->data[0] == 0, "a velocity of %g, a weight of %g",
          (double)p.moment[0][0], (double)w->data[0]);
    params_free(&p);
}

void tests_subnormal(void) {
    test("a long run leaves no subnormal number in values, gradients and moments",
         none_after_a_long_run);
    test("a derivative of softmax below 2^-62 is 0", small_derivatives_of_softmax);
    test("Adam's small moments are 0", small_moments_of_adam);
    test("a velocity and a weight that shrink at every step end at 0", small_weights_end_at_zero);
}
