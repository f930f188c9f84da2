#ifndef DATA_TASK_H
#define DATA_TASK_H

#include <stdbool.h>
#include <stddef.h>

#include "random.h"
#include "sentences.h"
#include "text.h"
#include "vocab.h"

enum { TASK_ERROR = 512 };  // bytes of an error message, whatever the file

// A task: where sentences come from, what they ask, and what to measure on.
typedef struct Task Task;
struct Task {
    const char *name;
    const char *asked;             // its question, in a few words
    bool points_at_answer;                   // the answer is pointed at: the loss is
                                   // -log A, there is no readout
    int key_count;                      // > 0: keys and values are a sequence of their own, the first
                                   // `keys` tokens, and the others ask. Of FEATURES, those have
                                   // FEATURE_TERM, keys the rest
    bool causal;                   // no token sees a later one
    bool trains_embeddings;                   // the embeddings train; else every arm sees the same X
    bool fixed_set;                 // training sentences are a fixed set, drawn in epochs
    bool seen;                     // there were too few to hold any out: they are measured on, too
    Vocab vocab[FEATURES];         // count 0: the task has no such feature
    Vocab relations;               // names of the kinds of question
    bool *cycle;                   // (relations.count) part of the cycle i
                                   // -> j -> k -> i? NULL: none is
    int max_length;                // tokens of the longest sentence there can be; 0
                                   // with `keys`, which have no order
    Sentences train;               // empty where sentences are generated as they are needed
    Sentences held_out;            // what the arms are measured on
    bool is_text;                  // read in windows of `corpus`: it has no sentences
    Corpus corpus;
    char *text, *dev_text;         // owned: the files that Sentences.form points into, or NULL
    void (*generate)(const Task *, RandomSource, Sentences *);  // appends one sentence; NULL if shuffles
};

void task_free(Task *task);
// Do keys stand apart from what asks? Then they have no order, and S is not square.
static inline bool task_has_keys(const Task *task) { return task->key_count > 0; }
static inline bool task_in_cycle(const Task *task, int relation) {
    return task->cycle && task->cycle[relation];
}

// What is held out: sentences, or windows of a text. A batch of some of them; and a choice of n:
// the first sentences, the shortest before the others, or windows spread evenly.
size_t task_held_out(const Task *task);
void task_batch(const Task *task, const size_t *which, int B, Batch *batch);
void task_choose(const Task *task, size_t n, size_t *which);

// What it is trained on, where that is fixed: how many sentences or characters, and a number that
// another training set would not share (FNV-1a); what is held out of the same file counts too.
size_t task_trained_on(const Task *task);
uint64_t task_fingerprint(const Task *task);

const char *task_form(const Task *task, const Sentences *s, size_t token);  // the token as text

// Mini-English, generated (pronoun.c): `held_out` sentences to measure on are drawn at once.
// max_length 15: `the tired aunt lent the old dog to the proud uncle so he smiled .`
void task_pronoun(Task *task, RandomSource random, int held_out);

// Sentences that somebody wrote (own.c; the form stands in written.c). A fifth of them, which
// `seed` chooses, is held out, and none if there are fewer than 10; equal ones stay together. A
// question that lies in a cycle (cycle.h) is one of the cycle. Returns false and a message
// "FILE:LINE:COLUMN: what was found; what was expected", and leaves the task empty.
bool task_user_sentences(Task *task, const char *file, uint64_t seed, char error[TASK_ERROR]);

// A small search engine (search.c): the first 8 tokens are pages, each a title and a content; the
// last 8 are queries, each the term of one title, and ask for the content.
void task_search(Task *task, RandomSource random, int held_out);

// Universal Dependencies (heads.c): which word do I depend on? `dev` NULL: every fifth sentence of
// `train` is held out. Sentences of over `max_words` words are left out and counted in `skipped`,
// (train, dev). Returns false and a message "FILE:LINE: what was found; what was expected", and
// leaves the task empty.
typedef struct HeadsOptions {
    const char *train, *dev;
    int max_words;
    bool tags, suffixes, shapes;   // which features beside the word
} HeadsOptions;
bool task_heads(Task *task, const HeadsOptions *options, size_t skipped[2], char error[TASK_ERROR]);

// A text of any kind (text.c): which character comes next, or, `masked`, which are the hidden ones?
// The last tenth of its characters is held out; `random` hides some of those once and for all.
// Returns false and a message "FILE: what was found; what was expected", and leaves the task empty.
bool task_text(Task *task, const char *file, int context, bool masked, RandomSource random,
               char error[TASK_ERROR]);

// Of what is held out: cycles of questions (cycle.h), and how many questions lie in them.
typedef struct Cycles { long cycles, questions; } Cycles;
Cycles task_cycles(const Task *task);

// How many questions of a relation, or of all, the previous word and the next one answer.
enum { ALL_RELATIONS = -1 };
typedef struct Neighbours { long questions, previous, next; } Neighbours;
Neighbours task_neighbours(const Sentences *s, int relation);

// Found by answering "the previous word" or "the next word" to every question of `s`: the share
// answered, 0 to 1. The last word's next is the root (token 0).
typedef struct Baselines { double previous, next; } Baselines;
Baselines task_baselines(const Sentences *s);

#endif
