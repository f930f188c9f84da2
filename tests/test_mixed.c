// Several kinds of question in one text: what each word asks for was written down by hand.
#include <string.h>

#include "stories.h"
#include "test.h"
#include "data/sources.h"

#define PRS "PronType=Prs|Number=Sing|Person=3"

// The woman who lost her keys slept . She dreamed of the sea . | A boy ran . He fell .
static const char text[] =
    "The/DET/2/det//(e1 woman/NOUN/7/nsubj who/PRON/4/nsubj lost/VERB/2/acl "
    "her/PRON/6/nmod/" PRS "/(e2(e1) keys/NOUN/4/obj//e2)e1) slept/VERB/0/root ./PUNCT/7/punct\n"
    "She/PRON/2/nsubj/" PRS "/(e1) dreamed/VERB/0/root of/ADP/5/case the/DET/5/det//(e3 "
    "sea/NOUN/2/obl//e3) ./PUNCT/2/punct\n"
    "##\n"
    "A/DET/2/det//(e1 boy/NOUN/3/nsubj//e1) ran/VERB/0/root ./PUNCT/3/punct\n"
    "He/PRON/2/nsubj/" PRS "/(e1) fell/VERB/0/root ./PUNCT/2/punct\n";

static Task load_of(const char *story, Mix mix, int most) {
    Task task;
    char error[TASK_ERROR] = "";
    const char *path = stories_write("mixed.conllu", story);
    SourceOptions o = {.file = path, .dev = path, .mix = mix, .max_words = most, .tags = true};
    CHECK(heads_load(&task, &o, error), "expected a task, got \"%s\"", error);
    return task;
}

static Task load(Mix mix, int most) { return load_of(text, mix, most); }

// Of each token but the root: what it asks for, and the name of its question if no treebank has it.
static void expect(const Task *task, const char *expected) {
    static char got[4096];
    const Sentences *s = &task->train;
    size_t used = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t first = s->start[i];
        used += (size_t)snprintf(got + used, sizeof got - used, "%s", i ? "| " : "");
        for (size_t t = first + 1; t < s->start[i + 1]; t++) {
            const char *relation = task->relations.word[s->relation[t]];
            bool named = strchr(relation, ' ') || *relation == '(';
            used += (size_t)snprintf(got + used, sizeof got - used, "%s%s%s ",
                                     task_form(task, s, first + (size_t)s->target[t]),
                                     named ? ":" : "", named ? relation : "");
        }
    }
    CHECK_STRING(got, expected);
}

static void circles(void) {
    Task task = load(MIX_NOUNS, 20);
    expect(&task, "woman her:(cycle) lost woman:(cycle) keys:(cycle) lost:(cycle) <root> slept "
                  "dreamed <root> sea sea dreamed dreamed | boy He:next pronoun <root> ran "
                  "fell <root> fell ");
    for (int r = 0; r < task.relations.count; r++)
        CHECK(task_in_cycle(&task, r) == !strcmp(task.relations.word[r], "(cycle)"), "%s",
              task.relations.word[r]);
    Cycles turning = task_cycles(&task);
    CHECK_INT((int)turning.cycles, 1);
    CHECK_INT((int)turning.questions, 4);
    task_free(&task);
}

static void pairs(void) {
    Task task = load(MIX_PAIRS, 20);
    expect(&task, "woman her:next pronoun lost woman woman:its noun lost <root> slept "
                  "woman:its noun <root> sea sea dreamed dreamed | "
                  "boy He:next pronoun <root> ran boy:its noun <root> fell ");
    CHECK_INT((int)task_cycles(&task).cycles, 0);
    task_free(&task);
    task = load_of("Ann/PROPN/2/nsubj//(e1) ran/VERB/0/root\n"
                   "Doctors/NOUN/2/nsubj//(e1) ran/VERB/0/root\n"
                   "They/PRON/2/nsubj/" PRS "/(e1) ran/VERB/0/root\n"
                   "They/PRON/2/nsubj/" PRS "/(e1) slept/VERB/0/root\n", MIX_PAIRS, 20);
    expect(&task, "They:next pronoun <root> They:next pronoun <root> Doctors:its noun <root> "
                  "Doctors:its noun <root> ");
    task_free(&task);
}

// Sentences of 8, 6, 4 and 3 words.
static void stretches(void) {
    static const struct { int most, tokens[4]; } cases[] = {
        {14, {15, 8}}, {13, {9, 7, 8}}, {8, {9, 7, 8}}, {7, {7, 8}}, {6, {7, 5, 4}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Task task = load(MIX_NOUNS, cases[i].most);
        size_t n = 0;
        for (; cases[i].tokens[n]; n++)
            CHECK(n < task.train.count && sentences_length(&task.train, n) == cases[i].tokens[n],
                  "at most %d words: stretch %zu has not %d tokens", cases[i].most, n,
                  cases[i].tokens[n]);
        CHECK_INT((int)task.train.count, (int)n);
        task_free(&task);
    }
}

static void without_entities(void) {
    Task task;
    char error[TASK_ERROR] = "";
    const char *path = stories_raw("plain.conllu", "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n");
    SourceOptions o = {.file = path, .dev = path, .mix = MIX_PAIRS, .max_words = 9};
    CHECK(!heads_load(&task, &o, error), "a treebank without entities was taken");
    CHECK(strstr(error, "no line \"# global.Entity"), "it says %s", error);
}

// How often questions form a cycle in real text, counted by another program.
static void real(void) {
    Task task;
    char error[TASK_ERROR] = "";
    SourceOptions o = {.file = stories_gum("train.conllu"), .dev = stories_gum("dev.conllu"),
                       .mix = MIX_NOUNS, .max_words = 64, .tags = true};
    CHECK(heads_load(&task, &o, error), "%s", error);
    Cycles turning = task_cycles(&task);
    CHECK_INT((int)turning.cycles, 22);  // 10 of three words, 7 of four, 4 of five, 1 of six
    CHECK_INT((int)turning.questions, 84);
    task_free(&task);
}

void tests_mixed(void) {
    test("with --mix nouns a noun asks for its next pronoun, and cycles have a name", circles);
    test("with --mix pairs the pronoun asks for its noun, too", pairs);
    test("a stretch is whole sentences of one document, as many as fit", stretches);
    test("a treebank without entities is refused where pronouns are asked for", without_entities);
    test("real text has as many cycles as were counted elsewhere", real);
}
