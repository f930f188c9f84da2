#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/task.h"

// What the harnesses share. Each is a program of its own, with libFuzzer's main (make fuzz). A
// clean refusal is what a parser is for; a crash, a leak, a hang, a call of exit() or a property
// that doesn't hold is a find.

// libFuzzer's names: the two that it calls, and the one that a mutator of one's own may call.
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#define HOLDS(condition) ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_broken(const char *file, int line, const char *property);

// Where a harness may write: FUZZ_DIR, in memory if run.sh found such a place. The path is one of
// eight static ones.
const char *fuzz_path(const char *name);
void fuzz_write(const char *path, const void *bytes, size_t size);

// The input up to its first NUL, as a string of its own, whose end the sanitizer sees. To be freed.
char *fuzz_string(const uint8_t *data, size_t size);

// A message is one line in UTF-8 without control characters that says what is expected.
void fuzz_refused(const char *error, const char *expected);

// Of every token: features in the vocabularies, a target in its sentence, a relation of the task.
void fuzz_sentences(const Task *task, const Sentences *s);
void fuzz_batch(const Task *task, const Batch *batch);

#endif
