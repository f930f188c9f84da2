// Files of named tensors. Read safetensors.h before. The reader trusts nothing in a file. Its JSON
// has one shape, so this is no general reader of JSON: what doesn't fit is refused with the number
// of its byte.
#include "safetensors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "autograd/fatal.h"
#include "data/file.h"
#include "data/utf8.h"
#include "model/save/atomic_file.h"
#include "model/save/json.h"
#include "model/save/memory.h"

// Bytes of one number; 0 for a type that no checkpoint has.
static size_t width_of(const char *dtype) {
    return !strcmp(dtype, "F32") ? 4 : !strcmp(dtype, "F64") || !strcmp(dtype, "I64") ? 8 : 0;
}

// Sets `bytes` from dtype and shape. False if that is more than can be counted.
static bool measure(SafeTensor *x) {
    x->bytes = width_of(x->dtype);
    for (int i = 0; i < x->rank; i++) {
        if (x->shape[i] && x->bytes > UINT64_MAX / x->shape[i]) return false;
        x->bytes *= x->shape[i];
    }
    return true;
}

const char *safetensors_shape(const SafeTensor *x, char text[256]) {
    int n = snprintf(text, 256, "%s (", x->dtype);
    for (int i = 0; i < x->rank; i++)
        n += snprintf(text + n, 256 - (size_t)n, "%s%" PRIu64, i ? ", " : "", x->shape[i]);
    snprintf(text + n, 256 - (size_t)n, ")");
    return text;
}

// Would the reader find it under this name? Metadata has a name of its own among the tensors.
static bool is_name(const char *name) {
    unsigned code;
    bool kept = strcmp(name, "__metadata__");
    for (size_t n; kept && *name; name += n) kept = (n = utf8_decode(name, strlen(name), &code));
    return kept;
}

void safetensors_add(Safetensors *s, const char *name, SafeTensor tensor) {
    int id = vocab_add(&s->name, name);
    if (s->name.occurrences[id] > 1 || !is_name(name) || tensor.rank > SAFETENSORS_RANK
        || !width_of(tensor.dtype) || !measure(&tensor))
        fatal("%s: a tensor that no checkpoint can hold", name);
    s->tensor = grow(s->tensor, (size_t)s->name.capacity, sizeof *s->tensor);
    s->tensor[id] = tensor;
}

void safetensors_note(Safetensors *s, const char *key, const char *value) {
    int id = vocab_add(&s->key, key);
    size_t size = strlen(value) + 1;
    if (s->key.occurrences[id] > 1) fatal("%s: noted twice in the metadata", key);
    s->value = grow(s->value, (size_t)s->key.capacity, sizeof *s->value);
    s->value[id] = memcpy(grow(NULL, size, 1), value, size);
}

const SafeTensor *safetensors_find(const Safetensors *s, const char *name) {
    int id = vocab_find(&s->name, name);
    return id < 0 ? NULL : &s->tensor[id];
}

const char *safetensors_metadata(const Safetensors *s, const char *key) {
    int id = vocab_find(&s->key, key);
    return id < 0 ? NULL : s->value[id];
}

void safetensors_free(Safetensors *s) {
    for (int i = 0; i < s->key.count; i++) free(s->value[i]);
    vocab_free(&s->name);
    vocab_free(&s->key);
    free(s->tensor);
    free(s->value);
    free(s->file);
    *s = (Safetensors){0};
}

// ---- writing -----------------------------------------------------------------------------------

