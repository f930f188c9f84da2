#ifndef DATA_FILE_H
#define DATA_FILE_H

#include <stddef.h>

// The whole file, with a NUL past its end, to be freed by the caller. NULL and errno if it can't be had,
// EFBIG if it has over `limit` bytes.
char *file_read(const char *file, size_t limit, size_t *size);

#endif
