#ifndef MODEL_WINDOWS_SYS_FILE_H
#define MODEL_WINDOWS_SYS_FILE_H

// Files are locked while they are open for writing (windows_open), so directories need no lock.
enum { LOCK_EX = 2 };
static inline int flock(int fd, int how) { return (void)fd, (void)how, 0; }

#endif
