#ifndef MODEL_TRAIN_ARGUMENTS_H
#define MODEL_TRAIN_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// A command line. Each command has a table with a row for each of its options, and one loop reads
// them.

// The field's type is bool, int, uint64_t, double, char *, an enum.
typedef enum Kind { FLAG, INT, SEED, REAL, TEXT, CHOICE } Kind;

// What becomes of an option when a training is saved (checkpoint.h).
typedef enum Saved { FORGOTTEN, MAY_DIFFER, MUST_AGREE } Saved;

typedef struct Option {
    const char *name, *value;  // value: what stands in the help; of a CHOICE, what may be chosen,
                               // "a|b|c", which is 0, 1, 2 in the field
    Kind kind;
    size_t offset;             // of the field, in the struct that is filled
    double least, most;        // of INT and REAL
    Saved saved;
    const char *only;          // the task that it belongs to, or "A and B"; NULL: all
    const char *help;
} Option;

typedef struct OptionTable { const Option *option; int count; } OptionTable;

enum { OPTIONS_ERROR = 256 };

// "what: what would be right", cut to fit and to one line of UTF-8. Always false.
bool arguments_wrong(char error[OPTIONS_ERROR], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// What the program ends with.
enum { DONE = 0, FAILED = 1, MISUSED = 2, INTERRUPTED = 130 };
int misused(const char *message);  // says so on stderr, and gives MISUSED
bool printed(void);                // has all that was printed arrived? Says so on stderr if not

// Reads argv[1..] into the struct `to`, whose strings then point into argv. A word that is not an
// option, or comes after "--", is handed to `word`, in order; it may refuse. -h is --help. False:
// `error` says in one line what is wrong and what would be right.
bool arguments_read(OptionTable table, void *to, int argc, char **argv,
                    bool (*word)(void *to, char *text, char *error), char error[OPTIONS_ERROR]);

// The value as it can be typed again; "" for a flag that is set; NULL for a flag that is not, and
// for a text that was not given. A double has as many digits as give it back: 15, or 17.
const char *arguments_value(const Option *option, const void *from, char text[32]);

bool arguments_same(const Option *option, const void *a, const void *b);  // is its value the same?

// The lines of a --help; one of them, with its default, or "".
void arguments_help(FILE *out, OptionTable table);
void arguments_help_line(FILE *out, const Option *option, const char *usual);

// argv as it can be typed again into a shell. The caller frees it.
char *arguments_command(int argc, char **argv);

// A list of names to suggest from. Each name is the first field of its row; rows are `size` bytes
// apart.
typedef struct Names { const void *row; size_t size; int count; } Names;

// The name that takes the fewest insertions, deletions, changes and swaps to get to from `word`, or
// NULL if it takes too many.
const char *nearest(const char *word, Names names);

// "; did you mean X?", or, if none is near, "; LIST A, B, C", or "" if `list` is NULL.
const char *suggest(const char *word, Names names, const char *list, char text[160]);

#endif
