// Reads safetensors files and trusts nothing in them. Their JSON has one shape, so this is not a
// general reader of JSON: whatever doesn't fit is refused with the number of its byte. Escapes in
// strings are replaced where they stand, since that never makes a string longer.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "safetensors.h"
#include "autograd/fatal.h"
#include "data/file.h"
#include "data/utf8.h"

enum { SHOWN = 48 };  // bytes of a message for a name
#define SHOW(text) utf8_show((char[SHOWN]){0}, SHOWN, text)

typedef struct Extent { uint64_t begin, end; int id; } Extent;  // of a tensor in the data

typedef struct Reader {
    Safetensors *to;
    const char *file;
    char *header, *at, *end;
    Extent *extent;       // (to->name.count)
    bool metadata;        // was there
    char *error;
} Reader;

#define refuse(r, ...) safetensors_refuse((r)->error, (r)->file, __VA_ARGS__)

static bool unexpected(const Reader *r, const char *expected) {
    if (r->at == r->end)
        return refuse(r, "the header ends at byte %td; expected %s", r->at - r->header, expected);
    const char byte[2] = {*r->at, '\0'};
    return refuse(r, "header byte %td is \"%s\"; expected %s", r->at - r->header,
                  byte[0] ? SHOW(byte) : "\\x00", expected);
}

static void skip_space(Reader *r) {
    while (r->at < r->end && memchr(" \t\n\r", *r->at, 4)) r->at++;
}

static bool take(Reader *r, char c) {
    skip_space(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool need(Reader *r, char c) { return take(r, c) || unexpected(r, (const char[]){c, '\0'}); }

// The number of the four digits, or -1.
static int hexadecimal(const char *at, const char *end) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    int n = 0;
    for (int i = 0; i < 4; i++) {
        const char *digit = at + i < end ? memchr(digits, at[i], sizeof digits - 1) : NULL;
        if (!digit) return -1;
        n = 16 * n + (int)(digit - digits) % 16;
    }
    return n;
}

static bool read_escape(Reader *r, char **to) {
    static const char from[] = "\"\\/bfnrt", becomes[] = "\"\\/\b\f\n\r\t";
    char c = r->at + 1 < r->end ? r->at[1] : '\0';
    const char *plain = c ? strchr(from, c) : NULL;
    if (plain) {
        *(*to)++ = becomes[plain - from];
        r->at += 2;
        return true;
    }
    int code = c == 'u' ? hexadecimal(r->at + 2, r->end) : -1, low = -1;
    if (code < 0) return unexpected(r, "an escape that JSON knows");
    if (code == 0) return unexpected(r, "text without NUL");
    bool high = code >= 0xD800 && code < 0xDC00;
    if (high && r->end - r->at >= 12 && r->at[6] == '\\' && r->at[7] == 'u')
        low = hexadecimal(r->at + 8, r->end);
    if (high && low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        r->at += 6;
    } else if (code >= 0xD800 && code < 0xE000) {
        return unexpected(r, "a surrogate pair, or no surrogate");
    }
    *to += utf8_encode((unsigned)code, *to);
    r->at += 6;
    return true;
}

static bool read_string(Reader *r, char **text, const char *expected) {
    if (!take(r, '"')) return unexpected(r, expected);
    char *to = *text = r->at;
    while (r->at < r->end && *r->at != '"') {
        unsigned code = 0;
        size_t length = utf8_decode(r->at, (size_t)(r->end - r->at), &code);
        if (!length || code < ' ') return unexpected(r, "text in UTF-8 without control characters");
        if (code == '\\') {
            if (!read_escape(r, &to)) return false;
            continue;
        }
        memmove(to, r->at, length);
        to += length;
        r->at += length;
    }
    if (!take(r, '"')) return unexpected(r, "a closing quote");
    *to = '\0';
    return true;
}

// A whole number. A sign, a fraction or an exponent isn't expected by what comes before it.
static bool read_number(Reader *r, uint64_t *n) {
    skip_space(r);
    const char *first = r->at;
    bool zero = r->at < r->end && *first == '0';  // no digit follows a 0 that is the first
    *n = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && !(zero && r->at > first); r->at++) {
        unsigned digit = (unsigned)(*r->at - '0');
        if (*n > (UINT64_MAX - digit) / 10)
            return unexpected(r, "a number of at most 18446744073709551615");
        *n = 10 * *n + digit;
    }
    return r->at > first || unexpected(r, "a whole number");
}

