#ifndef MODEL_WEB_EXCHANGE_H
#define MODEL_WEB_EXCHANGE_H

#include <stdio.h>

#include "model/view/inspect.h"

// What a page and the C give each other. Texts come in through memory that exchange_room gives, and
// are the module's from then on. Answers are JSON, valid until the next call; {"error": "..."} says
// what was refused, in the words of ./train. The first two are exports of each module.

// Memory for so many bytes.
char *exchange_room(size_t size);

// The one file there is: its name, a NUL, what stands in it; `size` counts all of that. Every other
// file is missing.
void exchange_file(char *name_and_bytes, size_t size);

// ---- for the C: an answer, and its members -----------------------------------------------------

FILE *exchange_begin(void);
const char *exchange_end(FILE *out);
const char *exchange_refuse(const char *error);

typedef enum Of { INTS, FLAGS, FLOATS, DOUBLES, STRINGS } Of;  // what an array holds

// These begin with a comma: , "name": value
void exchange_member(FILE *out, const char *name, const char *text);
void exchange_list(FILE *out, const char *name, Of type, const void *x, int n);
void exchange_known(FILE *out, const Task *task);             // the words that can be typed
void exchange_sentence(FILE *out, const Inspected *x);        // its words and its questions
void exchange_attention(FILE *out, const Inspected *x);       // of all layers and heads
void exchange_answers(FILE *out, const Inspected *x);

#endif
