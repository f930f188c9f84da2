#ifndef DATA_PARSED_H
#define DATA_PARSED_H

#include <stddef.h>

// Sentences as they stand in a file: words as strings, not yet ids of a vocabulary. The readers
// conllu.c and question_file.c fill it; heads.c and user_sentences.c make tasks of it.
typedef struct ParsedWord {
    const char *form;       // as it is written
    const char *tag;        // its part of speech, or NULL
    const char *relation;   // the name of its question, or NULL
    int line;               // where that stands in the file, from 1; 0: nowhere
} ParsedWord;

typedef struct Parsed {
    size_t count, words;    // ended sentences; words, with those of the open one
    size_t *start;          // (count + 1) sentence i is words start[i] .. start[i+1] - 1
    ParsedWord *word;       // (words)
    int *target;            // (words) the word of the same sentence, from 0, that answers; -1: none
    char *text;             // owned: what the strings point into
    int open_question;      // of a typed sentence: the word that asks "?", or -1
} Parsed;

void parsed_append(Parsed *p, ParsedWord word, int target);  // adds to the open sentence
void parsed_end(Parsed *p);                                  // ends it; an empty one is not kept
void parsed_free(Parsed *p);
int parsed_length(const Parsed *p, size_t i);                // words of sentence i
size_t parsed_open(const Parsed *p);                         // the first word of the open sentence

#endif
