// Claims 15 and 16: real text, the GUM corpus. Its documents are a sample of texts, so a difference
// has a 95 % interval over documents: they are drawn with replacement, all questions of one
// together, and each arm's hits on them are the mean over seeds (a paired bootstrap; Efron and
// Tibshirani 1993, An Introduction to the Bootstrap, chapter 13). The intervals are given these
// trainings, and the options were chosen on these documents.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "claims.h"
#include "stories.h"
#include "test.h"

enum { DOCUMENTS = 64, DRAWS = 2000, XXT = 0, TIED, SYM, QK, RULE, ANSWERS };
static const char *const arm_name[] = {"xxt", "tied", "sym", "qk"};

// How many questions each document asks, and how many the arms and the best rule have right: of
// arms, the mean over seeds.
typedef struct Hits {
    int documents;
    double asked[DOCUMENTS], right[ANSWERS][DOCUMENTS];
    double cycle[ANSWERS], bound;  // the share of all cycles' questions, and its bound
} Hits;

// ---- documents -----------------------------------------------------------------------------------

// Cuts the file at its lines "# newdoc", into FOLDER/0.conllu, 1.conllu and so on.
static int cut_documents(const char *file, const char *folder) {
    char path[256] = "", *line = NULL;
    size_t room = 0;
    int count = 0;
    FILE *in = fopen(file, "r"), *out = NULL;
    CHECK(in, "%s can't be read", file);
    while (getline(&line, &room, in) > 0) {
        if (!strncmp(line, "# newdoc", 8)) {
            if (out) fclose(out);
            snprintf(path, sizeof path, "%s/%d.conllu", folder, count++);
            out = fopen(path, "w");
        }
        CHECK(out && fputs(line, out) >= 0, "\"%s\" can't be written", path);
    }
    CHECK(out && !fclose(out) && count <= DOCUMENTS, "%s has %d documents", file, count);
    fclose(in);
    free(line);
    return count;
}

// ---- hits ----------------------------------------------------------------------------------------

typedef struct Study { const char *options; Setup all, document[DOCUMENTS]; } Study;

// A document without a question is left out.
static bool open_document(Setup *s, const Options *all, const char *dev) {
    char error[TASK_ERROR];
    s->options = *all;
    s->options.dev = dev;
    return tasks_open(&s->task, &s->options, error);
}

static double right_of(const ArmHistory *h, double *asked) {
    double right = *asked = 0;
    for (int r = 0; r < h->relations; r++) {
        double n = (double)h->relation[r].questions;
        *asked += n;
        if (n > 0) right += h->relation[r].attention_accuracy * n;
    }
    return right;
}

static double measure_on(Trainer *t, const Task *task, double *asked, double *cycle) {
    ArmHistory h = {0};
    t->task = task;
    evaluate(t, SIZE_MAX, &h);
    double right = right_of(&h, asked);
    *cycle = h.cycle_attention_accuracy;
    free(h.relation);
    return right;
}

static void add_arm(Study *study, uint64_t seed, int arm, double share, Hits *hits) {
    Trainer t;
    double asked, cycle;
    Setup *all = &study->all;
    all->options.seed = seed;
    trainer_init(&t, options_config(&all->options), &all->task, arm_find(arm_name[arm]));
    trainer_run(&t, all->options.steps, NULL);
    CHECK(!t.failure[0], "%s", t.failure);
    measure_on(&t, &all->task, &asked, &cycle);
    hits->cycle[arm] = fmax(hits->cycle[arm], cycle);
    for (int i = 0; i < hits->documents; i++) {
        double right = measure_on(&t, &study->document[i].task, &hits->asked[i], &cycle);
        hits->right[arm][i] += right * share;
    }
    t.task = &all->task;
    trainer_free(&t);
}

// The rule that is right most often on all documents.
static void add_rule(const Study *study, Hits *hits) {
    const Task *all = &study->all.task;
    int best = 0;
    for (int g = 1; g < all->guesses; g++)
        if (task_guessed(all, all->guess[g].right) > task_guessed(all, all->guess[best].right))
            best = g;
    for (int i = 0; i < hits->documents; i++) {
        const Task *one = &study->document[i].task;
        hits->right[RULE][i] = task_guessed(one, one->guess[best].right) * hits->asked[i];
    }
}

// Trains all arms with all seeds.
static void study_run(Study *study, const char *options, const char *folder, Hits *hits) {
    char command[512], path[DOCUMENTS][256];
    const char *train = stories_find_gum("train.conllu"), *dev = stories_find_gum("dev.conllu");
    CHECK(train && dev, "the GUM corpus is gone");
    snprintf(command, sizeof command, "train %s --conllu %s --dev %s", options, train, dev);
    setup_open(&study->all, command);
    mkdir("build", 0777), mkdir(folder, 0777);
    int documents = cut_documents(dev, folder);
    for (int i = 0; i < documents; i++) {
        snprintf(path[i], sizeof *path, "%s/%d.conllu", folder, i);
        hits->documents += open_document(&study->document[hits->documents], &study->all.options,
                                         path[i]);
    }
    int seeds = claims_seeds();
    for (int seed = 1; seed <= seeds; seed++)
        for (int arm = XXT; arm <= QK; arm++)
            add_arm(study, (uint64_t)seed, arm, 1.0 / seeds, hits);
    add_rule(study, hits);
    Cycles turning = task_cycles(&study->all.task);
    hits->bound = turning.cycles ? 1 - (double)turning.cycles / (double)turning.questions : NAN;
    for (int i = 0; i < hits->documents; i++) task_free(&study->document[i].task);
    setup_close(&study->all);
}

