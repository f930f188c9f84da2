// The task made of a user's sentences: what is held out, cycles, names; and the program on them.
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "test.h"
#include "data/cycle.h"
#include "data/parsed.h"
#include "model/train/measure.h"

#define EXAMPLE "data/sentences.txt"

static const char *write_file(const char *name, const char *text) {
    const char *path = test_path(name);
    FILE *f = fopen(path, "wb");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s can't be written", path);
    return path;
}

// `count` sentences "w0 asks v0", of which every fourth is the same as the one before it.
static const char *write_many(const char *name, int count) {
    char text[1 << 14], *at = text;
    for (int i = 0; i < count; i++) {
        int k = i - (i % 4 == 3);
        at += sprintf(at, "w%d asks v%d\nw%d -> v%d\n", k, k, k, k);
    }
    return write_file(name, text);
}

static Task load(const char *file, uint64_t seed) {
    Task task;
    char error[TASK_ERROR] = "";
    const SourceOptions o = {.file = file, .seed = seed};
    CHECK(user_sentences_load(&task, &o, error),
          "expected a task, got \"%s\"", error);
    return task;
}

// ---- cycles -----------------------------------------------------------------------------------

static void cycles_by_hand(void) {
    static const struct { int target[7], cycles; const char *in_cycle; } cases[] = {
        {{1, 2, 0, -1, -1, -1, -1}, 1, "1110000"},  {{1, 0, 0, 2, 3, -1, 4}, 0, "0000000"},
        {{1, 2, 3, 0, 5, 6, 4}, 2, "1111111"},      {{-1, -1, 1, 2, 3, 4, 5}, 0, "0000000"},
        {{3, 0, 1, 2, 0, 4, 5}, 1, "1111000"},      {{6, 5, 6, 2, 1, 4, 3}, 2, "0111111"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool in_cycle[7];
        char text[8] = "";
        CHECK_INT(cycle_find(cases[i].target, 7, SHORTEST_CYCLE, in_cycle), cases[i].cycles);
        for (int k = 0; k < 7; k++) text[k] = in_cycle[k] ? '1' : '0';
        CHECK_STRING(text, cases[i].in_cycle);
    }
}

// Symmetric scores, with ties and without, around a cycle of n in any order of its words.
static void cycles_of_any_length(void) {
    enum { MOST = 6, TOKENS = 8 };
    Rng rng = rng_new(7, 1);
    for (int k = 0; k < 4000; k++) {
        int n = 3 + k % (MOST - 2), found = 0, place[TOKENS];
        float S[TOKENS * TOKENS];
        double nll = 0;
        for (int i = 0; i < TOKENS; i++) {
            int j = (int)rng_below(&rng, (uint32_t)i + 1);
            place[i] = place[j], place[j] = i;
            for (int m = 0; m <= i; m++)
                S[i * TOKENS + m] = S[m * TOKENS + i] =
                    k % 3 ? (float)(8 * rng_uniform(&rng)) : (float)rng_below(&rng, 2);
        }
        for (int i = 0; i < n && k % 4 == 1; i++)  // and those that go round as far as they may
            for (int m = 1; m < n; m += n - 2)
                S[place[i] * TOKENS + place[(i + m) % n]] =
                    S[place[(i + m) % n] * TOKENS + place[i]] = 30;
        for (int i = 0; i < n; i++) {
            size_t target = (size_t)place[(i + 1) % n];
            found += measure_argmax(S + place[i] * TOKENS, TOKENS) == target;
            nll += measure_nll(S + place[i] * TOKENS, TOKENS, target) / n;
        }
        CHECK(found < n, "a symmetric score found all %d of a cycle", n);
        CHECK(nll >= log(2) - 1e-6, "a cycle of %d: a mean -log A of %g", n, nll);
    }
}

// A name of which some questions turn and others don't is two.
static void names(void) {
    Task task = load(write_file("names.txt", "a b c\na -> b (x)\nb -> c (x)\nc -> a\n"
                                             "a b c d\na -> b (x)\nb -> a\nc -> d\n"
                                             "d c b a\nd -> c (y)\nc->b (y)\nb->a (y)\na->d (y)\n"),
                     1);
    static const char *const name[] = {"x (cycle)", "question (cycle)", "x", "question", "y"};
    CHECK_INT(task.relations.count, 5);
    for (int i = 0; i < 5; i++) {
        CHECK_STRING(task.relations.word[i], name[i]);
        CHECK_INT(task_in_cycle(&task, i), i < 2 || i == 4);
    }
    Cycles turning = task_cycles(&task);
    CHECK_INT(turning.cycles, 2);
    CHECK_INT(turning.questions, 7);
    const int relation[] = {0, 0, 1, 2, 3, 3, -1, 4, 4, 4, 4};
    for (size_t t = 0; t < 11; t++) CHECK_INT(task.train.relation[t], relation[t]);
    task_free(&task);
}

// ---- what is held out --------------------------------------------------------------------------

static int has_sentence(const Sentences *s, int word) {
    int count = 0;
    for (size_t i = 0; i < s->count; i++) count += s->feature[FEATURE_WORD][s->start[i]] == word;
    return count;
}

static void a_fifth(void) {
    const char *file = write_many("many.txt", 40);
    Task task = load(file, 1), again = load(file, 1), other = load(file, 2);
    CHECK(task.held_out.count == 8 || task.held_out.count == 7, "%zu are held out",
          task.held_out.count);
    CHECK_INT(task.train.count + task.held_out.count, 40);
    CHECK_INT(task.measured_on_training, 0);
    for (int word = 0; word < task.vocab[FEATURE_WORD].count; word++)
        CHECK(!has_sentence(&task.held_out, word) || !has_sentence(&task.train, word),
              "\"%s\" is on both sides", task.vocab[FEATURE_WORD].word[word]);
    CHECK(task_fingerprint(&task) == task_fingerprint(&again), "the same seed holds out others");
    CHECK(task_fingerprint(&task) != task_fingerprint(&other), "another seed holds out the same");
    task_free(&task);
    task_free(&again);
    task_free(&other);
}

static void too_few(void) {
    Task task = load(write_many("nine.txt", 9), 1), more = load(write_many("ten.txt", 10), 1);
    CHECK(task.measured_on_training && task.train.count == 9 && task.held_out.count == 9,
          "nine: %zu, %zu",
          task.train.count, task.held_out.count);
    CHECK(!more.measured_on_training && more.train.count + more.held_out.count == 10,
          "ten: %zu, %zu",
          more.train.count, more.held_out.count);
    task_free(&task);
    task_free(&more);
    char text[512] = "";
    for (int i = 0; i < 20; i++) strcat(text, "a b\na -> b\n");
    task = load(write_file("same.txt", text), 1);
    CHECK(task.measured_on_training && task.held_out.count == 20,
          "twenty times the same: %zu held out",
          task.held_out.count);
    task_free(&task);
}

static void describes_itself(void) {
    Task task = load(
        write_file("case.txt", "The KING slept.\nking -> the\nThe k\xC3\xB6nig .\n. -> the\n"), 1);
    CHECK_STRING(task.name, "pronoun");
    CHECK(!task.points_at_answer && task.fixed_set && !task.trains_embeddings && !task.generate,
          "it reads answers, from a fixed set");
    CHECK_INT(task.max_length, 4);
    CHECK_INT(task.vocab[FEATURE_WORD].count, 5);
    CHECK_STRING(task.vocab[FEATURE_WORD].word[1], "king");
    CHECK_STRING(task_form(&task, &task.train, 1), "KING");
    CHECK_INT(task_cycles(&task).cycles, 0);
    task_free(&task);
}

// ---- training ----------------------------------------------------------------------------------

static void train(const Setup *setup, ArmHistory *history) {
    Trainer trainer;
    trainer_init(&trainer, options_config(&setup->options), &setup->task, setup->options.arm[0]);
    trainer_run(&trainer, setup->options.steps, NULL);
    *history = record_begin(&trainer);
    history->end = evaluate(&trainer, SIZE_MAX, history);
    trainer_free(&trainer);
}

// On held-out sentences. Two thirds is what no symmetric score gets past, and `qkv` does.
static void example(void) {
    static const char *const arm[] = {"sym", "tied", "qkv"};
    for (int seed = 1; seed <= 3; seed++)
        for (int k = 0; k < 3; k++) {
            char command[128];
            Setup setup;
            ArmHistory history;
            snprintf(command, sizeof command,
                     "train --sentences " EXAMPLE " --steps 300 --seed %d --arms %s", seed, arm[k]);
            setup_open(&setup, command);
            CHECK(!setup.task.measured_on_training && setup.task.held_out.count >= 10,
                  "%zu are held out",
                  setup.task.held_out.count);
            train(&setup, &history);
            double found = history.cycle_attention_accuracy, nll = history.end.attention_nll;
            if (k < 2)
                CHECK(found < 0.6 && nll >= log(2), "%s: attention accuracy %g, NLL %g", command,
                      found, nll);
            else
                CHECK(found > 0.7 && nll < 1, "%s: attention accuracy %g, NLL %g", command, found,
                      nll);
            free(history.relation);
            free(history.layer_of);
            setup_close(&setup);
        }
}

// ---- the program -------------------------------------------------------------------------------

static const char *run(int expected, const char *arguments) {
    int status;
    const char *said =
        test_command(&status, "COLUMNS=80 LC_ALL=C.UTF-8 %s %s", test_train(), arguments);
    CHECK(status == expected, "%s: expected status %d, got %d: %.2000s", arguments, expected,
          status, said);
    return said;
}

#define HAS(said, part) CHECK(strstr(said, part), "expected \"%s\", got \"%.3000s\"", part, said)

static void a_run(void) {
    char text[600], file[300], *out = strdup(test_fresh("own"));
    strcpy(file, write_file("four.txt", "A b c d\na -> b | b -> c | c -> d | d -> a\n"
                                        "b c d a\nb -> d | d -> a | a -> b (x)\nc -> d (y)\n"));
    snprintf(text, sizeof text,
             "pronoun --sentences %s --steps 60 --quiet --arms sym,qk,qkv --out %s", file, out);
    const char *said = run(0, text);
    HAS(said, "four.txt: 2 sentences, too few to hold any out: trained on and measured on\n");
    HAS(said, "\nquestion *  ");
    HAS(said, "\nx *  ");
    HAS(said, "\ny    ");
    HAS(said, "71.4%");  // 5 of the 7 that lie in cycles
    char flat[4096];
    snprintf(flat, sizeof flat, "%s", said);
    for (char *c = flat; *c; c++) if (*c == '\n') *c = ' ';
    HAS(flat, "This was measured on what it was trained on, as the sentences are too few to hold "
              "any out.");
    static char noted[1 << 20];
    snprintf(text, sizeof text, "%s/snapshots.json", out);
    noted[test_read(text, (unsigned char *)noted, sizeof noted - 1)] = '\0';
    HAS(noted, "\"user_sentences\": true,\n  \"measured_on_training\": true");
    snprintf(text, sizeof text, "show %s/qkv.safetensors", out);
    HAS(run(0, text), "four.txt; it was trained on, too)");
    snprintf(text, sizeof text, "show %s/qkv.safetensors 'D c b | c -> ?'", out);
    HAS(run(0, text), "\nc     ?      ");
    snprintf(text, sizeof text, "show %s/qkv.safetensors 'D c b | c -> ? (x)'", out);
    HAS(run(0, text), "\nc     x *       ?      ");
    snprintf(text, sizeof text, "show %s/qkv.safetensors 'a b c | c -> d'", out);
    HAS(run(2, text), "sentence:1:14: \"d\" isn't in the sentence; expected a word of: a b c\n");
    snprintf(text, sizeof text, "show %s/qkv.safetensors a e", out);
    HAS(run(2, text), "\"e\" is unknown to the model; it knows 4: a, b, c, d\n");
    snprintf(text, sizeof text, "show %s/qkv.safetensors a b c d a", out);
    HAS(run(2, text), "5 words; the model was made for at most 4\n");
    snprintf(text, sizeof text, "show %s/qkv.safetensors a b", out);
    HAS(run(0, text), "these words ask nothing; to ask, add questions");
    free(out);
}

static void resumed(void) {
    char go[700], file[300], *out = strdup(test_fresh("own-resumed"));
    strcpy(file, write_file("resumed.txt", "a b c d\na -> b\nc -> d\n"));
    snprintf(go, sizeof go,
             "pronoun --sentences %s --quiet --no-report --arms qkv --out %s --steps ", file, out);
    char text[800];
    snprintf(text, sizeof text, "%s5", go);
    run(0, text);
    snprintf(text, sizeof text, "%s9 --resume", go);
    run(0, text);
    write_file("resumed.txt",
               "# a comment, and another layout, change nothing\na b c d | a -> b | c -> d\n");
    snprintf(text, sizeof text, "%s12 --resume", go);
    run(0, text);
    write_file("resumed.txt", "a b c d\na -> b\nc -> a\n");
    HAS(run(2, text), "qkv.safetensors: training data 1 sentences, fingerprint ");
    write_file("resumed.txt", "a b c e\na -> b\nc -> e\n");
    HAS(run(2, text), "qkv.safetensors: training data 1 sentences, fingerprint ");
    free(out);
}

static void swept(void) {
    char text[600], file[300], *out = strdup(test_fresh("own-sweep"));
    strcpy(file, write_many("swept.txt", 12));
    snprintf(text, sizeof text,
             "sweep pronoun --sentences %s --steps 3 --seeds 1:2 --arms sym,qkv --out %s", file,
             out);
    HAS(run(0, text), "sweep.csv: 4 of 4 runs\n");
    write_file("swept.txt", "a b\na -> b\n");
    HAS(run(2, text), "another sweep, which differs in \"sentences bytes\"");
    write_file("swept.txt", "a b\n");
    HAS(run(2, text), "swept.txt:1:1: a sentence without a question");
    HAS(run(2, "heads --sentences x"),
        "train: --sentences belongs to pronoun, and the task is heads\n");
    HAS(run(2, "--sentences"), "train: --sentences needs a value: FILE\n");
    free(out);
}

static void from_a_pipe(void) {
    int status;
    const char *said =
        test_command(&status,
                     "printf 'a b\\na -> b\\n' | %s pronoun --sentences /dev/stdin --steps 2 "
                     "--quiet --no-report --out %s",
                     test_train(), test_fresh("own-pipe"));
    CHECK(!status && strstr(said, "/dev/stdin: 1 sentence, "), "status %d, \"%s\"", status, said);
}

// What the README shows is such a file.
static void readme(void) {
    static char all[1 << 17], text[1 << 10];
    all[test_read("README.md", (unsigned char *)all, sizeof all - 1)] = '\0';
    const char *at = strstr(all, "\n## Your own sentences\n"), *line;
    CHECK(at, "README.md has no such section");
    for (line = strstr(at, "\n    # "); line && !strncmp(line, "\n    ", 5);
         line = strchr(line + 1, '\n'))
        strncat(text, line + 5, strcspn(line + 5, "\n") + 1);
    Parsed w;
    char error[512] = "";
    CHECK(question_file_read(&w, write_file("readme.txt", text), error), "%s\n%s", error,
          text);
    CHECK_INT(w.count, 2);
    parsed_free(&w);
}

void tests_user_sentences(void) {
    test("cycles of three questions or more are found, pairs are none", cycles_by_hand);
    test("no symmetric score finds a cycle of any length, or has a mean -log A below ln 2",
         cycles_of_any_length);
    test("user sentences: a name whose questions lie now in a cycle, now in none, is two", names);
    test("user sentences: a fifth is held out, by seed, and equal ones stay together", a_fifth);
    test("user sentences: fewer than ten are all measured on", too_few);
    test("user sentences: capitals are kept for the eye alone", describes_itself);
    test("user sentences: in the example qkv goes round the cycle, and nothing symmetric does",
         example);
    test("user sentences: a run and what it shows", a_run);
    test("user sentences: a changed file is noticed, another layout isn't", resumed);
    test("user sentences: a sweep over them", swept);
    test("user sentences: from a pipe", from_a_pipe);
    test("user sentences: the README's example is read", readme);
}
