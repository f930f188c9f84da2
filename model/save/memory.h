#ifndef MODEL_SAVE_MEMORY_H
#define MODEL_SAVE_MEMORY_H

#include <stdio.h>

// A FILE whose text is gathered in memory; the caller frees the text. It is never cut short: if
// memory runs out, these end the program. Between the two, call nothing that
// sets errno.
FILE *memory_open(char **text, size_t *size);
void memory_close(FILE *out);

// What printf would print, as a text that the caller frees.
char *memory_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
