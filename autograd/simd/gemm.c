// C = A B or C += A B. Compiled once for each width of vectors (KERNELS in the Makefile).
//
//   tile     A tile of C is TILE_ROWS rows high and TILE_VECS vectors wide. It stays in registers
//            while k runs. One step of k loads TILE_VECS vectors of B and, for each row, one number
//            of A, which multiplies them all. So there are few loads beside the arithmetic.
//   panel    All tiles that stand one above the other. They read the same columns of B.
//   pack     Copies these columns of B first, at most PANEL_DEPTH rows of them: then they lie in
//            one piece in the nearest cache. A transposed B is turned on the way.
//   columns  Packs if that pays, then runs the panel. The last columns may be fewer than a vector.
//
// Read from the bottom up. Each element of C is one chain of additions in the order of k, whatever
// its tile: its bits depend neither on the width of vectors nor on the size of C.
#include "kernels.h"
#include "vec.h"

#if defined __AVX512F__
enum { TILE_ROWS = 12, NARROW_ROWS = 16 };  // 24 of 32 registers hold C
#elif defined __AVX2__
enum { TILE_ROWS = 6, NARROW_ROWS = 8 };    // 12 of 16
#elif defined __aarch64__
enum { TILE_ROWS = 8, NARROW_ROWS = 16 };   // 16 of 32
#else
enum { TILE_ROWS = 4, NARROW_ROWS = 8 };    // 8 of 16: without fused sums, products need some too
#endif
enum { TILE_VECS = 2 };  // or 1, with NARROW_ROWS, where only one vector of columns is left
enum { WIDE = TILE_VECS * LANES, PANEL_DEPTH = 256 };  // a panel takes 32 KiB at most
enum { FEW_ROWS = 2 * TILE_ROWS };  // with fewer rows, copying B costs more than it saves
enum { FAR = 1 << 17 };  // a C of so many numbers may lie beyond the second cache: fetch it early

// A matrix as it lies in memory: element (i, j) is at[i * row + j * column].
typedef struct Strided { const float *at; size_t row, column; } Strided;

// One tile; its last vector has `lanes` columns of C. rows and vecs are constants wherever this is
// called, so the compiler unrolls the loops and keeps c in registers.
FOLDED void tile(const int rows, const int vecs, const size_t lanes, size_t k, Strided A, Strided B,
                 float *C, size_t c_row, int add) {
    Vec c[NARROW_ROWS][TILE_VECS];
    const float *from = C;
    for (int i = 0; i < rows; i++, from += c_row)
        for (int v = 0; v < vecs; v++) c[i][v] = add ? get(lanes, from + v * LANES, 0) : splat(0);
    // A pointer for every fourth row. The address of the three rows after it costs no instruction.
    const float *a[NARROW_ROWS / 4];
    for (int i = 0; i < rows; i += 4) a[i / 4] = A.at + (size_t)i * A.row;
    for (size_t p = 0; p < k; p++) {
        Vec b[TILE_VECS];
        for (int v = 0; v < vecs; v++) b[v] = load(B.at + v * LANES);
        for (int i = 0; i < rows; i++)
            for (int v = 0; v < vecs; v++)
                c[i][v] += splat(a[i / 4][(size_t)(i % 4) * A.row]) * b[v];
        for (int i = 0; i < rows; i += 4) a[i / 4] += A.column;
        B.at += B.row;
    }
    for (int i = 0; i < rows; i++, C += c_row)
        for (int v = 0; v < vecs; v++) put(lanes, C + v * LANES, c[i][v]);
}

// All rows of C for one panel of B, which is `vecs` vectors wide, the last one of `lanes` columns.
// The last m % most rows get one tile of exactly that height: several smaller tiles would leave
// registers unused and wait for sums.
FOLDED void panel(const int vecs, const size_t lanes, size_t m, size_t k, Strided A, Strided B,
                  float *C, size_t c_row, int add) {
    const int most = vecs == 1 ? NARROW_ROWS : TILE_ROWS;
    const size_t ahead = m * c_row < FAR ? 0 : (size_t)most;
    for (; m >= (size_t)most; m -= (size_t)most, C += (size_t)most * c_row) {
        for (size_t i = ahead; i && i < 2 * ahead && i < m; i++)  // of the next tile
            for (int v = 0; v < vecs; v++) __builtin_prefetch(C + i * c_row + v * LANES, 1);
        tile(most, vecs, lanes, k, A, B, C, c_row, add);
        A.at += (size_t)most * A.row;
    }
    switch (m) {
#define LEFT(rows) \
    case rows: if (rows < most) tile(rows, vecs, lanes, k, A, B, C, c_row, add); break;
        LEFT(1) LEFT(2) LEFT(3) LEFT(4) LEFT(5) LEFT(6) LEFT(7) LEFT(8)
        LEFT(9) LEFT(10) LEFT(11) LEFT(12) LEFT(13) LEFT(14) LEFT(15)
    }
}

