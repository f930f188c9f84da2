// The sentences at the end of a run: who solves the task, where the best symmetric arm stops, and
// where every symmetric score provably stops. Where the figures don't bear that out, they say so.
// Which arms are symmetric, and what they hand over, is in their rows of the table (model/arms.c).
#include "model/view/claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/arms.h"
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

// The arms that are named, if any are: the symmetric one, or else the worse one, is the left.
typedef struct Named { const ArmHistory *left, *right; } Named;

// ---- one head and a cycle ----------------------------------------------------------------------

// How many of the two bounds on every symmetric score an arm is past, by more than rounding.
static int passes(const History *h, const ArmHistory *arm) {
    return !arm ? 0 : (arm->cycle_attention_accuracy > h->bound + 1e-6) + (nll(arm) < log(2) - 1e-4);
}

static const char *percent(char text[16], double share) {
    snprintf(text, 16, "%.1f", 100 * share);
    if (strlen(text) > 2 && !strcmp(text + strlen(text) - 2, ".0")) text[strlen(text) - 2] = 0;
    return strcat(text, "%");
}

static const char *nats(char text[24], double x) {
    snprintf(text, 24, x > 0 && x < 0.001 ? "below 0.001" : "%.3f", x);
    return text;
}

// Where the symmetric arms stop, and where every one has to.
static void say_symmetric(FILE *out, const History *h, const ArmHistory *finder, bool begins) {
    char share[16];
    if (finder)
        fprintf(out, "%s best symmetric head (%s) stops at %s, and ", begins ? "The" : "the",
                finder->name, percent(share, finder->cycle_attention_accuracy));
    fprintf(out, "no symmetric head can pass %s.", percent(share, h->bound));
}

// The second figure, which has a bound of its own.
static void say_nll(FILE *out, const ArmHistory *arm, const ArmHistory *sure) {
    char own[24], other[24];
    if (!arm && !sure) return;
    if (arm) fprintf(out, " The attention NLL of %s is %s nats", arm->name, nats(own, nll(arm)));
    if (sure)
        fprintf(out, "%s of a symmetric arm is %s (%s)", arm ? "; the lowest" :
                " The lowest attention NLL", nats(other, nll(sure)), sure->name);
    fprintf(out, "%s no symmetric head can get below ln 2 = 0.693.", sure ? ", and" : ";");
}

// What is left for W_V to do, where an arm without it goes round the cycle as well.
static void say_value(FILE *out, const History *h) {
    const ArmHistory *all = handing_over(h, VALUE_V), *scores = handing_over(h, VALUE_X);
    char share[16], from[24], to[24];
    if (passes(h, all) == 2 && passes(h, scores) == 2 && loss(all) < loss(scores))
        fprintf(out, " W_V was not needed for this: %s, which has none, is right on %s. It lowers "
                "the loss, from %s to %s. A narrow key cannot also be the value: see ./train "
                "search.", scores->name,
                percent(share, scores->cycle_attention_accuracy), nats(from, loss(scores)),
                nats(to, loss(all)));
}

// Rather an arm that has a W_V, too (qkv), if it passes both bounds. The first sentence is the
// heading of the report.
static void say_cycle(FILE *out, const History *h, Named *named) {
    const ArmHistory *arm = handing_over(h, VALUE_V);
    const ArmHistory *finder = best(h, SYMMETRIC, 1, FIGURE_CYCLE_ATTENTION_ACCURACY),
                     *sure = best(h, SYMMETRIC, -1, FIGURE_ATTENTION_NLL);
    const ArmHistory *wrong = passes(h, finder) ? finder : passes(h, sure) ? sure : NULL;
    char share[16], least[24];
    if (passes(h, arm) < 2) arm = best(h, DIRECTIONAL, 1, FIGURE_CYCLE_ATTENTION_ACCURACY);
    *named = (Named){finder, arm};
    if (arm)
        fprintf(out, "A head %s (%s) %s %s of the questions that form a cycle; ",
                arm_find(arm->name)->score->W_K ? "with separate queries and keys"
                                                : "whose scores are not symmetric",
                arm->name, arm->cycle_attention_accuracy > h->bound + 1e-6 ? "is right on" :
                "has learned only", percent(share, arm->cycle_attention_accuracy));
    if (arm || finder) say_symmetric(out, h, wrong ? NULL : finder, !arm);
    if (arm || sure) say_nll(out, arm, wrong ? NULL : sure);
    if (wrong)
        fprintf(out, " But %s, whose scores are symmetric, has %s and %s nats: something here is "
                "wrong.", wrong->name, percent(share, wrong->cycle_attention_accuracy),
                nats(least, nll(wrong)));
    say_value(out, h);
}

