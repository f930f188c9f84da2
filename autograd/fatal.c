// How the program ends when it can't go on: with one line, wherever it stands. Memory from grow()
// is either there or ends the program, so no caller checks for NULL.
#include "fatal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fatal_program = "";

void fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s%s", fatal_program, *fatal_program ? ": " : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void out_of_memory(size_t count, size_t size) {
    fatal("out of memory: %zu times %zu bytes were asked for", count, size);
}

void *grow(void *old, size_t count, size_t size) {
    bool fits = size == 0 || count <= PTRDIFF_MAX / size;  // no overflow
    size_t bytes = count * size > 0 ? count * size : 1;    // realloc to 0 bytes might free
    void *grown = fits ? realloc(old, bytes) : NULL;
    if (!grown) out_of_memory(count, size);
    return grown;
}

void *zeroed(size_t count, size_t size) {
    void *memory = grow(NULL, count, size);
    memset(memory, 0, count * size);
    return memory;
}
