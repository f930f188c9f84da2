#ifndef DATA_QUESTION_FILE_H
#define DATA_QUESTION_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    QUESTION_MOST_WORDS = 128,  // of a sentence
    QUESTION_NAME = 32 * 4      // bytes of a question's name: 32 characters
};

// One word of a sentence that somebody wrote down. The strings are parts of QuestionFile.text; none is
// empty.
typedef struct QuestionWord {
    const char *form;
    const char *relation;  // the name of its question, or NULL
    int target;            // the word of its sentence, from 0, that answers; -1: it asks nothing
    int line;              // where it asks, from 1
} QuestionWord;

typedef struct QuestionFile {
    size_t sentences, words;               // in use
    size_t sentence_capacity, word_capacity;
    size_t *start;                         // (sentences + 1) sentence i: start[i] .. start[i+1] - 1
    QuestionWord *word;                     // (words)
    char *text;                            // owned
    int open;                              // of a typed sentence: the word that asks "?", or -1
} QuestionFile;

// Reads a whole file (the form stands in written.c). Each of its sentences asks something. False:
// `error` is one line, "FILE:LINE:COLUMN: what was found; what was expected", and nothing is left.
bool question_file_read(QuestionFile *written, const char *file, char *error, size_t error_size);

// The same of one sentence that was typed. It may ask nothing, and one of its words "?".
bool question_file_typed(QuestionFile *written, const char *text, char *error, size_t error_size);
void question_file_free(QuestionFile *written);

#endif
