#ifndef DATA_TASK_H
#define DATA_TASK_H

#include <stdbool.h>
#include <stddef.h>

#include "batch.h"
#include "corpus.h"
#include "file.h"
#include "random.h"
#include "sentences.h"
#include "vocab.h"

enum { TASK_ERROR = FILE_ERROR };  // bytes of an error message

// An answer that needs no model: a rule that gives every question a token.
enum { GUESSES = 4 };
typedef struct Heuristic {
    const char *name;
    long *right;   // (relations) questions of what is held out that it gives the target
    long *alike;   // (relations) a token that is the target or alike (Task.alike); else NULL
} Heuristic;

// A task: what sentences ask, what to train on and what to measure on. sources.h makes tasks.
typedef struct Task Task;
struct Task {
    const char *name;
    const char *asked;             // its question, in a few words
    bool points_at_answer;         // the model points at the answer: the loss is -log A, and there
                                   // is no readout
    bool alike;                    // the target is one of several tokens that name the answer
                                   // (Sentences.alike); the model may point at any of them
    int key_count;                 // 0, or how many tokens at the start of a sentence are keys.
                                   // Then the other tokens ask, and only they have FEATURE_TERM;
                                   // only keys have the other features
    bool causal;                   // no token sees a later one
    bool trains_embeddings;        // false: every arm sees the same random vectors
    bool fixed_set;                // training sentences are a fixed set, drawn in epochs
    bool measured_on_training;     // too few sentences to hold any out: held_out equals train
    Vocab vocab[FEATURES];         // count 0: the task has no such feature
    Vocab relations;               // names of the kinds of question
    bool *cycle;                   // (relations.count) part of a cycle i -> j -> k -> i?
                                   // NULL: none is
    int max_length;                // tokens of the longest sentence; 0 with keys: they have no order
    Sentences train;               // empty if sentences are generated
    Sentences held_out;            // what the arms are measured on
    size_t skipped[2];             // sentences left out as too long, of train and of held_out
    int guesses;
    Heuristic guess[GUESSES];      // what the arms are compared with, if they point at the answer
    bool is_text;                  // it has no sentences, but windows of `corpus`
    Corpus corpus;
    char *text, *dev_text;         // owned: the files that Sentences.form points into, or NULL
    void (*generate)(const Task *, RandomSource, Sentences *);  // one sentence; NULL: fixed_set
};

void task_free(Task *task);
const char *task_form(const Task *task, const Sentences *s, size_t token);  // the token as text
// Do keys stand apart from what asks? Then they have no order, and S is not square.
static inline bool task_has_keys(const Task *task) { return task->key_count > 0; }
static inline bool task_in_cycle(const Task *task, int relation) {
    return task->cycle && task->cycle[relation];
}

// What is held out: sentences, or windows of a text. How many there are; a batch of some of them;
// and a choice of n: the shortest of the first n sentences first, or windows spread evenly.
size_t task_held_out(const Task *task);
void task_batch(const Task *task, const size_t *which, int B, Batch *batch);
void task_choose(const Task *task, size_t n, size_t *which);

// The training set, if it is fixed: how many sentences or characters it has. And a number that
// differs (FNV-1a) for other vocabularies, relations, cycles or another training set. Sentences
// held out of the same file count too.
size_t task_trained_on(const Task *task);
uint64_t task_fingerprint(const Task *task);

// The cycles of questions among what is held out (cycle.h), and the questions that lie in them.
typedef struct Cycles { long cycles, questions; } Cycles;
Cycles task_cycles(const Task *task);

// How many questions of one relation, or of all, the previous and the next word answer. After the
// last word comes token 0, the root.
enum { ALL_RELATIONS = -1 };
typedef struct Neighbours { long questions, previous, next; } Neighbours;
Neighbours task_neighbours(const Sentences *s, int relation);

// The accuracy, 0 to 1, of answering every question with the previous word, or with the next one.
typedef struct Baselines { double previous, next; } Baselines;
Baselines task_baselines(const Sentences *s);

// Adds a guess that has nothing right yet; once all relations are known. Then the guesses "previous
// word" and "next word", counted. Last, the share of all questions that a guess has right.
Heuristic *task_add_guess(Task *task, const char *name);
void task_guess_neighbours(Task *task);
double task_guessed(const Task *task, const long *right);  // NAN without a question, or of NULL

#endif
