// Training: what a seed fixes, what is measured, and what is said when numbers run away.
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "test.h"
#include "model/train/measure.h"
#include "model/save/results.h"
#include "model/train/clock.h"

// A small training of `pronoun`, made without a command line.
typedef struct Small { TrainConfig config; Task task; } Small;

static void small_open(Small *s, int D, int held_out) {
    Rng rng = rng_new(1, STREAM_HELD_OUT);
    char error[TASK_ERROR];
    s->config = (TrainConfig){
        .model = {.attention = {.D = D, .H = 1, .d_k = D / 2, .d_v = D, .scaled = true},
                  .embed_rms = 4},
        .seed = 1, .batch = 32, .accumulate = 1, .steps = 1000, .lr = 0.03};
    const SourceOptions source = {.held_out = held_out, .random = random_source(&rng)};
    CHECK(pronoun_load(&s->task, &source, error), "%s", error);
}

static void same_points(Measurement a, Measurement b) {
    a.seconds = b.seconds = 0;
    const double x[] = {a.step, a.loss, a.attention_accuracy, a.accuracy, a.attention_nll, a.asymmetry,
                        a.circulation};
    const double y[] = {b.step, b.loss, b.attention_accuracy, b.accuracy, b.attention_nll, b.asymmetry,
                        b.circulation};
    for (int i = 0; i < 7; i++)
        CHECK(!memcmp(x + i, y + i, sizeof *x), "figure %d: %.17g and %.17g", i, x[i], y[i]);
}

// Two trainers of one seed, the second one in pieces and measured in between.
static void same_bits_twice(const char *command, const char *arm) {
    Setup s;
    Trainer a, b;
    setup_open(&s, command);
    trainer_init(&a, options_config(&s.options), &s.task, arm_find(arm));
    trainer_init(&b, options_config(&s.options), &s.task, arm_find(arm));
    trainer_run(&a, 12, NULL);
    for (int step = 1; step <= 12; step += step < 4 ? 1 : 4) {
        trainer_run(&b, step, NULL);
        evaluate(&b, 5, NULL);
    }
    CHECK_INT(a.step, 12);
    CHECK_INT(b.step, 12);
    setup_same_bits(arm, b.model.params.data, a.model.params.data, a.model.params.size);
    same_points(evaluate(&a, SIZE_MAX, NULL), evaluate(&b, SIZE_MAX, NULL));
    trainer_free(&a);
    trainer_free(&b);
    setup_close(&s);
}

static void a_seed_fixes_every_bit(void) {
    for (int i = 0; i < arm_count; i++)
        same_bits_twice("train --held-out 40 --d-model 16 --batch 4", arm_table[i].name);
    same_bits_twice("train heads --d-model 16 --batch 8", "qk");
    same_bits_twice("train heads --d-model 16 --batch 8 --optimizer sgd --clip 1 --relative 2",
                    "sym");
}

static void arms_draw_the_same_batches(void) {
    Small s;
    Trainer a, b;
    small_open(&s, 8, 4);
    s.config.batch = 4;
    trainer_init(&a, s.config, &s.task, arm_find("xxt"));
    trainer_init(&b, s.config, &s.task, arm_find("qkv"));
    trainer_run(&a, 5, NULL);
    trainer_run(&b, 5, NULL);
    CHECK_INT(a.step, 5);
    CHECK_INT(a.batch.L, b.batch.L);
    CHECK(!memcmp(a.batch.feature[0], b.batch.feature[0], (size_t)(4 * a.batch.L) * sizeof(int)),
          "xxt and qkv were shown different sentences at step 5");
    trainer_free(&a);
    trainer_free(&b);
    task_free(&s.task);
}

static void stop_is_obeyed(void) {
    Small s;
    Trainer t;
    atomic_int stop = 1;
    small_open(&s, 8, 4);
    trainer_init(&t, s.config, &s.task, arm_find("qk"));
    t.stop = &stop;
    trainer_run(&t, 5, NULL);
    CHECK_INT(t.step, 0);
    CHECK_INT(evaluate(&t, SIZE_MAX, NULL).step, BROKEN_OFF);
    stop = 0;
    trainer_run(&t, 5, NULL);
    CHECK_INT(t.step, 5);
    CHECK_INT(evaluate(&t, SIZE_MAX, NULL).step, 5);
    trainer_run(&t, 9, &(double){0});  // the clock has passed it: one step, so that all go on
    CHECK_INT(t.step, 6);
    trainer_free(&t);
    task_free(&s.task);
}

