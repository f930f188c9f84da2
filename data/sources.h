#ifndef DATA_SOURCES_H
#define DATA_SOURCES_H

#include "task.h"

// Where sentences come from: one source a file, with up to three functions.
//
//     load      makes the Task.
//     typed     reads a sentence that somebody typed. Words are separated by blanks.
//     held_out  gives the held-out sentence `number` (from 0, counted around) of the file.
//
// All look words up by name in the vocabularies of the task that they are given, which may have
// been read from a checkpoint. All return false if they refuse. Then `error` is one line, "what was
// found; what was expected", that begins with FILE:LINE:COLUMN as far as those are known. If a word
// is not in the vocabulary, `unknown` of the example is set instead. A task that is refused is left
// empty; an example has to be freed.

// One sentence to look at: typed by the user, or from a file. Start with {0}, and free it whatever
// happened.
typedef struct Example {
    Sentences sentences;  // one; each token has its form
    Batch batch;          // that sentence
    char *text, **word;   // owned: what the forms point into; example_split's words
    int key_count;        // tokens at the start that are keys (task.h)
    const char *unknown;  // the word for which it was refused, or NULL
    const Vocab *known;   // the vocabulary that lacks it
    int first_known;      // the first real word in there; before it come <unk> and the like
    bool trained_on;      // it is a training sentence, as there were too few to hold any out
    int open_question;    // the row that asks what nobody knows the answer to, or -1
    char note[200];       // what else should be said of it, or ""
    RandomSource random;  // of a typed text: chooses what is hidden; the caller's to set
} Example;
void example_free(Example *example);

// heads: which words ask another question than what they depend on (mixed.h).
typedef enum Mix { MIX_NOTHING, MIX_NOUNS, MIX_PAIRS } Mix;

// What a source needs beside the text; each reads its own fields alone.
typedef struct SourceOptions {
    const char *file, *dev;        // the file to read; dev: a treebank of which all is held out
    uint64_t seed;                 // user_sentences: chooses what is held out
    int held_out;                  // pronoun, search, recall: sentences to draw for measuring
    Mix mix;                       // heads: which questions (mixed.h)
    int max_words;                 // heads: longer sentences are left out (Task.skipped)
    bool tags, suffixes, shapes;   // heads: the features of a token beside its word; coref: tags
    bool relations;                // coref: how each word depends on another is a feature
    bool any_mention;              // coref: the answer is the nearest mention, not the nearest noun
    bool shared;                   // coref: the head also learns other questions of these texts
    int window;                    // coref: words of a window, with the pronoun
    int context;                   // text: characters of a window
    int pairs;                     // recall: pairs of a key and a value
    bool separate;                 // recall: key and value are two tokens, not one
    bool masked;                   // text: hides characters, instead of asking for the next one
    RandomSource random;           // of generated sentences, and of what a text hides
} SourceOptions;

typedef bool SourceLoad(Task *task, const SourceOptions *options, char error[TASK_ERROR]);
typedef bool SourceTyped(Example *example, const Task *task, const char *text,
                         char error[TASK_ERROR]);
typedef bool SourceHeldOut(Example *example, const Task *task, const SourceOptions *options,
                           uint64_t number, char error[TASK_ERROR]);

// Each is explained at the head of its file; here, what of the data is held out and what is typed.

// Generated. Typed: the inverse of the generator; words in another order ask nothing.
SourceLoad pronoun_load;
SourceTyped pronoun_typed;

// A fifth of the sentences, chosen by `seed`, or none if there are fewer than 10; equal sentences
// stay together. Typed: "the king gave her a crown | her -> ?".
SourceLoad user_sentences_load;
SourceTyped user_sentences_typed;
SourceHeldOut user_sentences_held_out;

// Generated. Typed: "bread:otter rivers:heron rivers? bread?", any number of pages and queries;
// Example.key_count counts the pages.
SourceLoad search_load;
SourceTyped search_typed;

// Generated. Typed: "ba:17 ko:4 ko? ba?"; as separate tokens also "ba 17 ko 4 ko ba".
SourceLoad recall_load;
SourceTyped recall_typed;

// Without `dev` every fifth sentence. Typed: "the/DET dog/NOUN barks/VERB", without /TAG if the
// task has no tags; which word each depends on is not known.
SourceLoad heads_load;
SourceTyped heads_typed;
SourceHeldOut heads_held_out;

// Without `dev` every fifth document. Typed: "Anna/PROPN/nsubj/Sing sleeps/VERB ... she/PRON",
// where the last word asks; its answer is not known.
SourceLoad coref_load;
SourceTyped coref_typed;
SourceHeldOut coref_held_out;

// The last tenth of the characters. held_out: a window of `context` of them.
SourceLoad text_load;
SourceTyped text_typed;
SourceHeldOut text_held_out;

// ---- for the sources themselves ----------------------------------------------------------------

// Copies `text` and cuts it into words at its blanks; gives how many there are.
int example_split(Example *example, const char *text);
// The note becomes "unknown to the model: X, Y, ...", of the words with that id that fit.
void example_note_unknown(Example *example, int unknown);
void example_end(Example *example);  // ends the sentence and makes it a batch

// The two refusals that sources share.
bool example_unknown(Example *example, const char *word, const Vocab *known, int first_known);
bool example_fits(int tokens, int most, const char *what, char error[TASK_ERROR]);

#endif
