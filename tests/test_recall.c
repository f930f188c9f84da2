// The task recall: what its sequences hold, what may be typed, and where the arms must fail.
#include <string.h>

#include "setup.h"
#include "test.h"

enum { PAIRS = 5 };

static const char *form(const Task *task, const Sentences *s, int token) {
    return task_form(task, s, s->start[0] + (size_t)token);
}

// A sequence, word by word.
static const char *written(const Task *task, const Sentences *s, size_t i) {
    static char text[1024];
    size_t used = 0;
    for (int t = 0; t < sentences_length(s, i); t++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", t ? " " : "",
                                 task_form(task, s, s->start[i] + (size_t)t));
    return text;
}

// Each key stands once among the pairs and once among the questions, and is answered by its value.
// Gives how many questions stand where their pairs do.
static int check_sequence(const Task *task, size_t i, bool separate) {
    const Sentences *s = &task->held_out;
    int each = separate ? 2 : 1, asked[PAIRS] = {0}, in_place = 0;
    CHECK_INT(sentences_length(s, i), PAIRS * (each + 1));
    for (int q = 0; q < PAIRS; q++) {
        size_t row = s->start[i] + (size_t)(PAIRS * each + q);
        int target = s->target[row], pair = target / each;
        CHECK(pair >= 0 && pair < PAIRS && target % each == each - 1, "target %d", target);
        CHECK_INT(s->relation[row], 0);
        asked[pair]++;
        in_place += pair == q;
        const char *asks = task_form(task, s, row);
        const char *key = task_form(task, s, s->start[i] + (size_t)(pair * each));
        size_t n = strlen(asks) - !separate;  // less "?"
        CHECK(!strncmp(asks, key, n) && key[n] == (separate ? '\0' : ':'),
              "%s asks for the pair %s", asks, key);
    }
    for (int p = 0; p < PAIRS; p++) CHECK(asked[p] == 1, "pair %d: asked %d times", p, asked[p]);
    for (int t = 0; t < PAIRS * each; t++) CHECK_INT(s->target[s->start[i] + (size_t)t], -1);
    return in_place;
}

static void each_key_is_asked_once(void) {
    for (int separate = 0; separate < 2; separate++) {
        Setup s;
        int in_place = 0;
        setup_open(&s, separate ? "train recall --pairs 5 --separate" : "train recall --pairs 5");
        CHECK_INT(s.task.held_out.count, 256);
        for (size_t i = 0; i < s.task.held_out.count; i++)
            in_place += check_sequence(&s.task, i, separate);
        CHECK(in_place > 176 && in_place < 336, "%d in place, expected about 256", in_place);
        setup_close(&s);
    }
}

// The same seed gives the same sequences, another one others.
static void sequences_come_from_the_seed(void) {
    static const char *const command[] = {
        "train recall --pairs 64 --held-out 2", "train recall --pairs 64 --held-out 2 --separate"};
    for (int k = 0; k < 2; k++) {
        char line[100], first[1024];
        Setup s[3];
        for (int i = 0; i < 3; i++) {
            snprintf(line, sizeof line, "%s --seed %d", command[k], i / 2 + 4);
            setup_open(&s[i], line);
        }
        strcpy(first, written(&s[0].task, &s[0].task.held_out, 1));
        CHECK_STRING(written(&s[1].task, &s[1].task.held_out, 1), first);
        CHECK(strcmp(written(&s[2].task, &s[2].task.held_out, 1), first), "seed 5: %s", first);
        for (int i = 0; i < 3; i++) setup_close(&s[i]);
    }
}

// A value says nothing of its key.
static void values_are_independent_of_keys(void) {
    Setup s;
    int count[80][2] = {{0}};
    setup_open(&s, "train recall --held-out 4000");
    const Sentences *all = &s.task.held_out;
    for (size_t t = 0; t < all->tokens; t++)
        if (all->target[t] < 0)
            count[all->feature[FEATURE_TAG][t]][all->feature[FEATURE_WORD][t] < 32]++;
    for (int k = 0; k < 80; k++)
        CHECK_NEAR(count[k][1] / (double)(count[k][0] + count[k][1]), 0.5, 0.12);
    setup_close(&s);
}

// ---- what is typed -----------------------------------------------------------------------------

static void what_is_generated_can_be_typed(void) {
    for (int separate = 0; separate < 2; separate++) {
        Setup s;
        Example e = {0};
        char error[TASK_ERROR];
        setup_open(&s, separate ? "train recall --separate" : "train recall");
        const Sentences *all = &s.task.held_out;
        CHECK(recall_typed(&e, &s.task, written(&s.task, all, 0), error), "%s", error);
        CHECK_INT(sentences_length(&e.sentences, 0), sentences_length(all, 0));
        for (size_t t = 0; t < e.sentences.tokens; t++) {
            CHECK_INT(e.sentences.target[t], all->target[t]);
            CHECK_INT(e.sentences.relation[t], all->relation[t]);
            CHECK_INT(e.sentences.feature[FEATURE_TAG][t], all->feature[FEATURE_TAG][t]);
            CHECK_INT(e.sentences.feature[FEATURE_WORD][t], all->feature[FEATURE_WORD][t]);
        }
        example_free(&e);
        setup_close(&s);
    }
}

