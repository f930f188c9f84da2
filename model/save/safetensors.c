// The tensors and the metadata of a safetensors file, and how they are written. Read safetensors.h
// before. safetensors_read.c reads such files.
#include "safetensors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/sentences.h"
#include "data/utf8.h"
#include "model/save/atomic_file.h"
#include "model/save/json.h"
#include "model/save/memory.h"

unsigned safetensors_bits(const char *dtype) {
    static const struct { const char *name; unsigned bits; } known[] = {
        {"F32", 32}, {"F64", 64}, {"F16", 16}, {"BF16", 16}, {"I64", 64}, {"I32", 32}, {"I16", 16},
        {"I8", 8}, {"U64", 64}, {"U32", 32}, {"U16", 16}, {"U8", 8}, {"BOOL", 8}, {"C64", 64},
        {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
        {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, dtype)) return known[i].bits;
    return 0;
}

bool safetensors_measure(SafeTensor *x) {
    uint64_t bits = safetensors_bits(x->dtype);
    for (int i = 0; i < x->rank; i++) {
        if (x->shape[i] && bits > UINT64_MAX / x->shape[i]) return false;
        bits *= x->shape[i];
    }
    x->bytes = bits / 8;
    return bits % 8 == 0;
}

const char *safetensors_shape(const SafeTensor *x, char text[256]) {
    int n = snprintf(text, 256, "%s (", x->dtype);
    for (int i = 0; i < x->rank; i++)
        n += snprintf(text + n, 256 - (size_t)n, "%s%" PRIu64, i ? ", " : "", x->shape[i]);
    snprintf(text + n, 256 - (size_t)n, ")");
    return text;
}

bool safetensors_refuse(char error[SAFETENSORS_ERROR], const char *file, const char *format, ...) {
    char shown[240], found[SAFETENSORS_ERROR - sizeof shown];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found, sizeof found, format, arguments);
    va_end(arguments);
    snprintf(error, SAFETENSORS_ERROR, "%s: %s", utf8_show(shown, sizeof shown, file), found);
    return false;
}

void safetensors_add(Safetensors *s, const char *name, SafeTensor tensor) {
    int id = vocab_add(&s->name, name);
    if (s->name.occurrences[id] > 1 || !safetensors_measure(&tensor))
        fatal("%s: a tensor that no safetensors file can hold", name);
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

// The JSON, padded: the tensors then begin at a multiple of 8. The caller frees it.
static char *header_of(const Safetensors *s, size_t *size) {
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

void safetensors_swap(const SafeTensor *x, unsigned char *data, size_t count) {
    const uint16_t one = 1;
    size_t width = safetensors_bits(x->dtype) / (strcmp(x->dtype, "C64") ? 8 : 16);  // C64: two F32
    if (*(const unsigned char *)&one || width < 2) return;
    for (size_t at = 0; at + width <= count; at += width)
        for (size_t i = 0; i < width / 2; i++) {
            unsigned char kept = data[at + i];
            data[at + i] = data[at + width - 1 - i];
            data[at + width - 1 - i] = kept;
        }
}

static void put_data(FILE *out, const SafeTensor *x) {
    unsigned char piece[4096];  // a whole number of numbers
    for (uint64_t at = 0; at < x->bytes; at += sizeof piece) {
        size_t n = x->bytes - at < sizeof piece ? (size_t)(x->bytes - at) : sizeof piece;
        memcpy(piece, (const unsigned char *)x->data + at, n);
        safetensors_swap(x, piece, n);
        fwrite(piece, 1, n, out);
    }
}

static void put_file(FILE *out, const Safetensors *s, const char *header, size_t size) {
    for (int i = 0; i < 8; i++) fputc((int)((uint64_t)size >> 8 * i & 255), out);
    fwrite(header, 1, size, out);
    for (int i = 0; i < s->name.count; i++) put_data(out, &s->tensor[i]);
}

bool safetensors_write(const Safetensors *s, const char *file, char error[SAFETENSORS_ERROR]) {
    size_t size = 0;
    char *header = header_of(s, &size);
    AtomicFile w;
    uint64_t total = size + 8;
    for (int i = 0; i < s->name.count; i++) total += s->tensor[i].bytes;
    bool fits = size <= SAFETENSORS_HEADER && total <= SAFETENSORS_LIMIT;  // what can be read again
    bool written = fits && atomic_file_open(&w, file);
    if (!fits) errno = EFBIG;
    if (written) {
        put_file(w.out, s, header, size);
        written = atomic_file_close(&w);
    }
    if (!written)
        safetensors_refuse(error, file, "%s; expected a file that can be written", strerror(errno));
    free(header);
    return written;
}