// Transposes a square of LANES vectors. Each round interleaves vector i with vector i + LANES / 2;
// after log2(LANES) rounds rows have become columns.
static inline void turn(Vec x[LANES]) {
    for (int round = 1; round < LANES; round *= 2) {
        Vec y[LANES];
        for (int i = 0; i < LANES / 2; i++) {
            y[2 * i] = zip_low(x[i], x[i + LANES / 2]);
            y[2 * i + 1] = zip_high(x[i], x[i + LANES / 2]);
        }
        memcpy(x, y, sizeof y);
    }
}

// Copies columns 0 .. width-1 of B: row p of B becomes `room` numbers of the copy, whole vectors.
// Where width < room, the numbers behind the first `width` may be anything: a tile throws away the
// columns of C that come of them. Three loops, each for the rows that the one before couldn't take:
// - The numbers of a row lie side by side: load vectors. They may end in the next row of B, but
//   never behind the last number of B, which is number (k - 1) * B.row + width - 1.
// - The numbers of a column do (B is transposed): turn squares of LANES rows.
// - Number by number.
// room is a constant wherever this is called, and so is width where both are equal.
FOLDED void pack(size_t k, size_t width, const size_t room, Strided B, float *packed) {
    size_t p = 0;
    for (; B.column == 1 && p < k && (k - 1 - p) * B.row + width >= room; p++)
        for (size_t j = 0; j < room; j += LANES)
            store(packed + p * room + j, load(B.at + p * B.row + j));
    for (; B.row == 1 && B.column != 1 && p + LANES <= k; p += LANES)
        for (size_t j = 0; j < room; j += LANES) {
            Vec square[LANES];
            for (size_t i = 0; i < LANES; i++)
                square[i] = j + i < width ? load(B.at + (j + i) * B.column + p) : splat(0);
            turn(square);
            for (size_t i = 0; i < LANES; i++) store(packed + (p + i) * room + j, square[i]);
        }
    for (; p < k; p++)
        for (size_t j = 0; j < room; j++)
            packed[p * room + j] = j < width ? B.at[p * B.row + j * B.column] : 0;
}

// `width` columns of C: WIDE, LANES, or fewer than LANES.
static void columns(size_t m, size_t width, size_t k, Strided A, Strided B, float *C, size_t c_row,
                    int add) {
    float packed[PANEL_DEPTH * WIDE];
    if (width < LANES) {
        pack(k, width, LANES, B, packed);
        panel(1, width, m, k, A, (Strided){packed, LANES, 1}, C, c_row, add);
        return;
    }
    if (B.column != 1 || (m >= FEW_ROWS && B.row > WIDE)) {
        if (width == WIDE) pack(k, WIDE, WIDE, B, packed);
        else pack(k, LANES, LANES, B, packed);
        B = (Strided){packed, width, 1};
    }
    if (width == WIDE) panel(TILE_VECS, LANES, m, k, A, B, C, c_row, add);
    else panel(1, LANES, m, k, A, B, C, c_row, add);
}

Gemm WITH_SUFFIX(gemm, KERNELS);

static void multiply(Matrices C, Matrices A, Matrices B, bool add) {
    size_t n = C.columns, k = A.columns;
    for (size_t p = 0; p < k; p += PANEL_DEPTH) {
        size_t depth = k - p < PANEL_DEPTH ? k - p : PANEL_DEPTH;
        Strided from_a = {A.at + p * A.column, A.row, A.column};
        for (size_t j = 0, width; j < n; j += width) {
            Strided from_b = {B.at + p * B.row + j * B.column, B.row, B.column};
            width = n - j >= WIDE ? WIDE : n - j >= LANES ? LANES : n - j;
            columns(C.rows, width, depth, from_a, from_b, C.at + j, C.row, add || p);
        }
    }
}

void WITH_SUFFIX(gemm, KERNELS)(size_t count, Matrices C, Matrices A, Matrices B, bool add) {
    for (; count; count--, C.at += C.step, A.at += A.step, B.at += B.step) multiply(C, A, B, add);
}
