// What the columns of a treebank say of a word: its features; is it a noun or a pronoun?
#include "morphology.h"

#include <string.h>

const char *feature_value(const ParsedWord *word, const char *name, size_t *n) {
    size_t length = strlen(name);
    for (const char *at = word->features; *at; at += *n + (at[*n] == '|')) {
        *n = strcspn(at, "|");
        if (strncmp(at, name, length) || at[length] != '=') continue;
        *n -= length + 1;
        return at + length + 1;
    }
    return NULL;
}

bool feature_is(const ParsedWord *word, const char *name, const char *value) {
    size_t n = 0;
    const char *found = feature_value(word, name, &n);
    return found && n == strlen(value) && !strncmp(found, value, n);
}

bool features_differ(const ParsedWord *a, const ParsedWord *b, const char *name) {
    size_t n = 0, m = 0;
    const char *x = feature_value(a, name, &n), *y = feature_value(b, name, &m);
    return x && y && (n != m || strncmp(x, y, n));
}

bool is_noun(const ParsedWord *word) {
    return !strcmp(word->tag, "NOUN") || !strcmp(word->tag, "PROPN");
}

static bool has_penn_tag(const ParsedWord *word) {
    return !strcmp(word->own_tag, "PRP") || !strcmp(word->own_tag, "PRP$");
}

bool has_penn_tags(const Parsed *bank) {
    for (size_t w = 0; w < bank->words; w++)
        if (has_penn_tag(&bank->word[w])) return true;
    return false;
}

bool is_pronoun(const ParsedWord *word, bool penn) {
    size_t n;
    if (penn) return has_penn_tag(word);
    return !strcmp(word->tag, "PRON") && feature_is(word, "PronType", "Prs")
        && feature_value(word, "Person", &n);
}
