// The kernels of every vector width that this processor has: products against sums in double, exp
// and gelu against the C library in double, and the same bits from all that fuse multiply and add.
#include "autograd/simd/kernels.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "autograd/rng.h"
#include "autograd/tiny.h"

extern const Kernels kernels_plain;
#ifdef __x86_64__
extern const Kernels kernels_avx2, kernels_avx512;
#endif

// Those that this processor has, plain first. Gives how many.
static int tables(const Kernels *table[3]) {
    int n = 0;
    table[n++] = &kernels_plain;
#ifdef __x86_64__
    __builtin_cpu_init();
    bool fma = __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx2")) table[n++] = &kernels_avx2;
    if (fma && __builtin_cpu_supports("avx512f")) table[n++] = &kernels_avx512;
#endif
    return n;
}

static float *random_floats(size_t n, uint64_t stream) {
    Rng rng = rng_new(3, stream);
    float *x = malloc(n * sizeof *x);
    CHECK(x, "out of memory");
    for (size_t i = 0; i < n; i++) x[i] = (float)rng_normal(&rng);
    return x;
}

// ---- products -----------------------------------------------------------------------------------

// One product: how A and B lie in memory, and how far C's rows are apart. The arrays are as long as
// they must be and no longer, so that a sanitizer sees a read beyond.
typedef struct Product {
    size_t m, n, k;
    bool a_transposed, b_transposed, replaces;  // replaces: C = A B, not C += A B
    size_t gap;  // floats between C's rows that aren't C's
} Product;

static float *run_product(const Kernels *kernels, const Product *p, float *A, float *B,
                          const float *C) {
    size_t c_row = p->n + p->gap, c_size = (p->m - 1) * c_row + p->n;
    float *out = malloc(c_size * sizeof *out);
    CHECK(out, "out of memory");
    memcpy(out, C, c_size * sizeof *out);
    Matrices a = {A, p->m, p->k, p->a_transposed ? 1 : p->k, p->a_transposed ? p->m : 1, 0};
    Matrices b = {B, p->k, p->n, p->b_transposed ? 1 : p->n, p->b_transposed ? p->k : 1, 0};
    kernels->gemm(1, (Matrices){out, p->m, p->n, c_row, 1, 0}, a, b, !p->replaces);
    return out;
}

static void check_product(const char *name, const Product *p, const float *A, const float *B,
                          const float *C, const float *out) {
    size_t c_row = p->n + p->gap;
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < c_row && i * c_row + j < (p->m - 1) * c_row + p->n; j++) {
            size_t at = i * c_row + j;
            double before = p->replaces && j < p->n ? 0 : C[at], expected = before,
                   size = fabs(before);
            for (size_t q = 0; j < p->n && q < p->k; q++) {
                double a = A[p->a_transposed ? q * p->m + i : i * p->k + q];
                double b = B[p->b_transposed ? j * p->k + q : q * p->n + j];
                expected += a * b;
                size += fabs(a * b);
            }
            double tolerance = j < p->n ? 1.2e-7 * size * sqrt((double)p->k + 1) : 0;
            CHECK(fabs(out[at] - expected) <= tolerance,
                  "%s, (%zu, %zu, %zu), A%s, B%s, gap %zu: C[%zu][%zu]: expected %.9g, got %.9g",
                  name, p->m, p->n, p->k, p->a_transposed ? "T" : "", p->b_transposed ? "T" : "",
                  p->gap, i, j, expected, (double)out[at]);
        }
}

static void try_product(const Product *p) {
    const Kernels *table[3];
    int n = tables(table);
    float *A = random_floats(p->m * p->k, 1), *B = random_floats(p->k * p->n, 2);
    float *C = random_floats(p->m * (p->n + p->gap), 3), *out[3];
    for (int t = 0; t < n; t++) {
        out[t] = run_product(table[t], p, A, B, C);
        check_product(table[t]->name, p, A, B, C, out[t]);
    }
    size_t bytes = ((p->m - 1) * (p->n + p->gap) + p->n) * sizeof(float);
    CHECK(n < 3 || !memcmp(out[1], out[2], bytes), "(%zu, %zu, %zu): %s and %s differ",
          p->m, p->n, p->k, table[1]->name, table[2]->name);
    for (int t = 0; t < n; t++) free(out[t]);
    free(A);
    free(B);
    free(C);
}

static void small_products(void) {
    static const size_t sizes[] = {1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 65};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++)
            for (int l = 0; l < SIZES; l++) {
                int way = (i + j + l) % 16;  // each size meets each way
                size_t gap = way & 4 ? 3 : 0;
                Product p = {sizes[i], sizes[j], sizes[l], way & 1, way & 2, way & 8, gap};
                try_product(&p);
            }
}

