// Strings and their ids. The table is chained through `next`, so growing it only threads the chains
// anew: ids never change. It keeps at most one string a bucket on average.
#include "vocab.h"

#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "hash.h"

static int *bucket_of(const Vocab *v, const char *word, size_t length) {
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < length; i++) hash = hash_in(hash, (unsigned char)word[i]);
    return &v->bucket[hash & (uint64_t)(v->capacity - 1)];
}

static void link_word(Vocab *v, int id) {
    int *bucket = bucket_of(v, v->word[id], strlen(v->word[id]));
    v->next[id] = *bucket;
    *bucket = id;
}

static void make_room(Vocab *v) {
    v->capacity = v->capacity ? 2 * v->capacity : 64;
    size_t n = (size_t)v->capacity;
    v->word = grow(v->word, n, sizeof *v->word);
    v->next = grow(v->next, n, sizeof *v->next);
    v->occurrences = grow(v->occurrences, n, sizeof *v->occurrences);
    v->bucket = grow(v->bucket, n, sizeof *v->bucket);
    for (int b = 0; b < v->capacity; b++) v->bucket[b] = -1;
    for (int id = 0; id < v->count; id++) link_word(v, id);
}

int vocab_find_n(const Vocab *v, const char *word, size_t length) {
    if (!v->capacity) return -1;
    int id = *bucket_of(v, word, length);
    while (id >= 0 && (strncmp(v->word[id], word, length) || v->word[id][length])) id = v->next[id];
    return id;
}

int vocab_find(const Vocab *v, const char *word) { return vocab_find_n(v, word, strlen(word)); }

int vocab_add_n(Vocab *v, const char *word, size_t length) {
    int id = vocab_find_n(v, word, length);
    if (id < 0) {
        if (v->count == v->capacity) make_room(v);
        id = v->count++;
        v->word[id] = grow(NULL, length + 1, 1);
        memcpy(v->word[id], word, length);
        v->word[id][length] = '\0';
        v->occurrences[id] = 0;
        link_word(v, id);
    }
    v->occurrences[id]++;
    return id;
}

int vocab_add(Vocab *v, const char *word) { return vocab_add_n(v, word, strlen(word)); }

void vocab_free(Vocab *v) {
    for (int id = 0; id < v->count; id++) free(v->word[id]);
    free(v->word);
    free(v->next);
    free(v->occurrences);
    free(v->bucket);
    *v = (Vocab){0};
}