// Trains, and is broken off every two milliseconds or so; gives how often that was in the middle of
// a step. A step that takes too long for that is given more time.
static int train_in_pieces(Trainer *t, int steps) {
    static const atomic_int stop = 1;
    int broken_off = 0;
    t->stop = &stop;
    for (double time = 0.0005; t->step < steps;) {
        int before = t->step;
        t->grace = clock_now() + time;
        trainer_run(t, steps, NULL);
        broken_off += t->step < steps;
        time = t->step == before ? 1.5 * time : 0.0005 + 0.3 * time;
    }
    t->stop = NULL;
    return broken_off;
}

// Small batches, of which a step adds up many: `heads` begins a new epoch in the middle of a step.
static void a_step_that_is_broken_off_leaves_no_trace(void) {
    static const char *const command[] = {
        "train pronoun --held-out 8 --steps 12 --accumulate 16 --batch 4 --d-model 16",
        "train heads --steps 12 --accumulate 100 --batch 2 --d-model 16",
        "train text --text README.md --objective masked --steps 6 --accumulate 9 --layers 1"};
    for (size_t i = 0; i < sizeof command / sizeof *command; i++) {
        Setup s;
        Trainer whole, pieces;
        setup_open(&s, command[i]);
        const Arm *arm = arm_find(s.task.points_at_answer ? "qk" : "qkv");
        trainer_init(&whole, options_config(&s.options), &s.task, arm);
        trainer_init(&pieces, options_config(&s.options), &s.task, arm);
        trainer_run(&whole, s.options.steps, NULL);
        int broken_off = train_in_pieces(&pieces, s.options.steps);
        CHECK(broken_off > 2, "%s: broken off %d times", command[i], broken_off);
        setup_same_bits("weights", pieces.model.params.data, whole.model.params.data,
                        whole.model.params.size);
        CHECK_INT(pieces.tokens, whole.tokens);
        CHECK_INT(pieces.trained, whole.trained);
        CHECK_NEAR(pieces.trained_loss, whole.trained_loss, 0);
        CHECK_INT(pieces.sampler.next, whole.sampler.next);
        CHECK_INT(rng_below(&pieces.rng, 1 << 30), rng_below(&whole.rng, 1 << 30));
        trainer_free(&whole);
        trainer_free(&pieces);
        setup_close(&s);
    }
}

static void options_are_the_trainings(void) {
    Setup s;
    setup_open(&s, "train pronoun --optimizer sgd --lr 0.5 --momentum 0.3 --decay 0.01 --clip 1.5 "
                   "--embed-rms 2 --warmup 7 --d-k 3 --d-v 5 --d-ff 12 --layers 2 --relative 6");
    TrainConfig c = options_config(&s.options);
    const ModelConfig *m = &c.model;
    const double got[] = {c.lr, c.momentum, c.decay, c.clip, m->embed_rms, c.warmup,
                          m->attention.d_k, m->attention.d_v, m->d_ff, m->layers,
                          m->attention.relative};
    const double expected[] = {0.5, 0.3, 0.01, 1.5, 2, 7, 3, 5, 12, 2, 6};
    for (int i = 0; i < 11; i++) CHECK_NEAR(got[i], expected[i], 0);
    setup_close(&s);
}

// With gradients clipped to a length below any they have, a step of SGD without momentum is as long
// as the learning rate of that step times the limit; without a limit the first is far longer.
static void steps_follow_schedule_and_limit(void) {
    for (int limited = 1; limited >= 0; limited--) {
        Small s;
        Trainer t;
        small_open(&s, 8, 4);
        s.config.optimizer = OPTIM_SGD;
        s.config.schedule = SCHEDULE_COSINE;
        s.config.lr = 1;
        s.config.steps = 6;
        if (limited) s.config.clip = 0.01;
        else s.config.warmup = 2;
        trainer_init(&t, s.config, &s.task, arm_find("qkv"));
        size_t n = t.model.params.size;
        float *before = malloc(n * sizeof *before);
        for (int step = 0; step < (limited ? 6 : 1); step++) {
            double rate = schedule_lr(SCHEDULE_COSINE, 1, step, 6, limited ? 0 : 2), moved = 0;
            memcpy(before, t.model.params.data, n * sizeof *before);
            trainer_run(&t, step + 1, NULL);
            for (size_t i = 0; i < n; i++)
                moved += pow((double)t.model.params.data[i] - before[i], 2);
            double expected = rate * (limited ? 0.01 : params_grad_norm(&t.model.params));
            CHECK_NEAR(sqrt(moved), expected, 1e-3 * expected);
            CHECK(limited || expected > 0.05, "a first step of %g without a limit", expected);
        }
        free(before);
        trainer_free(&t);
        task_free(&s.task);
    }
}

