// All that the program asks of OpenMP, apart from its pragmas.
#include "model/train/threads.h"

int threads_for(int parts) { return threads_most() < parts ? threads_most() : parts; }

#ifdef _OPENMP
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

int threads_most(void) { return omp_get_max_threads(); }

void threads_set(int most) {
    if (most) omp_set_num_threads(most);
}

int threads_self(void) { return omp_get_thread_num(); }

// By default, a thread that waits keeps its core busy a while. Beside other programs, that costs
// more than it gains. gcc's library reads the variable before main() runs, hence the second start.
void threads_wait_asleep(char **argv) {
#ifdef __linux__
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0 || getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")) return;
    self[n] = '\0';
    if (!setenv("OMP_WAIT_POLICY", "passive", 1)) execv(self, argv);
#else
    (void)argv;
#endif
}
#else
int threads_most(void) { return 1; }
void threads_set(int most) { (void)most; }
int threads_self(void) { return 0; }
void threads_wait_asleep(char **argv) { (void)argv; }
#endif
