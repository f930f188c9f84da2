// Sentences as they stand in a file, in flat arrays like those of sentences.c.
#include "parsed.h"

#include <stdlib.h>

#include "autograd/fatal.h"
#include "sentences.h"

size_t parsed_open(const Parsed *p) { return p->count ? p->start[p->count] : 0; }

void parsed_append(Parsed *p, ParsedWord word, int target) {
    p->word = grow_one(p->word, p->words, sizeof *p->word);
    p->target = grow_one(p->target, p->words, sizeof *p->target);
    p->word[p->words] = word;
    p->target[p->words++] = target;
}

void parsed_end(Parsed *p) { p->start = sentences_start(p->start, &p->count, p->words); }
int parsed_length(const Parsed *p, size_t i) { return (int)(p->start[i + 1] - p->start[i]); }

void parsed_free(Parsed *p) {
    free(p->start);
    free(p->word);
    free(p->target);
    free(p->text);
    *p = (Parsed){.open_question = -1};
}
