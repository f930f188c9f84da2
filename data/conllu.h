#ifndef DATA_CONLLU_H
#define DATA_CONLLU_H

#include <stdbool.h>
#include <stddef.h>

// One word of a treebank. The strings are parts of Conllu.text; none is empty.
typedef struct ConlluWord {
    const char *form, *tag, *relation;  // columns FORM, UPOS and DEPREL as they were written
    int head;                           // 1 to n, a word of the same sentence, or 0: the root
    int line;                           // of the file, from 1
} ConlluWord;

// A treebank, word after word. Each of its sentences is a tree with one root.
typedef struct Conllu {
    size_t sentences, words;               // in use
    size_t sentence_capacity, word_capacity;
    size_t *start;                         // (sentences + 1) sentence i: start[i] .. start[i+1] - 1
    ConlluWord *word;                      // (words)
    char *text;                            // owned: the file, with a NUL at the end of each field
} Conllu;

// Reads a whole file. Refuses one that isn't CoNLL-U: returns false and a message of one line,
// "FILE:LINE: what was found; what was expected", and leaves `conllu` empty.
bool conllu_read(Conllu *conllu, const char *file, char *error, size_t error_size);
void conllu_free(Conllu *conllu);

#endif
