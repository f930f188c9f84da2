// Sentences of the user with their questions: a task like `pronoun`, with a fixed set to train on.
// The vocabulary is that of the whole file: embeddings are drawn and not trained, so that a word
// that only a held-out sentence has is new to the trained weights, but not to the readout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "cycle.h"
#include "hash.h"
#include "parsed.h"
#include "sources.h"
#include "utf8.h"

enum { HOLD_OUT_FROM = 10, HOLD_OUT_SHARE = 5 };  // from 10 sentences on, one in 5 is held out
enum { CYCLE_NAME = QUESTION_NAME + sizeof " (cycle)" };

// ---- questions ---------------------------------------------------------------------------------

// Which words ask a question that lies in a cycle: (words).
static bool *find_cycles(const Parsed *p) {
    bool *in_cycle = grow(NULL, p->words, sizeof *in_cycle);
    for (size_t i = 0; i < p->count; i++)
        cycle_find(p->target + p->start[i], parsed_length(p, i), SHORTEST_CYCLE,
                   in_cycle + p->start[i]);
    return in_cycle;
}

static const char *name_of(const ParsedWord *word) {
    return word->relation ? word->relation : "question";
}

// No name in a file can be like this one, as brackets can't be part of a name.
static const char *cycle_name(const char *name, char text[CYCLE_NAME]) {
    snprintf(text, CYCLE_NAME, "%s (cycle)", name);
    return text;
}

// The names of all questions. If some questions of a name lie in a cycle and others don't, the name
// becomes two, so that the figures of the cycle are of whole cycles alone, as their bounds are.
static void name_relations(Task *task, const Parsed *p, const bool *in_cycle) {
    Vocab straight = {0};
    char text[CYCLE_NAME];
    for (size_t k = 0; k < p->words; k++)
        if (p->target[k] >= 0 && !in_cycle[k]) vocab_add(&straight, name_of(&p->word[k]));
    for (size_t k = 0; k < p->words; k++) {
        if (p->target[k] < 0) continue;
        const char *name = name_of(&p->word[k]);
        bool split = in_cycle[k] && vocab_find(&straight, name) >= 0;
        vocab_add(&task->relations, split ? cycle_name(name, text) : name);
    }
    int count = task->relations.count;
    task->cycle = grow(NULL, (size_t)count, sizeof *task->cycle);
    for (int r = 0; r < count; r++)
        task->cycle[r] = vocab_find(&straight, task->relations.word[r]) < 0;
    vocab_free(&straight);
}

// The name's id; -1: the model knows no such question.
static int relation_of(const Task *task, const ParsedWord *word, bool in_cycle) {
    char text[CYCLE_NAME];
    int split = in_cycle ? vocab_find(&task->relations, cycle_name(name_of(word), text)) : -1;
    return split >= 0 ? split : vocab_find(&task->relations, name_of(word));
}

// Sentence i, with ids. A word that isn't in the vocabulary is added to `learn`, or has -1 if that
// is NULL.
static void add_sentence(const Task *task, Vocab *learn, Sentences *to, const Parsed *p,
                         const bool *in_cycle, size_t i) {
    const Vocab *known = &task->vocab[FEATURE_WORD];
    for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
        const ParsedWord *word = &p->word[k];
        Token token = {.target = p->target[k], .relation = -1, .form = word->form};
        char *lower = utf8_lowered(word->form);
        token.feature[FEATURE_WORD] = learn ? vocab_add(learn, lower) : vocab_find(known, lower);
        if (token.target >= 0 || word->relation)  // a "?" may have a name, too
            token.relation = relation_of(task, word, in_cycle[k]);
        sentences_append(to, &token);
        free(lower);
    }
    sentences_end(to);
}

// ---- what is held out --------------------------------------------------------------------------

static int smaller(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t hash_of(const Parsed *p, size_t i, uint64_t seed) {
    uint64_t hash = hash_in(hash_in(HASH_START, (uint32_t)seed), (uint32_t)(seed >> 32));
    for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
        const char *c = p->word[k].form;
        do hash = hash_in(hash, (unsigned char)utf8_lower(*c));
        while (*c++);
    }
    return hash;
}

