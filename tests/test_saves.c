// Saves while a run goes on: whatever kills it, --resume ends in the bits of the run that never
// stopped. And what a terminal gets back when the program is stopped or ended from outside.
#define _XOPEN_SOURCE 700  // pseudo-terminals

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "model/save/atomic_file.h"
#include "model/save/safetensors.h"

static void run(const char *arguments, const char *out) {
    int status;
    const char *said = test_command(&status, "%s %s --out %s", test_train(), arguments, out);
    CHECK(!status, "%s: status %d: %s", arguments, status, said);
}

static Safetensors weights_of(const char *out, const char *arm) {
    Safetensors s;
    char file[400], error[SAFETENSORS_ERROR];
    snprintf(file, sizeof file, "%s/%s.safetensors", out, arm);
    CHECK(safetensors_read(&s, file, error), "%s", error);
    return s;
}

// Everything that is saved but the seconds, the last of the history's 10 columns too.
static void same_training(const char *a, const char *b, const char *arm) {
    Safetensors x = weights_of(a, arm), y = weights_of(b, arm);
    CHECK_INT(x.name.count, y.name.count);
    for (int i = 0; i < x.name.count; i++) {
        const char *name = x.name.word[i];
        const SafeTensor *p = &x.tensor[i], *q = safetensors_find(&y, name);
        CHECK(q && p->bytes == q->bytes, "%s: %s is not the same", arm, name);
        if (!strcmp(name, "training.seconds")) continue;
        size_t row = strcmp(name, "history") ? (size_t)p->bytes : 10 * sizeof(double);
        size_t compared = strcmp(name, "history") ? row : row - sizeof(double);
        for (size_t at = 0; row && at < p->bytes; at += row)
            CHECK(!memcmp((char *)p->data + at, (char *)q->data + at, compared),
                  "%s: %s differs, row %zu", arm, name, at / row);
    }
    safetensors_free(&x);
    safetensors_free(&y);
}

static void same_metrics(const char *a, const char *b) {
    int status;
    const char *said =
        test_command(&status,
                     "for d in %s %s; do cut -d, -f1-9 $d/metrics.csv >$d.cut; done; "
                     "cmp %s.cut %s.cut",
                     a, b, a, b);
    CHECK(!status, "%s", said);
}

static int step_of(const char *out, const char *arm) {
    int64_t step;
    char file[400];
    snprintf(file, sizeof file, "%s/%s.safetensors", out, arm);
    if (access(file, F_OK)) return -1;
    Safetensors s = weights_of(out, arm);
    memcpy(&step, safetensors_find(&s, "training.step")->data, sizeof step);
    safetensors_free(&s);
    return (int)step;
}

#define SAVED "--arms sym,qkv,xxt --d-model 32 --held-out 32 --batch 8 --quiet --steps 3000"

// Starts it again and again, and kills it a little later, each time at another moment.
static void killed_at_random_moments(void) {
    const char *whole = test_fresh("saves-whole"), *out = test_fresh("saves-killed"), *resume = "";
    unsigned luck = 12345;
    int kills = 0, status, last = -1, went_on = 0;
    run(SAVED, whole);
    double patience = 1;  // grows on a slow machine
    for (int i = 0; i < 30 && went_on < 8 && last < 3000; i++) {
        luck = luck * 1103515245u + 12345u;
        double seconds = patience * (0.03 + 0.12 * (luck >> 16 & 1023) / 1024);
        const char *said =
            test_command(&status,
                         "exec 2>&1; %s " SAVED " --save-every 1e-9 --out %s %s & p=$!; "
                         "sleep %.3f; kill -9 $p; wait $p",
                         test_train(), out, resume, seconds);
        if (status == 137) kills++;
        else CHECK(!status, "status %d: %s", status, said);
        int step = step_of(out, "xxt");  // the last to be saved
        CHECK(step >= last, "it went back from step %d to %d", last, step);
        if (step > last) went_on += last >= 0;
        else patience *= 1.5;
        last = step;
        if (step_of(out, "sym") >= 0) resume = "--resume";
    }
    CHECK(kills && went_on, "%d kills, %d of them after it had gone on; expected some", kills,
          went_on);
    run(SAVED " --resume", out);
    same_metrics(whole, out);
    same_training(whole, out, "sym");
    same_training(whole, out, "qkv");
    same_training(whole, out, "xxt");
    test_command(&status, "test -z \"$(find %s -name '*.part')\"", out);
    CHECK(!status, "parts are left behind");
}

