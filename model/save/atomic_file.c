// Writes a file whole or not at all: to a part beside it, to the disk, and then under its name.
#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "autograd/fatal.h"

// The part that is being written, or NULL. Global, because an atexit handler takes no argument.
static const char *open_part;

static void remove_part(void) {
    if (open_part) unlink(open_part);
}

static char *joined(const char *text, size_t n, const char *end) {
    char *whole = grow(NULL, n + strlen(end) + 1, 1);
    memcpy(whole, text, n);
    strcpy(whole + n, end);
    return whole;
}

// The lock lasts as long as the directory is open, and no longer than the program. A file system
// that has no locks gives an error here, and nobody waits.
static int lock_directory(const char *file) {
    const char *slash = strrchr(file, '/');
    char *directory = joined(file, slash ? (size_t)(slash - file) + 1 : 0, slash ? "" : ".");
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR) { }
    return fd;
}

// Closes everything and gives `good`; errno stays. If not good, the part goes.
static bool finish(AtomicFile *w, bool good) {
    int reason = errno;
    if (!good) remove_part();
    open_part = NULL;
    if (w->out) fclose(w->out);
    if (w->directory >= 0) close(w->directory);
    free(w->file);
    free(w->part);
    *w = (AtomicFile){.directory = -1};
    errno = reason;
    return good;
}

bool atomic_file_open(AtomicFile *w, const char *file) {
    static bool registered;
    if (open_part) fatal("%s: opened before %s is closed", file, open_part);
    if (!registered) registered = !atexit(remove_part);
    size_t n = strlen(file);
    *w = (AtomicFile){NULL, joined(file, n, ""), joined(file, n, ".part"), lock_directory(file)};
    int fd = -1;
    if (w->directory >= 0) fd = open(w->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return finish(w, false);
    open_part = w->part;
    w->out = fdopen(fd, "wb");
    if (!w->out && errno == ENOMEM) fatal("out of memory: %s can't be opened", w->part);
    if (w->out) return true;
    close(fd);
    return finish(w, false);
}

bool atomic_file_close(AtomicFile *w) {
    bool failed = ferror(w->out), flushed = !fflush(w->out);
    if (flushed && failed) errno = EIO;  // an earlier write failed, and its reason is lost
    if (!flushed || failed || fsync(fileno(w->out)) || rename(w->part, w->file))
        return finish(w, false);
    open_part = NULL;
    // Without this a power failure may undo the rename. EINVAL: directories can't be synced here.
    return finish(w, !fsync(w->directory) || errno == EINVAL);
}

void atomic_file_drop(AtomicFile *w) { finish(w, false); }
