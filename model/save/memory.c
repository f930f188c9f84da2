// Text gathered in memory.
#include "memory.h"

#include <errno.h>

#include "autograd/fatal.h"

FILE *memory_open(char **text, size_t *size) {
    *text = NULL;
    FILE *out = open_memstream(text, size);
    if (!out) fatal("out of memory: a text that is put together");
    if (errno == ENOMEM) errno = 0;
    return out;
}

// If such a stream can't grow, glibc (2.36) does not set its error flag: only errno tells.
void memory_close(FILE *out) {
    int reason = errno;
    if (fflush(out) || ferror(out) || fclose(out) || reason == ENOMEM || errno == ENOMEM)
        fatal("out of memory: a text that is put together");
}
