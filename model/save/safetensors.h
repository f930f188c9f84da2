#ifndef MODEL_SAVE_SAFETENSORS_H
#define MODEL_SAVE_SAFETENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "data/vocab.h"

// Files of named tensors, as PyTorch, JAX, ... read and write them:
//
//     u64 n, little-endian | n bytes of JSON, padded with spaces | the tensors, end to end
//     {"__metadata__": {"k": "text"}, "W_Q": {"dtype": "F32", "shape": [64, 16], "data_offsets":
//     [0, 4096]}}
//
// https://github.com/huggingface/safetensors. Numbers are little-endian in
// the file whatever the machine.
enum { SAFETENSORS_ERROR = 512, SAFETENSORS_RANK = 8, SAFETENSORS_HEADER = 100000000 };
// Bytes: a file is read whole.
#define SAFETENSORS_LIMIT ((uint64_t)(SIZE_MAX > 0xFFFFFFFF ? 4 : 1) << 30)

typedef struct SafeTensor {
    const char *dtype;                 // "F32", "I64", ...
    int rank;                          // 0: a scalar
    uint64_t shape[SAFETENSORS_RANK];  // row-major
    uint64_t bytes;
    void *data;                        // in the machine's byte order, at any address: memcpy
} SafeTensor;

// What is read from a file, or is to be written to one. Start with {0}.
typedef struct Safetensors {
    Vocab name;           // of tensors: its ids are the indices of
    SafeTensor *tensor;   // (name.count) data: parts of `file`, or not owned
    Vocab key;            // of the metadata: its ids are the indices of
    char **value;         // (key.count) owned
    unsigned char *file;  // owned: what was read, or NULL
} Safetensors;

// Adds one under a name that isn't there yet; its `bytes` follow from dtype and shape.
void safetensors_add(Safetensors *s, const char *name, SafeTensor tensor);
void safetensors_note(Safetensors *s, const char *key, const char *value);
const SafeTensor *safetensors_find(const Safetensors *s, const char *name);      // or NULL
const char *safetensors_metadata(const Safetensors *s, const char *key);         // or NULL
void safetensors_free(Safetensors *s);

// The same tensors and metadata give the same bytes, written whole or not at all (whole.h).
bool safetensors_write(const Safetensors *s, const char *file, char error[SAFETENSORS_ERROR]);

// Trusts nothing in the file. False: `s` is empty and `error` one line, "FILE: what was
// found; what was expected". Strings in it are UTF-8 without NUL, names and keys differ,
// and the tensors fill the file.
bool safetensors_read(Safetensors *s, const char *file, char error[SAFETENSORS_ERROR]);

// Writes such a line; gives false.
bool safetensors_refuse(char error[SAFETENSORS_ERROR], const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// "F32 (64, 16)", in `text` of at least 256 bytes.
const char *safetensors_shape(const SafeTensor *x, char text[256]);

// Bits of a number, 0 for a type that safetensors doesn't know.
unsigned safetensors_bits(const char *dtype);

// dtype and shape -> bytes. False if they are no whole number, or don't fit.
bool safetensors_measure(SafeTensor *x);

// Turns the numbers of `x` around, `count` bytes from `data`, where the
// machine isn't little-endian.
void safetensors_swap(const SafeTensor *x, unsigned char *data, size_t count);

#endif