// ---- what is measured --------------------------------------------------------------------------

// Counted again from one large batch: each figure as its definition says.
static void figures_are_what_they_say(void) {
    Small s;
    Trainer t;
    Batch batch = {0};
    Tape tape = {.no_gradients = true};
    ArmHistory arm = {0};
    small_open(&s, 16, 50);
    s.config.batch = 8;
    trainer_init(&t, s.config, &s.task, arm_find("qkv"));
    trainer_run(&t, 60, NULL);
    Measurement p = evaluate(&t, SIZE_MAX, &arm);
    size_t which[50];
    for (size_t i = 0; i < 50; i++) which[i] = i;
    task_batch(&s.task, which, 50, &batch);
    Forward f = model_forward(&t.model, &tape, &batch);
    size_t L = (size_t)batch.L, V = (size_t)f.logits->shape[2];
    double attended = 0, answered = 0, nll = 0, asymmetry = 0, cycle = 0;
    for (int q = 0; q < f.questions; q++) {
        size_t r = (size_t)f.row[q], target = (size_t)batch.target[r];
        bool turns = s.task.cycle[batch.relation[r]];
        attended += measure_argmax(f.attended.A->data + r * L, L) == target;
        answered += (int)measure_argmax(f.logits->data + (size_t)q * V, V) == f.answer[q];
        if (turns) nll -= log((double)f.attended.A->data[r * L + target]);
        cycle += turns;
    }
    for (size_t b = 0; b < 50; b++)
        asymmetry += measure_direction(f.attended.S->data + b * L * L, (size_t)batch.length[b],
                                       L).asymmetry / 50;
    CHECK_NEAR(p.loss, f.loss->data[0], 1e-5);
    CHECK_NEAR(p.attention_accuracy, attended / f.questions, 1e-12);
    CHECK_NEAR(p.accuracy, answered / f.questions, 1e-12);
    CHECK_NEAR(p.attention_nll, nll / cycle, 1e-5);
    CHECK_NEAR(p.asymmetry, asymmetry, 1e-6);
    long questions = 0;
    for (int i = 0; i < arm.relations; i++) questions += arm.relation[i].questions;
    CHECK_INT(questions, f.questions);
    CHECK_INT(cycle, 150);
    free(arm.relation);
    batch_free(&batch);
    tape_free(&tape);
    trainer_free(&t);
    task_free(&s.task);
}

// M's symmetry of four heads in two layers; gives the median.
static double symmetries(const Model *model, double symmetry[4]) {
    double M[16 * 16], least = INFINITY, most = -INFINITY, all = 0;
    for (int i = 0; i < 4; i++) {
        attention_m(model_layer(model, i / 2), i % 2, M);
        symmetry[i] = measure_symmetry(M, 16);
        least = fmin(least, symmetry[i]);
        most = fmax(most, symmetry[i]);
        all += symmetry[i];
    }
    return (all - least - most) / 2;
}

// Two points of a curve, of sentences of other lengths in batches of eight.
static void figures_of_heads(void) {
    Small s;
    Trainer t;
    Batch batch = {0};
    Tape tape = {.no_gradients = true};
    small_open(&s, 16, 20);
    s.config.batch = 8;
    s.config.model.layers = s.config.model.attention.H = 2;
    s.config.model.attention.d_v = 8;
    trainer_init(&t, s.config, &s.task, arm_find("qkv"));
    ArmHistory arm = record_begin(&t);
    double symmetry[8], median[2], nll = 0, cycle = 0, asymmetry = 0;
    for (int k = 0; k < 2; k++) {
        trainer_run(&t, 5 + 5 * k, NULL);
        record_note(&t, 20, &arm);
        median[k] = symmetries(&t.model, symmetry + 4 * k);
    }
    size_t which[20];
    for (size_t i = 0; i < 20; i++) which[i] = i;
    task_batch(&s.task, which, 20, &batch);
    Forward f = model_forward(&t.model, &tape, &batch);
    size_t L = (size_t)batch.L;
    for (int q = 0; q < f.questions; q++) {
        size_t r = (size_t)f.row[q], b = r / L, at = r % L * L + (size_t)batch.target[r];
        const float *A = f.attended.A->data + b * 2 * L * L + at;
        if (!s.task.cycle[batch.relation[r]]) continue;
        nll -= log(((double)A[0] + (double)A[L * L]) / 2);
        cycle++;
    }
    for (size_t i = 0; i < 40; i++)
        asymmetry += measure_direction(f.attended.S->data + i * L * L, (size_t)batch.length[i / 2],
                                       L).asymmetry / 40;
    CHECK_NEAR(arm.point[1].attention_nll, nll / cycle, 1e-5);
    CHECK_NEAR(arm.point[1].asymmetry, asymmetry, 1e-6);
    for (int i = 0; i < 8; i++) CHECK_NEAR(arm.head_symmetry[i], symmetry[i], 1e-12);
    for (int k = 0; k < 2; k++) CHECK_NEAR(arm.point[k].symmetry, median[k], 1e-12);
    free(arm.point);
    free(arm.layer_of);
    free(arm.head_symmetry);
    batch_free(&batch);
    tape_free(&tape);
    trainer_free(&t);
    task_free(&s.task);
}

