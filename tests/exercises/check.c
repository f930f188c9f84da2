// The frame of every exercise. It runs the check in a child process and prints the verdict.
#include "tests/exercises/check.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/view/term.h"
#include "tests/setup.h"

enum { HOLDS = 0, WRONG = 3, SECONDS = 60, TRYING = 128 };

static int told = -1;  // the pipe that trying() writes to

// Prints "  title: text", wrapped at the width of the window; further lines are indented.
__attribute__((format(printf, 2, 0)))
static void say(const char *title, const char *format, va_list arguments) {
    char text[1024], word[256];
    Term term = term_of(stdout);
    int used = printf("  %s:", title);
    text[0] = ' ';
    vsnprintf(text + 1, sizeof text - 1, format, arguments);
    for (const char *at = text; *at; ) {
        int blanks = (int)strspn(at, " "), length = (int)strcspn(at + blanks, " ");
        snprintf(word, sizeof word, "%.*s", length, at + blanks);
        at += blanks + length;
        int columns = term_width(word, term.utf8);
        if (used + blanks + columns > term.width) used = printf("\n    ") - 1, blanks = 0;
        used += blanks + columns;
        printf("%*s%s", blanks, "", word);
    }
    putchar('\n');
    fflush(stdout);
}

void wrong(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say("not yet", format, arguments);
    va_end(arguments);
    _exit(WRONG);
}

void measured(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say("measured", format, arguments);
    va_end(arguments);
}

void trying(const char *what) {
    char record[TRYING] = "";
    snprintf(record, sizeof record, "%s", what);
    if (write(told, record, sizeof record) < 0) exit(WRONG);
}

// ---- comparisons -------------------------------------------------------------------------------

Tensor *leaf(Tape *tape, int rank, const int *shape, uint64_t seed, double std) {
    Tensor *x = tape_tensor(tape, rank, shape);
    setup_normal(x, seed, std);
    x->wants_grad = true;
    x->grad = arena_alloc(&tape->arena, x->size, sizeof(float));
    clear(x);
    return x;
}

void clear(Tensor *x) { memset(x->grad, 0, x->size * sizeof *x->grad); }

void copied(const float *from, size_t n, double *to) {
    for (size_t i = 0; i < n; i++) to[i] = (double)from[i];
}

static double largest(const double *x, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// Whether got = factor expected + offset everywhere. False for a NaN.
static bool near(const float *got, const double *expected, size_t n, double factor, double offset) {
    double allowed = 1e-4 * fabs(factor) * largest(expected, n) + 1e-6;
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)got[i] - factor * expected[i] - offset) <= allowed)) return false;
    return true;
}

static bool same_signs(const float *got, const double *expected, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((double)got[i] * expected[i] < 0) return false;
    return true;
}

// The least squares fit got = factor expected.
static double fit(const float *got, const double *expected, size_t n) {
    double both = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        both += (double)got[i] * expected[i], square += expected[i] * expected[i];
    return square > 0 ? both / square : 0;
}

static size_t worst(const float *got, const double *expected, size_t n) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs((double)got[i] - expected[i]) > fabs((double)got[at] - expected[at])) at = i;
    return at;
}

void compare(const char *what, const float *got, const double *expected, size_t n,
             const Guess *guess) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(got[i])) wrong("%s: [%zu] is %g", what, i, (double)got[i]);
    if (near(got, expected, n, 1, 0)) return;
    size_t at = worst(got, expected, n);
    double is = (double)got[at], should = expected[at], factor = fit(got, expected, n);
    char example[96];
    snprintf(example, sizeof example, "([%zu] should be %.4g, is %.4g)", at, should, is);
    if (largest(expected, n) == 0) wrong("%s should be 0 everywhere %s", what, example);
    if (near(got, expected, n, 0, 0))
        wrong("%s is 0 everywhere: nothing is written there yet %s", what, example);
    for (; guess && guess->words; guess++)
        if (near(got, guess->x, n, 1, 0)) wrong("%s %s %s", what, guess->words, example);
    if (near(got, expected, n, -1, 0))
        wrong("%s has the right size but the wrong sign %s", what, example);
    if (near(got, expected, n, factor, 0))
        wrong("%s is %.4g times what it should be %s", what, factor, example);
    double offset = (double)got[0] - expected[0];
    if (n > 1 && near(got, expected, n, 1, offset))
        wrong("%s is off by the same %.4g everywhere %s", what, offset, example);
    if (same_signs(got, expected, n))
        wrong("%s has the right signs but the wrong sizes %s", what, example);
    wrong("%s is wrong, and this check does not know why %s", what, example);
}

void compare_gradient(const char *what, Tensor *out, Tensor *x, const double *expected,
                      const Guess *guess) {
    enum { MOST = 1024 };
    float before[MOST], added[MOST];
    size_t n = x->size < MOST ? x->size : MOST;
    clear(x);
    out->backward(out);
    compare(what, x->grad, expected, n, guess);
    for (size_t i = 0; i < n; i++) x->grad[i] = before[i] = 3 + (float)(i % 5);
    out->backward(out);
    if (near(x->grad, expected, n, 1, 0))
        wrong("%s is overwritten; the backward must add to it. A tensor that is used twice gets a "
              "gradient from each use, so a backward writes += and never =", what);
    for (size_t i = 0; i < n; i++) added[i] = x->grad[i] - before[i];
    compare(what, added, expected, n, guess);
}

void check_recorded(const char *name, const Tensor *out, const Tensor *like) {
    char got[64], expected[64];
    if (!out) wrong("%s returns NULL: nothing is written there yet", name);
    if (out->rank != like->rank || memcmp(out->shape, like->shape, sizeof out->shape))
        wrong("%s gives shape %s; it should be %s", name, tensor_shape(out, got),
              tensor_shape(like, expected));
}

// ---- the process -------------------------------------------------------------------------------

static void in_child(int to) {
    told = to;
    const struct rlimit enough = {SECONDS, SECONDS + 1};  // seconds of CPU time
    setrlimit(RLIMIT_CPU, &enough);
    check();
    fflush(stdout);
    exit(HOLDS);
}

static const char *signal_words(int number) {
    if (number == SIGSEGV)
        return "crashed: it read or wrote outside of its memory (NULL, or past the end of an "
               "array), or it called itself without end";
    if (number == SIGXCPU) return "ran for a minute: is there a loop that never ends?";
    if (number == SIGFPE) return "crashed: an integer was divided by 0";
    if (number == SIGABRT)
        return "was aborted: an assertion failed, or it wrote past the end of an array";
    return "was killed by a signal";
}

__attribute__((format(printf, 1, 2)))
static void not_yet(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say("not yet", format, arguments);
    va_end(arguments);
}

static int verdict(int status, const char *last) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == HOLDS) return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == WRONG) return 1;
    if (WIFSIGNALED(status)) not_yet("%s %s", last, signal_words(WTERMSIG(status)));
    else not_yet("%s ended the program; the line above says why", last);
    return 1;
}

int main(void) {
    int ends[2], status = 0;
    char last[TRYING] = "the check", record[TRYING];
    fflush(stdout);
    if (pipe(ends)) return 2;
    pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) in_child(ends[1]);
    close(ends[1]);
    while (read(ends[0], record, sizeof record) == (ssize_t)sizeof record)
        memcpy(last, record, sizeof last);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return verdict(status, last);
}