static void every_layout(void) {
    static const size_t sizes[][3] = {{1, 1, 1}, {3, 17, 5}, {8, 32, 16}, {13, 49, 9}, {6, 16, 40}};
    for (int i = 0; i < 5; i++)
        for (int way = 0; way < 8; way++) {
            size_t gap = way & 4 ? 21 : 0;
            const size_t *of = sizes[i];
            Product p = {of[0], of[1], of[2], way & 1, way & 2, false, gap};
            try_product(&p);
        }
}

static void deep_products(void) {
    for (size_t k = 255; k <= 300; k += k < 258 ? 1 : 14)
        for (int way = 0; way < 4; way++) {
            Product p = {9, 50, k, way & 1, way & 2, true, 0};
            try_product(&p);
        }
    Product p = {3, 5, 700, false, false, false, 2};
    try_product(&p);
}

static void symmetric(void) {
    const Kernels *table[3];
    int n = tables(table);
    for (int t = 0; t < n; t++)
        for (size_t m = 1; m <= 67; m += 3) {
            size_t k = 5 * m % 300 + 1;
            float *A = random_floats(m * k, m), *C = calloc(m * m, sizeof *C);
            CHECK(C, "out of memory");
            table[t]->gemm(1, (Matrices){C, m, m, m, 1, 0}, (Matrices){A, m, k, k, 1, 0},
                           (Matrices){A, k, m, 1, k, 0}, true);
            for (size_t i = 0; i < m; i++)
                for (size_t j = 0; j < i; j++)
                    CHECK(C[i * m + j] == C[j * m + i],
                          "%s, m %zu: C[%zu][%zu] and its mirror: %.9g and %.9g", table[t]->name, m,
                          i, j, (double)C[i * m + j], (double)C[j * m + i]);
            free(A);
            free(C);
        }
}

// ---- exp ----------------------------------------------------------------------------------------

// The distance of two floats at x, which exp gives or 0.
static double ulp(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent - 24);
}

static void exp_accuracy(void) {
    enum { CHUNK = 1000 };
    const Kernels *table[3];
    int n = tables(table);
    float x[CHUNK], y[CHUNK];
    for (int t = 0; t < n; t++)
        for (double start = -60; start < 88.7; start += CHUNK * 1.3e-4) {
            for (int i = 0; i < CHUNK; i++) x[i] = (float)(start + i * 1.3e-4);
            table[t]->exp_sum(CHUNK, x, 0, y);
            for (int i = 0; i < CHUNK; i++) {
                double expected = exp((double)x[i]);
                if (expected < TINY_EXP) expected = 0;
                if (expected <= 0x1.fffffep127) CHECK_NEAR(y[i], expected, 2 * ulp(expected));
                else CHECK(y[i] > 3.4e38f, "exp(%.9g): got %.9g", (double)x[i], (double)y[i]);
            }
        }
}

static void exp_ends(void) {
    const Kernels *table[3];
    int n = tables(table);
    const float x[] = {-INFINITY, -1e30f, -104, 0, -0.0f, 89, 1e30f, INFINITY, NAN};
    const float expected[] = {0, 0, 0, 1, 1, INFINITY, INFINITY, INFINITY, NAN};
    float y[9];
    for (int t = 0; t < n; t++) {
        table[t]->exp_sum(9, x, 0, y);
        for (int i = 0; i < 9; i++)
            CHECK(isnan(expected[i]) ? isnan(y[i]) : y[i] == expected[i],
                  "%s: exp(%g): expected %g, got %g", table[t]->name, (double)x[i],
                  (double)expected[i], (double)y[i]);
    }
}

static void exp_tails(void) {
    const Kernels *table[3];
    int n = tables(table);
    for (size_t length = 1; length <= 40; length++) {
        float *x = random_floats(length, length), *y[3];
        double sum[3];
        for (int t = 0; t < n; t++) {
            double expected = 0;
            y[t] = malloc(length * sizeof **y);  // as long as the kernel may write
            CHECK(y[t], "out of memory");
            sum[t] = table[t]->exp_sum(length, x, 1.5f, y[t]);
            for (size_t i = 0; i < length; i++) {
                double e = exp((double)(x[i] - 1.5f));
                CHECK_NEAR(y[t][i], e, 2 * ulp(e));
                expected += (double)y[t][i];
            }
            CHECK_NEAR(sum[t], expected, 1e-6 * expected);
        }
        CHECK(n < 3 || (sum[1] == sum[2] && !memcmp(y[1], y[2], length * sizeof **y)),
              "%zu numbers: %s and %s differ", length, table[1]->name, table[2]->name);
        for (int t = 0; t < n; t++) free(y[t]);
        free(x);
    }
}

