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

// `count` things of `size` bytes, 64-byte aligned, not cleared. A product that overflows, or memory
// that isn't to be had, ends the program (fatal.h).
void *arena_alloc(Arena *arena, size_t count, size_t size);
void arena_reset(Arena *arena);  // hands out the same memory again: what was there is gone
void arena_free(Arena *arena);   // gives it back; the arena is {0} again

#endif
