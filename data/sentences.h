#ifndef DATA_SENTENCES_H
#define DATA_SENTENCES_H

#include <stddef.h>

// What is known of a token. Each feature is an id in a vocabulary of its own (Task.vocab). A term
// is what a query of `search` consists of. A question is what a token asks, where `coref --shared`
// may ask a word more than one.
enum {
    FEATURE_WORD, FEATURE_TAG, FEATURE_SUFFIX, FEATURE_SHAPE, FEATURE_DEPREL, FEATURE_AGREEMENT,
    FEATURE_QUESTION, FEATURE_TERM, FEATURES
};

// Sentences and their questions, token after token in flat arrays. A token that asks something has
// a target, the token of its sentence (from 0) that answers, and a relation, the kind of the
// question. A token that asks nothing has -1 for both.
typedef struct Sentences {
    size_t count, tokens;                 // ended sentences; tokens, with those of the open one
    size_t *start;                        // (count + 1) sentence i: start[i] .. start[i+1] - 1
    int *feature[FEATURES];               // (tokens)
    int *target;                          // (tokens)
    int *relation;                        // (tokens)
    int *alike;                           // (tokens) 1: it answers the sentence's question as well
                                          // as the target does (Task.alike); else 0
    const char **form;                    // (tokens) as it is written, not owned; NULL: as in the
                                          // vocabulary
} Sentences;

// One token, as a reader or a generator appends it.
typedef struct Token {
    int feature[FEATURES];
    int target, relation, alike;
    const char *form;
} Token;

void sentences_append(Sentences *s, const Token *token);  // adds to the open sentence
void sentences_end(Sentences *s);                         // ends it; an empty one is not kept
void sentences_clear(Sentences *s);
void sentences_free(Sentences *s);
int sentences_length(const Sentences *s, size_t i);       // tokens of sentence i

// Gives `start` with one sentence more, which reaches up to the item `end`, unless it is empty. For
// Sentences and Parsed.
size_t *sentences_start(size_t *start, size_t *count, size_t end);

// Sorts the n sentences of `which`, the shortest first. Equally long ones keep their order.
void sentences_sort(const Sentences *s, size_t n, size_t *which);

#endif
