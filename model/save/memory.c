// Text gathered in memory.
#include "memory.h"

#include <errno.h>
#include <stdarg.h>

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

char *memory_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = grow(NULL, (size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
