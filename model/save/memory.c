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

// Where such a stream can't grow, glibc (2.36) leaves its error flag alone: only errno knows.
void memory_close(FILE *out) {
    int reason = errno;
    if (fflush(out) || ferror(out) || fclose(out) || reason == ENOMEM || errno == ENOMEM)
        fatal("out of memory: a text that is put together");
}
