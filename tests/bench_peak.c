// Compiled once for each KERNELS, as kernels.c is: how many multiplications and additions a second
// this width of vector does at most, measured there and then.
#include "bench.h"

#include "autograd/simd/loops.h"
#include "autograd/simd/vec.h"

enum { CHAINS = 10 };  // independent, so that each hides the others' latency

double WITH_SUFFIX(bench_peak, KERNELS)(long rounds, float *sink) {
    Vec c[CHAINS], a = splat(*sink), b = splat(*sink * 0.5f);
    for (int i = 0; i < CHAINS; i++) c[i] = a + (float)i;
    for (long r = 0; r < rounds; r++)
        for (int i = 0; i < CHAINS; i++) c[i] = c[i] * a + b;
    for (int i = 1; i < CHAINS; i++) c[0] += c[i];
    for (int i = 0; i < LANES; i++) *sink += c[0][i];
    *sink = *sink > 1 || *sink < 0 ? 0.5f : *sink;
    return 2.0 * LANES * CHAINS * (double)rounds;
}
