#ifndef DATA_VOCAB_H
#define DATA_VOCAB_H

#include <stddef.h>

// Strings and their ids: 0 to count-1, in the order in which they were first added. A chained hash
// table with as many buckets as it has room for strings. Start with {0}.
typedef struct Vocab {
    int count, capacity;  // capacity: a power of two, or 0 before the first string
    char **word;          // (count)    id -> string, owned
    int *next;            // (count)    the next id in the same bucket, or -1
    size_t *occurrences;  // (count)    how often the string was added
    int *bucket;          // (capacity) the first id of the bucket, or -1
} Vocab;

int vocab_add(Vocab *v, const char *word);                    // id of the string, new or known
int vocab_add_n(Vocab *v, const char *word, size_t length);   // the same for a slice
int vocab_find(const Vocab *v, const char *word);             // id, or -1
int vocab_find_n(const Vocab *v, const char *word, size_t length);
void vocab_free(Vocab *v);

#endif
