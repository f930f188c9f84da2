// Which of the compilations of kernels.c, gemm.c and loops.c this processor can run.
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "loops.h"

extern const Kernels kernels_plain;
extern const Loops loops_plain;
#ifdef __x86_64__
extern const Kernels kernels_avx2, kernels_avx512;
extern const Loops loops_avx2, loops_avx512;
#endif

static int allowed(const char *name) {
    const char *forced = getenv("QKV_KERNELS");
    return !forced || !*forced || !strcmp(forced, name);
}

static const Kernels *choose(void) {
#ifdef __x86_64__
    __builtin_cpu_init();
    int fma = __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx512f") && allowed("avx512")) return &kernels_avx512;
    if (fma && __builtin_cpu_supports("avx2") && allowed("avx2")) return &kernels_avx2;
#endif
    return &kernels_plain;
}

// Chosen at the first call. Threads that meet here choose the same, so it doesn't matter who is first.
const Kernels *kernels(void) {
    static const Kernels *chosen;
    const Kernels *known = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (!known) __atomic_store_n(&chosen, known = choose(), __ATOMIC_RELAXED);
    return known;
}

const Loops *loops(void) {
#ifdef __x86_64__
    if (kernels() == &kernels_avx512) return &loops_avx512;
    if (kernels() == &kernels_avx2) return &loops_avx2;
#endif
    return &loops_plain;
}
