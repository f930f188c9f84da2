#ifndef DATA_FILE_H
#define DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// The whole file, with a NUL past its end, to be freed by the caller. NULL and errno if it can't be
// had, EFBIG if it has over `limit` bytes.
char *file_read(const char *file, size_t limit, size_t *size);

// Writes "FILE:LINE:COLUMN: what was found; what was expected", of one line; without a column that
// is 0, nor a line that is 0, when it is about the file as a whole. Returns false.
bool file_refuse(char *error, size_t error_size, const char *file, int line, int column,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

// Opens a file to read it; NULL and errno if it can't be had, but for a lack of memory: that ends
// the program, as in grow().
FILE *file_open(const char *file);

#endif
