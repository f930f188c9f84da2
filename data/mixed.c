// Read from the end.
#include "mixed.h"

#include <stdlib.h>

#include "autograd/fatal.h"
#include "cycle.h"
#include "morphology.h"

// ---- pronouns ----------------------------------------------------------------------------------

// A part of a document that is cut out, and the mentions that end there.
typedef struct Stretch {
    Parsed *bank;
    size_t first;            // its first word
    const Mention *mention;
    size_t mentions;
    bool penn;               // has the treebank Penn tags?
} Stretch;

static bool is_pronoun_mention(const Stretch *s, const Mention *m) {
    return m->first == m->last && is_pronoun(&s->bank->word[m->first], s->penn);
}

static bool has_noun(const Stretch *s, const Mention *m) {
    return m->head >= s->first && is_noun(&s->bank->word[m->head]);
}

// Of mentions of the same entity: the first pronoun after the head of `m`, or the last noun before
// it; the head itself if there is none.
static size_t next_pronoun(const Stretch *s, const Mention *m) {
    size_t found = m->head;
    for (const Mention *p = s->mention; p < s->mention + s->mentions; p++)
        if (p->entity == m->entity && p->head > m->head && is_pronoun_mention(s, p)
            && (found == m->head || p->head < found)) found = p->head;
    return found;
}

static size_t last_noun(const Stretch *s, const Mention *m) {
    size_t found = m->head;
    for (const Mention *n = s->mention; n < s->mention + s->mentions; n++)
        if (n->entity == m->entity && n->head < m->head && has_noun(s, n)
            && (found == m->head || n->head > found)) found = n->head;
    return found;
}

static void ask(const Stretch *s, size_t word, size_t answer, const char *relation) {
    if (answer == word) return;
    s->bank->word[word].relation = relation;
    s->bank->target[word] = (int)(answer - s->first);
}

static void ask_around(const Stretch *s, Mix mix) {
    for (const Mention *m = s->mention; m < s->mention + s->mentions; m++) {
        if (has_noun(s, m)) ask(s, m->head, next_pronoun(s, m), "next pronoun");
        else if (mix == MIX_PAIRS && is_pronoun_mention(s, m))
            ask(s, m->head, last_noun(s, m), "its noun");
    }
}

// ---- all questions -----------------------------------------------------------------------------

static void name_cycles(Parsed *bank, size_t first, size_t end) {
    bool *in_cycle = grow(NULL, end - first, sizeof *in_cycle);
    cycle_find(bank->target + first, (int)(end - first), SHORTEST_CYCLE, in_cycle);
    for (size_t w = first; w < end; w++)
        if (in_cycle[w - first]) bank->word[w].relation = MIXED_CYCLE;
    free(in_cycle);
}

// Joins sentences until another would be too much, or belongs to another document.
static void cut(Parsed *bank, size_t most) {
    size_t count = 0, first = 0;
    for (size_t i = 0; i < bank->count; i++) {
        size_t begin = bank->start[i], end = bank->start[i + 1];
        if (begin > first && (end - first > most || bank->word[begin].opens_document))
            bank->start[++count] = first = begin;
        for (size_t w = begin; w < end; w++)
            if (bank->target[w] >= 0) bank->target[w] += (int)(begin - first);
    }
    bank->start[++count] = bank->words;
    bank->count = count;
}

void mix_questions(Parsed *bank, const Mentions *mentions, Mix mix, int most) {
    Stretch s = {.bank = bank, .mention = mentions->mention, .penn = has_penn_tags(bank)};
    const Mention *end = mentions->mention + mentions->count;
    cut(bank, (size_t)most);
    for (size_t i = 0; i < bank->count; i++) {
        size_t next = bank->start[i + 1];
        s.first = bank->start[i];
        while (s.mention + s.mentions < end && s.mention[s.mentions].last < next) s.mentions++;
        ask_around(&s, mix);
        name_cycles(bank, s.first, next);
        s.mention += s.mentions;
        s.mentions = 0;
    }
}
