#ifndef TESTS_EXERCISES_AGREEMENT_H
#define TESTS_EXERCISES_AGREEMENT_H

// The words of exercise 12: [0] singular, [1] plural.
enum { AGREE_NOUNS = 6, AGREE_VERBS = 4, AGREE_PLACES = 3 };

static const char *const agree_noun[2][AGREE_NOUNS] = {
    {"key", "cabinet", "boat", "house", "tree", "picture"},
    {"keys", "cabinets", "boats", "houses", "trees", "pictures"},
};
static const char *const agree_verb[2][AGREE_VERBS] = {
    {"is", "was", "stands", "falls"},
    {"are", "were", "stand", "fall"},
};
static const char *const agree_place[AGREE_PLACES] = {"near", "behind", "under"};

#endif
