// Sentences, batches, and the memory they grow in.
#include "autograd/fatal.h"
#include "data/sentences.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "test.h"
#include "data/task.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

// Appends n tokens, all values told apart: feature f of token t is first + 10 t + f.
static void add(Sentences *s, int n, int first) {
    for (int t = 0; t < n; t++) {
        Token token = {.target = n - 1 - t, .relation = first + t, .form = t ? NULL : "first"};
        for (int f = 0; f < FEATURES; f++) token.feature[f] = first + 10 * t + f;
        sentences_append(s, &token);
    }
    sentences_end(s);
}

static void keeps_tokens(void) {
    Sentences s = {0};
    add(&s, 3, 100);
    add(&s, 1, 200);
    add(&s, 5, 300);
    CHECK_INT((long long)s.count, 3);
    CHECK_INT((long long)s.tokens, 9);
    CHECK_INT(sentences_length(&s, 0), 3);
    CHECK_INT(sentences_length(&s, 1), 1);
    CHECK_INT(sentences_length(&s, 2), 5);
    size_t t = s.start[2] + 4;
    CHECK_INT(s.feature[FEATURE_SHAPE][t], 340 + FEATURE_SHAPE);
    CHECK_INT(s.target[t], 0);
    CHECK_INT(s.relation[t], 304);
    CHECK_STRING(s.form[s.start[1]], "first");
    CHECK(!s.form[t], "a form: expected NULL, got \"%s\"", s.form[t]);
    sentences_free(&s);
}

static void no_empty_sentence(void) {
    Sentences s = {0};
    sentences_end(&s);
    CHECK_INT((long long)s.count, 0);
    add(&s, 2, 1);
    sentences_end(&s);
    sentences_end(&s);
    CHECK_INT((long long)s.count, 1);
    sentences_free(&s);
}

static void grows(void) {
    Sentences s = {0};
    for (int i = 0; i < 5000; i++) add(&s, 1 + i % 7, i);
    CHECK_INT((long long)s.count, 5000);
    for (size_t i = 0; i < s.count; i++) {
        CHECK_INT(sentences_length(&s, i), 1 + (int)i % 7);
        CHECK_INT(s.feature[FEATURE_TAG][s.start[i]], (int)i + FEATURE_TAG);
    }
    sentences_free(&s);
}

static void clears(void) {
    Sentences s = {0};
    add(&s, 3, 100);
    sentences_append(&s, &(Token){.target = -1});
    sentences_clear(&s);
    CHECK_INT((long long)s.count, 0);
    CHECK_INT((long long)s.tokens, 0);
    add(&s, 2, 7);
    CHECK_INT(sentences_length(&s, 0), 2);
    CHECK_INT(s.feature[FEATURE_WORD][0], 7);
    sentences_free(&s);
    CHECK(!s.start && !s.count && !s.tokens, "freed sentences are not empty");
    sentences_free(&s);
}

static void batch_pads(void) {
    Sentences s = {0};
    add(&s, 3, 100);
    add(&s, 1, 200);
    add(&s, 4, 300);
    Batch batch = {0};
    const size_t which[] = {2, 1, 2};
    batch_fill(&batch, &s, which, 3, 0);
    CHECK_INT(batch.B, 3);
    CHECK_INT(batch.L, 4);
    CHECK_INT(batch.length[0], 4);
    CHECK_INT(batch.length[1], 1);
    for (int f = 0; f < FEATURES; f++) {
        CHECK_INT(batch.feature[f][3], 330 + f);
        CHECK_INT(batch.feature[f][4], 200 + f);
        for (int i = 5; i < 8; i++) CHECK_INT(batch.feature[f][i], 0);
        CHECK_INT(batch.feature[f][8], 300 + f);
    }
    CHECK_INT(batch.target[0], 3);
    CHECK_INT(batch.relation[4], 200);
    for (int i = 5; i < 8; i++) {
        CHECK_INT(batch.target[i], -1);
        CHECK_INT(batch.relation[i], -1);
    }
    batch_free(&batch);
    sentences_free(&s);
}

static void batch_at_least(void) {
    Sentences s = {0};
    add(&s, 3, 100);
    Batch batch = {0};
    const size_t which[] = {0, 0};
    batch_fill(&batch, &s, which, 2, 6);
    CHECK_INT(batch.L, 6);
    CHECK_INT(batch.length[1], 3);
    CHECK_INT(batch.target[11], -1);
    CHECK_INT(batch.feature[FEATURE_WORD][6], 100);
    batch_fill(&batch, &s, which, 2, 2);
    CHECK_INT(batch.L, 3);
    batch_free(&batch);
    sentences_free(&s);
}

