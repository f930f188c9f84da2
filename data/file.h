#ifndef DATA_FILE_H
#define DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FILE_ERROR = 512 };  // bytes of an error message, whatever the name of the file

// Opens a file for reading. NULL and errno if that fails; if memory runs out, fatal().
FILE *file_open(const char *file);

// The whole file, with a NUL behind it; the caller frees it. NULL and errno if it can't be read,
// EFBIG if it has more than `limit` bytes.
char *file_read(const char *file, size_t limit, size_t *size);

// The same of a text, without the byte order mark that some editors put first. NULL: `error` says
// why, and that `expected` was expected; of UTF-16 with its mark, that UTF-8 was.
char *file_text(const char *file, size_t limit, size_t *size, const char *expected,
                char error[FILE_ERROR]);

// Walks over the lines of a text: gives the line at *next, and moves *next behind it. The line ends
// before its "\n" or "\r\n", at *line_end. NULL at the end of the text.
char *file_line(char **next, char *end, char **line_end);

// Writes "FILE:LINE:COLUMN: what was found; what was expected", one line. COLUMN is left out if it
// is 0, and LINE if it is 0, for a message about the whole file. Returns false.
bool file_refuse_at(char error[FILE_ERROR], const char *file, int line, int column,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
#define file_refuse(error, file, ...) file_refuse_at(error, file, 0, 0, __VA_ARGS__)

// Of a folder that somebody else may have made: is the file one of its own? False: it is a link,
// which may lead out of it, or a pipe or a device, which may have no end. True if it isn't there.
bool file_is_own(const char *file, char error[FILE_ERROR]);

#endif
