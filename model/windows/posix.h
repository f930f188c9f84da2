#ifndef MODEL_WINDOWS_POSIX_H
#define MODEL_WINDOWS_POSIX_H

// What of POSIX the program uses and mingw-w64 lacks, by the same names; included before every file
// where Windows is built for (see the Makefile), so that no other file knows of it. What isn't
// there is left out: no Ctrl-Z, no signal for a closed terminal or pipe.
#define tell io_tell  // model/train/tasks.c has one
#include <direct.h>
#include <fcntl.h>
#include <io.h>
#undef tell
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- files -------------------------------------------------------------------------------------
// Opened so that others may rename and delete the file, but not write: who wants to write waits.
enum { O_CLOEXEC = O_NOINHERIT, O_DIRECTORY = 0x1000000, O_NOFOLLOW = 0, O_NONBLOCK = 0 };
int windows_open(const char *path, int flags, ...);
int windows_mkdir(const char *path);             // EEXIST for a drive too
int windows_rename(const char *from, const char *to);  // over a file that is there
int fsync(int fd);                                     // EINVAL for a directory
static inline ssize_t windows_write(int fd, const void *bytes, size_t count) {
    return write(fd, bytes, (unsigned)(count < 1 << 30 ? count : 1 << 30));
}
#define write windows_write
#define open windows_open
#define mkdir(path, mode) windows_mkdir(path)
#define rename windows_rename
#define lstat stat

// ---- memory ------------------------------------------------------------------------------------
// free() takes it back, so it is aligned as malloc() does: gemm.c and kernels.c load from anywhere.
#define aligned_alloc(alignment, size) ((void)(alignment), malloc(size))

// A stream of the calling thread's: *text and *size are right after each fflush and after fclose.
FILE *open_memstream(char **text, size_t *size);
int windows_fflush(FILE *out);
int windows_fclose(FILE *out);
#define fflush windows_fflush
#define fclose windows_fclose

// ---- signals -----------------------------------------------------------------------------------
enum { SIGQUIT = SIGBREAK };  // the rest can't come
enum { SIGHUP = 101, SIGPIPE, SIGTSTP, SIGXFSZ };
enum { SA_RESTART = 1, SIG_UNBLOCK = 1, SIG_SETMASK };
typedef int sigset_t;
struct sigaction { void (*sa_handler)(int); int sa_flags; sigset_t sa_mask; };
static inline int sigemptyset(sigset_t *set) { return *set = 0; }
static inline int sigaddset(sigset_t *set, int number) { return (void)set, (void)number, 0; }
static inline int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
    return (void)how, (void)set, (void)before, 0;
}
int sigaction(int number, const struct sigaction *action, void *before);

#endif
