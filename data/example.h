#ifndef DATA_EXAMPLE_H
#define DATA_EXAMPLE_H

#include "task.h"

// One sentence to look at: typed by the user, or from a file (sources.h). Start with {0}, and free
// it whatever happened.
typedef struct Example {
    Sentences sentences;  // one; each token has its form
    Batch batch;          // that sentence
    char *text, **word;   // owned: what the forms point into; example_split's words
    int key_count;        // tokens at the start that are keys (task.h)
    const char *unknown;  // it was refused, as this word
    const Vocab *known;   // isn't among these words,
    int first_known;      // from this id on (before it come <unk> and the like)
    bool trained_on;      // it is a training sentence, as there were too few to hold any out
    int open_question;    // the row that asks what nobody knows the answer to, or -1
    char note[200];       // what else should be said of it, or ""
} Example;
void example_free(Example *example);

// For the sources. Copies `text` and cuts it into words at its blanks; gives how many there are.
int example_split(Example *example, const char *text);
void example_end(Example *example);  // ends the sentence and makes it a batch

// The two refusals that sources share.
bool example_unknown(Example *example, const char *word, const Vocab *known, int first_known);
bool example_fits(int tokens, int most, const char *what, char error[TASK_ERROR]);

#endif