// By the central limit theorem the band of 16 random starts is narrow, and near sqrt(1/2).
static void the_band_of_random_starts(void) {
    Small s;
    double low, high;
    small_open(&s, 64, 32);
    record_random_band(s.config, &s.task, &low, &high);
    CHECK(low < high && low > 0.5 && high < 0.9,
          "random starts of asymmetry %g to %g; expected about 0.7", low, high);
    task_free(&s.task);
}

// ---- numbers that run away ---------------------------------------------------------------------

static void poison(const char *command, const char *arm, const char *weight, float value,
                   const char *message) {
    Setup s;
    Trainer t;
    setup_open(&s, command);
    trainer_init(&t, options_config(&s.options), &s.task, arm_find(arm));
    trainer_run(&t, 3, NULL);
    CHECK_STRING(t.failure, "");
    Tensor *x = params_find(&t.model.params, weight);
    CHECK(x, "%s has no %s", arm, weight);
    x->data[1] = value;
    float *before = malloc(t.model.params.size * sizeof *before);
    memcpy(before, t.model.params.data, t.model.params.size * sizeof *before);
    trainer_run(&t, 9, NULL);
    CHECK_STRING(t.failure, message);
    CHECK_INT(t.step, 3);
    CHECK(!memcmp(before, t.model.params.data, t.model.params.size * sizeof *before),
          "weights moved after all");
    trainer_run(&t, 9, NULL);
    CHECK_INT(t.step, 3);
    free(before);
    trainer_free(&t);
    setup_close(&s);
}

static void poisoned_weights_are_named(void) {
    const char *pronoun = "train --held-out 4 --d-model 8 --d-k 4 --batch 64 --init random";
    const char *heads = "train heads --d-model 8 --d-k 4 --batch 5000 --epochs 20";
    poison(pronoun, "qkv", "W_Q", NAN,
           "step 4, arm qkv: the loss is not finite, first in W_Q (8, 4)");
    poison(pronoun, "qkv", "W_V", INFINITY,
           "step 4, arm qkv: the loss is not finite, first in W_V (8, 8)");
    poison(pronoun, "sym", "B", NAN,
           "step 4, arm sym: the loss is not finite, first in B (8, 8)");
    poison(pronoun, "tied", "W", -INFINITY,
           "step 4, arm tied: the loss is not finite, first in W (8, 4)");
    poison(heads, "qk", "P", NAN,
           "step 4, arm qk: the loss is not finite, first in P (15, 8)");
}

// Queries of 0 attend evenly whatever the keys, so the loss is finite; what flows back through keys
// and values of such sizes isn't.
static void a_gradient_that_overflows_is_named(void) {
    Small s;
    Trainer t;
    small_open(&s, 8, 4);
    trainer_init(&t, s.config, &s.task, arm_find("qkv"));
    const Attention *a = &t.model.head;
    for (size_t i = 0; i < a->W_Q->size; i++) a->W_Q->data[i] = 0;
    for (size_t i = 0; i < a->W_K->size; i++) a->W_K->data[i] *= 1e15f;
    for (size_t i = 0; i < a->W_V->size; i++) a->W_V->data[i] *= 1e30f;
    trainer_run(&t, 5, NULL);
    CHECK_STRING(t.failure, "step 1, arm qkv: the gradient is not finite, first in W_Q (8, 4)");
    CHECK_INT(t.step, 0);
    trainer_free(&t);
    task_free(&s.task);
}

