#ifndef AUTOGRAD_ARENA_H
#define AUTOGRAD_ARENA_H

#include <stddef.h>

// Memory with one lifetime: allocating moves a pointer, and a reset frees everything at once.
// Start with {0}.
typedef struct Arena {
    struct ArenaBlock *block;  // the newest block; it points to the older ones
    size_t used;               // bytes handed out since the last reset, rounding included
    size_t peak;               // the most that `used` ever was, in bytes
} Arena;

// `count` things of `size` bytes, 64-byte aligned, not cleared. A product that overflows, or memory
// that ran out, ends the program (fatal.h).
void *arena_alloc(Arena *arena, size_t count, size_t size);
void arena_reset(Arena *arena);  // hands out the same memory again: its contents are lost
void arena_free(Arena *arena);   // gives all memory back; the arena is {0} again

#endif