// One arm is further, one is not there: killed while it saved for the first time.
static void arms_at_different_steps(void) {
    const char *whole = test_fresh("saves-whole"), *out = test_fresh("saves-apart");
    int status;
    run(SAVED, whole);
    test_command(&status,
                 "%s " SAVED
                 " --save-every 1e-9 --out %s & p=$!; i=0; until [ -e %s/xxt.safetensors ] || "
                 "[ $i -ge 400 ]; do sleep 0.02; i=$((i+1)); done; kill -9 $p; wait $p",
                 test_train(), out, out);
    test_command(&status, "cd %s; rm xxt* sym*; printf part >sym.safetensors.part", out);
    const char *said =
        test_command(&status, "%s " SAVED " --resume --out %s 2>&1 >/dev/null", test_train(), out);
    char expected[800];
    snprintf(expected, sizeof expected,
             "train: sym: nothing of it is saved in %s; it starts at step 0\n"
             "train: xxt: nothing of it is saved in %s; it starts at step 0\n",
             out, out);
    CHECK_STRING(said, expected);
    CHECK_INT(status, 0);
    same_metrics(whole, out);
    same_training(whole, out, "sym");
    same_training(whole, out, "qkv");
    said = test_command(&status, "%s " SAVED " --resume --out %s", test_train(),
                        test_fresh("saves-nothing"));
    CHECK_INT(status, 2);
    CHECK(strstr(said, "No such file or directory")
              && strchr(said, '\n') == said + strlen(said) - 1,
          "%s", said);
}

// The step of the last point of the curve that is saved with the arm.
static int measured_step(const char *out, const char *arm) {
    double step;
    Safetensors s = weights_of(out, arm);
    const SafeTensor *curve = safetensors_find(&s, "history");
    CHECK(curve && curve->shape[0] > 0, "%s has no curve", arm);
    memcpy(&step, (char *)curve->data + (curve->shape[0] - 1) * 10 * sizeof step, sizeof step);
    safetensors_free(&s);
    return (int)step;
}

// Steps are measured further and further apart, up to a fifty-fifth of the run: a save doesn't
// wait for the next of them.
static void saved_between_measured_steps(void) {
    const char *out = test_fresh("saves-between");
    int status, between = 0;
    int pid = atoi(test_command(&status, "%s --arms qkv --quiet --no-report --steps 100000000 "
                                "--save-every 0.01 --out %s >/dev/null 2>&1 & echo $!",
                                test_train(), out));
    for (int i = 0; i < 600 && !between; i++) {
        test_command(&status, "sleep 0.05");
        between = step_of(out, "qkv") >= 0 && step_of(out, "qkv") > measured_step(out, "qkv");
    }
    test_command(&status, "kill -9 %d", pid);
    CHECK(between, "in half a minute nothing was saved between two measured steps");
}

static void saving_changes_no_bit(void) {
    const char *often = test_fresh("saves-often"), *never = test_fresh("saves-never");
    run(SAVED " --steps 300 --save-every 1e-9", often);
    run(SAVED " --steps 300 --save-every 0", never);
    same_metrics(often, never);
    same_training(often, never, "qkv");
}

// ---- writers -----------------------------------------------------------------------------------

enum { LETTERS = 100000 };

static pid_t write_again(const char *file, char letter) {
    pid_t child = fork();
    for (int i = 0; child == 0 && i < 40; i++) {
        AtomicFile w;
        char error[FILE_ERROR];
        if (!atomic_file_open(&w, file, error)) _exit(1);
        for (int k = 0; k < LETTERS; k++) fputc(letter, w.out);
        if (!atomic_file_close(&w, error)) _exit(2);
    }
    if (child == 0) _exit(0);
    return child;
}

static void two_writers(void) {
    static unsigned char text[LETTERS + 2];
    const char *file = test_fresh("saves-two");
    pid_t child[2] = {write_again(file, 'a'), write_again(file, 'b')};
    for (int left = 2, status; left;) {
        if (!access(file, F_OK)) {
            CHECK_INT(test_read(file, text, sizeof text), LETTERS);
            for (int i = 1; i < LETTERS; i++)
                CHECK(text[i] == *text, "byte %d is of another writer than the first", i);
        }
        for (int i = 0; i < 2; i++)
            if (child[i] && waitpid(child[i], &status, WNOHANG) == child[i]) {
                CHECK_INT(status, 0);
                child[i] = 0;
                left--;
            }
    }
    char part[400];
    snprintf(part, sizeof part, "%s.part", file);
    CHECK(access(part, F_OK), "%s is still there", part);
}

