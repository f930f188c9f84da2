// Reads files whole, cuts them into lines, and refuses them in one line.
#include "file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "autograd/fatal.h"
#include "utf8.h"

enum { SHOWN_FILE = 320 };  // bytes of a message: the file's name

FILE *file_open(const char *file) {
    FILE *f = fopen(file, "rb");
    if (!f && errno == ENOMEM) fatal("out of memory: %s can't be opened", file);
    return f;
}

bool file_is_own(const char *file, char error[FILE_ERROR]) {
    struct stat status;
    return lstat(file, &status) || S_ISREG(status.st_mode)
        || file_refuse(error, file, "a link, a pipe or a device; expected a file of that folder");
}

// The memory grows as the file is read, since a pipe has no length to ask for.
char *file_read(const char *file, size_t limit, size_t *size) {
    FILE *f = file_open(file);
    if (!f) return NULL;
    char *text = NULL;
    size_t used = 0, capacity = 1 << 16;
    do {
        capacity *= 2;
        text = grow(text, capacity + 1, 1);
        used += fread(text + used, 1, capacity - used, f);
    } while (used == capacity && used <= limit);
    int failure = ferror(f) ? errno : used > limit ? EFBIG : 0;
    fclose(f);
    if (failure) {
        free(text);
        errno = failure;
        return NULL;
    }
    text[used] = '\0';
    *size = used;
    return text;
}

char *file_text(const char *file, size_t limit, size_t *size, const char *expected,
                char error[FILE_ERROR]) {
    char *text = file_read(file, limit, size);
    bool wide = text && (!strncmp(text, "\xFF\xFE", 2) || !strncmp(text, "\xFE\xFF", 2));
    if (!text) file_refuse(error, file, "%s; expected %s", strerror(errno), expected);
    if (wide) file_refuse(error, file, "text in UTF-16; expected UTF-8: save it as that");
    if (text && !strncmp(text, "\xEF\xBB\xBF", 3)) memmove(text, text + 3, (*size -= 3) + 1);
    if (wide) free(text);
    return wide ? NULL : text;
}

char *file_line(char **next, char *end, char **line_end) {
    char *line = *next, *stop = memchr(line, '\n', (size_t)(end - line));
    if (line == end) return NULL;
    *next = stop ? stop + 1 : end;
    if (!stop) stop = end;
    *line_end = stop > line && stop[-1] == '\r' ? stop - 1 : stop;
    return line;
}

bool file_refuse_at(char error[FILE_ERROR], const char *file, int line, int column,
                    const char *format, ...) {
    char shown[SHOWN_FILE], place[32] = "";
    if (column) snprintf(place, sizeof place, ":%d:%d", line, column);
    else if (line) snprintf(place, sizeof place, ":%d", line);
    int n = snprintf(error, FILE_ERROR, "%s%s: ", utf8_show(shown, sizeof shown, file), place);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error + n, FILE_ERROR - (size_t)n, format, arguments);
    va_end(arguments);
    return false;
}
