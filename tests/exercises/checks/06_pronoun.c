#include <stdlib.h>
#include <string.h>

#include "tests/exercises/check.h"
#include "tests/setup.h"

enum { SEEDS = 3, SENTENCES = 32 };

// ---- by hand -----------------------------------------------------------------------------------

static void check_vectors(void) {
    double X[3][2] = {{0}}, A[3][3];
    trying("pronoun_vectors");
    pronoun_vectors(X);
    for (int i = 0; i < 3; i++) {
        double total = 0;
        for (int j = 0; j < 3; j++) total += A[i][j] = exp(X[i][0] * X[j][0] + X[i][1] * X[j][1]);
        for (int j = 0; j < 3; j++) A[i][j] /= total;
        if (!isfinite(total))
            wrong("pronoun_vectors: exp of a score overflows; take shorter vectors");
    }
    measured("S is symmetric; A(pronoun -> antecedent) = %.3f, A(antecedent -> pronoun) = %.3f",
             A[0][1], A[1][0]);
    if (!(A[0][1] >= 0.9) && A[0][0] >= A[0][1])
        wrong("the pronoun gives itself %.3f and its antecedent %.3f, which should be 0.9 or more: "
              "the pronoun must score higher with the antecedent than with itself",
              A[0][0], A[0][1]);
    if (!(A[0][1] >= 0.9))
        wrong("the pronoun gives its antecedent %.3f, which should be 0.9 or more: make the score "
              "between the two larger",
              A[0][1]);
}

// ---- by training -------------------------------------------------------------------------------

static void open(Setup *s, uint64_t seed) {
    char command[256];
    trying("pronoun_options");
    snprintf(command, sizeof command, "train %s --seed %llu", pronoun_options(),
             (unsigned long long)seed);
    setup_open(s, command);
    const Options *o = &s->options;
    if (strcmp(o->task->name, "pronoun") || o->layers || o->heads != 1 || o->steps > 1000)
        wrong("pronoun_options: train `pronoun` with one head, without layers, in at most 1000 "
              "steps");
    if (o->arms != 1)
        wrong("pronoun_options names %d arms; name one, as in --arms xxt", o->arms);
    if (!o->arm[0]->score->symmetric)
        wrong("pronoun_options: the score of %s is not symmetric", o->arm[0]->name);
    if (o->relative) wrong("pronoun_options: with --relative the score is not symmetric");
}

static double antecedents_found(Trainer *t) {
    ArmHistory arm = {0};
    double found = NAN;
    evaluate(t, SIZE_MAX, &arm);
    for (int i = 0; i < arm.relations; i++)
        if (!strcmp(arm.relation[i].name, "pronoun")) found = arm.relation[i].attention_accuracy;
    free(arm.relation);
    return found;
}

// Means over pronouns: score and weight from pronoun to antecedent, and back.
typedef struct Pair {
    double S, S_back, A, A_back;
} Pair;

static Pair look(Trainer *t) {
    size_t which[SENTENCES], L;
    Pair p = {0};
    for (size_t i = 0; i < SENTENCES; i++) which[i] = i;
    task_batch(t->task, which, SENTENCES, &t->batch);
    tape_reset(&t->measuring);
    Attended a = model_forward(&t->model, &t->measuring, &t->batch).attended;
    L = (size_t)t->batch.L;
    int pronoun = vocab_find(&t->task->relations, "pronoun");
    for (size_t row = 0; row < SENTENCES * L; row++) {
        if (t->batch.relation[row] != pronoun) continue;
        size_t j = (size_t)t->batch.target[row], back = (row / L * L + j) * L + row % L;
        p.S += (double)a.S->data[row * L + j] / SENTENCES;
        p.S_back += (double)a.S->data[back] / SENTENCES;
        p.A += (double)a.A->data[row * L + j] / SENTENCES;
        p.A_back += (double)a.A->data[back] / SENTENCES;
    }
    return p;
}

static Pair check_seed(uint64_t seed) {
    Setup s;
    Trainer t;
    open(&s, seed);
    trying("the training");
    trainer_init(&t, options_config(&s.options), &s.task, s.options.arm[0]);
    trainer_run(&t, s.options.steps, NULL);
    double found = antecedents_found(&t);
    measured("%s, seed %d: %.2f of the antecedents found, asymmetry of S %g",
             s.options.arm[0]->name, (int)seed, found,
             evaluate(&t, SENTENCES, NULL).asymmetry);
    if (!(found >= 0.6))
        wrong("%s finds %.2f of the antecedents, which should be 0.6 or more: take a symmetric arm "
              "with more parameters in its score",
              s.options.arm[0]->name, found);
    Pair p = look(&t);
    trainer_free(&t);
    setup_close(&s);
    return p;
}

static void check_why(Pair p) {
    measured(
        "pronoun to antecedent and back: mean S %.2f and %.2f, mean A %.2f and %.2f",
        p.S, p.S_back, p.A, p.A_back);
    switch (pronoun_why()) {
    case WHY_SCORES_LEARN_DIRECTION:
        wrong("pronoun_why: the scores did not learn a direction: they are the same there and "
              "back");
    case WHY_VALUE_POINTS:
        wrong("pronoun_why: it is not the value: A, which contains no value, is %.2f there and "
              "%.2f back",
              p.A, p.A_back);
    case WHY_ROWS_ARE_NORMALISED: return;
    default: wrong("pronoun_why: no answer yet; look at the last measured line");
    }
}

void check(void) {
    Pair p;
    check_vectors();
    for (uint64_t seed = 1; seed <= SEEDS; seed++) p = check_seed(seed);
    check_why(p);
}
