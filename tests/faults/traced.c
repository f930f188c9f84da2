#define _GNU_SOURCE
#include "traced.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/test.h"

enum { PATIENCE = 60 };  // seconds; a run takes some hundredths of one

static void redirect(const char *file, int fd, int flags) {
    int from = open(file, flags, 0666);
    if (from < 0 || dup2(from, fd) < 0) _exit(126);
    close(from);
}

static void start(char *const command[], const char *out, const char *err) {
    redirect("/dev/null", 0, O_RDONLY);
    redirect(out, 1, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(err, 2, O_WRONLY | O_CREAT | O_TRUNC);
    alarm(PATIENCE);
    execv(command[0], command);
    _exit(127);
}

static int status_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Traced untraced_run(char *const command[], const char *out, const char *err, int allocation) {
    int ends[2], status;
    char text[32], byte;
    CHECK(!pipe(ends), "pipe: %s", strerror(errno));
    pid_t child = fork();
    CHECK(child >= 0, "fork: %s", strerror(errno));
    if (child == 0) {
        close(ends[0]);
        snprintf(text, sizeof text, "%d", ends[1]);
        setenv("QKV_FAULT_TO", text, 1);
        snprintf(text, sizeof text, "%d", allocation);
        setenv("QKV_FAULT", text, 1);
        start(command, out, err);
    }
    close(ends[1]);
    Traced t = {.struck = read(ends[0], &byte, 1) == 1};
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    t.status = status_of(status);
    snprintf(t.name, sizeof t.name, "allocation");
    return t;
}

Traced killed_run(char *const command[], const char *out, const char *err, long microseconds) {
    int status;
    pid_t child = fork();
    CHECK(child >= 0, "fork: %s", strerror(errno));
    if (child == 0) start(command, out, err);
    nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL);
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return (Traced){.status = status_of(status), .struck = WIFSIGNALED(status)};
}

#if defined __linux__ && defined __x86_64__
#include <sys/user.h>

typedef struct user_regs_struct Registers;

static const struct {
    long number;
    const char *name;
    bool spared;
} counted[] = {
    {SYS_open, "open", 0},           {SYS_openat, "openat", 0},
    {SYS_read, "read", 0},           {SYS_write, "write", 0},
    {SYS_writev, "writev", 0},       {SYS_fsync, "fsync", 0},
    {SYS_rename, "rename", 0},       {SYS_renameat, "renameat", 0},
    {SYS_renameat2, "renameat2", 0}, {SYS_mkdir, "mkdir", 0},
    {SYS_flock, "flock", 0},         {SYS_fcntl, "fcntl", 0},
    {SYS_stat, "stat", 0},           {SYS_fstat, "fstat", 0},
    {SYS_newfstatat, "fstatat", 0},  {SYS_getdents64, "getdents", 0},
    {SYS_lseek, "lseek", 0},         {SYS_unlink, "unlink", 1},
    {SYS_close, "close", 1},
};
enum { COUNTED = sizeof counted / sizeof *counted };

static int which(const Registers *r) {
    for (int i = 0; i < COUNTED; i++)
        if (counted[i].number == (long)r->orig_rax) return i;
    return -1;
}

static bool writes(const Registers *r) {
    return (long)r->orig_rax == SYS_write && r->rdx > 1;
}

// Whether this call is struck, and can be: one can't be struck that a program may not notice.
static bool strikes(const Traced *t, Fault f, const Registers *r, int call) {
    bool killing = f.what == KILL || f.what == KILL_HALF;
    if (!f.call || t->calls < f.call || (t->calls > f.call && !f.on)) return false;
    if (killing) return true;
    if (counted[call].spared || (int)r->rdi == STDERR_FILENO) return false;
    return f.what != HALF || writes(r);
}

// On the way in; true if the result is to be replaced on the way out.
static bool strike(pid_t child, Traced *t, Fault f, Registers *r, int call) {
    if (!t->struck) snprintf(t->name, sizeof t->name, "%s", counted[call].name);
    t->struck = true;
    if (f.what == KILL) kill(child, SIGKILL);
    if ((f.what == HALF || f.what == KILL_HALF) && writes(r)) r->rdx /= 2;
    if (f.what > 0) r->orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGS, child, NULL, r);
    return f.what > 0;
}

typedef struct Watch {
    bool began, inside, replace;
    int call;
} Watch;

static void at_call(pid_t child, Traced *t, Fault fault, Watch *w, void (*renamed)(void *),
                    void *to) {
    Registers r;
    if (ptrace(PTRACE_GETREGS, child, NULL, &r)) return;  // killed meanwhile
    w->inside = !w->inside;
    if (w->inside) {
        w->replace = false;
        w->call = w->began ? which(&r) : -1;
        if (!w->began && (long)r.orig_rax == SYS_close && (int)r.rdi == -77) w->began = true;
        if (w->call < 0) return;
        t->calls++;
        if (strikes(t, fault, &r, w->call)) w->replace = strike(child, t, fault, &r, w->call);
        return;
    }
    if (w->call < 0) return;
    if (w->replace) {
        r.rax = (unsigned long long)-fault.what;
        ptrace(PTRACE_SETREGS, child, NULL, &r);
    }
    if (fault.what == KILL_HALF && t->struck) kill(child, SIGKILL);
    if (renamed && !strncmp(counted[w->call].name, "rename", 6)) renamed(to);
}

bool traced_possible(void) {
    return true;
}

Traced traced_run(char *const command[], const char *out, const char *err, Fault fault,
                  void (*renamed)(void *), void *argument) {
    Traced t = {0};
    Watch watch = {0};
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0, "fork: %s", strerror(errno));
    if (child == 0) {
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // it would trace the program itself
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) _exit(125);
        start(command, out, err);
    }
    waitpid(child, &status, 0);  // at its exec
    CHECK(WIFSTOPPED(status), "%s can't be traced: status %d", command[0], status_of(status));
    ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    int signal = 0;
    while (!ptrace(PTRACE_SYSCALL, child, NULL, signal) || errno == ESRCH) {
        if (waitpid(child, &status, 0) < 0) break;
        if (!WIFSTOPPED(status)) break;
        bool call = WSTOPSIG(status) == (SIGTRAP | 0x80);
        signal = call || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        if (call) at_call(child, &t, fault, &watch, renamed, argument);
    }
    t.status = status_of(status);
    return t;
}
#else
bool traced_possible(void) {
    return false;
}

Traced traced_run(char *const command[], const char *out, const char *err, Fault fault,
                  void (*renamed)(void *), void *argument) {
    (void)command, (void)out, (void)err, (void)fault, (void)renamed, (void)argument;
    test_skip("system calls are counted on x86-64 Linux alone");
}
#endif
