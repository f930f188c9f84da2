#ifndef MODEL_SAVE_MEMORY_H
#define MODEL_SAVE_MEMORY_H

#include <stdio.h>

// Text that is gathered in memory by what writes to a FILE; the caller frees it. It is never cut
// short: if memory runs out, these end the program. Nothing that sets errno comes between the two.
FILE *memory_open(char **text, size_t *size);
void memory_close(FILE *out);

#endif