static void open_two(void *unused) {
    AtomicFile w, other;
    char error[FILE_ERROR];
    (void)unused;
    if (atomic_file_open(&w, test_path("first"), error))
        atomic_file_open(&other, test_path("second"), error);
}

// And exit() leaves no part.
static void one_at_a_time(void) {
    int status;
    char expected[600];
    const char *said = test_stderr_of(open_two, NULL, &status);
    snprintf(expected, sizeof expected, "train: %s: opened before %s.part is closed\n",
             test_path("second"), test_path("first"));
    CHECK_INT(status, 1);
    CHECK_STRING(said, expected);
    snprintf(expected, sizeof expected, "%s.part", test_path("first"));
    CHECK(access(expected, F_OK), "%s is left behind", expected);
}

// There is no room for the middle of a file; then there is again, and nothing else fails. What is
// told is why the middle could not be written.
static void first_reason(void) {
    char error[FILE_ERROR] = "", expected[600], part[400];
    unsigned char text[8];
    struct rlimit before, small;
    AtomicFile w;
    const char *file = test_fresh("saves-reason");
    CHECK(atomic_file_open(&w, file, error) && fputs("old", w.out) >= 0
              && atomic_file_close(&w, error), "%s", error);
    CHECK(atomic_file_open(&w, file, error), "%s", error);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 8192;
    void (*handled)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    for (int k = 0; k < LETTERS; k++) fputc('a', w.out);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handled);
    for (int k = 0; k < LETTERS; k++) fputc('b', w.out);
    CHECK(!atomic_file_close(&w, error), "%s was written", file);
    snprintf(expected, sizeof expected, "%s: can't be written: %s", file, strerror(EFBIG));
    CHECK_STRING(error, expected);
    CHECK_INT(test_read(file, text, sizeof text), 3);
    snprintf(part, sizeof part, "%s.part", file);
    CHECK(access(part, F_OK), "%s is left behind", part);
}

// ---- terminals ---------------------------------------------------------------------------------

typedef struct Screen {
    int master;
    pid_t child;
    char text[1 << 16];  // the end of what was written
    size_t used;
} Screen;

// A command in a process group of its own, whose parent is in the session: one that may be stopped.
static void open_screen(Screen *s, char *const command[]) {
    s->master = posix_openpt(O_RDWR | O_NOCTTY);
    if (s->master < 0 || grantpt(s->master) || unlockpt(s->master))
        test_skip("no pseudo-terminals here");
    fcntl(s->master, F_SETFL, O_NONBLOCK);
    fflush(stdout);
    s->child = fork();
    if (s->child) return;
    setpgid(0, 0);
    int slave = open(ptsname(s->master), O_RDWR | O_NOCTTY);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dup2(slave, 1);
    setenv("TERM", "xterm", 1);
    execv(command[0], command);
    _exit(127);
}

static void read_screen(Screen *s) {
    char piece[4096];
    ssize_t n;
    while ((n = read(s->master, piece, sizeof piece)) > 0) {
        if (s->used + (size_t)n >= sizeof s->text) s->used = 0;
        memcpy(s->text + s->used, piece, (size_t)n);
        s->used += (size_t)n;
    }
    s->text[s->used] = '\0';
}

static const char *last_of(const char *text, const char *part) {
    const char *last = NULL;
    while ((text = strstr(text, part))) last = text++;
    return last;
}

static bool shown(const Screen *s) {
    const char *show = last_of(s->text, "\033[?25h"), *hide = last_of(s->text, "\033[?25l");
    return show && (!hide || hide < show);
}

