#ifndef DATA_FILE_H
#define DATA_FILE_H

#include <stddef.h>
#include <stdio.h>

// The whole file, with a NUL past its end, to be freed by the caller. NULL and errno if it can't be had,
// EFBIG if it has over `limit` bytes.
char *file_read(const char *file, size_t limit, size_t *size);

// Opens a file to read it; NULL and errno if it can't be had, but for a lack of memory: that ends the
// program, as in data_grow().
FILE *file_open(const char *file);

#endif
