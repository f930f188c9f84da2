// The program in a terminal: a pseudoterminal, whose other end this test reads. What a program
// sends there depends on how fast it runs; what the test expects does not.
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "autograd/fatal.h"

// All that a command sends to a terminal of so many columns and rows; the caller frees it.
static char *in_terminal(const char *command, int columns, int rows) {
    struct winsize window = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    int master = posix_openpt(O_RDWR | O_NOCTTY), status;
    CHECK(master >= 0 && !grantpt(master) && !unlockpt(master), "no pseudoterminal");
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    CHECK(slave >= 0 && !ioctl(slave, TIOCSWINSZ, &window), "its size can't be set");
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        for (int i = 0; i < 3; i++) dup2(slave, i);
        close(master);
        close(slave);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(slave);
    char *text = NULL;
    size_t used = 0;
    for (ssize_t n = 1; n > 0; used += n > 0 ? (size_t)n : 0) {  // at the end an error, or nothing
        text = grow(text, used + 4096, 1);
        n = read(master, text + used, 4095);
    }
    text[used] = '\0';
    close(master);
    CHECK(waitpid(child, &status, 0) == child && !status, "%s: status %d:\n%s", command, status,
          text);
    return text;
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

#define RUN "env -u NO_COLOR -u COLORTERM TERM=xterm LC_ALL=C %s %s --out %s"

// Runs it in a terminal and quietly, and expects the same files; gives what the terminal was sent.
static char *same_files(const char *options) {
    const char *shown = test_fresh("terminal-shown"), *quiet = test_fresh("terminal-quiet");
    char command[1024];
    int status;
    snprintf(command, sizeof command, RUN, test_train(), options, shown);
    char *text = in_terminal(command, 80, 24);
    const char *said = test_command(
        &status, RUN " --quiet >/dev/null && for d in %s %s; do { cut -d, -f1-9 $d/metrics.csv; "
        "sed 's/, \"seconds\": [^,]*//; /\"command\"/d' $d/summary.json; } >$d.cut; done; "
        "cmp %s.cut %s.cut", test_train(), options, quiet, shown, quiet, shown, quiet);
    CHECK(!status, "%s", said);
    return text;
}

// The cursor is hidden and given back; the map stands beside the curves to the last frame; the last
// screen has the claim, and the page's address is the last line.
static void a_run(void) {
    char *text = same_files("pronoun --steps 30 --pace 0.5 --held-out 32 --threads 1");
    CHECK_INT(count(text, "\033[?25l"), 1);
    CHECK_INT(count(text, "\033[?25h"), 1);
    char *end = strstr(text, "\033[?25h"), *last = end;
    CHECK(count(text, ", after softmax") > 3, "no map:\n%s", text);
    while (last > text && strncmp(last, "attention NLL on the cycle", 26)) last--;
    char *map = strstr(last, "qkv, after softmax");
    CHECK(map && map < end, "the last frame has no map:\n%s", last);
    char *line = text + strlen(text);
    for (int lines = 0; lines < 24; lines += *line == '\n') line--;
    CHECK(strstr(line, "no symmetric head can"), "the claim isn't on the last screen:\n%s", line);
    char *address = strstr(line, "\nfile:///");
    CHECK(address && strchr(address + 1, '\n')[1] == '\0', "the address isn't last:\n%s", line);
    free(text);
}

static void a_text(void) {
    char *text = same_files("text --text README.md --layers 1 --d-model 16 --heads 1 --context 16 "
                            "--batch 4 --steps 60 --pace 0.7 --held-out 4 --threads 1");
    CHECK(strstr(text, "text that qkv writes as it trains"), "no sample:\n%s", text);
    free(text);
}

// No word of these tasks sees a later one, as in a text, and yet there is nothing to write.
static void pronouns(void) {
    char *text = same_files("coref --steps 12 --pace 0.5 --arms tied,qk --threads 1");
    CHECK(count(text, "nearest that agrees") > 1, "no baseline:\n%s", text);
    CHECK(!strstr(text, "writes as it trains"), "a sample of what is no text:\n%s", text);
    free(text);
}

static void a_dumb_one(void) {
    char command[600];
    snprintf(command, sizeof command, "TERM=dumb %s pronoun --steps 20 --held-out 32 --out %s",
             test_train(), test_fresh("terminal-dumb"));
    char *text = in_terminal(command, 80, 24);
    CHECK(!strchr(text, '\033'), "an escape sequence:\n%s", text);
    CHECK(strstr(text, "step 10 of 20"), "no figures while it trains:\n%s", text);
    free(text);
}

void tests_terminal(void) {
    test("a run in a terminal shows its map, leaves the same files and ends with the address",
         a_run);
    test("a run of a text in a terminal shows what it writes, and leaves the same files", a_text);
    test("a run of coref in a terminal draws its baselines, and leaves the same files", pronouns);
    test("a dumb terminal is sent no escape sequence by a run", a_dumb_one);
}
