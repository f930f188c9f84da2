// Vocabularies: ids, counts, growth.
#include "data/vocab.h"

#include <string.h>

#include "test.h"

static void ids_in_order(void) {
    Vocab v = {0};
    CHECK_INT(vocab_add(&v, "the"), 0);
    CHECK_INT(vocab_add(&v, "aunt"), 1);
    CHECK_INT(vocab_add(&v, "the"), 0);
    CHECK_INT(vocab_add(&v, "dog"), 2);
    CHECK_INT(v.count, 3);
    CHECK_STRING(v.word[1], "aunt");
    vocab_free(&v);
}

static void counts(void) {
    Vocab v = {0};
    for (int i = 0; i < 5; i++) vocab_add(&v, "the");
    vocab_add(&v, "aunt");
    vocab_find(&v, "aunt");
    CHECK_INT((long long)v.occurrences[0], 5);
    CHECK_INT((long long)v.occurrences[1], 1);
    vocab_free(&v);
}

static void unknown_strings(void) {
    Vocab v = {0};
    CHECK_INT(vocab_find(&v, "the"), -1);
    vocab_add(&v, "then");
    CHECK_INT(vocab_find(&v, "the"), -1);
    CHECK_INT(vocab_find(&v, "thence"), -1);
    CHECK_INT(vocab_find(&v, ""), -1);
    CHECK_INT(v.count, 1);
    vocab_free(&v);
}

static void slices(void) {
    Vocab v = {0};
    CHECK_INT(vocab_add_n(&v, "nsubj:pass", 5), 0);
    CHECK_STRING(v.word[0], "nsubj");
    CHECK_INT(vocab_find(&v, "nsubj"), 0);
    CHECK_INT(vocab_find_n(&v, "nsubj:outer", 5), 0);
    CHECK_INT(vocab_find_n(&v, "nsubj", 4), -1);
    CHECK_INT(vocab_add_n(&v, "", 0), 1);
    CHECK_INT(vocab_find(&v, ""), 1);
    vocab_free(&v);
}

static void owned_copies(void) {
    Vocab v = {0};
    char word[] = "dog";
    vocab_add(&v, word);
    word[0] = 'f';
    CHECK_INT(vocab_find(&v, "dog"), 0);
    CHECK_INT(vocab_find(&v, "fog"), -1);
    vocab_free(&v);
}

static void many(void) {
    enum { N = 100000 };
    Vocab v = {0};
    char word[32];
    for (int i = 0; i < N; i++) {
        snprintf(word, sizeof word, "word%d", i);
        CHECK_INT(vocab_add(&v, word), i);
    }
    CHECK_INT(v.count, N);
    CHECK(v.capacity >= v.count && (v.capacity & (v.capacity - 1)) == 0,
          "buckets: expected a power of two from %d, got %d", v.count, v.capacity);
    for (int i = 0; i < N; i++) {
        snprintf(word, sizeof word, "word%d", i);
        CHECK_INT(vocab_find(&v, word), i);
        CHECK_STRING(v.word[i], word);
        CHECK_INT((long long)v.occurrences[i], 1);
    }
    vocab_free(&v);
}

static void freed(void) {
    Vocab v = {0};
    vocab_add(&v, "dog");
    vocab_free(&v);
    CHECK_INT(v.count, 0);
    CHECK_INT(vocab_find(&v, "dog"), -1);
    CHECK_INT(vocab_add(&v, "cat"), 0);
    vocab_free(&v);
    vocab_free(&v);
}

void tests_vocab(void) {
    test("a vocabulary numbers strings in the order in which they come", ids_in_order);
    test("a vocabulary counts how often a string was added, not how often it was found", counts);
    test("a vocabulary finds no string that it doesn't have, nor a beginning of one",
         unknown_strings);
    test("a vocabulary takes and finds slices of a string, the empty one too", slices);
    test("a vocabulary owns its strings", owned_copies);
    test("a vocabulary of 100,000 strings still knows each by its id", many);
    test("a freed vocabulary is empty and may be used or freed again", freed);
}
