// Blocks grow by doubling. A reset that finds several blocks replaces them by one that would have
// held them all, so a training loop allocates during its first steps and never again.
#define _DEFAULT_SOURCE  // madvise
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#if __has_include(<sys/mman.h>) && !defined __wasi__
#include <sys/mman.h>
#endif

#include "fatal.h"

enum { ALIGN = 64, SMALLEST = 1 << 16, HUGE_PAGE = 1 << 21 };

typedef struct ArenaBlock {
    struct ArenaBlock *before;
    size_t size, used;   // bytes of `bytes`
    unsigned char *bytes;
} ArenaBlock;

static size_t round_up(size_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

// A block of some huge pages asks for them: it is then mapped 2 MiB at a time, not 4 KiB.
static void *bytes_new(size_t size) {
    if (size < 2 * HUGE_PAGE) return aligned_alloc(ALIGN, size);
    void *bytes = aligned_alloc(HUGE_PAGE, (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
#ifdef MADV_HUGEPAGE
    if (bytes)
        madvise(bytes, size, MADV_HUGEPAGE);  // a wish: it doesn't matter if it isn't granted
#endif
    return bytes;
}

static ArenaBlock *block_new(size_t size, ArenaBlock *before) {
    ArenaBlock *block = malloc(sizeof *block);
    void *bytes = block ? bytes_new(size) : NULL;
    if (!bytes) {
        free(block);
        fatal("out of memory: %zu bytes more were needed", size);
    }
    *block = (ArenaBlock){before, size, 0, bytes};
    return block;
}

void *arena_alloc(Arena *arena, size_t count, size_t size) {
    if (size && count > (SIZE_MAX / 4) / size)
        fatal("out of memory: %zu things of %zu bytes are more than can be addressed", count, size);
    size_t bytes = round_up(count * size);
    ArenaBlock *block = arena->block;
    if (!block || block->size - block->used < bytes) {
        size_t wanted = block ? 2 * block->size : SMALLEST;
        block = arena->block = block_new(wanted > bytes ? wanted : bytes, block);
    }
    void *result = block->bytes + block->used;
    block->used += bytes;
    arena->used += bytes;
    if (arena->used > arena->peak) arena->peak = arena->used;
    return result;
}

void arena_reset(Arena *arena) {
    ArenaBlock *block = arena->block;
    size_t peak = arena->peak;
    if (block && block->before) {
        arena_free(arena);
        arena->block = block_new(round_up(peak), NULL);
    } else if (block) {
        block->used = 0;
    }
    arena->used = 0;
    arena->peak = peak;
}

void arena_free(Arena *arena) {
    for (ArenaBlock *block = arena->block, *before; block; block = before) {
        before = block->before;
        free(block->bytes);
        free(block);
    }
    *arena = (Arena){0};
}
