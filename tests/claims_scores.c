// Claims 1, 2 and 3: what a symmetric score can and cannot do, on `pronoun`.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "model/train/measure.h"

static const double ln2 = 0.69314718055994531, ln3 = 1.0986122886681098;

// ---- symmetric arms ----------------------------------------------------------------------------

enum { BITS, ASYMMETRY, WHOLE, CYCLE_ACCURACY, NLL, SQUARE, ANTECEDENTS };

static double pairs_of_other_bits(const float *S, size_t n, size_t L) {
    long other = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) other += !!memcmp(&S[i * L + j], &S[j * L + i], sizeof *S);
    return (double)other;
}

// The cycle of sentence b: are all three attended to, and the mean of their attention NLL.
static void add_cycle(const Trainer *t, const Forward *f, int b, Figure *figure) {
    size_t L = (size_t)t->batch.L;
    int asked = 0, right = 0;
    double nll = 0;
    for (size_t row = (size_t)b * L; row < ((size_t)b + 1) * L; row++) {
        int relation = t->batch.relation[row];
        if (relation < 0 || !t->task->cycle[relation]) continue;
        const float *scores = f->attended.masked->data + row * L;
        size_t target = (size_t)t->batch.target[row];
        asked++;
        right += measure_argmax(scores, L) == target;
        nll += measure_nll(scores, L, target) / 3;
    }
    figure_add(&figure[WHOLE], asked == 3 ? right == 3 : NAN);
    figure_add(&figure[NLL], asked == 3 ? nll : NAN);
    if (t->model.head.arm->score->gram)
        figure_add(&figure[SQUARE], asked == 3 ? nll : NAN);
}

static void add_sentences(Trainer *t, Figure *figure) {
    for (size_t at = 0; at < t->task->held_out.count; at += 32) {
        size_t which[32];
        for (size_t i = 0; i < 32; i++) which[i] = at + i;
        batch_fill(&t->batch, &t->task->held_out, which, 32, 0);
        tape_reset(&t->measuring);
        Forward f = model_forward(&t->model, &t->measuring, &t->batch);
        size_t L = (size_t)t->batch.L;
        for (int b = 0; b < t->batch.B; b++) {
            const float *S = f.attended.S->data + (size_t)b * L * L;
            figure_add(&figure[BITS], pairs_of_other_bits(S, (size_t)t->batch.length[b], L));
            add_cycle(t, &f, b, figure);
        }
    }
}

static void add_relations(Trainer *t, Figure *figure) {
    ArmHistory arm = {0};
    evaluate(t, SIZE_MAX, &arm);
    figure_add(&figure[CYCLE_ACCURACY], arm.cycle_attention_accuracy);
    bool sym = !strcmp(t->model.head.arm->name, "sym");
    for (int i = 0; i < arm.relations; i++)
        if (sym && t->step == t->config.steps && !strcmp(arm.relation[i].name, "pronoun"))
            figure_add(&figure[ANTECEDENTS], arm.relation[i].attention_accuracy);
    free(arm.relation);
}

static void run_symmetric(uint64_t seed, Figure *figure) {
    Setup s;
    claims_open(&s, "--arms xxt,xxt-v,tied,sym", seed);
    for (int a = 0; a < s.options.arms; a++) {
        Trainer t;
        trainer_init(&t, options_config(&s.options), &s.task, s.options.arm[a]);
        for (int step = 0; step <= s.options.steps; step += 100) {
            trainer_run(&t, step, NULL);
            Measurement p = evaluate(&t, SIZE_MAX, NULL);
            figure_add(&figure[ASYMMETRY], p.asymmetry);
            figure_add(&figure[ASYMMETRY], p.circulation);
            add_sentences(&t, figure);
            add_relations(&t, figure);
        }
        trainer_free(&t);
    }
    setup_close(&s);
}

const Experiment claims_symmetric = {
    .sentence = "no symmetric arm attends to a whole cycle, or gets an attention NLL below ln 2",
    .seeded = true,
    .run = run_symmetric,
    .row = {
        [BITS] = {1, "pairs S_ij, S_ji of other bits, any symmetric arm", 0, 0, NULL},
        [ASYMMETRY] = {1, "asymmetry and circulation of S, the same arms", 0, 0, NULL},
        [WHOLE] = {2, "symmetric arms: cycles attended to whole", 0, 0, NULL},
        [CYCLE_ACCURACY] = {2, "symmetric arms: attention accuracy on the cycle", 0, 2.0 / 3, NULL},
        [NLL] = {2, "symmetric arms: attention NLL of one cycle, nats", ln2 - 1e-12, INFINITY,
                      NULL},
        [SQUARE] = {2, "Gram scores (xxt, xxt-v, tied): the same", ln3 - 1e-12, INFINITY,
                    "for a Gram matrix K K^T with its diagonal; ln 2 for any symmetric score"},
        [ANTECEDENTS] = {2, "sym: attention accuracy of the pronoun", 0.6, 1,
                         "off a cycle, a learned symmetric score can point: softmax is by row"},
    },
};

// ---- xxt ---------------------------------------------------------------------------------------

static void run_xxt(uint64_t seed, Figure *figure) {
    Setup s;
    Trainer t;
    claims_open(&s, "", seed);
    trainer_init(&t, options_config(&s.options), &s.task, arm_find("xxt"));
    figure_add(&figure[0], (double)t.model.params.size);
    double first = evaluate(&t, SIZE_MAX, NULL).loss;
    for (int step = 100; step <= s.options.steps; step += 100) {
        trainer_run(&t, step, NULL);
        figure_add(&figure[1], evaluate(&t, SIZE_MAX, NULL).loss - first);
    }
    figure_add(&figure[2], t.step);
    trainer_free(&t);
    setup_close(&s);
}

const Experiment claims_xxt = {
    .sentence = "xxt has no parameter and exactly one loss",
    .seeded = true,
    .run = run_xxt,
    .row = {
        {3, "xxt: parameters", 0, 0, "X is frozen; if X itself is trained (xxt-x), it improves"},
        {3, "xxt: change of its loss, every 100 steps", 0, 0, NULL},
        {3, "xxt: steps taken meanwhile", 1000, 1000, NULL},
    },
};

// ---- qk ----------------------------------------------------------------------------------------

static void run_qk(uint64_t seed, Figure *figure) {
    Measurement p = claims_trained("", "qk", seed);
    figure_add(&figure[0], p.attention_accuracy);
    figure_add(&figure[1], p.attention_nll);
}

const Experiment claims_qk = {
    .sentence = "qk attends to the cycle with an attention NLL near 0",
    .seeded = true,
    .run = run_qk,
    .row = {
        {2, "qk: attention accuracy", 0.99, 1, NULL},
        {2, "qk: attention NLL on the cycle, nats", 0, 0.05, NULL},
    },
};
