#ifndef AUTOGRAD_FATAL_H
#define AUTOGRAD_FATAL_H

// Says in one line on stderr what was wrong ("train: ..."), and ends the program with status 1.
// For mistakes of the caller (shapes that don't fit) and for memory that isn't to be had: an op
// never returns NULL for the next one to trip over.
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