// Every length, one row and several, against the C library; the array ends where the last row does.
static void softmax_rows(void) {
    const Kernels *table[3];
    int n = tables(table);
    for (size_t length = 1; length <= 70; length++)
        for (size_t rows = 1; rows <= 4; rows++) {
            float *x = random_floats(rows * length, length), *y[3];
            x[length / 2] = -INFINITY;
            for (int t = 0; t < n; t++) {
                y[t] = malloc(rows * length * sizeof **y);
                CHECK(y[t], "out of memory");
                table[t]->softmax(rows, length, x, y[t]);
                for (size_t i = 0; i < rows * length; i++) {
                    double sum = 0, e = exp((double)x[i]);
                    for (size_t j = 0; j < length; j++)
                        sum += exp((double)x[i / length * length + j]);
                    CHECK_NEAR(y[t][i], sum == 0 ? 0 : e / sum, 1e-6);
                }
            }
            CHECK(n < 3 || !memcmp(y[1], y[2], rows * length * sizeof **y),
                  "%zu x %zu: %s and %s differ", rows, length, table[1]->name, table[2]->name);
            for (int t = 0; t < n; t++) free(y[t]);
            free(x);
        }
}

// ---- gelu ---------------------------------------------------------------------------------------

static void gelu_accuracy(void) {
    enum { COUNT = 6007 };
    static float x[COUNT], y[3][COUNT], slope[3][COUNT];
    const Kernels *table[3];
    int n = tables(table);
    const double root = sqrt(2 / 3.14159265358979323846);
    for (int i = 0; i < COUNT; i++) x[i] = (float)((i - COUNT / 2) * 0.004);
    for (int t = 0; t < n; t++) {
        table[t]->gelu(COUNT, x, y[t], slope[t]);
        for (int i = 0; i < COUNT; i++) {
            double v = x[i], u = root * (v + 0.044715 * v * v * v), s = 1 / (1 + exp(-2 * u));
            double bend = 2 * v * s * (1 - s) * root * (1 + 3 * 0.044715 * v * v);
            CHECK_NEAR(y[t][i], v * s, 1e-6 * fabs(v * s) + 1e-6);
            CHECK_NEAR(slope[t][i], s + bend, 3e-6);
        }
    }
    CHECK(n < 3 || (!memcmp(y[1], y[2], sizeof *y) && !memcmp(slope[1], slope[2], sizeof *slope)),
          "%s and %s differ", table[1]->name, table[2]->name);
}

static void gelu_tails(void) {
    const Kernels *table[3];
    int n = tables(table);
    for (int t = 0; t < n; t++)
        for (size_t length = 1; length <= 40; length++) {
            float *x = random_floats(length, length), *y = malloc(length * sizeof *y);
            float *slope = malloc(length * sizeof *slope), value, derivative;
            CHECK(y && slope, "out of memory");
            table[t]->gelu(length, x, y, slope);
            for (size_t i = 0; i < length; i++) {
                table[t]->gelu(1, x + i, &value, &derivative);
                CHECK(y[i] == value && slope[i] == derivative,
                      "%s: %zu numbers: number %zu depends on its place", table[t]->name, length,
                      i);
            }
            free(x);
            free(y);
            free(slope);
        }
}

// ---- dispatch -----------------------------------------------------------------------------------

static void forced(void) {
    setenv("QKV_KERNELS", "plain", 1);
    CHECK_STRING(kernels()->name, "plain");
}

static void widest(void) {
    const Kernels *table[3];
    int n = tables(table);
    unsetenv("QKV_KERNELS");
    CHECK_STRING(kernels()->name, table[n - 1]->name);
}

void tests_gemm(void) {
    test("products of all small sizes are right on every vector width", small_products);
    test("products are right for every layout of A, B and C", every_layout);
    test("products deeper than one panel are right", deep_products);
    test("A A-transposed is symmetric bit for bit", symmetric);
    test("exp is within 2 units in the last place", exp_accuracy);
    test("exp is 0, infinite and NaN where it should be", exp_ends);
    test("exp and its sum are right for every length", exp_tails);
    test("softmax is right for rows of every length", softmax_rows);
    test("gelu and its slope are right", gelu_accuracy);
    test("gelu of a number doesn't depend on its place", gelu_tails);
    test("the environment forces a vector width", forced);
    test("the widest vectors of the processor are used", widest);
}
