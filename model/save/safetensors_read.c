// Reads safetensors files, and believes nothing in them. Their JSON has one shape, so there is no
// general reader of JSON here that could be led astray: what doesn't fit at a byte of the header is
// refused there. Strings are unescaped where they stand, which never makes them longer.
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

static bool refuse_tensor(const Reader *r, const char *name, const char *found,
                          const char *expected) {
    char shown[SHOWN];
    return refuse(r, "tensor \"%s\"%s; expected %s", utf8_show(shown, sizeof shown, name), found,
                  expected);
}

static bool unexpected(const Reader *r, const char *expected) {
    char shown[SHOWN], byte[2] = "";
    if (r->at == r->end)
        return refuse(r, "the header ends at byte %td; expected %s", r->at - r->header, expected);
    byte[0] = *r->at;
    return refuse(r, "header byte %td is \"%s\"; expected %s", r->at - r->header,
                  byte[0] ? utf8_show(shown, sizeof shown, byte) : "\\x00", expected);
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

// [n, n, ...], at most `most` of them. A sign, a fraction or an exponent isn't expected after what
// comes before it.
static bool read_numbers(Reader *r, uint64_t *n, int most, int *count) {
    *count = 0;
    if (!need(r, '[')) return false;
    if (take(r, ']')) return true;
    do {
        if (*count == most) return unexpected(r, most == 2 ? "two numbers" : "a rank of at most 8");
        skip_space(r);
        const char *first = r->at;
        uint64_t x = 0;
        bool zero = r->at < r->end && *first == '0';  // stands alone
        for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && !(zero && r->at > first);
             r->at++) {
            unsigned digit = (unsigned)(*r->at - '0');
            if (x > (UINT64_MAX - digit) / 10)
                return unexpected(r, "a number of at most 18446744073709551615");
            x = 10 * x + digit;
        }
        if (r->at == first) return unexpected(r, "a whole number");
        n[(*count)++] = x;
    } while (take(r, ','));
    return take(r, ']') || unexpected(r, ", or ]");
}

// What is between the braces of a tensor.
static bool read_fields(Reader *r, const char *name, SafeTensor *x, uint64_t offset[2]) {
    static const char *const field[] = {"dtype", "shape", "data_offsets"};
    bool seen[3] = {false};
    char *key, *dtype = NULL, found[SHOWN + 64], shown[SHOWN];
    int offsets = 0;
    if (!need(r, '{')) return false;
    do {
        int f = 0;
        if (!read_string(r, &key, "a field in quotes") || !need(r, ':')) return false;
        // Read above, or refused. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
        while (f < 3 && strcmp(key, field[f])) f++;
        snprintf(found, sizeof found, " has a field \"%s\"", utf8_show(shown, sizeof shown, key));
        if (f == 3) return refuse_tensor(r, name, found, "dtype, shape and data_offsets");
        if (seen[f]) return refuse_tensor(r, name, strcat(found, " a second time"), "each once");
        seen[f] = true;
        if (f == 0 && !read_string(r, &dtype, "a type in quotes")) return false;
        if (f == 1 && !read_numbers(r, x->shape, SAFETENSORS_RANK, &x->rank)) return false;
        if (f == 2 && !read_numbers(r, offset, 2, &offsets)) return false;
    } while (take(r, ','));
    if (!take(r, '}')) return unexpected(r, ", or }");
    for (int f = 0; f < 3; f++) {
        snprintf(found, sizeof found, " has no %s", field[f]);
        if (!seen[f]) return refuse_tensor(r, name, found, "dtype, shape and data_offsets");
    }
    x->dtype = dtype;
    snprintf(found, sizeof found, " has %d offset%s", offsets, offsets == 1 ? "" : "s");
    return offsets == 2 || refuse_tensor(r, name, found, "two");
}

