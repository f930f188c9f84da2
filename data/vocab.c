// Strings and their ids. The table is chained through `next`, so growing it only threads the chains
// anew: ids never change. It keeps at most one string a bucket on average.
#include "vocab.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

enum { FIRST_BUCKETS = 64 };

// FNV-1a, whose last steps leave the low bits well mixed: the ones that choose the bucket.
static uint32_t hash(const char *word, size_t length) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)word[i]) * 16777619u;
    return h;
}

static int *bucket_of(const Vocab *v, const char *word, size_t length) {
    return &v->bucket[hash(word, length) & (uint32_t)(v->buckets - 1)];
}

static void link_word(Vocab *v, int id) {
    int *bucket = bucket_of(v, v->word[id], strlen(v->word[id]));
    v->next[id] = *bucket;
    *bucket = id;
}

static void make_room(Vocab *v) {
    v->capacity = v->buckets = v->buckets ? 2 * v->buckets : FIRST_BUCKETS;
    size_t n = (size_t)v->capacity;
    v->word = grow(v->word, n, sizeof *v->word);
    v->next = grow(v->next, n, sizeof *v->next);
    v->occurrences = grow(v->occurrences, n, sizeof *v->occurrences);
    v->bucket = grow(v->bucket, n, sizeof *v->bucket);
    for (int b = 0; b < v->buckets; b++) v->bucket[b] = -1;
    for (int id = 0; id < v->count; id++) link_word(v, id);
}

int vocab_find_n(const Vocab *v, const char *word, size_t length) {
    if (!v->buckets) return -1;
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
