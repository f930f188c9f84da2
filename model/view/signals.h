#ifndef MODEL_VIEW_SIGNALS_H
#define MODEL_VIEW_SIGNALS_H

#include <stdatomic.h>

#include "model/view/term.h"

// Set when the program is asked to end (Ctrl-C, SIGTERM, SIGHUP): loops stop at the next step.
// Asked a second time, the program ends at once. Global, because a signal handler takes no
// argument, and lock-free, because a handler may write nothing else.
extern atomic_int stop;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler writes `stop`");

// From now on a closed pipe or a limit to the size of files no longer ends the program: the write
// fails instead.
void signals_ignore(void);

// From now on signals are caught. Ctrl-\ and Ctrl-Z do what they always do, but the cursor is given
// back first.
void signals_catch(void);

void signals_hide_cursor(const Term *term);  // does nothing where the cursor can't move
void signals_show_cursor(void);  // if it is hidden; may be called from a signal handler
// Was the program stopped since this was last asked? Then the window must be drawn again.
bool signals_disturbed(void);

#endif
