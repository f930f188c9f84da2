// The task of real sentences: questions, features, vocabularies, what is held out.
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "data/sources.h"

static const SourceOptions all_features = {.max_words = 40, .tags = true, .suffixes = true,
                                          .shapes = true};

static const char *write_file(const char *name, const char *text) {
    static char path[2][512];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s.conllu", test_directory(), name);
    FILE *f = fopen(path[turn], "wb");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s can't be written", path[turn]);
    return path[turn];
}

// A treebank out of words, "form/TAG form ... | form ...", each depending on the word before it.
static const char *write_words(const char *name, const char *words) {
    char text[1 << 16], copy[1 << 12];
    size_t used = 0;
    int id = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        if (!strcmp(word, "|")) {
            used += (size_t)snprintf(text + used, sizeof text - used, "\n");
            id = 0;
            continue;
        }
        char *slash = strrchr(word, '/');
        if (slash) *slash = '\0';
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%d\t%s\t_\t%s\t_\t_\t%d\t%s\t_\t_\n", id + 1, word,
                                 slash ? slash + 1 : "X", id, id ? "dep:sub" : "root");
        id++;
    }
    return write_file(name, text);
}

static Task load(SourceOptions options, const char *train, const char *dev) {
    Task task;
    char error[TASK_ERROR] = "";
    options.file = train;
    options.dev = dev;
    CHECK(heads_load(&task, &options, error), "expected a task, got \"%s\"",
          error);
    return task;
}

// The feature of token t of the held-out sentences, as text.
static const char *feature(const Task *task, int f, size_t t) {
    return task->vocab[f].word[task->held_out.feature[f][t]];
}

static void questions(void) {
    const char *train = write_file("train",
        "# the first\n"
        "1\tThe\tthe\tDET\t_\t_\t2\tdet:def\t_\t_\n2\tDog\tdog\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
        "3\tran\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n");
    const char *dev = write_words("dev", "ran");
    Task task = load(all_features, train, dev);
    const Sentences *s = &task.train;
    CHECK_INT(sentences_length(s, 0), 4);
    const int target[] = {-1, 2, 3, 0};
    const char *const form[] = {"<root>", "The", "Dog", "ran"};
    const char *const relation[] = {"", "det", "nsubj", "root"};
    for (size_t t = 0; t < 4; t++) {
        CHECK_INT(s->target[t], target[t]);
        CHECK_STRING(task_form(&task, s, t), form[t]);
        if (t) CHECK_STRING(task.relations.word[s->relation[t]], relation[t]);
    }
    CHECK_INT(s->relation[0], -1);
    CHECK_STRING(task_form(&task, &task.held_out, 1), "ran");
    task_free(&task);
}

static void describes_itself(void) {
    Task task = load(all_features, write_words("train", "a b c | d"),
                     write_words("dev", "a b c d"));
    CHECK_STRING(task.name, "heads");
    CHECK(task.points_at_answer && task.fixed_set && !task.generate,
          "it points, shuffles and generates nothing");
    CHECK_INT(task.max_length, 5);
    CHECK_INT(task.relations.count, 2);
    for (int r = 0; r < task.relations.count; r++)
        CHECK(!task_in_cycle(&task, r), "expected no cycle");
    for (int f = 0; f <= FEATURE_SHAPE; f++) {
        CHECK_STRING(task.vocab[f].word[0], "<unk>");
        CHECK_STRING(task.vocab[f].word[1], "<root>");
        CHECK_INT(task.train.feature[f][0], 1);
        CHECK_INT(task.held_out.feature[f][0], 1);
    }
    task_free(&task);
}

static void rare_words(void) {
    Task task = load(all_features, write_words("train", "The cat the | Cat once"),
                     write_words("dev", "THE cAt once never never"));
    CHECK_INT(task.vocab[FEATURE_WORD].count, 4);
    CHECK_STRING(feature(&task, FEATURE_WORD, 1), "the");
    CHECK_STRING(feature(&task, FEATURE_WORD, 2), "cat");
    for (size_t t = 3; t < 6; t++) CHECK_STRING(feature(&task, FEATURE_WORD, t), "<unk>");
    CHECK_INT(task.train.feature[FEATURE_WORD][6], 0);
    task_free(&task);
}

static void ascii_case(void) {
    Task task = load(all_features, write_words("train", "ÜBER ÜBER"),
                     write_words("dev", "über Über"));
    CHECK_STRING(task.vocab[FEATURE_WORD].word[2], "Über");
    CHECK_STRING(feature(&task, FEATURE_WORD, 1), "<unk>");
    CHECK_STRING(feature(&task, FEATURE_WORD, 2), "Über");
    task_free(&task);
}

