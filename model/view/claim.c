// The sentence at the end of a run. It says what the figures say: where they don't bear the claim
// out, it says that instead. An arm counts as symmetric if its asymmetry was exactly 0 at every
// point.
#include "model/view/claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/view/term.h"

typedef enum Kind { SYMMETRIC, DIRECTIONAL, ANY } Kind;

static double cycle_attention_accuracy(const ArmHistory *arm) { return arm->cycle_attention_accuracy; }
static double cycle_calm(const ArmHistory *arm) { return -history_newest(arm)->attention_nll; }
static double found(const ArmHistory *arm) { return history_newest(arm)->attention_accuracy; }

static int is_of(const ArmHistory *arm, Kind kind) {
    int zero = 1, moved = kind == ANY;
    for (int i = 0; i < arm->count; i++) {
        if (arm->point[i].asymmetry != 0) zero = 0;  // a NaN says nothing either way
        if (arm->point[i].asymmetry > 0) moved = 1;
    }
    return arm->count > 0 && (kind == SYMMETRIC ? zero : moved);
}

// The arm of that kind with the highest figure, the later one of equals; NULL if none has one.
static const ArmHistory *best(const History *h, Kind kind, double (*figure)(const ArmHistory *)) {
    const ArmHistory *top = NULL;
    for (int i = 0; i < h->arms; i++) {
        const ArmHistory *arm = &h->arm[i];
        if (!is_of(arm, kind) || isnan(figure(arm))) continue;
        if (!top || figure(arm) >= figure(top)) top = arm;
    }
    return top;
}

// Cycles of three, the usual ones, are found to two thirds.
static const char *bound_of(const History *h, char share[8]) {
    if (fabs(h->bound - 2.0 / 3) < 1e-9) return "2/3";
    snprintf(share, 8, "%.3f", h->bound);
    return share;
}

static void say_direction(char *text, size_t size, const History *h, const ArmHistory *arm) {
    char share[8];
    const char *most = bound_of(h, share);
    int finds = arm->cycle_attention_accuracy > h->bound + 1e-9, calm = history_newest(arm)->attention_nll < log(2);
    if (finds && calm)
        text_append(text, size, "%s found %.3f of the cycle with a surprise of %.3f; no symmetric "
                    "score can find more than %s of it, nor get its surprise below ln 2 = 0.693.",
                    arm->name, arm->cycle_attention_accuracy, history_newest(arm)->attention_nll, most);
    else if (finds)
        text_append(text, size, "%s found %.3f of the cycle; no symmetric score can find more "
                    "than %s of it.", arm->name, arm->cycle_attention_accuracy, most);
    else if (calm)
        text_append(text, size, "%s got its surprise on the cycle down to %.3f; no symmetric "
                    "score gets below ln 2 = 0.693.", arm->name, history_newest(arm)->attention_nll);
    else
        text_append(text, size, "This run does not show it: %s found %.3f of the cycle with a "
                    "surprise of %.3f, which a symmetric score could reach too (it can find %s, "
                    "and get its surprise to ln 2 = 0.693).", arm->name, arm->cycle_attention_accuracy,
                    history_newest(arm)->attention_nll, most);
}

static double cycle_accuracy(const ArmHistory *arm) { return arm->cycle_accuracy; }

// Three symmetric heads can go round a cycle by turns, so that the mean of their weights does.
static void say_heads(char *text, size_t size, const History *h) {
    const ArmHistory *arm = best(h, ANY, cycle_accuracy);
    if (arm)
        text_append(text, size, "%s answered %.3f of the cycle, and found %.3f by the mean of its "
                    "heads. One head with a symmetric score never finds all of it, and its "
                    "surprise is at least ln 2 = 0.693; no such bound holds for several.",
                    arm->name, arm->cycle_accuracy, arm->cycle_attention_accuracy);
}

