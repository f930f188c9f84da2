#ifndef DATA_MIXED_H
#define DATA_MIXED_H

#include "mentions.h"
#include "sources.h"

// Several kinds of question at once, in the same real text: `bank`, whose words ask for what they
// depend on, is cut anew into stretches of whole sentences of one document, at most `most` words
// each; a longer sentence stays alone. There
//
//     a noun, if a later pronoun means the same, asks for the first such pronoun   "next pronoun"
//     with MIX_PAIRS, a pronoun asks for the last noun before it that means the
//         same, if there is one                                                    "its noun"
//     any other word asks for what it depends on, as before
//
// Questions that form a cycle of three or more get the relation MIXED_CYCLE, which no treebank has.
#define MIXED_CYCLE "(cycle)"
void mix_questions(Parsed *bank, const Mentions *mentions, Mix mix, int most);

#endif
