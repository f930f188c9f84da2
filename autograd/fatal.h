#ifndef AUTOGRAD_FATAL_H
#define AUTOGRAD_FATAL_H

#include <stddef.h>

// The program's name, which begins every line of fatal(): "train" gives "train: ...". main() sets
// it once. It is global because any function may end here, and none is told the program's name.
extern const char *fatal_program;

// Says in one line on stderr what was wrong, and ends the program with status 1. It is for mistakes
// of the caller (shapes that don't fit) and for memory that ran out: an op never returns NULL for
// the next op to trip over.
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The line of fatal() for memory that ran out: an array of `count` things of `size` bytes.
_Noreturn void out_of_memory(size_t count, size_t size);

// realloc for an array of `count` things of `size` bytes: free() gives it back, `old` may be NULL.
// A product that overflows, or memory that ran out, ends in out_of_memory().
void *grow(void *old, size_t count, size_t size);
void *zeroed(size_t count, size_t size);  // new memory from grow(), all bytes 0

// Room for one more than `count`: 64 things, then 128, 256, ...
static inline void *grow_one(void *old, size_t count, size_t size) {
    int full = !count || (count >= 64 && !(count & (count - 1)));
    return full ? grow(old, count ? 2 * count : 64, size) : old;
}

#endif
