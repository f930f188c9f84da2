// Linked into the program that is made to fail. The n-th allocation gives nothing (QKV_FAULT=n),
// and with a sign in front (QKV_FAULT=-n) those after it too; when that happens a byte is written
// to the descriptor QKV_FAULT_TO. The clock stands still, so that the same is written in each run.
//
// By itself this takes the place of the allocator's functions, and so fails libc's own calls of
// them too: buffers, open_memstream, opendir, qsort. With the address sanitizer, whose allocator
// has to be the one, it is linked with --wrap, and fails the program's calls alone.
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__  // gcc
#define WRAPPED
#elif defined __has_feature       // clang
#if __has_feature(address_sanitizer)
#define WRAPPED
#endif
#endif

#ifdef WRAPPED
#define HOOK(name) __wrap_##name
#define REAL(name) __real_##name
#else
#define HOOK(name) name
#define REAL(name) __libc_##name
#endif

void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *old, size_t size);
void *HOOK(malloc)(size_t size);
void *HOOK(calloc)(size_t count, size_t size);
void *HOOK(realloc)(void *old, size_t size);
void *HOOK(aligned_alloc)(size_t alignment, size_t size);
#ifdef WRAPPED
void *REAL(aligned_alloc)(size_t alignment, size_t size);
#else
void *__libc_memalign(size_t alignment, size_t size);
#define __libc_aligned_alloc __libc_memalign
#endif
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

static long fault;      // 0: none
static atomic_long calls;

// The driver counts system calls from here: those of the loader are not the program's.
__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("QKV_FAULT");
    fault = text ? strtol(text, NULL, 10) : 0;
    close(-77);
}

static int fails(void) {
    if (!fault) return 0;
    long n = atomic_fetch_add(&calls, 1) + 1;
    if (n != labs(fault) && !(fault < 0 && n > -fault)) return 0;
    const char *to = n == labs(fault) ? getenv("QKV_FAULT_TO") : NULL;
    if (to && write((int)strtol(to, NULL, 10), "!", 1) < 0) _exit(99);
    errno = ENOMEM;
    return 1;
}

void *HOOK(malloc)(size_t size) { return fails() ? NULL : REAL(malloc)(size); }

void *HOOK(calloc)(size_t count, size_t size) {
    return fails() ? NULL : REAL(calloc)(count, size);
}

void *HOOK(realloc)(void *old, size_t size) { return fails() ? NULL : REAL(realloc)(old, size); }

void *HOOK(aligned_alloc)(size_t alignment, size_t size) {
    return fails() ? NULL : REAL(aligned_alloc)(alignment, size);
}

// So late that a billionth of a second more rounds to the same: with --save-every 1e-9 each
// measured step is saved.
int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    (void)clock;
    *now = (struct timespec){.tv_sec = 1000000000000000};
    return 0;
}
