#ifndef MODEL_SAVE_ATOMIC_FILE_H
#define MODEL_SAVE_ATOMIC_FILE_H

#include "data/file.h"

// A file that is written whole or not at all. What is put into `out` goes to FILE.part, from there
// to the disk, and only then does FILE.part become FILE. Whenever the program dies, FILE is the old
// one or the new one. A FILE.part is left behind only by a kill, and the next writer overwrites it.
// Two programs that write into one directory take turns; the one that ends last wins. A program
// writes one file at a time.
typedef struct AtomicFile {
    FILE *out;
    char *file, *part;  // owned
    int directory;      // open and locked
} AtomicFile;

// False: `error` says "FILE: can't be written: ", and why. Then nothing is open, there is no part,
// and FILE is the old one. (Or the new one, if only its directory could not be brought to the
// disk.)
bool atomic_file_open(AtomicFile *w, const char *file, char error[FILE_ERROR]);
bool atomic_file_open_in(AtomicFile *w, const char *directory, const char *name,
                         char error[FILE_ERROR]);
bool atomic_file_close(AtomicFile *w, char error[FILE_ERROR]);

void atomic_file_drop(AtomicFile *w);  // leaves FILE as it was
void atomic_file_remove(const char *directory, const char *name);

// Claims what NAME stands for in a directory, into which a file has been written, until the program
// ends, in whichever way: a locked file DIRECTORY/.NAME.lock with the number of the process. False:
// another program holds it, and `error` says which. Where files have no locks, nobody is kept away.
bool atomic_file_claim(const char *directory, const char *name, char error[FILE_ERROR]);

#endif
