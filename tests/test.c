// The test runner: every test in a process of its own, one line a test that fails or is skipped.
#include "test.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PASSED = 0, FAILED = 76, SKIPPED = 77 };  // 1 is how fatal() ends

static int passed, failed, skipped;
static const char *running = "";
static const char *only;  // of all tests those that it selects, as test_only() says; NULL: all

void test_fail(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("FAILED  %s\n        %s:%d: ", running, file, line);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
    _exit(FAILED);
}

void test_skip(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("skipped %s: ", running);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
    _exit(SKIPPED);
}

void test_string(const char *file, int line, const char *what, const char *got,
                 const char *expected) {
    if (!got || strcmp(got, expected))
        test_fail(file, line, "%s: expected \"%s\", got \"%s\"", what, expected,
                  got ? got : "(null)");
}

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool selected(const char *sentence) {
    if (!only) return true;
    if (!strcmp(only, "--list")) return puts(sentence), false;
    return *only == '=' ? !strcmp(sentence, only + 1) : strstr(sentence, only) != NULL;
}

void test(const char *sentence, void (*body)(void)) {
    if (!selected(sentence)) return;
    if (failed && getenv("QKV_STOP")) return;  // one is enough for tests/mutants.sh
    running = sentence;
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        body();
        fflush(stdout);
        exit(PASSED);  // not _exit: the leak checker has its say
    }
    int status = wait_for(child);
    if (status == PASSED) passed++;
    else if (status == SKIPPED) skipped++;
    else {
        failed++;
        if (status != FAILED)
            printf("FAILED  %s\n        ended with status %d\n", sentence, status);
    }
}

static char *read_all(int fd) {
    static char text[1 << 20];
    size_t used = 0;
    ssize_t n;
    while ((n = read(fd, text + used, sizeof text - 1 - used)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) used += (size_t)n;
    text[used] = '\0';
    return text;
}

const char *test_stderr_of(void (*body)(void *), void *argument, int *status) {
    int ends[2];
    if (pipe(ends)) test_fail(__FILE__, __LINE__, "pipe: %s", strerror(errno));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        body(argument);
        _exit(0);
    }
    close(ends[1]);
    const char *text = read_all(ends[0]);
    close(ends[0]);
    *status = wait_for(child);
    return text;
}

const char *test_command(int *status, const char *format, ...) {
    char command[8192];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    CHECK(n >= 0 && n < (int)sizeof command, "a command of %d bytes", n);
    int ends[2];
    if (pipe(ends)) test_fail(__FILE__, __LINE__, "pipe: %s", strerror(errno));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    const char *text = read_all(ends[0]);
    close(ends[0]);
    *status = wait_for(child);
    return text;
}

const char *test_directory(void) {
    mkdir("build", 0777);
    mkdir("build/test-output", 0777);
    return "build/test-output";
}

const char *test_path(const char *name) {
    static char path[8][256];
    static int used;
    char *p = path[used++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", test_directory(), name);
    return p;
}

const char *test_fresh(const char *name) {
    const char *path = test_path(name);
    int status;
    test_command(&status, "rm -rf %s", path);
    CHECK_INT(status, 0);
    return path;
}

size_t test_read(const char *path, unsigned char *bytes, size_t size) {
    FILE *f = fopen(path, "rb");
    CHECK(f, "%s can't be read", path);
    size_t n = fread(bytes, 1, size, f);
    fclose(f);
    return n;
}

const char *test_find(const char *variable, const char *usual, const char *file) {
    static _Thread_local char path[2][512];  // claims look for theirs side by side
    static _Thread_local int next;
    const char *folder = getenv(variable);
    char *to = path[next++ % 2];
    snprintf(to, sizeof *path, "%s/%s", folder ? folder : usual, file);
    FILE *f = fopen(to, "rb");
    if (f) fclose(f);
    return f ? to : NULL;
}

const char *test_corpus(const char *variable, const char *usual, const char *corpus,
                        const char *file) {
    const char *path = test_find(variable, usual, file), *folder = getenv(variable);
    if (!path)
        test_skip("it needs %s of %s in %s; %s may name another folder", file, corpus,
                  folder ? folder : usual, variable);
    return path;
}

const char *test_treebank(const char *file) {
    return test_corpus("QKV_EWT", "../shared/data/ud-english-ewt", "UD's English Web Treebank",
                       file);
}

const char *test_train(void) {
    const char *given = getenv("QKV_TRAIN");
    return given && *given ? given : "./train";
}

void test_only(const char *part) { only = part; }

int test_end(void) {
    if (only && !strcmp(only, "--list")) return 0;
    if (skipped) printf("%d skipped\n", skipped);
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
