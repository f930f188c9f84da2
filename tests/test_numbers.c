// Numbers that go wrong, from the command line to what is left on disk.
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "test.h"
#include "model/sweep/grid.h"

// ---- the command line --------------------------------------------------------------------------

static void refused(const Option *of, const char *value) {
    const char *name = of->name;
    Options o;
    char error[OPTIONS_ERROR] = "", expected[OPTIONS_ERROR], option[64], text[32];
    snprintf(option, sizeof option, "%s", name);
    snprintf(text, sizeof text, "%s", value);
    char *argv[] = {"./train", option, text};
    bool nan = strpbrk(value, "aA");
    snprintf(expected, sizeof expected, "%s %s: %s from %.15g to %.15g", name, value,
             nan ? "not a number" : "it must be", of->least, of->most);
    CHECK(!parse_options(&o, 3, argv, error), "%s %s was accepted", name, value);
    CHECK_STRING(error, expected);
    Grid g;
    char why[GRID_ERROR] = "";
    snprintf(text, sizeof text, "1,%s", value);
    char *sweep[] = {"./train", "sweep", option, text};
    CHECK(!grid_read(&g, 4, sweep, why), "a sweep of %s %s was accepted", name, text);
    CHECK(strstr(why, name), "a sweep of %s %s: \"%s\" doesn't name it", name, text, why);
    grid_free(&g);
}

static void not_finite_options(void) {
    static const char *const value[] = {"nan",  "-nan",     "NaN",   "inf",
                                        "-inf", "INFINITY", "1e999", "nan(1)"};
    int reals = 0;
    for (int k = 0; k < options_table.count; k++) {
        if (options_table.option[k].kind != REAL) continue;
        reals++;
        for (size_t i = 0; i < sizeof value / sizeof *value; i++)
            refused(&options_table.option[k], value[i]);
    }
    CHECK(reals >= 5, "%d options are numbers", reals);
    int status;
    const char *said = test_command(&status, "%s sample x --temperature nan", test_train());
    CHECK_STRING(said, "train: --temperature nan: not a number from 0 to 1000000000\n");
    CHECK_INT(status, 2);
}

// ---- training ----------------------------------------------------------------------------------

// Queries of 0 attend evenly, so that the loss stays small; what flows back to them is as large as
// the keys and values, 1e20 and more: finite, but its square isn't.
static void steep(const char *command, const char *failure, int steps) {
    Setup s;
    Trainer t;
    setup_open(&s, command);
    trainer_init(&t, options_config(&s.options), &s.task, arm_find("qkv"));
    const Attention *a = &t.model.head;
    for (size_t i = 0; i < a->W_Q->size; i++) a->W_Q->data[i] = 0;
    for (size_t i = 0; i < a->W_K->size; i++) a->W_K->data[i] *= 1e10f;
    for (size_t i = 0; i < a->W_V->size; i++) a->W_V->data[i] *= 1e12f;
    trainer_run(&t, 1, NULL);
    double norm = params_grad_norm(&t.model.params);
    CHECK_STRING(t.failure, failure);
    CHECK_INT(t.step, steps);
    CHECK(!*failure || (norm > sqrt((double)FLT_MAX) && norm < (double)FLT_MAX), "a gradient of %g",
          norm);
    for (size_t i = 0; i < t.model.params.size; i++)
        CHECK(isfinite(t.model.params.moment[1][i]), "a mean of squares is %g",
              (double)t.model.params.moment[1][i]);
    trainer_free(&t);
    setup_close(&s);
}

#define STEEP "train --held-out 4 --d-model 8 --d-k 4 "

static void squares_that_overflow(void) {
    steep(STEEP, "step 1, arm qkv: the square of the gradient is not finite, first in W_Q (8, 4)",
          0);
    steep(STEEP "--clip 1", "", 1);
    steep(STEEP "--optimizer sgd --lr 1e-30", "", 1);
}

// An embedding that no sentence looks up: neither loss nor gradient ever meets it.
static void a_weight_nobody_uses(void) {
    Setup s;
    Trainer t;
    setup_open(&s, "train heads --d-model 8 --d-k 4 --batch 8 --no-tags");
    trainer_init(&t, options_config(&s.options), &s.task, arm_find("qk"));
    Tensor *P = params_find(&t.model.params, "P");
    CHECK(P && P->shape[0] > 4, "no P");
    P->data[P->size - 1] = INFINITY;  // of the last place: only the longest sentence has it
    evaluate(&t, 1, NULL);
    CHECK_STRING(t.failure, "step 0, arm qk: the weight is not finite, first in P (15, 8)");
    trainer_free(&t);
    setup_close(&s);
}

// ---- what stays --------------------------------------------------------------------------------

// Of two arms one runs away: its file stays as it was saved last, the other is saved where it
// stands, and with a rate that is sane both go on.
static void the_last_good_checkpoint_stays(void) {
    const char *out = test_fresh("good"),
               *tiny = "--arms xxt,qk --d-model 8 --held-out 16 --quiet --schedule constant";
    int status;
    const char *said =
        test_command(&status, "%s %s --steps 5 --out %s >/dev/null && cp %s/qk.safetensors %s.kept",
                     test_train(), tiny, out, out, out);
    CHECK(!status, "%s", said);
    said = test_command(&status,
                        "%s %s --steps 20 --lr 1e9 --decay 1e9 --save-every 1e-9 --resume --out %s",
                        test_train(), tiny, out);
    CHECK_INT(status, 1);
    CHECK(!strncmp(said, "train: step ", 12) && strstr(said, ", arm qk: the loss ") &&
              strchr(said, '\n') == said + strlen(said) - 1,
          "%s", said);
    said = test_command(&status, "%s show %s/qk.safetensors | head -n 3", test_train(), out);
    CHECK(!status && strstr(said, "steps"), "%s", said);
    said = test_command(&status, "%s show %s/xxt.safetensors", test_train(), out);
    CHECK(!status && !strstr(said, "5 steps"), "xxt isn't saved where it stood: %s", said);
    said = test_command(&status, "%s %s --steps 20 --resume --out %s >/dev/null", test_train(),
                        tiny, out);
    CHECK(!status && !*said, "status %d: %s", status, said);
    // With no save on the way it is the very file.
    said =
        test_command(&status,
                     "cp %s.kept %s/qk.safetensors; %s %s --steps 20 --lr 1e9 --decay 1e9 --resume "
                     "--out %s 2>/dev/null; cmp %s.kept %s/qk.safetensors",
                     out, out, test_train(), tiny, out, out, out);
    CHECK(!status && !*said, "%s", said);
}

void tests_numbers(void) {
    test("options that aren't finite are refused by name", not_finite_options);
    test("a gradient whose square overflows stops Adam in words", squares_that_overflow);
    test("a weight that no sentence uses is found too", a_weight_nobody_uses);
    test("of an arm that runs away the last good checkpoint stays", the_last_good_checkpoint_stays);
}
