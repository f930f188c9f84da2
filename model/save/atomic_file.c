#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograd/fatal.h"
#include "data/sentences.h"

// Those that are open, in no order. exit() has no argument either by which it could be told.
static AtomicFile *open_ones;

static void unlink_parts(void) {
    for (AtomicFile *w = open_ones; w; w = w->next) unlink(w->part);
}

static void remember(AtomicFile *w) {
    static bool registered;
    if (!registered) registered = !atexit(unlink_parts);
    w->next = open_ones;
    open_ones = w;
}

static void forget(const AtomicFile *w) {
    AtomicFile **at = &open_ones;
    while (*at && *at != w) at = &(*at)->next;
    if (*at) *at = w->next;
}

// 1: that is its name; 0: it is another's by now, or nobody's; -1: errno says why nobody knows
static int is_named(int fd, const char *path) {
    struct stat a, b;
    if (fstat(fd, &a)) return -1;
    if (stat(path, &b)) return errno == ENOENT ? 0 : -1;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Gives up a part that was opened: -1, and errno stays.
static int drop_part(int fd, const char *part) {
    int reason = errno;
    unlink(part);
    close(fd);
    errno = reason;
    return -1;
}

// The part, empty and ours until it is closed. What was locked may be FILE by now, renamed by the
// one that was waited for: then it isn't ours to empty. A file system without locks has none to
// wait for.
static int open_part(const char *part) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    for (;;) {
        int fd = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) return fd;
        while (fcntl(fd, F_SETLKW, &lock) && errno == EINTR) { }
        int named = is_named(fd, part);
        if (named > 0 && (!ftruncate(fd, 0) || errno == EINVAL)) return fd;  // EINVAL: a device
        if (named) return drop_part(fd, part);
        close(fd);
    }
}

static bool give_up(AtomicFile *w) {
    int reason = errno;
    forget(w);
    free(w->file);
    free(w->part);
    *w = (AtomicFile){0};
    errno = reason;
    return false;
}

bool atomic_file_open(AtomicFile *w, const char *file) {
    size_t size = strlen(file) + sizeof ".part";
    *w = (AtomicFile){.file = grow(NULL, size, 1), .part = grow(NULL, size, 1)};
    snprintf(w->file, size, "%s", file);
    snprintf(w->part, size, "%s.part", file);
    int fd = open_part(w->part);
    if (fd < 0) return give_up(w);
    remember(w);
    w->out = fdopen(fd, "wb");
    if (!w->out && errno == ENOMEM) fatal("out of memory: %s can't be opened", w->part);
    if (w->out) return true;
    drop_part(fd, w->part);
    return give_up(w);
}

// Without this the rename itself may not outlive a power failure. EINVAL: a file system that has no
// such thing for directories.
static bool flush_directory(const char *file) {
    const char *slash = strrchr(file, '/');
    size_t n = slash ? (size_t)(slash - file) + 1 : 0;
    char *directory = grow(NULL, n + 2, 1);
    memcpy(directory, n ? file : ".", n ? n : 1);
    directory[n ? n : 1] = '\0';
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    if (fd < 0) return false;
    bool flushed = !fsync(fd) || errno == EINVAL;
    int reason = errno;
    close(fd);
    errno = reason;
    return flushed;
}

// Renamed before it is closed, and so before another may lock it.
bool atomic_file_close(AtomicFile *w) {
    bool failed = ferror(w->out), flushed = !fflush(w->out);
    if (flushed && failed) errno = EIO;  // an earlier write; what it met with is forgotten by now
    flushed = flushed && !failed;
    bool whole = flushed && !fsync(fileno(w->out)) && !rename(w->part, w->file);
    int reason = errno;
    if (!whole) unlink(w->part);
    fclose(w->out);
    errno = reason;
    whole = whole && flush_directory(w->file);
    give_up(w);
    return whole;
}

void atomic_file_drop(AtomicFile *w) {
    unlink(w->part);
    fclose(w->out);
    give_up(w);
}
