#include <string.h>

#include "test.h"
#include "model/train/tasks.h"

enum { SENTENCES = 4000 };

static void open(Task *task, uint64_t seed, int sentences) {
    Rng rng = rng_new(seed, 0);
    pronoun_load(task, &(SourceOptions){.held_out = sentences, .random = random_source(&rng)}, NULL);
}

static const char *word_at(const Task *task, size_t sentence, int token) {
    return task_form(task, &task->held_out, task->held_out.start[sentence] + (size_t)token);
}

static int relation_at(const Task *task, size_t sentence, int token) {
    return task->held_out.relation[task->held_out.start[sentence] + (size_t)token];
}

static int target_at(const Task *task, size_t sentence, int token) {
    return task->held_out.target[task->held_out.start[sentence] + (size_t)token];
}

// The token of a sentence that asks a question of this kind, or -1.
static int asker(const Task *task, size_t sentence, const char *relation) {
    int id = vocab_find(&task->relations, relation);
    for (int i = 0; i < sentences_length(&task->held_out, sentence); i++)
        if (relation_at(task, sentence, i) == id) return i;
    return -1;
}

// 0 he, 1 she, 2 it, 3 they: the vocabulary holds 8 nouns of each after the, to and the full stop.
static int class_of(const Task *task, size_t sentence, int token) {
    return (vocab_find(&task->vocab[FEATURE_WORD], word_at(task, sentence, token)) - 3) / 8;
}

static void it_has_66_words(void) {
    Task task;
    open(&task, 1, 1);
    CHECK_INT(task.vocab[FEATURE_WORD].count, 66);
    for (int i = 0; i < 66; i++) CHECK_INT(task.vocab[FEATURE_WORD].occurrences[i], 1);
    task_free(&task);
}

static void the_first_sentence_of_a_seed(void) {
    Task task;
    open(&task, 1, 2);
    char text[256] = "";
    for (int i = 0; i < sentences_length(&task.held_out, 0); i++) {
        strcat(text, i ? " " : "");
        strcat(text, word_at(&task, 0, i));
    }
    CHECK_STRING(text, "the king brought the boat to the tired nun but he left .");
    task_free(&task);
}

static void the_cycle_closes(void) {
    Task task;
    open(&task, 2, SENTENCES);
    for (size_t s = 0; s < SENTENCES; s++) {
        int giver = asker(&task, s, "giver"), gift = asker(&task, s, "gift");
        int receiver = asker(&task, s, "receiver");
        CHECK(giver < gift && gift < receiver, "sentence %zu: %d, %d, %d", s, giver, gift,
              receiver);
        CHECK_INT(target_at(&task, s, giver), gift);
        CHECK_INT(target_at(&task, s, gift), receiver);
        CHECK_INT(target_at(&task, s, receiver), giver);
        CHECK_STRING(word_at(&task, s, giver + 1),
                     word_at(&task, s, asker(&task, s, "giving verb")));
        CHECK_INT(target_at(&task, s, giver + 1), giver);
    }
    task_free(&task);
}

static void the_pronoun_has_one_antecedent(void) {
    static const char *const pronoun[] = {"he", "she", "it", "they"};
    Task task;
    open(&task, 3, SENTENCES);
    int role[3] = {0};
    for (size_t s = 0; s < SENTENCES; s++) {
        int noun[] = {asker(&task, s, "giver"), asker(&task, s, "gift"),
                      asker(&task, s, "receiver")};
        int who = asker(&task, s, "pronoun"), fits = 0;
        for (int i = 0; i < 3; i++) {
            if (strcmp(pronoun[class_of(&task, s, noun[i])], word_at(&task, s, who))) continue;
            CHECK_INT(target_at(&task, s, who), noun[i]);
            role[i]++;
            fits++;
        }
        CHECK_INT(fits, 1);
        CHECK_INT(target_at(&task, s, asker(&task, s, "last verb")), who);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(role[i] / (double)SENTENCES, 1.0 / 3, 0.03);
    task_free(&task);
}

static void an_adjective_asks_for_the_noun_behind_it(void) {
    Task task;
    open(&task, 4, SENTENCES);
    int adjective = vocab_find(&task.relations, "adjective"), adjectives = 0, longest = 0;
    for (size_t s = 0; s < SENTENCES; s++) {
        int length = sentences_length(&task.held_out, s);
        if (length > longest) longest = length;
        for (int i = 0; i < length; i++)
            if (relation_at(&task, s, i) == adjective) {
                CHECK_INT(target_at(&task, s, i), i + 1);
                adjectives++;
            }
    }
    CHECK_NEAR(adjectives / (3.0 * SENTENCES), 0.5, 0.03);
    CHECK_INT(longest, task.max_length);
    task_free(&task);
}

// Were a gift likelier beside some giver, an answer could be guessed without finding it.
static void the_nouns_are_independent(void) {
    Task task;
    open(&task, 5, SENTENCES);
    int pair[4][4] = {{0}}, of_class[4] = {0};
    for (size_t s = 0; s < SENTENCES; s++) {
        int giver = class_of(&task, s, asker(&task, s, "giver"));
        pair[giver][class_of(&task, s, asker(&task, s, "gift"))]++;
        of_class[giver]++;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            CHECK_NEAR(pair[i][j] / (double)of_class[i], i == j ? 0 : 1.0 / 3, i == j ? 0 : 0.06);
    task_free(&task);
}

void tests_pronoun(void) {
    test("pronoun has 66 words, each once", it_has_66_words);
    test("pronoun draws the same sentence for the same seed", the_first_sentence_of_a_seed);
    test("pronoun asks a cycle: giver, gift, receiver, giver", the_cycle_closes);
    test("pronoun has one noun that a pronoun can mean, each role a third of the time",
         the_pronoun_has_one_antecedent);
    test("pronoun has adjectives before half of its nouns, asking for them",
         an_adjective_asks_for_the_noun_behind_it);
    test("pronoun draws its nouns independently of each other", the_nouns_are_independent);
}
