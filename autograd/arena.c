// Memory with one lifetime. The first file to read, after arena.h; tape.c is the next.
//
// An arena is a list of blocks, and each new block is twice as large as the last. A reset that
// finds several blocks replaces them by one block that would have held everything. So a training
// loop allocates during its first steps and never again.
#define _DEFAULT_SOURCE  // madvise
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#if __has_include(<sys/mman.h>) && !defined __wasi__
#include <sys/mman.h>
#endif

#include "fatal.h"

enum { ALIGN = 64, SMALLEST = 1 << 16, HUGE_PAGE = 1 << 21 };  // bytes

// The header of a block. It takes the first ALIGN bytes; what is handed out lies behind it.
typedef struct ArenaBlock {
    struct ArenaBlock *before;  // the block that was full when this one was made
    size_t size, used;          // bytes behind the header, and how many of them are handed out
} ArenaBlock;
_Static_assert(sizeof(ArenaBlock) <= ALIGN, "the header fits into its place");

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

// A block of several huge pages asks for them: the system then maps 2 MiB at a time, not 4 KiB.
static ArenaBlock *block_new(size_t size, ArenaBlock *before) {
    size_t bytes = ALIGN + size, page = bytes < 2 * HUGE_PAGE ? ALIGN : HUGE_PAGE;
    ArenaBlock *block = aligned_alloc(page, round_up(bytes, page));
    if (!block) out_of_memory(size, 1);
#ifdef MADV_HUGEPAGE
    if (page == HUGE_PAGE) madvise(block, bytes, MADV_HUGEPAGE);  // it may be refused: no matter
#endif
    *block = (ArenaBlock){before, size, 0};
    return block;
}

void *arena_alloc(Arena *arena, size_t count, size_t size) {
    if (size && count > (SIZE_MAX / 4) / size) out_of_memory(count, size);
    size_t bytes = round_up(count * size, ALIGN);
    ArenaBlock *block = arena->block;
    if (!block || block->size - block->used < bytes) {
        size_t wanted = block ? 2 * block->size : SMALLEST;
        block = arena->block = block_new(wanted > bytes ? wanted : bytes, block);
    }
    void *result = (unsigned char *)block + ALIGN + block->used;
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
        arena->block = block_new(round_up(peak, ALIGN), NULL);
    } else if (block) {
        block->used = 0;
    }
    arena->used = 0;
    arena->peak = peak;
}

void arena_free(Arena *arena) {
    for (ArenaBlock *block = arena->block, *before; block; block = before) {
        before = block->before;
        free(block);
    }
    *arena = (Arena){0};
}
