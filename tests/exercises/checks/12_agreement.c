#include <string.h>

#include "model/train/tasks.h"
#include "tests/exercises/agreement.h"
#include "tests/exercises/check.h"
#include "tests/setup.h"

enum { SENTENCES = 400, SEEDS = 2, NONE = -1 };

// ---- one sentence ------------------------------------------------------------------------------

// 0 singular, 1 plural, NONE: the word is in neither list.
static int number(const char *word, const char *const *one, const char *const *several, int n) {
    for (int i = 0; i < n; i++) {
        if (!strcmp(word, one[i])) return 0;
        if (!strcmp(word, several[i])) return 1;
    }
    return NONE;
}

static int noun(const char *word) {
    return number(word, agree_noun[0], agree_noun[1], AGREE_NOUNS);
}
static int verb(const char *word) {
    return number(word, agree_verb[0], agree_verb[1], AGREE_VERBS);
}

// How many nouns and verbs it has, and at which tokens.
typedef struct Found {
    int nouns, noun[2], verbs, verb, target;
} Found;

static const char *word_at(const Task *task, const Sentences *s, size_t i, int at) {
    int id = s->feature[FEATURE_WORD][s->start[i] + (size_t)at];
    if (id < 0 || id >= task->vocab[FEATURE_WORD].count)
        wrong("sentence %zu: word %d is not in the vocabulary", i + 1, at + 1);
    return task->vocab[FEATURE_WORD].word[id];
}

static const char *whole(const Task *task, const Sentences *s, size_t i) {
    static char text[512];
    text[0] = '\0';
    for (int at = 0; at < sentences_length(s, i); at++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, at ? " %s" : "%s", word_at(task, s, i, at));
    }
    return text;
}

static Found find(const Task *task, const Sentences *s, size_t i) {
    Found f = {.verb = NONE, .target = NONE};
    int length = sentences_length(s, i);
    if (length > task->max_length)
        wrong("`%s` has %d words, max_length is %d", whole(task, s, i), length, task->max_length);
    for (int at = 0; at < length; at++) {
        const char *word = word_at(task, s, i, at);
        size_t token = s->start[i] + (size_t)at;
        if (noun(word) != NONE && f.nouns++ < 2) f.noun[f.nouns - 1] = at;
        if (verb(word) != NONE) f.verbs++, f.verb = at;
        if (verb(word) == NONE && (s->relation[token] != NONE || s->target[token] != NONE))
            wrong("`%s`: `%s` asks a question; only the verb should", whole(task, s, i), word);
        if (verb(word) != NONE) f.target = s->target[token];
        if (verb(word) != NONE && s->relation[token] != 0)
            wrong("`%s`: the relation of `%s` is %d; it should be SUBJECT", whole(task, s, i), word,
                  s->relation[token]);
    }
    if (f.verbs != 1)
        wrong("`%s` has %d verbs of the list; it should have one", whole(task, s, i), f.verbs);
    if (f.nouns != 2)
        wrong("`%s` has %d nouns of the list; it should have two", whole(task, s, i), f.nouns);
    return f;
}

// Whether the subject comes first.
static bool check_sentence(const Task *task, const Sentences *s, size_t i) {
    Found f = find(task, s, i);
    const char *text = whole(task, s, i), *does = word_at(task, s, i, f.verb);
    int first = noun(word_at(task, s, i, f.noun[0])), second = noun(word_at(task, s, i, f.noun[1]));
    if (first == second)
        wrong("`%s`: both nouns are singular or both are plural, so `%s` does not tell which is "
              "the subject",
              text, does);
    if (f.target != f.noun[0] && f.target != f.noun[1])
        wrong("`%s`: `%s` asks for token %d; its nouns are tokens %d and %d, counted from 0", text,
              does, f.target, f.noun[0], f.noun[1]);
    const char *meant = word_at(task, s, i, f.target);
    bool nearest = f.target == f.noun[1];
    if (noun(meant) != verb(does))
        wrong("`%s`: `%s` asks for `%s`%s; they don't agree", text, does, meant,
              nearest ? ", the noun nearest to it" : "");
    return !nearest;
}

// ---- all sentences -----------------------------------------------------------------------------

static void check_half(const char *what, double fraction) {
    if (fraction < 0.4 || fraction > 0.6)
        wrong("%s in %.2f of the sentences; it should be about half, so that nobody can guess it",
              what, fraction);
}

static void check_sentences(void) {
    Task task;
    Rng rng = rng_new(1, 0);
    double first = 0, several = 0;
    trying("task_agreement");
    task_agreement(&task, random_source(&rng), SENTENCES);
    if (!task.generate) wrong("task_agreement sets no `generate`");
    if (task.relations.count != 1)
        wrong("task_agreement has %d relations; it should have one", task.relations.count);
    if (task.held_out.count != SENTENCES)
        wrong("task_agreement holds out %zu sentences of %d", task.held_out.count, SENTENCES);
    measured("`%s`", whole(&task, &task.held_out, 0));
    for (size_t i = 0; i < SENTENCES; i++) {
        first += check_sentence(&task, &task.held_out, i) / (double)SENTENCES;
        Found f = find(&task, &task.held_out, i);
        several += verb(word_at(&task, &task.held_out, i, f.verb)) / (double)SENTENCES;
    }
    check_half("the subject comes first", first);
    check_half("the subject is plural", several);
    task_free(&task);
}

// ---- training ----------------------------------------------------------------------------------

// Positions are set to 0, so a head can tell the subject only by its grammatical number.
static double found(const char *arm, uint64_t seed) {
    Setup s;
    Task task;
    Trainer t;
    char command[96];
    snprintf(command, sizeof command, "train pronoun --steps 200 --seed %d", (int)seed);
    setup_open(&s, command);
    Rng rng = rng_new(seed, 80);
    task_agreement(&task, random_source(&rng), 256);
    trainer_init(&t, options_config(&s.options), &task, arm_find(arm));
    memset(t.model.P->data, 0, t.model.P->size * sizeof(float));
    trainer_run(&t, s.options.steps, NULL);
    double right = evaluate(&t, SIZE_MAX, NULL).attention_accuracy;
    measured("seed %d, without positions: %s finds %.2f of the subjects", (int)seed, arm, right);
    trainer_free(&t);
    task_free(&task);
    setup_close(&s);
    return right;
}

void check(void) {
    check_sentences();
    trying("the training");
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double fixed = found("xxt", seed), learned = found("qkv", seed);
        if (fixed > 0.5)
            wrong("X Xᵀ, which learns nothing, finds %.2f: something gives the answer away", fixed);
        if (learned < 0.95)
            wrong("qkv finds %.2f of the subjects, which should be 0.95 or more: can this task be "
                  "learned?",
                  learned);
    }
}
