#ifndef DATA_HASH_H
#define DATA_HASH_H

#include <stdint.h>

// FNV-1a (Fowler, Noll and Vo): start with HASH_START and put in bytes, or numbers whole.
#define HASH_START UINT64_C(14695981039346656037)
static inline uint64_t hash_in(uint64_t hash, uint32_t number) {
    return (hash ^ number) * UINT64_C(1099511628211);
}

#endif