static void put_tensors(FILE *out, const Safetensors *s) {
    uint64_t at = 0;
    for (int i = 0; i < s->name.count; i++) {
        const SafeTensor *x = &s->tensor[i];
        fputs(i || s->key.count ? "," : "", out);
        json_string(out, s->name.word[i]);
        fprintf(out, ":{\"dtype\":\"%s\",\"shape\":[", x->dtype);
        for (int k = 0; k < x->rank; k++) fprintf(out, "%s%" PRIu64, k ? "," : "", x->shape[k]);
        fprintf(out, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", at, at + x->bytes);
        at += x->bytes;
    }
}

char *safetensors_header(const Safetensors *s, size_t *size) {
    char *text;
    FILE *out = memory_open(&text, size);
    fputc('{', out);
    for (int i = 0; i < s->key.count; i++) {
        fputs(i ? "," : "\"__metadata__\":{", out);
        json_string(out, s->key.word[i]);
        fputc(':', out);
        json_string(out, s->value[i]);
    }
    if (s->key.count) fputc('}', out);
    put_tensors(out, s);
    fputc('}', out);
    fflush(out);
    fprintf(out, "%*s", (int)(8 - *size % 8) % 8, "");
    memory_close(out);
    return text;
}

void safetensors_swap(const SafeTensor *x) {
    const uint16_t one = 1;
    size_t width = width_of(x->dtype);
    unsigned char *number = x->data;
    if (*(const unsigned char *)&one) return;
    for (uint64_t at = 0; at < x->bytes; at += width, number += width)
        for (size_t i = 0; i < width / 2; i++) {
            unsigned char kept = number[i];
            number[i] = number[width - 1 - i];
            number[width - 1 - i] = kept;
        }
}

static void put_data(FILE *out, const SafeTensor *x) {
    safetensors_swap(x);
    if (x->bytes) fwrite(x->data, 1, (size_t)x->bytes, out);
    safetensors_swap(x);  // back
}

static void put_file(FILE *out, const Safetensors *s, const char *header, size_t size) {
    for (int i = 0; i < 8; i++) fputc((int)((uint64_t)size >> 8 * i & 255), out);
    fwrite(header, 1, size, out);
    for (int i = 0; i < s->name.count; i++) put_data(out, &s->tensor[i]);
}

bool safetensors_write(const Safetensors *s, const char *file, char error[SAFETENSORS_ERROR]) {
    size_t size = 0;
    char *header = safetensors_header(s, &size);
    AtomicFile w;
    uint64_t total = size + 8;
    for (int i = 0; i < s->name.count; i++) total += s->tensor[i].bytes;
    bool written = total <= SAFETENSORS_LIMIT  // so that it can be read again
                   || file_refuse(error, file, "can't be written: %s", strerror(EFBIG));
    written = written && atomic_file_open(&w, file, error);
    if (written) {
        put_file(w.out, s, header, size);
        written = atomic_file_close(&w, error);
    }
    free(header);
    return written;
}

// ---- reading -----------------------------------------------------------------------------------

enum { SHOWN = 48 };  // bytes of a message for a name
#define SHOW(text) utf8_show((char[SHOWN]){0}, SHOWN, text)

typedef struct Reader {
    Safetensors *to;
    char *header, *at, *end;
    unsigned char *data;  // after the header
    uint64_t size, used;  // of the data; the tensors so far end at `used`
    bool metadata;        // was there
    char *error;
} Reader;

#define refuse(r, ...) file_refuse((r)->error, (r)->to->path, __VA_ARGS__)

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

// Replaced where it stands: an escape is never shorter than its character.
static bool read_escape(Reader *r, char **to) {
    static const char from[] = "\"\\/bfnrt", becomes[] = "\"\\/\b\f\n\r\t";
    char c = r->at + 1 < r->end ? r->at[1] : '\0', hex[5] = "";
    const char *plain = c ? strchr(from, c) : NULL;
    if (plain) {
        *(*to)++ = becomes[plain - from];
        r->at += 2;
        return true;
    }
    if (r->end - r->at >= 6) memcpy(hex, r->at + 2, 4);
    if (c != 'u' || strspn(hex, "0123456789abcdefABCDEF") != 4)
        return unexpected(r, "an escape that JSON knows");
    unsigned code = (unsigned)strtoul(hex, NULL, 16);
    if (!code || (code >= 0xD800 && code < 0xE000))
        return unexpected(r, "a character other than NUL, in one escape");
    *to += utf8_encode(code, *to);
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

// A whole number. A sign, a fraction or an exponent isn't expected by what comes before it, and no
// digit follows a 0 that is the first. strtoull stops at the NUL behind the file, if not before.
static bool read_number(Reader *r, uint64_t *n) {
    char *end;
    skip_space(r);
    if (r->at == r->end || *r->at < '0' || *r->at > '9') return unexpected(r, "a whole number");
    errno = 0;
    *n = strtoull(r->at, &end, 10);
    if (errno) return unexpected(r, "a number of at most 18446744073709551615");
    r->at = *r->at == '0' ? r->at + 1 : end < r->end ? end : r->end;
    return true;
}

// [n, n, ...]: `most` numbers or fewer.
static bool read_numbers(Reader *r, uint64_t *x, int most, int *count, const char *expected) {
    *count = 0;
    if (!need(r, '[')) return false;
    if (take(r, ']')) return true;
    do {
        if (*count == most) return unexpected(r, expected);
        if (!read_number(r, &x[(*count)++])) return false;
    } while (take(r, ','));
    return take(r, ']') || unexpected(r, ", or ]");
}

// {"key": value, ...}, where the function reads each value. `expected` is of a key.
static bool read_object(Reader *r, const char *expected,
                        bool (*value)(Reader *r, const char *key, void *to), void *to) {
    char *key;
    if (!need(r, '{')) return false;
    if (take(r, '}')) return true;
    do {
        // Read, or refused. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
        if (!read_string(r, &key, expected) || !need(r, ':') || !value(r, key, to)) return false;
    } while (take(r, ','));
    return take(r, '}') || unexpected(r, ", or }");
}

// What is between the braces of a tensor: each of the three fields, once.
typedef struct Fields {
    const char *name;  // of the tensor
    char *dtype;
    SafeTensor x;
    uint64_t offset[2];
    int seen;          // a bit for each field
} Fields;

static bool read_field(Reader *r, const char *key, void *to) {
    static const char *const field[] = {"dtype", "shape", "data_offsets"};
    Fields *t = to;
    int f = 0, offsets;
    while (f < 3 && strcmp(key, field[f])) f++;
    if (f == 3 || t->seen & 1 << f)
        return refuse(r, "tensor \"%s\" has a field \"%s\"%s; expected dtype, shape and "
                         "data_offsets", SHOW(t->name), SHOW(key), f == 3 ? "" : " a second time");
    t->seen |= 1 << f;
    return f == 0 ? read_string(r, &t->dtype, "a type in quotes")
         : f == 1 ? read_numbers(r, t->x.shape, SAFETENSORS_RANK, &t->x.rank, "a rank of at most 8")
                  : read_numbers(r, t->offset, 2, &offsets, "two offsets");
}

// Each tensor begins where the one before it ends.
static bool read_tensor(Reader *r, const char *name) {
    Fields t = {.name = name};
    SafeTensor *x = &t.x;
    char shape[256];
    if (vocab_find(&r->to->name, name) >= 0)
        return refuse(r, "tensor \"%s\" a second time; expected each name once", SHOW(name));
    if (!read_object(r, "a field in quotes", read_field, &t)) return false;
    if (t.seen != 7)
        return refuse(r, "tensor \"%s\" has too few fields; expected dtype, shape and data_offsets",
                      SHOW(name));
    x->dtype = t.dtype;
    x->data = r->data + r->used;
    if (!width_of(x->dtype))
        return refuse(r, "tensor \"%s\" is of type \"%s\"; expected F32, F64 or I64", SHOW(name),
                      SHOW(x->dtype));
    if (!measure(x) || t.offset[0] != r->used || x->bytes > r->size - r->used
        || t.offset[1] != r->used + x->bytes)
        return refuse(r, "tensor \"%s\" is data %" PRIu64 " to %" PRIu64 " of %" PRIu64
                         "; expected %s from %" PRIu64 " on", SHOW(name), t.offset[0], t.offset[1],
                      r->size, safetensors_shape(x, shape), r->used);
    safetensors_swap(x);
    r->used += x->bytes;
    safetensors_add(r->to, name, *x);
    return true;
}

static bool read_text(Reader *r, const char *key, void *unused) {
    char *text;
    (void)unused;
    if (!read_string(r, &text, "a text in quotes")) return false;
    if (safetensors_metadata(r->to, key))
        return refuse(r, "metadata \"%s\" a second time; expected each key once", SHOW(key));
    // Read above, or refused. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
    safetensors_note(r->to, key, text);
    return true;
}

static bool read_member(Reader *r, const char *name, void *unused) {
    (void)unused;
    if (strcmp(name, "__metadata__")) return read_tensor(r, name);
    if (r->metadata) return refuse(r, "__metadata__ a second time; expected it once");
    r->metadata = true;
    return read_object(r, "a key in quotes", read_text, NULL);
}

static bool read_header(Reader *r) {
    if (*r->at != '{') return unexpected(r, "{");  // not even a space comes before it
    if (!read_object(r, "a name in quotes", read_member, NULL)) return false;
    skip_space(r);  // the padding
    return r->at == r->end || unexpected(r, "spaces up to the data");
}

static bool read_bytes(Reader *r, unsigned char *bytes, uint64_t size) {
    uint64_t n = 0;
    for (int i = 0; i < 8 && size >= 8; i++) n |= (uint64_t)bytes[i] << 8 * i;
    if (n < 2 || n > size - 8)
        return refuse(r, "a header of %" PRIu64 " bytes in a file of %" PRIu64 "; expected 8 bytes "
                         "that tell its length, then that many, at least 2", n, size);
    r->header = r->at = (char *)bytes + 8;
    r->end = r->header + n;
    r->data = bytes + 8 + n;
    r->size = size - 8 - n;
    return read_header(r)
           && (r->used == r->size
               || refuse(r, "%" PRIu64 " bytes after the last tensor; expected the end of the file",
                         r->size - r->used));
}

// The whole file, or all that comes out of a pipe; NULL and errno if it can't be had. A device such
// as /dev/zero has no end, and no weights.
static char *read_file(const char *file, size_t *size) {
    struct stat status;
    if (stat(file, &status)) return NULL;
    uint64_t limit = S_ISCHR(status.st_mode) ? 1 << 16 : SAFETENSORS_LIMIT;
    errno = S_ISDIR(status.st_mode) ? EISDIR : EFBIG;
    if (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && (uint64_t)status.st_size > limit))
        return NULL;
    return file_read(file, (size_t)limit, size);
}

bool safetensors_read(Safetensors *s, const char *file, char error[SAFETENSORS_ERROR]) {
    size_t size = 0;
    char *bytes = read_file(file, &size);
    *s = (Safetensors){.file = (unsigned char *)bytes, .path = file};
    Reader r = {.to = s, .error = error};
    bool good = bytes ? read_bytes(&r, s->file, size)
              : refuse(&r, "%s; expected a safetensors file of at most %d GiB", strerror(errno),
                       (int)(SAFETENSORS_LIMIT >> 30));
    if (!good) safetensors_free(s);
    return good;
}