// Sets held[i] if sentence i is held out; gives the number of those. The sentences with the
// smallest hashes of words and seed are held out: adding a sentence moves few others, and equal
// sentences are never on both sides.
static size_t hold_out(const Parsed *p, uint64_t seed, bool *held) {
    size_t n = p->count, count = n < HOLD_OUT_FROM ? 0 : n / HOLD_OUT_SHARE;
    uint64_t *sorted = grow(NULL, n, sizeof *sorted);
    for (size_t i = 0; i < n; i++) sorted[i] = hash_of(p, i, seed);
    qsort(sorted, n, sizeof *sorted, smaller);
    while (count && sorted[count - 1] == sorted[count]) count--;
    for (size_t i = 0; i < n; i++) held[i] = count && hash_of(p, i, seed) <= sorted[count - 1];
    free(sorted);
    return count;
}

// ---- the task ----------------------------------------------------------------------------------

bool user_sentences_load(Task *task, const SourceOptions *options, char error[TASK_ERROR]) {
    Parsed p;
    *task = (Task){0};
    if (!question_file_read(&p, options->file, error)) return false;
    *task = (Task){
        .name = "pronoun", .asked = "which word answers each word's question?", .fixed_set = true};
    bool *held = grow(NULL, p.count, sizeof *held), *in_cycle = find_cycles(&p);
    Vocab *words = &task->vocab[FEATURE_WORD];
    name_relations(task, &p, in_cycle);
    task->measured_on_training = !hold_out(&p, options->seed, held);
    for (size_t i = 0; i < p.count; i++) {
        if (!held[i]) add_sentence(task, words, &task->train, &p, in_cycle, i);
        if (held[i] || task->measured_on_training)
            add_sentence(task, words, &task->held_out, &p, in_cycle, i);
        if (parsed_length(&p, i) > task->max_length) task->max_length = parsed_length(&p, i);
    }
    free(held);
    free(in_cycle);
    task->text = p.text;
    p.text = NULL;
    parsed_free(&p);
    return true;
}

// ---- one example -------------------------------------------------------------------------------

// The example becomes sentence i. Takes over what `p` owns.
static bool take(Example *example, const Task *task, Parsed *p, size_t i, char error[TASK_ERROR]) {
    const Sentences *s = &example->sentences;
    bool *in_cycle = find_cycles(p);
    add_sentence(task, NULL, &example->sentences, p, in_cycle, i);
    free(in_cycle);
    example->text = p->text;
    example->open_question = p->open_question;
    p->text = NULL;
    parsed_free(p);
    if (!example_fits((int)s->tokens, task->max_length, "words", error)) return false;
    for (size_t t = 0; t < s->tokens; t++)
        if (s->feature[FEATURE_WORD][t] < 0)
            return example_unknown(example, s->form[t], &task->vocab[FEATURE_WORD], 0);
    example_end(example);
    return true;
}

bool user_sentences_typed(Example *example, const Task *task, const char *text,
                          char error[TASK_ERROR]) {
    Parsed p;
    if (!text[strspn(text, " \t\n")]) return example_fits(0, task->max_length, "words", error);
    if (!question_file_typed(&p, text, error) || !take(example, task, &p, 0, error)) return false;
    bool asks = example->open_question >= 0;
    if (asks) example->batch.answer[example->open_question] = 0;  // any id will do
    for (int i = 0; i < example->batch.L; i++) asks |= example->batch.target[i] >= 0;
    if (!asks)
        snprintf(example->note, sizeof example->note,
                 "these words ask nothing; to ask, add questions, as in \"... | she -> queen | "
                 "her -> ?\"");
    return true;
}

bool user_sentences_held_out(Example *example, const Task *task, const SourceOptions *options,
                             uint64_t number, char error[TASK_ERROR]) {
    Parsed p;
    if (!question_file_read(&p, options->file, error)) return false;
    bool *held = grow(NULL, p.count, sizeof *held);
    size_t count = hold_out(&p, options->seed, held), i = 0;
    example->trained_on = !count;
    for (size_t left = (size_t)(number % (count ? count : p.count));; i++)
        if ((held[i] || !count) && !left--) break;
    free(held);
    return take(example, task, &p, i, error);
}