static void wait_until(Screen *s, bool cursor) {
    for (int i = 0; i < 400; i++) {
        read_screen(s);
        if (s->used && shown(s) == cursor && strstr(s->text, "\033[?25")) return;
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    kill(s->child, SIGKILL);
    CHECK(false, "the cursor is not %s", cursor ? "back" : "hidden");
}

static void the_cursor_comes_back(void) {
    static Screen s;
    int status;
    char program[4096], out[300];
    snprintf(program, sizeof program, "%s", test_train());
    snprintf(out, sizeof out, "%s", test_fresh("saves-screen"));
    open_screen(&s, (char *[]){program, "--steps", "1000000000", "--held-out", "16", "--arms", "qk",
                               "--out", out, NULL});
    wait_until(&s, false);
    for (int i = 0; i < 2; i++) {
        kill(s.child, SIGTSTP);
        CHECK_INT(waitpid(s.child, &status, WUNTRACED), s.child);
        CHECK(WIFSTOPPED(status), "it did not stop");
        wait_until(&s, true);
        s.used = 0;
        kill(s.child, SIGCONT);
        wait_until(&s, false);
    }
    kill(s.child, SIGQUIT);
    wait_until(&s, true);
    waitpid(s.child, &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGQUIT, "status %d", status);
}

// Of a text with escapes, controls of one byte and of two, and bytes that are no UTF-8.
static void made_up_text_steers_nothing(void) {
    static Screen s;
    int status;
    char program[4096], model[400], text[300];
    const char *out = test_fresh("saves-text");
    snprintf(program, sizeof program, "%s", test_train());
    snprintf(model, sizeof model, "%s/qkv.safetensors", out);
    snprintf(text, sizeof text, "%s", test_path("saves-controls"));
    test_command(&status,
                 "for i in 1 2 3 4 5 6 7 8 9; do printf 'ab\\033[2J\\302\\233\\377\\177\\000'; "
                 "done >%s",
                 text);
    test_command(&status,
                 "%s text --text %s --steps 1 --layers 0 --heads 1 --d-model 8 --quiet --out %s",
                 program, text, out);
    CHECK_INT(status, 0);
    open_screen(&s, (char *[]){program, "sample", model, "--temperature", "100", "--length", "400",
                               NULL});
    waitpid(s.child, &status, 0);
    read_screen(&s);
    CHECK_INT(status, 0);
    CHECK(s.used >= 400 && memchr(s.text, '?', s.used), "%zu bytes: %.200s", s.used, s.text);
    for (size_t i = 0; i < s.used; i++) {
        unsigned char c = (unsigned char)s.text[i];
        CHECK((c >= ' ' && c < 0x7F) || c == '\n' || c == '\r', "byte %zu is 0x%02X", i, c);
    }
}

// What is over may be asked for its results again; what would say
// something untrue of it is refused.
static void nothing_is_left(void) {
    int status;
    char expected[700];
    const char *out = test_fresh("saves-over"), *said;
    run("--arms qkv --steps 8 --d-model 8 --held-out 8 --quiet", out);
    run("--arms qkv --steps 8 --d-model 8 --held-out 8 --quiet --resume", out);
    said = test_command(&status,
                        "%s --arms qkv --steps 5 --d-model 8 --held-out 8 --resume --out %s",
                        test_train(), out);
    snprintf(expected, sizeof expected,
             "train: %s/qkv.safetensors: 8 steps are done; expected --steps 8 or more\n", out);
    CHECK_STRING(said, expected);
    CHECK_INT(status, 2);
    said =
        test_command(&status,
                     "%s --arms qkv --steps 8 --lr 0.5 --d-model 8 --held-out 8 --resume --out %s",
                     test_train(), out);
    snprintf(expected, sizeof expected, "train: %s/qkv.safetensors: --lr 0.03; expected --lr 0.5\n",
             out);
    CHECK_STRING(said, expected);
    CHECK_INT(status, 2);
    run("--arms qkv --steps 12 --lr 0.5 --d-model 8 --held-out 8 --quiet --resume", out);
}

void tests_saves(void) {
    test("a file that can't be written says what failed first", first_reason);
    test("a run that is killed again and again ends in the same bits", killed_at_random_moments);
    test("arms that were saved at different steps, or not at all, go on", arms_at_different_steps);
    test("a run that is over is not resumed as another", nothing_is_left);
    test("text that is made up doesn't steer a terminal", made_up_text_steers_nothing);
    test("a run is saved between measured steps, too", saved_between_measured_steps);
    test("saving now and then changes no bit", saving_changes_no_bit);
    test("a file that two programs write at once is always one of the two, whole", two_writers);
    test("one file is written at a time, and exit leaves no part", one_at_a_time);
    test("Ctrl-Z and Ctrl-\\ give the cursor back", the_cursor_comes_back);
}
