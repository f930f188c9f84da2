#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

// Independent multiplications and additions, `rounds` times; gives how many it did. `sink` is read
// and written, so that no compiler leaves them out. (bench_peak.c, once for each width of vector)
double bench_peak_plain(long rounds, float *sink);
double bench_peak_avx2(long rounds, float *sink);
double bench_peak_avx512(long rounds, float *sink);

#endif