// ---- intervals -----------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Both ends of the interval of accuracy(a) - accuracy(b); b may be ANSWERS, which has nothing right.
static void add_interval(const Hits *hits, int a, int b, Figure *figure) {
    double drawn[DRAWS];
    Rng rng = rng_new(1, 15);
    for (int d = 0; d < DRAWS; d++) {
        double asked = 0, more = 0;
        for (int i = 0; i < hits->documents; i++) {
            size_t at = rng_below(&rng, (uint32_t)hits->documents);
            asked += hits->asked[at];
            more += hits->right[a][at] - (b < ANSWERS ? hits->right[b][at] : 0);
        }
        drawn[d] = more / asked;
    }
    qsort(drawn, DRAWS, sizeof *drawn, by_size);
    figure_add(figure, drawn[DRAWS / 40]);
    figure_add(figure, drawn[DRAWS - 1 - DRAWS / 40]);
}

// ---- claim 15 ------------------------------------------------------------------------------------

#define USUAL " --relative 64 --decay 0.3 --lr 0.005"

static void run_pronouns(const char *options, const char *folder, Figure *figure) {
    Study study = {0};
    Hits hits = {0};
    study_run(&study, options, folder, &hits);
    add_interval(&hits, QK, SYM, &figure[0]);
    add_interval(&hits, SYM, RULE, &figure[1]);
    add_interval(&hits, RULE, XXT, &figure[2]);
    for (int arm = XXT; arm <= QK; arm++) add_interval(&hits, arm, ANSWERS, &figure[3 + arm]);
}

static void run_nouns(uint64_t seed, Figure *figure) {
    (void)seed;
    run_pronouns("coref --antecedent noun --epochs 3" USUAL, "build/claims-nouns", figure);
}

static void run_nearest(uint64_t seed, Figure *figure) {
    (void)seed;
    run_pronouns("coref --antecedent nearest --epochs 3" USUAL, "build/claims-nearest", figure);
}

const Experiment claims_nouns = {
    .sentence = "pronouns of GUM, which ask for a noun: sym does as well as qk",
    .slow = true,
    .gum = true,
    .run = run_nouns,
    .row = {
        {15, "nouns: qk - sym, 95 % interval over documents", -0.07, 0.02, NULL},
        {15, "nouns: sym - the best rule", 0, 1, NULL},
        {15, "nouns: the best rule - xxt", 0.1, 1, NULL},
        {15, "nouns: xxt", 0, 0.1, NULL},
        {15, "nouns: tied", 0.3, 0.6, NULL},
        {15, "nouns: sym", 0.3, 0.6, NULL},
        {15, "nouns: qk", 0.3, 0.6, NULL},
    },
};

const Experiment claims_nearest = {
    .sentence = "pronouns of GUM, which ask for any mention: sym does as well as qk",
    .slow = true,
    .gum = true,
    .run = run_nearest,
    .row = {
        {15, "any mention: qk - sym, 95 % interval over documents", -0.05, 0.015, NULL},
        {15, "any mention: sym - the best rule", 0.1, 1, NULL},
        {15, "any mention: the best rule - xxt", 0.05, 1, NULL},
        {15, "any mention: xxt", 0, 0.4, NULL},
        {15, "any mention: tied", 0.6, 0.8, NULL},
        {15, "any mention: sym", 0.6, 0.8, NULL},
        {15, "any mention: qk", 0.6, 0.8, NULL},
    },
};

// ---- claim 16 ------------------------------------------------------------------------------------

static void run_mixed(uint64_t seed, Figure *figure) {
    (void)seed;
    static const char *const mix[] = {"nouns", "pairs"};
    for (int i = 0; i < 2; i++) {
        char options[200], folder[64];
        Study study = {0};
        Hits hits = {0};
        snprintf(options, sizeof options, "heads --mix %s --max-words 64 --epochs 8 --decay 0.3",
                 mix[i]);
        snprintf(folder, sizeof folder, "build/claims-%s", mix[i]);
        study_run(&study, options, folder, &hits);
        add_interval(&hits, QK, SYM, &figure[2 * i]);
        add_interval(&hits, QK, TIED, &figure[2 * i + 1]);
        if (i) continue;
        figure_add(&figure[4], hits.bound);
        for (int arm = XXT; arm <= SYM; arm++) figure_add(&figure[5], hits.cycle[arm] - hits.bound);
    }
}

const Experiment claims_mixed = {
    .sentence = "heads and pronouns of GUM at once: qk finds more than sym and tied",
    .slow = true,
    .gum = true,
    .run = run_mixed,
    .row = {
        {16, "nouns: qk - sym, 95 % interval over documents", 0.01, 0.1, NULL},
        {16, "nouns: qk - tied", 0.03, 0.15, NULL},
        {16, "pairs: qk - sym", 0.01, 0.1, NULL},
        {16, "pairs: qk - tied", 0.03, 0.15, NULL},
        {16, "cycles of three words and more: the bound", 0.66, 0.8, NULL},
        {16, "cycles: the symmetric arms, above their bound", -1, 0, NULL},
    },
};
