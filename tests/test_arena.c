// Arenas: alignment, growth, reuse.
#include "autograd/arena.h"

#include <stdint.h>
#include <string.h>

#include "test.h"

static void aligned_and_apart(void) {
    Arena arena = {0};
    unsigned char *piece[300];
    for (int i = 0; i < 300; i++) {
        piece[i] = arena_alloc(&arena, (size_t)i * 7 + 1, 1);
        CHECK((uintptr_t)piece[i] % 64 == 0, "piece %d is at %p", i, (void *)piece[i]);
        memset(piece[i], i & 255, (size_t)i * 7 + 1);
    }
    for (int i = 0; i < 300; i++)
        for (int j = 0; j <= i * 7; j++)
            CHECK(piece[i][j] == (i & 255), "piece %d, byte %d: expected %d, got %d", i, j, i & 255,
                  piece[i][j]);
    arena_free(&arena);
}

static void counts(void) {
    Arena arena = {0};
    arena_alloc(&arena, 1, 1);
    CHECK_INT((long long)arena.used, 64);
    arena_alloc(&arena, 5, 13);
    CHECK_INT((long long)arena.used, 64 + 128);
    CHECK_INT((long long)arena.peak, 64 + 128);
    arena_reset(&arena);
    CHECK_INT((long long)arena.used, 0);
    CHECK_INT((long long)arena.peak, 64 + 128);
    arena_alloc(&arena, 64, 1);
    CHECK_INT((long long)arena.used, 64);
    CHECK_INT((long long)arena.peak, 64 + 128);
    arena_free(&arena);
    CHECK_INT((long long)arena.peak, 0);
}

static void same_after_reset(void) {
    Arena arena = {0};
    void *first = arena_alloc(&arena, 100, 4), *second = arena_alloc(&arena, 3, 4);
    arena_reset(&arena);
    CHECK(arena_alloc(&arena, 100, 4) == first, "the first piece is elsewhere after a reset");
    CHECK(arena_alloc(&arena, 3, 4) == second, "the second piece is elsewhere after a reset");
    arena_free(&arena);
}

// Pieces that leave a block's end unused are the case in which the joined block could be too small.
static void one_block_after_reset(void) {
    Arena arena = {0};
    struct ArenaBlock *block = NULL;
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < 50; i++) {
            size_t size = 40000 + 1000 * i;
            memset(arena_alloc(&arena, size, 1), 1, size);
        }
        if (round == 1) block = arena.block;
        CHECK(round < 1 || arena.block == block, "round %d needs a new block", round);
        arena_reset(&arena);
    }
    arena_free(&arena);
}

static void empty(void) {
    Arena arena = {0};
    arena_reset(&arena);
    arena_free(&arena);
    CHECK(arena_alloc(&arena, 0, 4) != NULL, "nothing has no address");
    CHECK_INT((long long)arena.used, 0);
    arena_free(&arena);
}

static void huge(void *unused) {
    (void)unused;
    Arena arena = {0};
    arena_alloc(&arena, SIZE_MAX / 2, 4);
}

static void too_much(void) {
    int status;
    char line[128];
    snprintf(line, sizeof line,
             "train: out of memory: %zu times 4 bytes were asked for\n",
             SIZE_MAX / 2);
    CHECK_STRING(test_stderr_of(huge, NULL, &status), line);
    CHECK_INT(status, 1);
}

void tests_arena(void) {
    test("pieces of an arena are aligned and don't overlap", aligned_and_apart);
    test("an arena counts its bytes and their peak", counts);
    test("a reset arena hands out the same memory again", same_after_reset);
    test("a reset arena is one block that holds all that was used", one_block_after_reset);
    test("an empty arena can be reset, freed and asked for nothing", empty);
    test("more than can be addressed is an error, not a wrapped size", too_much);
}
