#ifndef DATA_SENTENCES_H
#define DATA_SENTENCES_H

#include <stddef.h>

// What is known of a token. Each feature is an id in a vocabulary of its own (Task.vocab). A term
// is what stands in a query of `search`.
enum { FEATURE_WORD, FEATURE_TAG, FEATURE_SUFFIX, FEATURE_SHAPE, FEATURE_TERM, FEATURES };

// Sentences and their questions, token after token in flat arrays.
// A token that asks something has a target, the token (counted from 0 within its sentence) that
// answers, and a relation, the kind of the question; one that asks nothing has -1 for both.
typedef struct Sentences {
    size_t count, tokens;                 // in use
    size_t count_capacity, token_capacity;
    size_t *start;                        // (count + 1) sentence i is tokens
                                          // start[i] .. start[i+1] - 1
    int *feature[FEATURES];               // (tokens)
    int *target;                          // (tokens)
    int *relation;                        // (tokens)
    const char **form;                    // (tokens) as it was written; not
                                          // owned, NULL: see vocabulary
} Sentences;

// One token, as a reader or a generator appends it.
typedef struct Token {
    int feature[FEATURES];
    int target, relation;
    const char *form;
} Token;

void sentences_append(Sentences *s, const Token *token);  // adds to the sentence that is open
void sentences_end(Sentences *s);                         // closes it; an empty one is not kept
void sentences_clear(Sentences *s);                       // forgets all, keeps the memory
void sentences_free(Sentences *s);
int sentences_length(const Sentences *s, size_t i);       // tokens of sentence i

// A batch: some sentences side by side, padded at the end to the longest of them.
typedef struct Batch {
    int B, L;                 // sentences, tokens a sentence; their
                              // product fits an int (tasks_steps)
    int *length;              // (B)    tokens before padding, 1 to L
    int *feature[FEATURES];   // (B, L) ids, 0 where padded
    int *target;              // (B, L) the token that answers; -1 where none does, or padded
    int *answer;              // (B, L) id of the right word; -1 where nothing is asked or padded
    int *relation;            // (B, L) the same
    size_t capacity, rows;    // ints allocated for each (B, L) array and for length
} Batch;

// Fills `batch` with sentences which[0] .. which[B-1] of `s`. L is the longest of them or
// `at_least`, whichever is more.
void batch_fill(Batch *batch, const Sentences *s, const size_t *which, int B, int at_least);
void batch_answer(Batch *batch);   // answer = the word of the target
void batch_reserve(Batch *batch);  // memory for B and L as they are set
Batch batch_rows(const Batch *batch, int from, int to);  // sentences from .. to - 1,
                                                         // not copied: not to be freed
void batch_free(Batch *batch);

#endif
