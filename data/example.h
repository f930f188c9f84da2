#ifndef DATA_EXAMPLE_H
#define DATA_EXAMPLE_H

#include "task.h"

// A sentence that somebody typed, or that stands for one, read with the vocabularies of a task,
// which may have been read from a file: all words are looked up by name. Start with {0}; free it
// whatever happened.
typedef struct Example {
    Sentences sentences;  // one; each token has its form
    Batch batch;          // that sentence
    char *text;           // owned: what the forms point into
    const char *unknown;  // refused, as this word
    const Vocab *known;   // isn't among these
    int first_known;      // of them, past <unk> and its like
    bool seen;            // it was trained on, too: there were too few to hold any out
    int open;             // the row whose right answer nobody knows, or -1
    char note[200];       // what else should be said of it, or ""
} Example;
void example_free(Example *given);

// Each refuses what isn't a sentence of its task: false, and `unknown` is set, or `error` says what
// was found and what was expected. Words are parted by blanks.

// pronoun.c: the inverse of the generator. Words in another order than the grammar's ask nothing.
bool example_pronoun(Example *given, const Task *task, const char *text, char error[TASK_ERROR]);

// own.c: a sentence and its questions, if any, "the king gave her a crown | her -> ?".
// And the held-out sentence `number` (from 0, counted around) of the file that the task
// is from, as task_user_sentences gives it.
bool example_user_sentence(Example *given, const Task *task, const char *text, char error[TASK_ERROR]);
bool example_user_file(Example *given, const Task *task, const char *file, uint64_t seed,
                    uint64_t number, char error[TASK_ERROR]);

// search.c: "bread:otter rivers:heron rivers? bread?", pages and queries, as many as one likes.
// *pages: how many of the tokens, which come first, are pages.
bool example_search(Example *given, const Task *task, const char *text, int *pages,
                  char error[TASK_ERROR]);

// heads.c: "the/DET dog/NOUN barks/VERB", without /TAG where the task has no tags. Which word each
// depends on isn't known. And the held-out sentence `number` (from 0, counted around) of a
// treebank, where it is.
bool example_heads(Example *given, const Task *task, const char *text, char error[TASK_ERROR]);
bool example_treebank(Example *given, const Task *task, const HeadsOptions *options, uint64_t number,
                    char error[TASK_ERROR]);

// text.c: characters, each of which asks for the next, or, where the task isn't causal, hidden
// ones, which ask for themselves; `random` hides them. And window `number` of what is held out of a
// file, `length` characters.
bool example_text(Example *given, const Task *task, const char *text, RandomSource random,
                char error[TASK_ERROR]);
bool example_window(Example *given, const Task *task, const char *file, uint64_t number, int length,
                  RandomSource random, char error[TASK_ERROR]);

// What they share: `text` copied and cut into words, an array that the caller frees; the sentence
// closed and made a batch; the two common refusals.
int example_split(Example *given, const char *text, char ***word);
void example_end(Example *given);
bool example_unknown(Example *given, const char *word, const Vocab *known, int first_known);
bool example_fits(int tokens, int most, const char *what, char error[TASK_ERROR]);

#endif