// A tall batch after a wide one: B and L grow apart, and no array may lag behind.
static void batch_reused(void) {
    Sentences s = {0};
    add(&s, 50, 100);
    add(&s, 2, 200);
    Batch batch = {0};
    const size_t wide[] = {0}, tall[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (int round = 0; round < 2; round++) {
        batch_fill(&batch, &s, wide, 1, 0);
        CHECK_INT(batch.feature[FEATURE_WORD][49], 590);
        batch_fill(&batch, &s, tall, 10, 0);
        CHECK_INT(batch.L, 2);
        CHECK_INT(batch.length[9], 2);
        CHECK_INT(batch.target[19], 0);
    }
    batch_free(&batch);
    CHECK(!batch.length && !batch.capacity, "a freed batch is not empty");
    batch_free(&batch);
    sentences_free(&s);
}

// Three of the first sentence's tokens ask: the second for the next, the fourth for the previous,
// the last for the root, which counts as its next.
static void baselines(void) {
    Sentences s = {0};
    const int target[] = {-1, 2, -1, 2, 0};
    for (int i = 0; i < 5; i++) sentences_append(&s, &(Token){.target = target[i], .relation = 0});
    sentences_end(&s);
    Baselines b = task_baselines(&s);
    CHECK_NEAR(b.previous, 1 / 3.0, 1e-12);
    CHECK_NEAR(b.next, 2 / 3.0, 1e-12);
    sentences_append(&s, &(Token){.target = -1, .relation = -1});
    sentences_append(&s, &(Token){.target = 0, .relation = 0});  // previous and next at once
    sentences_end(&s);
    b = task_baselines(&s);
    CHECK_NEAR(b.previous, 2 / 4.0, 1e-12);
    CHECK_NEAR(b.next, 3 / 4.0, 1e-12);
    sentences_clear(&s);
    b = task_baselines(&s);
    CHECK_NEAR(b.previous + b.next, 0, 0);
    sentences_free(&s);
}

static void forms(void) {
    Task task = {0};
    vocab_add(&task.vocab[FEATURE_WORD], "zero");
    vocab_add(&task.vocab[FEATURE_WORD], "one");
    sentences_append(&task.train, &(Token){.feature = {1}});
    sentences_append(&task.train, &(Token){.feature = {1}, .form = "One"});
    sentences_end(&task.train);
    CHECK_STRING(task_form(&task, &task.train, 0), "one");
    CHECK_STRING(task_form(&task, &task.train, 1), "One");
    task_free(&task);
    CHECK_INT(task.vocab[FEATURE_WORD].count, 0);
    task_free(&task);
}

// With 32-bit addresses a quarter of them might be available.
static void ask_too_much(void *size) {
    struct rlimit few = {1 << 28, 1 << 28};
    if (SIZE_MAX <= UINT32_MAX) setrlimit(RLIMIT_AS, &few);
    void *memory = grow(NULL, SIZE_MAX / 4, *(size_t *)size);
    free(memory);
}

static void overflow(void) {
    int status;
    size_t size = 8;  // SIZE_MAX / 4 * 8 would come out as a little less than SIZE_MAX
    char expected[128];
    snprintf(expected, sizeof expected, "train: out of memory: %zu times 8 bytes were asked for\n",
             SIZE_MAX / 4);
    CHECK_STRING(test_stderr_of(ask_too_much, &size, &status), expected);
    CHECK_INT(status, 1);
}

static void no_memory(void) {
    if (SANITIZED) test_skip("the sanitizer ends a program that asks for so much");
    int status;
    size_t size = 1;
    char expected[128];
    snprintf(expected, sizeof expected, "train: out of memory: %zu times 1 bytes were asked for\n",
             SIZE_MAX / 4);
    CHECK_STRING(test_stderr_of(ask_too_much, &size, &status), expected);
    CHECK_INT(status, 1);
}

static void no_bytes(void) {
    void *memory = grow(NULL, 0, 8);
    CHECK(memory, "expected memory, got NULL");
    memory = grow(memory, 0, 8);
    CHECK(memory, "expected memory, got NULL");
    free(memory);
}

void tests_sentences(void) {
    test("sentences keep their tokens, features, targets, relations and forms", keeps_tokens);
    test("a sentence without tokens is not kept", no_empty_sentence);
    test("5,000 sentences keep their lengths and tokens", grows);
    test("cleared sentences hold nothing, not even the open one", clears);
    test("a batch is padded to its longest sentence with id 0, target and relation -1", batch_pads);
    test("a batch is at least as long as was asked for", batch_at_least);
    test("a batch may be filled again with more sentences or longer ones", batch_reused);
    test("the previous and the next word are answers by rote; past the last comes the root",
         baselines);
    test("a token is shown as it was written, or else by its vocabulary", forms);
    test("memory of more bytes than can be counted ends the program with one line", overflow);
    test("memory that runs out ends the program with one line", no_memory);
    test("growing to nothing gives memory all the same", no_bytes);
}
