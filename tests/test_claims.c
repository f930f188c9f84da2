// The claims (claims.h) over QKV_SEEDS (5) seeds, less those that take long, which `make claims`
// runs; and what is said of real sentences. The sanitizers, being slow, are given one seed.
#include <string.h>

#include "claims.h"
#include "test.h"

static int seed;                 // of the test that runs
static const Experiment *claim;  // the same

static void holds(void) {
    Figure figure[CLAIM_ROWS] = {{0}};
    claim->run((uint64_t)seed, figure);
    for (int r = 0; r < CLAIM_ROWS && claim->row[r].what; r++)
        CHECK(claim_holds(&claim->row[r], &figure[r]),
              "claim %d: %s: expected %.9g to %.9g, got %.9g to %.9g, of %ld", claim->row[r].claim,
              claim->row[r].what, claim->row[r].low, claim->row[r].high, figure[r].min,
              figure[r].max, figure[r].count);
}

static void bounds_can_be_missed(void) {
    const Row row = {1, "a share", 0.25, 0.5, NULL};
    Figure f = {0};
    CHECK(!claim_holds(&row, &f), "what was never measured holds");
    figure_add(&f, 0.25);
    figure_add(&f, 0.5);
    CHECK(claim_holds(&row, &f), "0.25 to 0.5 is within 0.25 to 0.5");
    Figure above = f, below = f, not = f;
    figure_add(&above, 0.51);
    figure_add(&below, 0.24);
    figure_add(&not, NAN);
    figure_add(&not, 0.3);
    CHECK(!claim_holds(&row, &above), "0.51 is above 0.5");
    CHECK(!claim_holds(&row, &below), "0.24 is below 0.25");
    CHECK(!claim_holds(&row, &not), "a NaN holds");
    figure_join(&f, &not);
    CHECK(!claim_holds(&row, &f), "a NaN of another seed holds");
}

static void every_claim_has_a_figure(void) {
    bool shown[CLAIMS + 1] = {0};
    for (int e = 0; e < claims_count; e++)
        for (int r = 0; r < CLAIM_ROWS && claims[e]->row[r].what; r++)
            shown[claims[e]->row[r].claim] = true;
    for (int number = 1; number <= CLAIMS; number++)
        CHECK(shown[number] == (claims_text[number] != NULL), "claim %d has no figure, or no words",
              number);
}

// Arms of `heads` at the end, and the baselines.
typedef struct Heads { double xxt, tied, qk; Baselines base; } Heads;

static Heads run_heads(const char *options) {
    Setup s;
    double found[3];
    claims_open(&s, options, (uint64_t)seed);
    for (int i = 0; i < 3; i++) {
        Trainer t;
        const char *arm = (const char *[]){"xxt", "tied", "qk"}[i];
        trainer_init(&t, options_config(&s.options), &s.task, arm_find(arm));
        trainer_run(&t, s.options.steps, NULL);
        found[i] = evaluate(&t, SIZE_MAX, NULL).attention_accuracy;
        trainer_free(&t);
    }
    Heads h = {found[0], found[1], found[2], task_baselines(&s.task.held_out)};
    setup_close(&s);
    return h;
}

static void check_heads(Heads h, double qk, double lead, double xxt) {
    CHECK(h.qk >= qk, "qk found %g of the heads; expected at least %g", h.qk, qk);
    CHECK(h.qk >= h.tied + lead, "qk found %g, tied %g; expected a lead of %g", h.qk, h.tied, lead);
    CHECK(h.xxt <= xxt, "xxt found %g; expected at most %g", h.xxt, xxt);
    CHECK(h.qk > h.base.next + 0.2, "qk found %g, the next word %g; expected far more", h.qk,
          h.base.next);
}

static void heads_of_the_small_treebank(void) {
    Heads h = run_heads("heads --epochs 16");
    check_heads(h, 0.75, 0.02, 0.2);
}

static void heads_of_the_english_web_treebank(void) {
    char command[1200];
    snprintf(command, sizeof command, "heads --epochs 2 --conllu %s --dev %s",
             test_treebank("train.conllu"), test_treebank("dev.conllu"));
    check_heads(run_heads(command), 0.60, 0.03, 0.12);
}

void tests_claims(void) {
    int seeds = claims_seeds();
    char sentence[128];
    test("a figure out of its bounds, a NaN, or none at all doesn't hold", bounds_can_be_missed);
    test("each claim has a figure", every_claim_has_a_figure);
    for (seed = 1; seed <= seeds; seed++) {
        for (int e = 0; e < claims_count; e++) {
            claim = claims[e];
            if (claim->slow || (seed > 1 && !claim->seeded)) continue;
            snprintf(sentence, sizeof sentence, "seed %d: %s", seed, claim->sentence);
            test(claim->seeded ? sentence : claim->sentence, holds);
        }
        snprintf(sentence, sizeof sentence,
                 "seed %d: qk finds more heads of the small treebank than tied", seed);
        test(sentence, heads_of_the_small_treebank);
    }
    seed = 1;
    test("two epochs over English: qk finds more heads than tied, xxt about none",
         heads_of_the_english_web_treebank);
}
