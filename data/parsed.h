#ifndef DATA_PARSED_H
#define DATA_PARSED_H

#include <stdbool.h>
#include <stddef.h>

#include "file.h"

// Sentences as they stand in a file: words as strings, not yet ids of a vocabulary. heads.c, coref.c
// and user_sentences.c make tasks of them.
typedef struct ParsedWord {
    const char *form;       // as it is written
    const char *tag;        // its part of speech, or NULL
    const char *relation;   // the name of its question, or NULL
    int line;               // where that stands in the file, from 1; 0: nowhere
    // Of a treebank alone, as they stand in their columns: the base form, the part of speech in the
    // language's own set, features such as Number=Sing|Person=3, and the rest (Entity=..., ...).
    const char *lemma, *own_tag, *features, *misc;
    bool opens_document;    // it is the first word after a line "# newdoc"
} ParsedWord;

typedef struct Parsed {
    size_t count, words;    // ended sentences; words, with those of the open one
    size_t *start;          // (count + 1) sentence i is words start[i] .. start[i+1] - 1
    ParsedWord *word;       // (words)
    int *target;            // (words) the word of the same sentence, from 0, that answers; -1: none
    char *text;             // owned: what the strings point into
    bool names_entities;    // does a line "# global.Entity" say what Entity=... consists of?
    int stray_entity;       // the line of the first Entity=... that stands at no word; 0: none
    int open_question;      // of a typed sentence: the word that asks "?", or -1
} Parsed;

void parsed_append(Parsed *p, ParsedWord word, int target);  // adds to the open sentence
void parsed_end(Parsed *p);                                  // ends it; an empty one is not kept
void parsed_free(Parsed *p);
int parsed_length(const Parsed *p, size_t i);                // words of sentence i
size_t parsed_open(const Parsed *p);                         // the first word of the open sentence

// The readers. Each returns false if it refuses: then `error` is one line, "FILE:LINE:COLUMN: what
// was found; what was expected", and nothing was read.

// A treebank in CoNLL-U (conllu.c). Each of its sentences is a tree: every word has a tag (column
// UPOS), a relation (DEPREL, without its subtype: nsubj for nsubj:pass) and a head, which is its
// target; the root has target -1.
bool conllu_read(Parsed *to, const char *file, char error[FILE_ERROR]);

// Sentences and questions (the format stands in question_file.c): each sentence asks something. Or
// one that was typed: it may ask nothing, and one of its words may ask "?".
enum {
    QUESTION_MOST_WORDS = 128,  // of a sentence
    QUESTION_NAME = 32 * 4      // bytes of a question's name: 32 characters
};
bool question_file_read(Parsed *to, const char *file, char error[FILE_ERROR]);
bool question_file_typed(Parsed *to, const char *text, char error[FILE_ERROR]);

#endif
