#ifndef DATA_MORPHOLOGY_H
#define DATA_MORPHOLOGY_H

#include "parsed.h"

// What the columns of a treebank say of a word.

// The value of NAME in its features, "NAME=VALUE|NAME=VALUE": `n` bytes of it, or NULL.
const char *feature_value(const ParsedWord *word, const char *name, size_t *n);
bool feature_is(const ParsedWord *word, const char *name, const char *value);
// Have both words the feature, with different values?
bool features_differ(const ParsedWord *a, const ParsedWord *b, const char *name);

bool is_noun(const ParsedWord *word);  // or a name
// Has any word the Penn tag PRP or PRP$? Then these tags say which words are pronouns; otherwise the
// tag and features of Universal Dependencies do.
bool has_penn_tags(const Parsed *bank);
bool is_pronoun(const ParsedWord *word, bool penn);

#endif
