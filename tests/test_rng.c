// Random numbers: the published sequence, and the shape of what is made of it.
#include "autograd/rng.h"

#include <inttypes.h>

#include "test.h"

// The first outputs of SplitMix64 for seed 0, and for 1234567 (Rosetta
// Code, PractRand's and Java's).
static void reference(void) {
    const uint64_t zero[] = {0xE220A8397B1DCDAFu, 0x6E789E6AA1B965F4u, 0x06C45D188009454Fu};
    const uint64_t other[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};
    Rng a = {0}, b = {1234567};
    for (int i = 0; i < 3; i++) {
        uint64_t got = rng_next(&a);
        CHECK(got == zero[i], "output %d: expected %" PRIx64 ", got %" PRIx64, i, zero[i], got);
        got = rng_next(&b);
        CHECK(got == other[i], "output %d: expected %" PRIu64 ", got %" PRIu64, i, other[i], got);
    }
}

// Chi-square with n-1 degrees of freedom: mean n-1, variance 2(n-1). Five standard deviations are
// allowed.
static void below(void) {
    const uint32_t sizes[] = {2, 3, 7, 10, 64, 100};
    for (int s = 0; s < 6; s++) {
        uint32_t n = sizes[s], count[100] = {0};
        Rng rng = rng_new(1, n);
        for (int i = 0; i < 100000; i++) {
            uint32_t drawn = rng_below(&rng, n);
            CHECK(drawn < n, "below %u: got %u", n, drawn);
            count[drawn]++;
        }
        double expected = 100000.0 / n, chi2 = 0;
        for (uint32_t i = 0; i < n; i++)
            chi2 += (count[i] - expected) * (count[i] - expected) / expected;
        CHECK(fabs(chi2 - (n - 1)) <= 5 * sqrt(2.0 * (n - 1)), "below %u: chi-square is %g", n,
              chi2);
    }
}

// With n = 3 * 2^30, taking 32 bits modulo n would give the lowest third
// of the results twice as often.
static void below_large(void) {
    Rng rng = rng_new(1, 0);
    int low = 0;
    for (int i = 0; i < 30000; i++) low += rng_below(&rng, 3u << 30) < 1u << 30;
    CHECK_NEAR(low, 10000, 5 * sqrt(30000 * 2 / 9.0));
}

static void below_one(void) {
    Rng rng = rng_new(1, 0);
    for (int i = 0; i < 100; i++) CHECK_INT(rng_below(&rng, 1), 0);
}

static void uniform(void) {
    Rng rng = rng_new(2, 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < 100000; i++) {
        double x = rng_uniform(&rng);
        CHECK(x >= 0 && x < 1, "got %.17g", x);
        sum += x;
        squares += x * x;
    }
    CHECK_NEAR(sum / 100000, 0.5, 5 * sqrt(1 / 12.0 / 100000));
    CHECK_NEAR(squares / 100000, 1 / 3.0, 0.005);
}

static void normal(void) {
    Rng rng = rng_new(3, 0);
    double power[4] = {0};
    int beyond = 0, n = 200000;
    for (int i = 0; i < n; i++) {
        double x = rng_normal(&rng);
        CHECK(isfinite(x), "got %g", x);
        power[0] += x / n;
        power[1] += x * x / n;
        power[2] += x * x * x / n;
        power[3] += x * x * x * x / n;
        beyond += fabs(x) > 2;
    }
    CHECK_NEAR(power[0], 0, 5 * sqrt(1.0 / n));
    CHECK_NEAR(power[1], 1, 5 * sqrt(2.0 / n));
    CHECK_NEAR(power[2], 0, 5 * sqrt(15.0 / n));
    CHECK_NEAR(power[3], 3, 5 * sqrt(96.0 / n));
    CHECK_NEAR(beyond / (double)n, 0.0455, 5 * sqrt(0.0455 / n));
}

static void streams(void) {
    for (uint64_t i = 0; i < 20; i++) {
        Rng a = rng_new(i, 0), again = rng_new(i, 0);
        Rng b = rng_new(i, 1), c = rng_new(i + 1, 0), d = rng_new(0, i);
        uint64_t first = rng_next(&a);
        CHECK(first == rng_next(&again), "seed %" PRIu64 " gives two sequences", i);
        CHECK(first != rng_next(&b), "seed %" PRIu64 ": streams 0 and 1 are the same", i);
        CHECK(first != rng_next(&c), "seeds %" PRIu64 " and the next are the same", i);
        CHECK(i == 0 || first != rng_next(&d), "seed %" PRIu64 " is stream %" PRIu64 " of seed 0",
              i, i);
    }
}

static void streams_unrelated(void) {
    int n = 20000;
    double product = 0;
    Rng a = rng_new(5, 0), b = rng_new(5, 1);
    for (int i = 0; i < n; i++) product += rng_normal(&a) * rng_normal(&b) / n;
    CHECK_NEAR(product, 0, 5 * sqrt(1.0 / n));
}

void tests_rng(void) {
    test("the generator is SplitMix64", reference);
    test("numbers below n are equally likely", below);
    test("numbers below 3 * 2^30 are equally likely", below_large);
    test("the only number below 1 is 0", below_one);
    test("uniform numbers are in [0, 1), with its mean and variance", uniform);
    test("normal numbers have the moments of the normal distribution", normal);
    test("seeds and streams repeat themselves and nobody else", streams);
    test("two streams of a seed are uncorrelated", streams_unrelated);
}
