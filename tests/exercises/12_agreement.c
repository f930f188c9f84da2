// Exercise 12: a task of your own.
// The page is 12_agreement.md; check with `make exercise-12`.
#include "tests/exercises/agreement.h"
#include "tests/exercises/exercises.h"

enum { NOBODY = -1, SUBJECT = 0 };  // relations: what a token asks for

// Appends one token to the open sentence. `asks` is SUBJECT or NOBODY; `target` is the token that
// answers, counted from 0, or NOBODY.
static void say(const Task *task, Sentences *out, const char *word, int asks, int target) {
    Token token = {.relation = asks, .target = target};
    token.feature[FEATURE_WORD] = vocab_find(&task->vocab[FEATURE_WORD], word);
    sentences_append(out, &token);
}

// YOURS: one sentence, in one of the two forms, each half of the time. random_below(random, n)
// returns 0 .. n-1.
//     the key near the cabinets is .        near the cabinets the key is .
static void generate(const Task *task, RandomSource random, Sentences *out) {
    int subject = random_below(random, 2);  // 0 singular, 1 plural; the other noun is the opposite
    say(task, out, "the", NOBODY, NOBODY);
    say(task, out, agree_noun[subject][random_below(random, AGREE_NOUNS)], NOBODY, NOBODY);
    say(task, out, ".", NOBODY, NOBODY);
    sentences_end(out);
}

void task_agreement(Task *task, RandomSource random, int held_out) {
    *task = (Task){.name = "agreement", .asked = "who is it that does?", .max_length = 7,
                   .generate = generate};
    Vocab *words = &task->vocab[FEATURE_WORD];
    vocab_add(words, "the");
    vocab_add(words, ".");
    for (int several = 0; several < 2; several++) {
        for (int i = 0; i < AGREE_NOUNS; i++) vocab_add(words, agree_noun[several][i]);
        for (int i = 0; i < AGREE_VERBS; i++) vocab_add(words, agree_verb[several][i]);
    }
    for (int i = 0; i < AGREE_PLACES; i++) vocab_add(words, agree_place[i]);
    vocab_add(&task->relations, "subject");
    for (int i = 0; i < held_out; i++) generate(task, random, &task->held_out);
}
