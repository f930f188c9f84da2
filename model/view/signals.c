// Whoever ends or stops the program gets the cursor back first.
#include "model/view/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

atomic_int stop;

// A signal handler has no argument to carry this: the terminal whose cursor is hidden, plus one.
static volatile sig_atomic_t hidden_on, disturbed;

// ---- the cursor --------------------------------------------------------------------------------

static void send(int fd, const char *bytes, size_t count) {
    while (count) {
        ssize_t sent = write(fd, bytes, count);
        if (sent < 0 && errno != EINTR) return;
        if (sent > 0) bytes += sent, count -= (size_t)sent;
    }
}

static void hide_cursor(int fd) {
    static const char hide[] = "\033[?25l";
    hidden_on = fd + 1;
    send(fd, hide, sizeof hide - 1);
}

void signals_hide_cursor(const Term *term) {
    if (term->tty && term->fd >= 0) hide_cursor(term->fd);
}

// A frame may have been cut short: colours and wrapping at the margin are put right as well.
void signals_show_cursor(void) {
    static const char show[] = "\033[0m\033[?7h\033[?25h";
    int kept = errno, fd = hidden_on - 1;
    hidden_on = 0;
    if (fd >= 0) send(fd, show, sizeof show - 1);
    errno = kept;
}

bool signals_disturbed(void) {
    bool was = disturbed;
    disturbed = 0;
    return was;
}

// ---- signals -----------------------------------------------------------------------------------

static void end_at_once(int number) {
    signals_show_cursor();
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
    int was_hidden_on = hidden_on;
    sigset_t this, before;
    signals_show_cursor();
    signal(number, SIG_DFL);
    raise(number);
    sigemptyset(&this);
    sigaddset(&this, number);
    sigprocmask(SIG_UNBLOCK, &this, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    catch(number, on_suspend);
    if (was_hidden_on) hide_cursor(was_hidden_on - 1);
    disturbed = 1;
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
    atexit(signals_show_cursor);
}
