#ifndef DATA_QUESTION_FILE_H
#define DATA_QUESTION_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    WRITTEN_MOST_WORDS = 128,  // of a sentence
    WRITTEN_NAME = 32 * 4      // bytes of a question's name: 32 characters
};

// One word of a sentence that somebody wrote down. The strings are parts of Written.text; none is
// empty.
typedef struct WrittenWord {
    const char *form;
    const char *relation;  // the name of its question, or NULL
    int target;            // the word of its sentence, from 0, that answers; -1: it asks nothing
    int line;              // where it asks, from 1
} WrittenWord;

typedef struct Written {
    size_t sentences, words;               // in use
    size_t sentence_capacity, word_capacity;
    size_t *start;                         // (sentences + 1) sentence i: start[i] .. start[i+1] - 1
    WrittenWord *word;                     // (words)
    char *text;                            // owned
    int open;                              // of a typed sentence: the word that asks "?", or -1
} Written;

// Reads a whole file (the form stands in written.c). Each of its sentences asks something. False:
// `error` is one line, "FILE:LINE:COLUMN: what was found; what was expected", and nothing is left.
bool written_read(Written *written, const char *file, char *error, size_t error_size);

// The same of one sentence that was typed. It may ask nothing, and one of its words "?".
bool written_typed(Written *written, const char *text, char *error, size_t error_size);
void written_free(Written *written);

#endif
