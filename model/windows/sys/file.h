#ifndef MODEL_WINDOWS_SYS_FILE_H
#define MODEL_WINDOWS_SYS_FILE_H

// Files are locked while they are open for writing (windows_open), so directories need no lock:
// only with LOCK_NB is anything locked.
enum { LOCK_EX = 2, LOCK_NB = 4 };
int flock(int fd, int how);

#endif