static void tags(void) {
    Task task = load(all_features, write_words("train", "a/DET b/_"),
                     write_words("dev", "a/_ b/VERB"));
    CHECK_INT(task.vocab[FEATURE_TAG].count, 4);
    CHECK_STRING(feature(&task, FEATURE_TAG, 1), "_");
    CHECK_STRING(feature(&task, FEATURE_TAG, 2), "<unk>");
    task_free(&task);
}

static void suffixes(void) {
    Task task = load(all_features,
                     write_words("train", "going Doing being SING ring | ab ab ab ab ab | "
                                          "ten ten ten ten | мышка кошка мишка чашка ишка"),
                     write_words("dev", "xing ing ab ten шка ng 猫"));
    const char *const expected[] = {"ing", "ing", "ab", "<unk>", "шка", "<unk>", "<unk>"};
    CHECK_INT(task.vocab[FEATURE_SUFFIX].count, 5);
    for (size_t t = 0; t < 7; t++) CHECK_STRING(feature(&task, FEATURE_SUFFIX, t + 1), expected[t]);
    task_free(&task);
}

static void shapes(void) {
    static const struct { const char *form, *shape; } row[] = {
        {"dog", "lower"}, {"don't", "lower"}, {"猫", "lower"}, {"über", "lower"}, {"1st", "digit"},
        {"COVID-19", "digit"}, {"...", "mark"}, {"_", "mark"}, {"Dog", "Capital"}, {"I", "Capital"},
        {"'Tis", "Capital"}, {"Mañana", "Capital"}, {"AP", "CAPITALS"}, {"U.S.", "CAPITALS"},
        {"iPhone", "mixed"}, {"McDonald", "mixed"}, {"ÜBER", "mixed"}, {"éA", "mixed"}};
    enum { ROWS = sizeof row / sizeof row[0] };
    char words[1024] = "";
    for (int i = 0; i < ROWS; i++) strcat(strcat(words, i ? " " : ""), row[i].form);
    const char *file = write_words("train", words);
    Task task = load(all_features, file, file);
    CHECK_INT(task.vocab[FEATURE_SHAPE].count, 2 + 6);
    for (int i = 0; i < ROWS; i++)
        CHECK(!strcmp(feature(&task, FEATURE_SHAPE, (size_t)i + 1), row[i].shape),
              "%s: expected %s, got %s", row[i].form, row[i].shape,
              feature(&task, FEATURE_SHAPE, (size_t)i + 1));
    task_free(&task);
    task = load(all_features, write_words("train", "dog"), write_words("dev", "Dog"));
    CHECK_STRING(feature(&task, FEATURE_SHAPE, 1), "<unk>");
    task_free(&task);
}

static void left_out_features(void) {
    const char *file = write_words("train", "ring sing wing king bing ring");
    for (int f = FEATURE_TAG; f <= FEATURE_SHAPE; f++) {
        SourceOptions o = all_features;
        bool *option[FEATURES] = {NULL, &o.tags, &o.suffixes, &o.shapes};
        *option[f] = false;
        Task task = load(o, file, file);
        for (int g = 0; g <= FEATURE_SHAPE; g++) {
            CHECK((task.vocab[g].count == 0) == (g == f), "without %d: vocabulary %d has %d", f, g,
                  task.vocab[g].count);
            for (size_t t = 0; t < task.train.tokens; t++)
                CHECK(g != f || !task.train.feature[g][t], "without %d: expected only ids 0", f);
        }
        CHECK_INT(task.train.feature[FEATURE_WORD][1], 2);
        task_free(&task);
    }
}

static void root_as_a_word(void) {
    Task task = load(all_features, write_words("train", "<root> <Root> <unk> <unk> cat cat"),
                     write_words("dev", "<ROOT> <unk> cat"));
    CHECK_INT(task.vocab[FEATURE_WORD].count, 3);
    CHECK_INT(task.held_out.feature[FEATURE_WORD][1], 0);
    CHECK_INT(task.held_out.feature[FEATURE_WORD][2], 0);
    CHECK_INT(task.held_out.feature[FEATURE_WORD][3], 2);
    task_free(&task);
}

static void every_fifth(void) {
    Task task = load(all_features, write_words("train", "a a | b b | c c | d d | e e | "
                                                        "f f | a b | c d | e f | g g | a"), NULL);
    CHECK_INT((long long)task.train.count, 9);
    CHECK_INT((long long)task.held_out.count, 2);
    CHECK_STRING(feature(&task, FEATURE_WORD, 1), "<unk>");  // one e is trained on: seen once
    CHECK_STRING(task_form(&task, &task.held_out, 1), "e");
    CHECK_STRING(task_form(&task, &task.held_out, 4), "g");
    CHECK_INT(vocab_find(&task.vocab[FEATURE_WORD], "g"), -1);
    CHECK_INT(vocab_find(&task.vocab[FEATURE_WORD], "f"), 6);
    task_free(&task);
}