// [n, n, ...], at most `most` of them.
static bool read_numbers(Reader *r, uint64_t *n, int most, int *count) {
    *count = 0;
    if (!need(r, '[')) return false;
    if (take(r, ']')) return true;
    do {
        if (*count == most) return unexpected(r, most == 2 ? "two numbers" : "a rank of at most 8");
        if (!read_number(r, &n[(*count)++])) return false;
    } while (take(r, ','));
    return take(r, ']') || unexpected(r, ", or ]");
}

// What is between the braces of a tensor: each of the three fields, once.
static bool read_fields(Reader *r, const char *name, SafeTensor *x, uint64_t offset[2]) {
    static const char *const field[] = {"dtype", "shape", "data_offsets"};
    static const char expected[] = "dtype, shape and data_offsets, each once";
    char *key, *dtype = NULL;
    int seen = 0, offsets = 0;
    if (!need(r, '{')) return false;
    do {
        int f = 0;
        if (!read_string(r, &key, "a field in quotes") || !need(r, ':')) return false;
        // Read above, or refused. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
        while (f < 3 && strcmp(key, field[f])) f++;
        if (f == 3 || seen & 1 << f)
            return refuse(r, "tensor \"%s\" has a field \"%s\"%s; expected %s", SHOW(name), SHOW(key),
                          f == 3 ? "" : " a second time", expected);
        seen |= 1 << f;
        if (f == 0 && !read_string(r, &dtype, "a type in quotes")) return false;
        if (f == 1 && !read_numbers(r, x->shape, SAFETENSORS_RANK, &x->rank)) return false;
        if (f == 2 && !read_numbers(r, offset, 2, &offsets)) return false;
    } while (take(r, ','));
    if (!take(r, '}')) return unexpected(r, ", or }");
    for (int f = 0; f < 3; f++)
        if (!(seen & 1 << f))
            return refuse(r, "tensor \"%s\" has no %s; expected %s", SHOW(name), field[f], expected);
    x->dtype = dtype;
    return offsets == 2 || refuse(r, "tensor \"%s\" has %d offset%s; expected two", SHOW(name),
                                  offsets, offsets == 1 ? "" : "s");
}

static bool read_tensor(Reader *r, const char *name) {
    SafeTensor x = {0};
    Safetensors *s = r->to;
    uint64_t offset[2] = {0};
    char shape[256];
    if (vocab_find(&s->name, name) >= 0)
        return refuse(r, "tensor \"%s\" a second time; expected each name once", SHOW(name));
    if (!read_fields(r, name, &x, offset)) return false;
    if (!safetensors_bits(x.dtype))
        return refuse(r, "tensor \"%s\" is of type \"%s\"; expected F32, I64 or another that is "
                         "known", SHOW(name), SHOW(x.dtype));
    safetensors_shape(&x, shape);
    if (!safetensors_measure(&x))
        return refuse(r, "tensor \"%s\" is %s; expected a whole number of bytes below 2^61",
                      SHOW(name), shape);
    if (offset[1] < offset[0] || offset[1] - offset[0] != x.bytes)
        return refuse(r, "tensor \"%s\" is data %" PRIu64 " to %" PRIu64 "; expected %" PRIu64
                         " bytes, for %s", SHOW(name), offset[0], offset[1], x.bytes, shape);
    int id = vocab_add(&s->name, name);
    s->tensor = grow(s->tensor, (size_t)s->name.capacity, sizeof *s->tensor);
    r->extent = grow(r->extent, (size_t)s->name.capacity, sizeof *r->extent);
    s->tensor[id] = x;
    r->extent[id] = (Extent){offset[0], offset[1], id};
    return true;
}

static bool read_metadata(Reader *r) {
    char *key, *value;
    if (r->metadata) return refuse(r, "__metadata__ a second time; expected it once");
    r->metadata = true;
    if (!need(r, '{')) return false;
    if (take(r, '}')) return true;
    do {
        if (!read_string(r, &key, "a key in quotes") || !need(r, ':')
            || !read_string(r, &value, "a text in quotes")) return false;
        if (safetensors_metadata(r->to, key))
            return refuse(r, "metadata \"%s\" a second time; expected each key once",
                          SHOW(key));
        // Read above, or refused. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
        safetensors_note(r->to, key, value);
    } while (take(r, ','));
    return take(r, '}') || unexpected(r, ", or }");
}

