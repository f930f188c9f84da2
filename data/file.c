#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sentences.h"

FILE *file_open(const char *file) {
    FILE *f = fopen(file, "rb");
    if (!f && errno == ENOMEM) {
        fprintf(stderr, "train: out of memory: %s can't be opened\n", file);
        exit(1);
    }
    return f;
}

// A pipe has no length to ask for, so the memory grows as the file is read.
char *file_read(const char *file, size_t limit, size_t *size) {
    FILE *f = file_open(file);
    if (!f) return NULL;
    char *text = NULL;
    size_t used = 0, capacity = 1 << 16;
    do {
        capacity *= 2;
        text = data_grow(text, capacity + 1, 1);
        used += fread(text + used, 1, capacity - used, f);
    } while (used == capacity && used <= limit);
    int failure = ferror(f) ? errno : used > limit ? EFBIG : 0;
    fclose(f);
    if (failure) {
        free(text);
        errno = failure;
        return NULL;
    }
    text[used] = '\0';
    *size = used;
    return text;
}
