// Sentences as they stand in a file. Like sentences.c: flat arrays, of which `start` is NULL until a
// sentence has ended.
#include "parsed.h"

#include <stdlib.h>

#include "autograd/fatal.h"

size_t parsed_open(const Parsed *p) { return p->count ? p->start[p->count] : 0; }

void parsed_append(Parsed *p, ParsedWord word, int target) {
    if (p->words == p->word_capacity) {
        size_t n = p->word_capacity = p->words ? 2 * p->words : 256;
        p->word = grow(p->word, n, sizeof *p->word);
        p->target = grow(p->target, n, sizeof *p->target);
    }
    p->word[p->words] = word;
    p->target[p->words++] = target;
}

void parsed_end(Parsed *p) {
    if (p->words == parsed_open(p)) return;
    if (p->count == p->count_capacity) {
        p->count_capacity = p->count ? 2 * p->count : 64;
        p->start = grow(p->start, p->count_capacity + 1, sizeof *p->start);
        p->start[0] = 0;
    }
    p->start[++p->count] = p->words;
}

int parsed_length(const Parsed *p, size_t i) { return (int)(p->start[i + 1] - p->start[i]); }

void parsed_free(Parsed *p) {
    free(p->start);
    free(p->word);
    free(p->target);
    free(p->text);
    *p = (Parsed){.open_question = -1};
}
