// Writes a file whole or not at all: to a part beside it, to the disk, and then under its name.
#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "autograd/fatal.h"
#include "model/save/memory.h"

// A file that is opened to be written lies in its folder. A folder that somebody else made may have
// a link out of it, or a pipe, under that name: those fail to open.
enum { OWN = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };

// The part that is being written, and the file of a claim, or NULL. Global, because an atexit
// handler takes no argument.
static const char *open_part, *claim;

static void remove_part(void) {
    if (open_part) unlink(open_part);
}

static void remove_all(void) {
    remove_part();
    if (claim) unlink(claim);
}

// The lock lasts as long as the directory is open, and no longer than the program. A file system
// that has no locks gives an error here, and nobody waits.
static int lock_directory(const char *file) {
    const char *slash = strrchr(file, '/');
    char *directory = slash ? memory_print("%.*s", (int)(slash - file) + 1, file)
                            : memory_print(".");
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), reason = errno;
    free(directory);
    while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR) { }
    errno = reason;
    return fd;
}

// Closes everything and gives `good`. If not good, the part goes, and `error`, if there is one, says
// why: before anything is closed, which may fail for another reason.
static bool finish(AtomicFile *w, bool good, char *error) {
    if (!good && error) file_refuse(error, w->file, "can't be written: %s", strerror(errno));
    if (!good) remove_part();
    open_part = NULL;
    if (w->out) fclose(w->out);
    if (w->directory >= 0) close(w->directory);
    free(w->file);
    free(w->part);
    *w = (AtomicFile){.directory = -1};
    return good;
}

bool atomic_file_open(AtomicFile *w, const char *file, char error[FILE_ERROR]) {
    static bool registered;
    if (open_part) fatal("%s: opened before %s is closed", file, open_part);
    if (!registered) registered = !atexit(remove_all);
    *w = (AtomicFile){NULL, memory_print("%s", file), memory_print("%s.part", file),
                      lock_directory(file)};
    int fd = -1;
    if (w->directory >= 0) fd = open(w->part, O_WRONLY | O_CREAT | O_TRUNC | OWN, 0666);
    if (fd < 0) return finish(w, false, error);
    open_part = w->part;
    w->out = fdopen(fd, "wb");
    if (!w->out && errno == ENOMEM) fatal("out of memory: %s can't be opened", w->part);
    if (!w->out) {
        finish(w, false, error);
        close(fd);
    }
    errno = 0;  // until a write fails
    return w->out;
}

bool atomic_file_open_in(AtomicFile *w, const char *directory, const char *name,
                         char error[FILE_ERROR]) {
    char *file = memory_print("%s/%s", directory, name);
    bool opened = atomic_file_open(w, file, error);
    free(file);
    return opened;
}

bool atomic_file_close(AtomicFile *w, char error[FILE_ERROR]) {
    bool failed = ferror(w->out);  // a write before this one; errno says why
    if (failed && !errno) errno = EIO;
    if (failed || fflush(w->out) || fsync(fileno(w->out)) || rename(w->part, w->file))
        return finish(w, false, error);
    open_part = NULL;
    // Without this a power failure may undo the rename. EINVAL: directories can't be synced here.
    return finish(w, !fsync(w->directory) || errno == EINVAL, error);
}

void atomic_file_drop(AtomicFile *w) { finish(w, false, NULL); }

void atomic_file_remove(const char *directory, const char *name) {
    char *file = memory_print("%s/%s", directory, name);
    unlink(file);
    free(file);
}

bool atomic_file_claim(const char *directory, const char *name, char error[FILE_ERROR]) {
    char *file = memory_print("%s/.%s.lock", directory, name), owner[16] = "?";
    int fd = open(file, O_RDWR | O_CREAT | OWN, 0666), n;
    bool taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    bool gone = fd >= 0 && !taken && access(file, F_OK);  // its owner removed it between the two
    if (taken && read(fd, owner, 15) > 0) owner[strcspn(owner, "\n")] = '\0';
    if (fd >= 0 && !taken && !gone) {
        claim = file;
        n = snprintf(owner, sizeof owner, "%ld\n", (long)getpid());
        return write(fd, owner, (size_t)n) <= n;  // without its number it is a claim, too
    }
    free(file);
    if (fd >= 0) close(fd);
    if (gone) return atomic_file_claim(directory, name, error);
    return !taken || file_refuse(error, directory, "process %s writes its results there; "
                                 "expected another --out DIR, or a start after its end", owner);
}
