#ifndef DATA_MENTIONS_H
#define DATA_MENTIONS_H

#include "parsed.h"

// Who is spoken of where: the mentions of a treebank with coreference. A mention is a word or
// several ("the old king"); two mentions of one entity mean the same person or thing.
typedef struct Mention {
    size_t first, last;  // words of the Parsed; of a mention in parts, of all its parts
    size_t head;         // its first word that depends on a word outside of it
    int entity;          // who or what it means: a number of its own in each document
} Mention;

typedef struct Mentions {
    size_t count, documents;
    Mention *mention;    // (count) in the order in which they end
    size_t *document;    // (documents + 1) document i is words document[i] .. document[i+1] - 1
} Mentions;

// Reads the Entity=... of a treebank that conllu_read has read from `file`. False: `error` is a
// line as conllu_read's, and nothing was read.
bool mentions_read(Mentions *to, const Parsed *bank, const char *file, char error[FILE_ERROR]);
void mentions_free(Mentions *m);

#endif
