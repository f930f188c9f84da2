// The sentences at the end of a run: who solves the task, where the best symmetric arm stops, and
// where every symmetric score provably stops. Where the figures don't bear that out, they say so.
// Which arms are symmetric, and what they hand over, is in their rows of the table (model/arms.c).
#include "model/view/claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/save/memory.h"
#include "model/view/figures.h"

typedef enum Kind { SYMMETRIC, DIRECTIONAL, ANY } Kind;

static double nll(const ArmHistory *arm) { return history_newest(arm)->attention_nll; }
static double loss(const ArmHistory *arm) { return history_newest(arm)->loss; }

static bool is_of(const ArmHistory *arm, Kind kind) {
    if (!arm->count || kind == ANY) return arm->count > 0;
    if (isnan(arm->point[0].asymmetry)) return false;  // these scores have no mirror image
    return arm->symmetric == (kind == SYMMETRIC);
}

// The arm of that kind with the highest figure, with sign -1 the lowest; the later one of equals.
// NULL if none has one.
static const ArmHistory *best(const History *h, Kind kind, int sign, Figure figure) {
    const ArmHistory *top = NULL;
    for (int i = 0; i < h->arms; i++) {
        const ArmHistory *arm = &h->arm[i];
        double value = sign * figure_newest(arm, figure);
        if (is_of(arm, kind) && (top ? value >= sign * figure_newest(top, figure) : !isnan(value)))
            top = arm;
    }
    return top;
}

// The last arm whose score isn't symmetric and that hands over this; NULL if there is none.
static const ArmHistory *handing_over(const History *h, Value value) {
    const ArmHistory *last = NULL;
    for (int i = 0; i < h->arms; i++) {
        const ArmHistory *arm = &h->arm[i];
        if (arm->count && !arm->symmetric && arm->value == value) last = arm;
    }
    return last;
}

// ---- one head and a cycle ----------------------------------------------------------------------

// How many of the two bounds on every symmetric score an arm is past, by more than rounding.
static int passes(const History *h, const ArmHistory *arm) {
    return !arm ? 0 : (arm->cycle_attention_accuracy > h->bound + 1e-6) + (nll(arm) < log(2) - 1e-4);
}

static void say_arm(FILE *out, const ArmHistory *arm, const char *says) {
    fprintf(out, "%s %s: its largest attention weight is on the right word for %.1f%% of the "
            "cycle's questions (attention NLL %.3f nats).", arm->name, says,
            100 * arm->cycle_attention_accuracy, nll(arm));
}

static void say_symmetric(FILE *out, const History *h) {
    const ArmHistory *finder = best(h, SYMMETRIC, 1, FIGURE_CYCLE_ATTENTION_ACCURACY),
                     *sure = best(h, SYMMETRIC, -1, FIGURE_ATTENTION_NLL);
    if (!finder || !sure) return;
    const ArmHistory *wrong = passes(h, finder) ? finder : passes(h, sure) ? sure : NULL;
    double share = 100 * finder->cycle_attention_accuracy;
    if (wrong)
        fprintf(out, " But %s, whose scores are symmetric, has %.1f%% and %.3f nats: something here "
                "is wrong.", wrong->name, 100 * wrong->cycle_attention_accuracy, nll(wrong));
    else if (finder == sure)
        fprintf(out, " The best symmetric arm, %s, stops at %.1f%% and %.3f nats.", finder->name,
                share, nll(finder));
    else
        fprintf(out, " The best symmetric arms stop at %.1f%% (%s) and %.3f nats (%s).", share,
                finder->name, nll(sure), sure->name);
}

// What is left for W_V to do, where an arm without it goes round the cycle as well.
static void say_value(FILE *out, const History *h) {
    const ArmHistory *all = handing_over(h, VALUE_V), *scores = handing_over(h, VALUE_X);
    if (passes(h, all) == 2 && passes(h, scores) == 2 && loss(all) < loss(scores))
        fprintf(out, " %s, which has no W_V, finds %.1f%%: W_V only lowers the loss, from %.3f to "
                "%.3f.", scores->name, 100 * scores->cycle_attention_accuracy, loss(scores),
                loss(all));
}

// Rather an arm that has a W_V, too (qkv), if it passes both bounds.
static void say_cycle(FILE *out, const History *h) {
    static const char *const says[] = {"does not pass the bounds of symmetric scores in this run",
                                       "passes one of the bounds of symmetric scores",
                                       "solves the cycle"};
    const ArmHistory *arm = handing_over(h, VALUE_V);
    if (passes(h, arm) < 2) arm = best(h, DIRECTIONAL, 1, FIGURE_CYCLE_ATTENTION_ACCURACY);
    if (arm) say_arm(out, arm, says[passes(h, arm)]);
    say_symmetric(out, h);
    fprintf(out, " A symmetric score provably cannot pass %.1f%%, or get below ln 2 = 0.693 nats.",
            100 * h->bound);
    say_value(out, h);
}

