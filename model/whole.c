#include "whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/sentences.h"

static bool is_named(int fd, const char *path) {
    struct stat a, b;
    return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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
        if (is_named(fd, part)) {
            if (!ftruncate(fd, 0) || errno == EINVAL) return fd;  // EINVAL: a device has no length
            close(fd);
            return -1;
        }
        close(fd);
    }
}

static bool give_up(Whole *w) {
    int reason = errno;
    free(w->file);
    free(w->part);
    *w = (Whole){0};
    errno = reason;
    return false;
}

bool whole_open(Whole *w, const char *file) {
    size_t size = strlen(file) + sizeof ".part";
    *w = (Whole){.file = data_grow(NULL, size, 1), .part = data_grow(NULL, size, 1)};
    snprintf(w->file, size, "%s", file);
    snprintf(w->part, size, "%s.part", file);
    int fd = open_part(w->part);
    w->out = fd < 0 ? NULL : fdopen(fd, "wb");
    if (w->out) return true;
    if (fd >= 0) close(fd);
    return give_up(w);
}

// Without this the rename itself may not outlive a power failure. EINVAL: a file system that has no
// such thing for directories.
static bool flush_directory(const char *file) {
    const char *slash = strrchr(file, '/');
    size_t n = slash ? (size_t)(slash - file) + 1 : 0;
    char *directory = data_grow(NULL, n + 2, 1);
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
bool whole_close(Whole *w) {
    bool flushed = !fflush(w->out) && !ferror(w->out);
    bool whole = flushed && !fsync(fileno(w->out)) && !rename(w->part, w->file);
    int reason = errno;
    if (!whole) unlink(w->part);
    fclose(w->out);
    errno = reason;
    whole = whole && flush_directory(w->file);
    give_up(w);
    return whole;
}

void whole_drop(Whole *w) {
    unlink(w->part);
    fclose(w->out);
    give_up(w);
}