static bool read_header(Reader *r) {
    char *name;
    if (*r->at != '{') return unexpected(r, "{");
    r->at++;
    if (!take(r, '}')) {
        do {
            if (!read_string(r, &name, "a name in quotes") || !need(r, ':')) return false;
            if (!(strcmp(name, "__metadata__") ? read_tensor(r, name) : read_metadata(r)))
                return false;
        } while (take(r, ','));
        if (!take(r, '}')) return unexpected(r, ", or }");
    }
    skip_space(r);  // the padding
    return r->at == r->end || unexpected(r, "spaces up to the data");
}

static int earlier(const void *a, const void *b) {
    const Extent *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

// Each tensor begins where the one before it ends, and the last one ends with the file.
static bool place_tensors(const Reader *r, unsigned char *data, uint64_t size) {
    const Safetensors *s = r->to;
    uint64_t at = 0;
    if (s->name.count) qsort(r->extent, (size_t)s->name.count, sizeof *r->extent, earlier);
    for (int i = 0; i < s->name.count; i++) {
        const Extent *e = &r->extent[i];
        const char *name = s->name.word[e->id];
        if (e->begin != at)
            return refuse(r, "tensor \"%s\" begins at byte %" PRIu64 " of the data; expected byte %"
                             PRIu64 ", the end of what is before it", SHOW(name), e->begin, at);
        if (e->end > size)
            return refuse(r, "tensor \"%s\" ends at byte %" PRIu64 " of the data; expected at most %"
                             PRIu64 ", the end of the file", SHOW(name), e->end, size);
        s->tensor[e->id].data = data + at;
        safetensors_swap(&s->tensor[e->id], data + at, (size_t)(e->end - at));
        at = e->end;
    }
    return at == size
           || refuse(r, "%" PRIu64 " bytes after the last tensor; expected the end of the file",
                     size - at);
}

static bool read_bytes(Reader *r, unsigned char *bytes, uint64_t size) {
    uint64_t n = 0;
    for (int i = 0; i < 8 && size >= 8; i++) n |= (uint64_t)bytes[i] << 8 * i;
    if (size < 8)
        return refuse(r, "a file of %" PRIu64 " bytes; expected 8 for the length of the header",
                      size);
    if (n < 2 || n > SAFETENSORS_HEADER)
        return refuse(r, "a header of %" PRIu64 " bytes; expected 2 to %d", n, SAFETENSORS_HEADER);
    if (n > size - 8)
        return refuse(r, "%" PRIu64 " bytes for a header of %" PRIu64 "; expected it to be whole",
                      size - 8, n);
    r->header = r->at = (char *)bytes + 8;
    r->end = r->header + n;
    return read_header(r) && place_tensors(r, bytes + 8 + n, size - 8 - n);
}

// The whole file; NULL if it is refused. Opening a pipe would wait for its writer, so what the name
// stands for is looked at before.
static unsigned char *read_file(const Reader *r, size_t *size) {
    struct stat status;
    char *bytes = NULL;
    if (!stat(r->file, &status)) {
        if (!S_ISREG(status.st_mode)) errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
        else if ((uint64_t)status.st_size > SAFETENSORS_LIMIT) errno = EFBIG;
        else bytes = file_read(r->file, (size_t)SAFETENSORS_LIMIT, size);
    }
    if (!bytes) refuse(r, "%s; expected a safetensors file of at most %d GiB", strerror(errno),
                       (int)(SAFETENSORS_LIMIT >> 30));
    return (unsigned char *)bytes;
}

bool safetensors_read(Safetensors *s, const char *file, char error[SAFETENSORS_ERROR]) {
    *s = (Safetensors){0};
    Reader r = {.to = s, .file = file, .error = error};
    size_t size = 0;
    s->file = read_file(&r, &size);
    bool good = s->file && read_bytes(&r, s->file, size);
    free(r.extent);
    if (!good) safetensors_free(s);
    return good;
}