// Three symmetric heads can go round a cycle by turns, so that the mean of their weights does.
static void say_heads(FILE *out, const History *h) {
    const ArmHistory *arm = best(h, ANY, 1, FIGURE_CYCLE_ACCURACY);
    if (!arm) return;
    fprintf(out, "%s answers %.1f%% of the cycle's questions. The mean attention of its heads is "
            "on the right word for %.1f%%. The bound for one head with a symmetric score does not "
            "hold for the mean of several.", arm->name, 100 * arm->cycle_accuracy,
            100 * arm->cycle_attention_accuracy);
}

// ---- no cycle ----------------------------------------------------------------------------------

// Two standard errors of the difference of two shares of n questions: less than that is no
// difference.
static double noise(const ArmHistory *arm, double a, double b) {
    double questions = 0;
    for (int i = 0; i < arm->relations; i++) questions += (double)arm->relation[i].questions;
    return questions > 0 ? 2 * sqrt((a * (1 - a) + b * (1 - b)) / questions) : 0;
}

static const char *compare(const ArmHistory *arm, double a, double b) {
    if (fabs(a - b) <= noise(arm, a, b)) return "no clear difference";
    return a > b ? "clearly less" : "clearly more";
}

static void say_pointing(FILE *out, const History *h) {
    const ArmHistory *arm = best(h, DIRECTIONAL, 1, FIGURE_ATTENTION_ACCURACY),
                     *symmetric = best(h, SYMMETRIC, 1, FIGURE_ATTENTION_ACCURACY);
    if (!arm) arm = symmetric, symmetric = NULL;
    double share = figure_newest(arm, FIGURE_ATTENTION_ACCURACY),
           other = symmetric ? figure_newest(symmetric, FIGURE_ATTENTION_ACCURACY) : NAN;
    fprintf(out, "%s has its largest attention weight on the right word for %.1f%% of the "
            "questions.", arm->name, 100 * share);
    if (symmetric)
        fprintf(out, " The best symmetric arm, %s, reaches %.1f%%: %s.", symmetric->name,
                100 * other, compare(arm, share, other));
    for (int i = 0; i < h->baselines; i++)
        fprintf(out, "%s \"%s\" %s%.1f%%", i ? "," : " Always answering", h->baseline_name[i],
                i ? "" : "is right for ", 100 * h->baseline[i]);
    if (h->baselines) fputc('.', out);
}

// Where scores have no mirror image (`search`) the arms differ in what they hand over.
static void say_answers(FILE *out, const History *h) {
    const ArmHistory *arm = best(h, ANY, 1, FIGURE_ACCURACY), *key = handing_over(h, VALUE_KEY);
    if (!arm) return;
    fprintf(out, "%s answers %.1f%% of the questions.", arm->name,
            100 * history_newest(arm)->accuracy);
    if (key && key != arm)
        fprintf(out, " %s, which hands over its key in place of a value, answers %.1f%% with a key "
                "of the same width.", key->name, 100 * history_newest(key)->accuracy);
}

static void say_text(FILE *out, const History *h) {
    const ArmHistory *arm = best(h, ANY, -1, FIGURE_LOSS);
    if (arm)
        fprintf(out, "%s predicts the %s of text that it has never seen with a loss of %.3f nats "
                "(%.3f bits) a character. %.0f%% of its first choices are right.", arm->name,
                h->hidden ? "masked characters" : "next character", loss(arm),
                loss(arm) / log(2), 100 * history_newest(arm)->accuracy);
}

char *claim_of(const History *h) {
    char *text;
    size_t size;
    FILE *out = memory_open(&text, &size);
    if (h->text) say_text(out, h);
    else if (h->bound > 0) say_cycle(out, h);
    else if (h->has_cycle) say_heads(out, h);
    else if (best(h, SYMMETRIC, 1, FIGURE_ATTENTION_ACCURACY)
             || best(h, DIRECTIONAL, 1, FIGURE_ATTENTION_ACCURACY))
        say_pointing(out, h);
    else say_answers(out, h);
    if (h->measured_on_training)
        fputs(" This was measured on what it was trained on, as the sentences are too few to hold "
              "any out.", out);
    memory_close(out);
    if (*text == ' ') memmove(text, text + 1, strlen(text));  // no arm to begin with
    return text;
}