static void say_cycle(char *text, size_t size, const History *h) {
    const ArmHistory *finder = best(h, DIRECTIONAL, cycle_attention_accuracy);
    const ArmHistory *symmetric = best(h, SYMMETRIC, cycle_attention_accuracy);
    const ArmHistory *calm = best(h, SYMMETRIC, cycle_calm);
    if (finder) say_direction(text, size, h, finder);
    if (!symmetric || !calm) return;
    if (symmetric->cycle_attention_accuracy > h->bound + 1e-6
        || history_newest(calm)->attention_nll < log(2) - 1e-4) {
        const ArmHistory *wrong = symmetric->cycle_attention_accuracy > h->bound + 1e-6 ? symmetric : calm;
        text_append(text, size, " But %s, symmetric at every point, has %.3f and %.3f, past a "
                    "bound that holds for all of its kind: something here is wrong.", wrong->name,
                    wrong->cycle_attention_accuracy, history_newest(wrong)->attention_nll);
    } else if (symmetric == calm) {
        text_append(text, size, " The best symmetric arm here was %s with %.3f and %.3f.",
                    symmetric->name, symmetric->cycle_attention_accuracy, history_newest(symmetric)->attention_nll);
    } else {
        text_append(text, size, " The best symmetric arms here: %s found %.3f, %s came to a "
                    "surprise of %.3f.", symmetric->name, symmetric->cycle_attention_accuracy, calm->name,
                    history_newest(calm)->attention_nll);
    }
}

// Two standard errors of the difference of two shares of n questions: less than that is no
// difference.
static double noise(const ArmHistory *arm, double a, double b) {
    double questions = 0;
    for (int i = 0; i < arm->relations; i++) questions += (double)arm->relation[i].questions;
    return questions > 0 ? 2 * sqrt((a * (1 - a) + b * (1 - b)) / questions) : 0;
}

static const char *compare(const ArmHistory *arm, double a, double b) {
    double difference = a - b, least = noise(arm, a, b);
    if (fabs(difference) <= least) return "no clear difference to";
    return difference > 0 ? "more than" : "less than";
}

static void say_found(char *text, size_t size, const History *h) {
    const ArmHistory *arm = best(h, DIRECTIONAL, found), *symmetric = best(h, SYMMETRIC, found);
    if (!arm) arm = symmetric, symmetric = NULL;
    if (!arm) return;
    text_append(text, size, "%s found %.3f of all questions", arm->name, found(arm));
    if (symmetric)
        text_append(text, size, ", %s %s, the best symmetric arm, with %.3f",
                    compare(arm, found(arm), found(symmetric)), symmetric->name, found(symmetric));
    for (int i = 0; i < h->baselines; i++)
        text_append(text, size, "%s \"%s\" %s%.3f", i ? "," : "; always answering",
                    h->baseline_name[i], i ? "" : "finds ", h->baseline[i]);
    text_append(text, size, ".");
}

static double readable(const ArmHistory *arm) { return -history_newest(arm)->loss; }

static double answered(const ArmHistory *arm) { return history_newest(arm)->accuracy; }

// Where scores have no mirror image (`search`) the arms differ in what they hand over.
static void say_answered(char *text, size_t size, const History *h) {
    const ArmHistory *arm = best(h, ANY, answered), *key = NULL;
    for (int i = 0; i < h->arms; i++)
        if (!strcmp(h->arm[i].name, "kv")) key = &h->arm[i];
    if (!arm) return;
    text_append(text, size, "%s answered %.3f of all questions", arm->name, answered(arm));
    if (key && key != arm)
        text_append(text, size, "; kv, whose value is its key, %.3f with a key of the same width",
                    answered(key));
    text_append(text, size, ".");
}

static void say_text(char *text, size_t size, const History *h) {
    const ArmHistory *arm = best(h, ANY, readable);
    if (arm)
        text_append(text, size,
                    "%s %s at %.3f nats each, which is %.3f bits, and is right in %.0f of 100 cases.",
                    arm->name,
                    h->hidden ? "fills in the hidden characters of text that it has never seen"
                              : "foretells the characters of text that it has never seen",
                    -readable(arm), -readable(arm) / log(2), 100 * history_newest(arm)->accuracy);
}

void claim_write(char *text, size_t size, const History *history) {
    text[0] = '\0';
    if (history->text) say_text(text, size, history);
    else if (history->bound > 0) say_cycle(text, size, history);
    else if (history->has_cycle) say_heads(text, size, history);
    else if (best(history, SYMMETRIC, found) || best(history, DIRECTIONAL, found))
        say_found(text, size, history);
    else say_answered(text, size, history);
    if (history->measured_on_training)
        text_append(text, size, " This was measured on what it was trained on, as the sentences "
                    "are too few to hold any out.");
}
