#ifndef DATA_CONLLU_H
#define DATA_CONLLU_H

#include <stdbool.h>

#include "file.h"
#include "parsed.h"

// Reads a whole treebank in CoNLL-U. Each of its sentences is a tree: every word has a tag (column
// UPOS), a relation (DEPREL, without its subtype: nsubj for nsubj:pass) and a head, which is its
// target; the root has target -1.
// Any other file is refused: returns false and a message "FILE:LINE: what was found; what was
// expected", and leaves `bank` empty.
bool conllu_read(Parsed *bank, const char *file, char error[FILE_ERROR]);

#endif
