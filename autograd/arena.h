#ifndef AUTOGRAD_ARENA_H
#define AUTOGRAD_ARENA_H

#include <stddef.h>

// Memory with one lifetime: allocating moves a pointer, freeing is resetting all of it at once.
// Start with {0}.
typedef struct Arena {
    struct ArenaBlock *block;  // the newest block; earlier ones hang behind it
    size_t used;               // bytes handed out since the last reset, rounding included
    size_t peak;               // the most that `used` ever was, in bytes
} Arena;

void *arena_alloc(Arena *arena, size_t count, size_t size);  // 64-byte aligned, not cleared
void arena_reset(Arena *arena);  // hands out the same memory again
void arena_free(Arena *arena);

#endif
