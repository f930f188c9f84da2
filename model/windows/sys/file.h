#ifndef MODEL_WINDOWS_SYS_FILE_H
#define MODEL_WINDOWS_SYS_FILE_H

// Files are locked while they are open for writing (windows_open), so directories need no lock.
// There are no claims: windows_open makes no file that is read and written.
enum { LOCK_EX = 2, LOCK_NB = 4 };
static inline int flock(int fd, int how) { return (void)fd, (void)how, 0; }

#endif