// Three symmetric heads can go round a cycle by turns.
static void say_heads(FILE *out, const History *h, Named *named) {
    const ArmHistory *arm = best(h, DIRECTIONAL, 1, FIGURE_CYCLE_ACCURACY),
                     *symmetric = best(h, SYMMETRIC, 1, FIGURE_CYCLE_ACCURACY);
    char share[16], other[16];
    if (!arm) arm = symmetric, symmetric = NULL;
    *named = (Named){symmetric, arm};
    if (!arm) return;
    fprintf(out, "%s answers %s of the cycle's questions", arm->name,
            percent(share, arm->cycle_accuracy));
    if (symmetric)
        fprintf(out, "; %s, whose heads are symmetric, answers %s", symmetric->name,
                percent(other, symmetric->cycle_accuracy));
    fputs(". No single symmetric head can follow a whole cycle, but several together can.", out);
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

static void say_pointing(FILE *out, const History *h, Named *named) {
    const ArmHistory *arm = best(h, DIRECTIONAL, 1, FIGURE_ATTENTION_ACCURACY),
                     *symmetric = best(h, SYMMETRIC, 1, FIGURE_ATTENTION_ACCURACY);
    if (!arm) arm = symmetric, symmetric = NULL;
    *named = (Named){symmetric, arm};
    double share = figure_newest(arm, FIGURE_ATTENTION_ACCURACY),
           other = symmetric ? figure_newest(symmetric, FIGURE_ATTENTION_ACCURACY) : NAN;
    fprintf(out, "%s has its largest attention weight on the right word for %.1f%% of the "
            "questions%s", arm->name, 100 * share, symmetric ? "; " : ".");
    if (symmetric)
        fprintf(out, "the best symmetric arm, %s, for %.1f%%: %s.", symmetric->name, 100 * other,
                compare(arm, share, other));
    for (int i = 0; i < h->baselines; i++)
        fprintf(out, "%s \"%s\" %s%.1f%%", i ? "," : " Always answering", h->baseline_name[i],
                i ? "" : "is right for ", 100 * h->baseline[i]);
    if (h->baselines) fputc('.', out);
}

// Does the arm whose key serves as its value answer clearly less than the best one?
static bool key_fails(const History *h) {
    const ArmHistory *arm = best(h, ANY, 1, FIGURE_ACCURACY), *key = handing_over(h, VALUE_KEY);
    if (!arm || !key) return false;
    double most = history_newest(arm)->accuracy, least = history_newest(key)->accuracy;
    return most - least > noise(arm, most, least);
}

// Where scores have no mirror image (`search`), or no word both asks and answers (`recall`), the
// arms differ in what they hand over.
static void say_answers(FILE *out, const History *h, Named *named) {
    const ArmHistory *arm = best(h, ANY, 1, FIGURE_ACCURACY), *key = handing_over(h, VALUE_KEY);
    *named = (Named){key, arm};
    if (!arm) return;
    char share[16], other[16];
    fprintf(out, "%s answers %s of the questions", arm->name,
            percent(share, history_newest(arm)->accuracy));
    if (key && key != arm)
        fprintf(out, "; %s, whose key serves as its value, answers %s", key->name,
                percent(other, history_newest(key)->accuracy));
    fputc('.', out);
    const ArmHistory *whole = handing_over(h, VALUE_X);
    if (key_fails(h) && whole && whole != arm)
        fprintf(out, " %s, which has no W_V and passes on X, answers %s: so narrow a key cannot "
                "also be the value.", whole->name, percent(other, history_newest(whole)->accuracy));
}

static void say_text(FILE *out, const History *h, Named *named) {
    const ArmHistory *arm = best(h, ANY, -1, FIGURE_LOSS);
    named->right = arm;
    if (arm)
        fprintf(out, "%s predicts the %s of text that it has never seen with a loss of %.3f nats "
                "(%.3f bits) a character. Its first choice is right for %.0f%%.", arm->name,
                h->hidden ? "masked characters" : "next character", loss(arm),
                loss(arm) / log(2), 100 * history_newest(arm)->accuracy);
}

// What is pictured beside `right` if nothing is named: the best symmetric arm, or any other.
static const ArmHistory *beside(const History *h, const ArmHistory *right) {
    const ArmHistory *left = best(h, SYMMETRIC, -1, FIGURE_LOSS);
    if (left && left != right) return left;
    return h->arm + (right == h->arm && h->arms > 1);
}

char *claim_of(const History *h, int pair[2]) {
    char *text;
    size_t size;
    FILE *out = memory_open(&text, &size);
    Named named = {0};
    if (h->text) say_text(out, h, &named);
    else if (h->bound > 0) say_cycle(out, h, &named);
    else if (h->has_cycle) say_heads(out, h, &named);
    else if (!key_fails(h) && (best(h, SYMMETRIC, 1, FIGURE_ATTENTION_ACCURACY)
                               || best(h, DIRECTIONAL, 1, FIGURE_ATTENTION_ACCURACY)))
        say_pointing(out, h, &named);
    else say_answers(out, h, &named);
    if (h->measured_on_training)
        fputs(" This was measured on what it was trained on, as the sentences are too few to hold "
              "any out.", out);
    memory_close(out);
    if (*text == ' ') memmove(text, text + 1, strlen(text));  // no arm to begin with
    if (!named.right) named.right = h->arm + h->arms - 1;
    if (!named.left || named.left == named.right) named.left = beside(h, named.right);
    pair[0] = (int)(named.left - h->arm);
    pair[1] = (int)(named.right - h->arm);
    return text;
}
