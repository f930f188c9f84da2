#ifndef MODEL_SAVE_SAFETENSORS_H
#define MODEL_SAVE_SAFETENSORS_H

#include <stdint.h>

#include "data/file.h"
#include "data/vocab.h"

// Files of named tensors, as PyTorch, JAX and others read and write them:
//
//     u64 n, little-endian | n bytes of JSON, padded with spaces | the tensors, end to end
//
//     {"__metadata__": {"key": "text"},
//      "W_Q": {"dtype": "F32", "shape": [64, 16], "data_offsets": [0, 4096]}}
//
// https://github.com/huggingface/safetensors. Numbers in the file are little-endian on every
// machine.
enum { SAFETENSORS_ERROR = FILE_ERROR, SAFETENSORS_RANK = 8 };
// Bytes of a file at most, since it is read into memory.
#define SAFETENSORS_LIMIT ((uint64_t)(SIZE_MAX > 0xFFFFFFFF ? 4 : 1) << 30)

typedef struct SafeTensor {
    const char *dtype;                 // "F32", "F64" or "I64"
    int rank;                          // 0: a scalar
    uint64_t shape[SAFETENSORS_RANK];  // row-major
    uint64_t bytes;
    void *data;                        // in the machine's byte order, at any address: memcpy
} SafeTensor;

// What was read from a file, or will be written to one. Start with {0}.
typedef struct Safetensors {
    Vocab name;           // of tensors: its ids are the indices of `tensor`
    SafeTensor *tensor;   // (name.count) the data are parts of `file`, or not owned
    Vocab key;            // of the metadata: its ids are the indices of `value`
    char **value;         // (key.count) owned
    unsigned char *file;  // owned: what was read, or NULL
    const char *path;     // not owned: where it was read, for complaints
} Safetensors;

// Adds a tensor under a new name; its `bytes` follow from dtype and shape.
void safetensors_add(Safetensors *s, const char *name, SafeTensor tensor);
void safetensors_note(Safetensors *s, const char *key, const char *value);
const SafeTensor *safetensors_find(const Safetensors *s, const char *name);      // or NULL
const char *safetensors_metadata(const Safetensors *s, const char *key);         // or NULL
void safetensors_free(Safetensors *s);

// The same tensors and metadata give the same bytes, written whole or not at all (atomic_file.h).
bool safetensors_write(const Safetensors *s, const char *file, char error[SAFETENSORS_ERROR]);

// Trusts nothing in the file. False: `s` is empty and `error` is one line, "FILE: what was found;
// what was expected". Of a file that is read, all strings are UTF-8 without NUL, names and keys
// differ, and the tensors fill the file.
bool safetensors_read(Safetensors *s, const char *file, char error[SAFETENSORS_ERROR]);

// "F32 (64, 16)", in `text` of at least 256 bytes.
const char *safetensors_shape(const SafeTensor *x, char text[256]);

// Reverses the bytes of each number of `x`, unless the machine is little-endian.
void safetensors_swap(const SafeTensor *x);

#endif
