// Chooses among the compilations of gemm.c, kernels.c and loops.c, when the program runs: the
// widest that this processor has, or what QKV_KERNELS asks for.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "autograd/fatal.h"

extern const Kernels kernels_plain;
#ifdef __x86_64__
extern const Kernels kernels_avx2, kernels_avx512;
#endif

// The widest first.
static const Kernels *const compiled[] = {
#ifdef __x86_64__
    &kernels_avx512, &kernels_avx2,
#endif
    &kernels_plain,
};
enum { COMPILED = sizeof compiled / sizeof *compiled };

static bool runs(const Kernels *k) {
#ifdef __x86_64__
    __builtin_cpu_init();
    bool fma = __builtin_cpu_supports("fma");
    if (k == &kernels_avx512) return fma && __builtin_cpu_supports("avx512f");
    if (k == &kernels_avx2) return fma && __builtin_cpu_supports("avx2");
#endif
    return k == &kernels_plain;
}

// The widest that runs, or the one of that name; NULL if there is none.
static const Kernels *choose(const char *name) {
    for (int i = 0; i < COMPILED; i++)
        if (runs(compiled[i]) && (!name || !*name || !strcmp(name, compiled[i]->name)))
            return compiled[i];
    return NULL;
}

bool kernels_known(char *error, size_t size) {
    const char *asked = getenv("QKV_KERNELS"), *comma = "";
    if (choose(asked)) return true;
    int n = snprintf(error, size, "QKV_KERNELS=%.60s: expected one of ", asked);
    for (int i = 0; i < COMPILED; i++) {
        if (!runs(compiled[i])) continue;
        n += snprintf(error + n, size - (size_t)n, "%s%s", comma, compiled[i]->name);
        comma = ", ";
    }
    for (char *c = error; *c; c++)  // whatever was asked for, the line stays ASCII
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 127) *c = '?';
    return false;
}

// Chosen at the first call. Threads that meet here all choose the same, so it doesn't matter whose
// store comes last.
const Kernels *kernels(void) {
    static const Kernels *chosen;
    const Kernels *known = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (known) return known;
    known = choose(getenv("QKV_KERNELS"));
    if (!known) {
        char error[KERNELS_ERROR];
        kernels_known(error, sizeof error);
        fatal("%s", error);
    }
    __atomic_store_n(&chosen, known, __ATOMIC_RELAXED);
    return known;
}

const Loops *loops(void) { return kernels()->loops; }
