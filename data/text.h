#ifndef DATA_TEXT_H
#define DATA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "random.h"
#include "sentences.h"
#include "vocab.h"

// A text as ids of its characters, read in windows of up to `context` of them. Without `masked` the
// answer to each character is the one after it; with it, some characters are hidden (Devlin et al.
// 2019: 15 in a hundred), and each of those is its own answer.
typedef struct Corpus {
    size_t count;         // characters
    size_t held_out;      // the place of the first that is held out: a tenth, at least one
    int *id;              // (count)
    bool *hidden;         // (count) of those held out, which are hidden
    int context;
    bool masked;
} Corpus;

void corpus_free(Corpus *corpus);

// Held-out windows, one behind the other: each held-out character is the answer of exactly one, and
// the first of a window has what comes before it in view. The last may be shorter.
size_t corpus_windows(const Corpus *corpus);
void corpus_batch(const Corpus *corpus, const size_t *which, int B, Batch *batch);

// B windows from anywhere in what is trained on.
void corpus_draw(const Corpus *corpus, RandomSource random, int B, Batch *batch);

// The characters of a text have names that print: themselves, or <0x0A> for the byte 10,
// which is no printable character of UTF-8. Id 0 is <unk>: a character that training
// never met, and one that is hidden.
enum { UNKNOWN_CHARACTER };

// Bytes of the character at `text`, of which n are left; `name` gets its name.
size_t character_name(const char *text, size_t n, char name[8]);
// The same for a map, where a blank would not be seen.
const char *character_shown(const char *name);
// What a name stands for; gives the bytes, 1 to 4.
size_t character_bytes(const char *name, char bytes[8]);

#endif
