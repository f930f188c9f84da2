#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "model/view/term.h"

atomic_int stop;

static void end_at_once(int number) {
    term_restore();
    signal(number, SIG_DFL);
    raise(number);
}

static void on_signal(int number) {
    if (stop) end_at_once(number);
    stop = 1;
}

// Restarted: a signal ends a sleep, but nothing that is being written.
static void catch(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

// Stops here, with the cursor shown, until somebody says to go on. The signal is blocked while its
// handler runs, so it has to be let through.
static void on_suspend(int number) {
    int kept = errno;
    sigset_t this, before;
    term_suspend();
    signal(number, SIG_DFL);
    raise(number);
    sigemptyset(&this);
    sigaddset(&this, number);
    sigprocmask(SIG_UNBLOCK, &this, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    catch(number, on_suspend);
    term_resume();
    errno = kept;
}

void signals_ignore(void) {
    signal(SIGXFSZ, SIG_IGN);  // past a limit to the size of files, a write fails and says so
    signal(SIGPIPE, SIG_IGN);  // a reader that has seen enough doesn't cost the results
}

void signals_catch(void) {
    catch(SIGINT, on_signal);
    catch(SIGTERM, on_signal);
    catch(SIGHUP, on_signal);
    catch(SIGQUIT, end_at_once);
    catch(SIGTSTP, on_suspend);
    atexit(term_restore);
}
