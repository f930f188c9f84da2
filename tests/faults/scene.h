#ifndef TESTS_FAULTS_SCENE_H
#define TESTS_FAULTS_SCENE_H

#include <stddef.h>
#include <stdint.h>

#include "traced.h"

// A command, the directory it writes to with what an earlier one left there, and what it writes
// when nothing goes wrong: what a run that is made to fail leaves is compared with that.
typedef struct Content {
    char *name, *bytes;
    size_t size;
} Content;
typedef struct Contents {
    int count;
    Content *file;
} Contents;

typedef struct Scene {
    char *argument[40];  // (and NULL) of which the first is the program
    Contents before, after;
    Contents versions;  // all that a file ever was, from its name's point of view
    Contents said;      // stdout and stderr
    int status, calls;  // as a shell has it; system calls on files
} Scene;

// Where scenes are played: in memory if there is such a place. "%" in what follows stands for it.
const char *scene_stage(void);
void scene_shell(const char *command);  // has to succeed

// The program, its arguments split at spaces. What is in %/out now is what was there before, and
// will be again before each run; the command is then run once, and has to end with that status.
void scene_open(Scene *s, const char *program, const char *arguments, int status);
void scene_close(Scene *s);

// Plays it with a fault, and fails the test unless what came of it is right: either nothing went
// wrong, or one line says what did, and each file is one that was whole.
Traced scene_strike(Scene *s, Fault fault);
Traced scene_starve(Scene *s, int allocation);

#endif