static void runaway_rates_end_in_words(void) {
    const char *commands[] = {"train --held-out 4 --d-model 8 --lr 1e9",
                              "train heads --d-model 8 --lr 1e9",
                              "train --held-out 4 --d-model 8 --lr 1e9 --optimizer sgd",
                              "train heads --d-model 8 --lr 1e9 --optimizer sgd --momentum 1",
                              "train --held-out 4 --d-model 8 --lr 1e9 --decay 1e9"};
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        Setup s;
        setup_open(&s, commands[k]);
        for (int i = 0; i < s.options.arms; i++) {
            Trainer t;
            trainer_init(&t, options_config(&s.options), &s.task, s.options.arm[i]);
            trainer_run(&t, 20, NULL);
            CHECK(t.step == 20 || (strstr(t.failure, "is not finite") &&
                                   strstr(t.failure, s.options.arm[i]->name)),
                  "%s: stopped at step %d, and says \"%s\"", commands[k], t.step, t.failure);
            Measurement p = evaluate(&t, SIZE_MAX, NULL);
            CHECK_INT(p.step, t.step);
            trainer_free(&t);
        }
        setup_close(&s);
    }
}

// A few steps in one part, and in several: the same but for the order of sums.
static void check_split(const char *command, int shards, int steps) {
    Setup s;
    Trainer t[2];
    Measurement p[2];
    setup_open(&s, command);
    for (int k = 0; k < 2; k++) {
        trainer_init(&t[k], options_config(&s.options), &s.task, s.options.arm[0]);
        trainer_split(&t[k], k ? shards : 1);
        trainer_run(&t[k], steps, NULL);
        CHECK_STRING(t[k].failure, "");
        p[k] = evaluate(&t[k], 50, NULL);
    }
    CHECK_INT(t[1].tokens, t[0].tokens);
    CHECK_NEAR(t[1].trained_loss, t[0].trained_loss, 1e-5 * t[0].trained_loss);
    CHECK_NEAR(p[1].loss, p[0].loss, 1e-5 * p[0].loss);
    for (size_t i = 0; i < t[0].model.params.size; i++) {
        double expected = t[0].model.params.data[i];
        CHECK_NEAR(t[1].model.params.data[i], expected, 3e-6 * (1 + fabs(expected)));
    }
    for (int k = 0; k < 2; k++) trainer_free(&t[k]);
    setup_close(&s);
}

// Sentences of other lengths, the last batch of an epoch with less than a sentence a shard, parts
// without a question, hidden characters, several batches a step.
static void split_steps(void) {
    check_split("train --arms qkv --d-model 16 --batch 7 --optimizer sgd --lr 0.1", 4, 5);
    check_split("train search --arms kv --d-model 16 --batch 5 --optimizer sgd --lr 0.1", 3, 5);
    check_split("train heads --arms qk --d-model 16 --batch 31 --optimizer sgd --lr 0.1", 4, 11);
    check_split("train heads --arms sym --d-model 8 --layers 1 --batch 13 --accumulate 3 "
                "--optimizer sgd", 2, 4);
    check_split("train text --text README.md --layers 1 --heads 2 --d-model 16 --context 2 --batch "
                "4 --objective masked --optimizer sgd", 4, 5);
    check_split("train text --text README.md --layers 2 --heads 2 --d-model 16 --batch 3 "
                "--optimizer sgd", 3, 5);
}

void tests_trainer(void) {
    test("a step in parts, by sentence, is the step in one", split_steps);
    test("one seed gives the same bits, trained at once or in pieces", a_seed_fixes_every_bit);
    test("every arm is shown the same sentences", arms_draw_the_same_batches);
    test("training stops when it is told to", stop_is_obeyed);
    test("a step that is broken off leaves no trace", a_step_that_is_broken_off_leaves_no_trace);
    test("a training has the numbers of its options", options_are_the_trainings);
    test("each step is as long as schedule and limit say", steps_follow_schedule_and_limit);
    test("accuracies, NLL and asymmetry are what they say", figures_are_what_they_say);
    test("the figures of several heads are their means, and each head has its M", figures_of_heads);
    test("random starts have an asymmetry of about 0.7", the_band_of_random_starts);
    test("a poisoned weight stops training, which names step, arm and tensor",
         poisoned_weights_are_named);
    test("a gradient that overflows stops training before any weight moves",
         a_gradient_that_overflows_is_named);
    test("a learning rate that is far too high ends in words or numbers, never in a crash",
         runaway_rates_end_in_words);
}
