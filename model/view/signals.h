#ifndef MODEL_VIEW_SIGNALS_H
#define MODEL_VIEW_SIGNALS_H

#include <signal.h>

// Set once the program is asked to end (Ctrl-C, SIGTERM, SIGHUP): loops stop at the next step. A
// signal handler has no argument to find it by. Asked a second time, it ends at once.
extern volatile sig_atomic_t stop;

// From now on a reader that went away, or a limit to the size of files, is a write that fails.
void signals_ignore(void);

// From now on. Ctrl-\ and Ctrl-Z do what they always do, but the cursor is given back first.
void signals_catch(void);

#endif
