#ifndef MODEL_SAVE_ATOMIC_FILE_H
#define MODEL_SAVE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

// A file that is written whole or not at all: what is put into `out` goes to FILE.part, to the
// disk, and only then to FILE. Whenever the program dies, FILE is the old one or the new one, and a
// FILE.part that is left is overwritten by the next that writes FILE; where it ends by exit(), none
// is left. Two programs that write the same one take turns, and one of them writes on one thread at
// a time.
typedef struct AtomicFile {
    FILE *out;
    char *file, *part;  // owned
    struct AtomicFile *next; // of those that are open
} AtomicFile;

// These give false and leave errno if that can't be done; there is nothing to close then, no part,
// and FILE is what it was. (Or the new one already, if its directory can't be brought to the disk.)
bool atomic_file_open(AtomicFile *w, const char *file);
bool atomic_file_close(AtomicFile *w);

void atomic_file_drop(AtomicFile *w);  // writes nothing after all

#endif
