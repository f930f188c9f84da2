#define WIN32_LEAN_AND_MEAN
#include "model/windows/posix.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <windows.h>

#include "model/windows/sys/ioctl.h"

#undef fflush
#undef fclose

// Lines end in \n wherever they are written; a console reads UTF-8 and escapes.
__attribute__((constructor)) static void begin(void) {
    HANDLE console = GetStdHandle(STD_OUTPUT_HANDLE);
    DWORD mode;
    _fmode = O_BINARY;
    for (int fd = 0; fd < 3; fd++) _setmode(fd, O_BINARY);
    if (!GetConsoleMode(console, &mode)) return;
    SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    SetConsoleOutputCP(CP_UTF8);
}

static int fail(void) {
    DWORD reason = GetLastError();
    errno = reason == ERROR_FILE_NOT_FOUND || reason == ERROR_PATH_NOT_FOUND ? ENOENT
          : reason == ERROR_DISK_FULL ? ENOSPC : EACCES;
    return -1;
}

int windows_open(const char *path, int flags, ...) {
    int directory = flags & O_DIRECTORY, writes = flags & O_WRONLY;
    DWORD share = FILE_SHARE_DELETE | FILE_SHARE_READ | (writes ? 0 : FILE_SHARE_WRITE);
    for (;;) {
        HANDLE file = CreateFileA(path, writes ? GENERIC_WRITE | DELETE : GENERIC_READ, share, NULL,
                                  flags & O_TRUNC ? CREATE_ALWAYS : OPEN_EXISTING,
                                  directory ? FILE_FLAG_BACKUP_SEMANTICS : FILE_ATTRIBUTE_NORMAL,
                                  NULL);
        if (file != INVALID_HANDLE_VALUE)
            return _open_osfhandle((intptr_t)file, flags & ~O_DIRECTORY);
        if (GetLastError() != ERROR_SHARING_VIOLATION) return fail();
        Sleep(20);
    }
}

int windows_mkdir(const char *path) {
    DWORD is = GetFileAttributesA(path);
    if (is == INVALID_FILE_ATTRIBUTES) return _mkdir(path);
    errno = EEXIST;
    return -1;
}

int windows_rename(const char *from, const char *to) {
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : fail();
}

int fsync(int fd) {
    if (FlushFileBuffers((HANDLE)_get_osfhandle(fd))) return 0;
    errno = GetLastError() == ERROR_DISK_FULL ? ENOSPC : EINVAL;
    return -1;
}

int ioctl(int fd, int what, struct winsize *window) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (what != TIOCGWINSZ || !GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info))
        return -1;
    window->ws_col = (unsigned short)(info.srWindow.Right - info.srWindow.Left + 1);
    window->ws_row = (unsigned short)(info.srWindow.Bottom - info.srWindow.Top + 1);
    return 0;
}

int sigaction(int number, const struct sigaction *action, void *before) {
    (void)before;
    if (number != SIGINT && number != SIGTERM && number != SIGBREAK) return 0;
    return signal(number, action->sa_handler) == SIG_ERR ? -1 : 0;
}

// ---- open_memstream ----------------------------------------------------------------------------
// A file of no name, read back when it is flushed.
typedef struct Stream { FILE *out; char **text; size_t *size; struct Stream *before; } Stream;

static _Thread_local Stream *streams;

FILE *open_memstream(char **text, size_t *size) {
    char *name = _tempnam(NULL, "qkv");
    Stream *s = malloc(sizeof *s);
    // T: kept in memory, D: deleted when closed
    FILE *out = name && s ? fopen(name, "w+bTD") : NULL;
    free(name);
    if (!out) {
        free(s);
        return NULL;
    }
    *s = (Stream){out, text, size, streams};
    streams = s;
    *text = calloc(1, 1);
    *size = 0;
    return out;
}

static int read_back(const Stream *s) {
    if (fflush(s->out) || fseek(s->out, 0, SEEK_END)) return EOF;
    long size = ftell(s->out);
    char *text = size < 0 ? NULL : realloc(*s->text, (size_t)size + 1);
    if (!text) return EOF;
    *s->text = text;
    rewind(s->out);
    size_t got = fread(text, 1, (size_t)size, s->out);
    text[got] = '\0';
    *s->size = got;
    return fseek(s->out, 0, SEEK_END) || got != (size_t)size ? EOF : 0;
}

int windows_fflush(FILE *out) {
    for (Stream *s = streams; out && s; s = s->before)
        if (s->out == out) return read_back(s);
    return fflush(out);
}

int windows_fclose(FILE *out) {
    for (Stream **at = &streams; *at; at = &(*at)->before) {
        Stream *s = *at;
        if (s->out != out) continue;
        int failed = read_back(s);
        *at = s->before;
        free(s);
        return fclose(out) || failed ? EOF : 0;
    }
    return fclose(out);
}