static void long_sentences(void) {
    SourceOptions o = all_features;
    o.max_words = 2;
    o.file = write_words("train", "a b | a b c | x x x x | y y | a a a a a | z z");
    Task task;
    char error[TASK_ERROR] = "";
    o.dev = write_words("dev", "a | b b b");
    CHECK(heads_load(&task, &o, error), "%s", error);
    CHECK_INT((long long)task.train.count, 3);
    CHECK_INT((long long)task.held_out.count, 1);
    CHECK_INT((long long)task.skipped[0], 3);
    CHECK_INT((long long)task.skipped[1], 1);
    CHECK_INT(task.max_length, 3);
    CHECK_INT(vocab_find(&task.vocab[FEATURE_WORD], "x"), -1);
    CHECK_INT(vocab_find(&task.vocab[FEATURE_WORD], "a"), -1);
    task_free(&task);
    o.file = write_words("train", "a b | a b | a b c | a b | a b c | a b | a | a | a | b b");
    o.dev = NULL;
    CHECK(heads_load(&task, &o, error), "%s", error);
    CHECK_INT((long long)task.skipped[0], 1);
    CHECK_INT((long long)task.skipped[1], 1);
    CHECK_INT((long long)task.train.count, 7);
    CHECK_STRING(task_form(&task, &task.held_out, 1), "b");
    task_free(&task);
}

static void check_refused(SourceOptions o, const char *file, const char *expected) {
    Task task;
    char error[TASK_ERROR] = "", whole[TASK_ERROR];
    CHECK(!heads_load(&task, &o, error), "expected to be refused");
    snprintf(whole, sizeof whole, "%s%s", file, expected);
    CHECK_STRING(error, whole);
    CHECK(!task.text && !task.train.tokens && !task.vocab[0].count, "a refused task is not empty");
    task_free(&task);
}

static void nothing_left(void) {
    SourceOptions o = all_features;
    o.max_words = 2;
    o.file = write_words("train", "a b c");
    o.dev = write_words("dev", "a b");
    check_refused(o, o.file, ": no sentence of at most 2 words; expected one to train on");
    check_refused((SourceOptions){.file = o.dev, .dev = o.file, .max_words = 2}, o.file,
                  ": no sentence of at most 2 words; expected one to measure on");
    o.file = o.dev;
    o.dev = NULL;
    check_refused(o, o.file, ": no sentence of at most 2 words among every fifth, which are held"
                              " out; expected one to measure on");
    o.max_words = -1;
    check_refused(o, o.file, ": no sentence of at most -1 words; expected one to train on");
}

static void malformed(void) {
    SourceOptions o = all_features;
    o.file = write_words("train", "a b c");
    o.dev = write_file("dev", "1\ta\n");
    check_refused(o, o.dev, ":1: a row of 2 columns; expected 10, with tabs between them");
    o.file = o.dev;
    check_refused(o, o.dev, ":1: a row of 2 columns; expected 10, with tabs between them");
}

static void real(void) {
    const char *train = test_treebank("train.conllu"), *dev = test_treebank("dev.conllu");
    SourceOptions o = all_features;
    o.max_words = 1000;
    Task task = load(o, train, dev);
    CHECK_INT((long long)task.train.count, 12544);
    CHECK_INT((long long)task.held_out.count, 2001);
    for (size_t i = 0; i < task.held_out.count; i++)
        for (size_t t = task.held_out.start[i]; t < task.held_out.start[i + 1]; t++)
            CHECK(task.held_out.target[t] < sentences_length(&task.held_out, i),
                  "expected a target within its sentence, got %d", task.held_out.target[t]);
    Baselines b = task_baselines(&task.held_out);
    CHECK_NEAR(b.previous, 0.11, 0.01);
    CHECK_NEAR(b.next, 0.29, 0.01);
    task_free(&task);
}

void tests_heads(void) {
    test("every word asks for its head, the root for nothing", questions);
    test("the task of heads points, shuffles, has no cycle and knows its longest sentence",
         describes_itself);
    test("words are lowercased, and unknown if training has them once", rare_words);
    test("only ASCII letters are lowercased", ascii_case);
    test("a tag that training doesn't have is unknown", tags);
    test("a suffix is the last three characters, and unknown if training has it under five times",
         suffixes);
    test("every form has one of six shapes", shapes);
    test("a feature that isn't asked for has an empty vocabulary", left_out_features);
    test("a word that is written like the root is unknown", root_as_a_word);
    test("without a file to measure on every fifth sentence is held out and not learned from",
         every_fifth);
    test("long sentences are left out, counted, and not learned from", long_sentences);
    test("a treebank that leaves nothing to train or measure on is refused", nothing_left);
    test("a malformed treebank is refused, whether to train or to measure on", malformed);
    test("the English Web Treebank's baselines are near 0.11 and 0.29", real);
}