static bool read_tensor(Reader *r, const char *name) {
    SafeTensor x = {0};
    Safetensors *s = r->to;
    uint64_t offset[2] = {0};
    char found[320], expected[320], shown[256];
    if (vocab_find(&s->name, name) >= 0)
        return refuse_tensor(r, name, " a second time", "each name once");
    if (!read_fields(r, name, &x, offset)) return false;
    snprintf(found, sizeof found, " is of type \"%s\"", utf8_show(shown, SHOWN, x.dtype));
    if (!safetensors_bits(x.dtype))
        return refuse_tensor(r, name, found, "F32, I64 or another that is known");
    snprintf(found, sizeof found, " is %s", safetensors_shape(&x, shown));
    if (!safetensors_measure(&x))
        return refuse_tensor(r, name, found, "a whole number of bytes below 2^61");
    snprintf(found, sizeof found, " is data %" PRIu64 " to %" PRIu64, offset[0], offset[1]);
    snprintf(expected, sizeof expected, "%" PRIu64 " bytes, for %s", x.bytes, shown);
    if (offset[1] < offset[0] || offset[1] - offset[0] != x.bytes)
        return refuse_tensor(r, name, found, expected);
    int id = vocab_add(&s->name, name);
    s->tensor = grow(s->tensor, (size_t)s->name.capacity, sizeof *s->tensor);
    r->extent = grow(r->extent, (size_t)s->name.capacity, sizeof *r->extent);
    s->tensor[id] = x;
    r->extent[id] = (Extent){offset[0], offset[1], id};
    return true;
}

static bool read_metadata(Reader *r) {
    char *key, *value, shown[SHOWN];
    if (r->metadata) return refuse(r, "__metadata__ a second time; expected it once");
    r->metadata = true;
    if (!need(r, '{')) return false;
    if (take(r, '}')) return true;
    do {
        if (!read_string(r, &key, "a key in quotes") || !need(r, ':')
            || !read_string(r, &value, "a text in quotes")) return false;
        if (safetensors_metadata(r->to, key))
            return refuse(r, "metadata \"%s\" a second time; expected each key once",
                          utf8_show(shown, sizeof shown, key));
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
    char found[64], expected[64];
    if (s->name.count) qsort(r->extent, (size_t)s->name.count, sizeof *r->extent, earlier);
    for (int i = 0; i < s->name.count; i++) {
        const Extent *e = &r->extent[i];
        const char *name = s->name.word[e->id];
        snprintf(found, sizeof found, " begins at byte %" PRIu64 " of the data", e->begin);
        snprintf(expected, sizeof expected, "byte %" PRIu64 ", the end of what is before it", at);
        if (e->begin != at) return refuse_tensor(r, name, found, expected);
        snprintf(found, sizeof found, " ends at byte %" PRIu64 " of the data", e->end);
        snprintf(expected, sizeof expected, "at most %" PRIu64 ", the end of the file", size);
        if (e->end > size) return refuse_tensor(r, name, found, expected);
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

// The whole file; NULL if it can't be had.
static unsigned char *read_file(const Reader *r, uint64_t *size) {
    struct stat status;
    FILE *in = NULL;
    unsigned char *bytes = NULL;
    // Looked at before it is opened: opening a pipe would wait for whoever writes to it.
    bool there = !stat(r->file, &status);
    if (there && S_ISREG(status.st_mode)) in = file_open(r->file);
    else if (there) errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
    if (!in || (uint64_t)status.st_size > SAFETENSORS_LIMIT) {
        if (in) errno = EFBIG;
    } else {
        *size = (uint64_t)status.st_size;
        bytes = grow(NULL, (size_t)*size + 1, 1);
        if (fread(bytes, 1, (size_t)*size + 1, in) != *size) {  // it grew or shrank meanwhile
            if (!ferror(in)) errno = EBUSY;
            free(bytes);
            bytes = NULL;
        }
    }
    int reason = errno;
    if (in) fclose(in);
    if (!bytes) refuse(r, "%s; expected a safetensors file of at most %d GiB", strerror(reason),
                        (int)(SAFETENSORS_LIMIT >> 30));
    return bytes;
}

bool safetensors_read(Safetensors *s, const char *file, char error[SAFETENSORS_ERROR]) {
    *s = (Safetensors){0};
    Reader r = {.to = s, .file = file, .error = error};
    uint64_t size = 0;
    s->file = read_file(&r, &size);
    bool good = s->file && read_bytes(&r, s->file, size);
    free(r.extent);
    if (!good) safetensors_free(s);
    return good;
}
