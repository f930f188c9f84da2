#ifndef DATA_QUESTION_FILE_H
#define DATA_QUESTION_FILE_H

#include <stdbool.h>

#include "file.h"
#include "parsed.h"

enum {
    QUESTION_MOST_WORDS = 128,  // of a sentence
    QUESTION_NAME = 32 * 4      // bytes of a question's name: 32 characters
};

// Reads a whole file of sentences and questions (the format stands in question_file.c). Each of its
// sentences asks something. False: `error` is one line, "FILE:LINE:COLUMN: what was found; what was
// expected", and `to` is empty.
bool question_file_read(Parsed *to, const char *file, char error[FILE_ERROR]);

// The same of one sentence that was typed. It may ask nothing, and one of its words may ask "?".
bool question_file_typed(Parsed *to, const char *text, char error[FILE_ERROR]);

#endif