// "ba:17" is the pair "ba 17" where key and value are two tokens. By hand: be asks for token 3.
static void a_pair_may_be_one_word_or_two(void) {
    static const char *const text[] = {"ba:17 be:4 be? ba", "ba 17 be:4 be ba?"};
    static const char *const forms[] = {"ba", "17", "be", "4", "be", "ba"};
    static const int target[] = {-1, -1, -1, -1, 3, 1}, id[] = {0, 96, 1, 83, 1, 0};
    Setup s;
    setup_open(&s, "train recall --separate");
    for (int k = 0; k < 2; k++) {
        Example e = {0};
        char error[TASK_ERROR];
        CHECK(recall_typed(&e, &s.task, text[k], error), "%s", error);
        CHECK_INT(e.sentences.tokens, 6);
        for (int t = 0; t < 6; t++) {
            CHECK_STRING(form(&s.task, &e.sentences, t), forms[t]);
            CHECK_INT(e.sentences.target[t], target[t]);
            CHECK_INT(e.sentences.feature[FEATURE_WORD][t], id[t]);
            CHECK_INT(e.batch.answer[t], target[t] < 0 ? -1 : id[target[t]]);
        }
        example_free(&e);
    }
    setup_close(&s);
}

#define EXPECTED "expected pairs, then keys, as in \"ba:17 ko:4 ko? ba?\""
#define OF_RECALL "\": " EXPECTED " (the model is of the task recall)"

static void check_refused(const char *command, const char *text, const char *unknown,
                          const char *expected) {
    Setup s;
    Example e = {0};
    char error[TASK_ERROR] = "";
    setup_open(&s, command);
    CHECK(!recall_typed(&e, &s.task, text, error), "\"%s\" is not refused", text);
    CHECK_STRING(e.unknown ? e.unknown : "", unknown);
    CHECK_STRING(error, expected);
    example_free(&e);
    setup_close(&s);
}

static void what_is_refused(void) {
    static const struct { const char *text, *unknown, *error; } row[] = {
        {"", "", "an empty sentence; expected 1 to 12 tokens"},
        {"17", "", "\"17" OF_RECALL}, {":4 ba?", "", "\":4" OF_RECALL},
        {"ba:17 ?", "", "\"?" OF_RECALL}, {"ba: ba?", "", "\"ba:" OF_RECALL},
        {"ba:17 ba?x", "", "\"ba?x" OF_RECALL}, {"ba:? ba?", "", "\"ba:?" OF_RECALL},
        {"ba:17 ba:4", "", "two pairs have the key of \"ba:4\"; expected different keys"},
        {"ba:17", "", "no key is asked for after its pair; " EXPECTED},
        {"ba? ba:17", "", "no key is asked for after its pair; " EXPECTED},
        {"qu:17 qu?", "qu", ""}, {"ba:65 ba?", "65", ""},
        {"ba:1 ba ba ba ba ba ba ba ba ba ba ba ba ba", "",
         "14 tokens; the model was made for at most 12"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        check_refused("train recall --pairs 6", row[i].text, row[i].unknown, row[i].error);
        bool longest = strstr(row[i].error, " tokens; ");
        if (!longest)
            check_refused("train recall --pairs 4 --separate", row[i].text, row[i].unknown,
                          row[i].error);
    }
    check_refused("train recall", "ba 17 ba", "", "\"17" OF_RECALL);
}

static void a_key_without_its_pair_asks_nothing(void) {
    Setup s;
    Example e = {0};
    char error[TASK_ERROR];
    setup_open(&s, "train recall");
    CHECK(recall_typed(&e, &s.task, "ba:17 be? ba?", error), "%s", error);
    CHECK_STRING(e.note, "a key without its pair asks nothing");
    CHECK_INT(e.sentences.target[1], -1);
    CHECK_INT(e.sentences.target[2], 0);
    example_free(&e);
    setup_close(&s);
}

// ---- what is learned ---------------------------------------------------------------------------

static double answered(const char *command, const char *arm) {
    Setup s;
    Trainer t;
    setup_open(&s, command);
    trainer_init(&t, options_config(&s.options), &s.task, arm_find(arm));
    trainer_run(&t, s.options.steps, NULL);
    double share = evaluate(&t, SIZE_MAX, NULL).accuracy;
    trainer_free(&t);
    setup_close(&s);
    return share;
}

static void a_key_that_is_the_value(void) {
    double kv = answered("train recall --steps 400", "kv");
    double qkv = answered("train recall --steps 400", "qkv");
    CHECK(kv < 0.5, "at d_k 4 kv answered %g; expected less than 0.5", kv);
    CHECK(qkv > 0.98, "at d_k 4 qkv answered %g; expected more than 0.98", qkv);
}

// It can but guess one of the four values that it has seen.
static void one_layer_cannot_tell_separate_values_apart(void) {
    double one = answered("train recall --pairs 4 --separate --layers 1 --steps 300", "qkv");
    CHECK(one < 0.4, "one layer answered %g of four separate pairs; expected less than 0.4", one);
}

void tests_recall(void) {
    test("recall asks for each key once, after its pair", each_key_is_asked_once);
    test("recall: the seed says what the sequences are", sequences_come_from_the_seed);
    test("recall has values that say nothing of keys", values_are_independent_of_keys);
    test("recall: what is generated can be typed", what_is_generated_can_be_typed);
    test("recall: a pair of separate tokens is typed as one word or two",
         a_pair_may_be_one_word_or_two);
    test("recall says what is wrong with what was typed", what_is_refused);
    test("recall: a key without its pair asks nothing", a_key_without_its_pair_asks_nothing);
    test("recall: at d_k 4 the key can't also be the value", a_key_that_is_the_value);
    test("recall: one layer can't answer where key and value are two tokens",
         one_layer_cannot_tell_separate_values_apart);
}
