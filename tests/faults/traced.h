#ifndef TESTS_FAULTS_TRACED_H
#define TESTS_FAULTS_TRACED_H

#include <stdbool.h>

// A program run under ptrace, whose system calls on files are counted and made to fail, to do half
// of their work, or to be the last thing it did. Only where the registers are known: x86-64 Linux.
enum { NOTHING = 0, HALF = -1, KILL = -2, KILL_HALF = -3 };  // or an errno

typedef struct Fault {
    int call;  // which call, from 1; 0: none
    int what;  // ENOSPC, ..., or of the above
    bool on;   // and all after it; but never what is written to stderr, or how files are closed
} Fault;

typedef struct Traced {
    int status;     // as a shell has it: 128 and the signal where one ended it
    int calls;      // counted
    bool struck;    // the fault took place
    char name[32];  // of the call that it struck first
} Traced;

bool traced_possible(void);

// stdin is empty, stdout and stderr go to files. `renamed`, if not NULL, is called after each
// rename. QKV_FAULT is `allocation`, of hook.c; an allocation that failed is a fault that struck.
Traced traced_run(char *const command[], const char *out, const char *err, Fault fault,
                  void (*renamed)(void *), void *argument);
Traced untraced_run(char *const command[], const char *out, const char *err, int allocation);

// Killed after so many microseconds, unless it has ended by then.
Traced killed_run(char *const command[], const char *out, const char *err, long microseconds);

#endif
