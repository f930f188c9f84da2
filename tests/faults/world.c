// The same by what the world does: a disk that fills up, one that can't be written to, a directory
// that goes away, a reader that does, a signal while a write waits.
#define _GNU_SOURCE  // F_SETPIPE_SZ, pipe2
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"
#include "scene.h"
#include "tests/test.h"

#define SMALL                                                                                      \
    "pronoun --arms sym,qkv --d-model 8 --d-k 4 --held-out 4 --batch 2 --threads 1 --steps 60 "

static const char *program;

// In a mount namespace of its own, so that whatever happens nothing stays mounted.
static const char *mounted(int *status, const char *script) {
    int possible;
    test_command(&possible, "unshare -m mount -t tmpfs none /mnt");
    if (possible) test_skip("nothing can be mounted here");
    return test_command(status, "stage=%s train=%s; unshare -m sh -c '%s' \"$train\" \"$stage\"",
                        scene_stage(), program, script);
}

// Of every size from where nothing fits to where all does: in the end each file is whole, a
// training that was saved can be opened, and one line says what was missing.
static void a_full_disk(void) {
    int status;
    const char *said = mounted(
        &status,
        "cd $1; mkdir -p disk; full=0; for k in 16 32 48 64 96 128 160 192 224 256 320 512; do "
        "mount -t tmpfs -o size=${k}k none disk; "
        "$0 " SMALL "--save-every 1e-9 --quiet --out disk/out >/dev/null 2>err; s=$?; "
        "case $s in 0) [ ! -s err ] || exit 10;; "
        "1|2) full=$((full+1)); [ $(wc -l <err) = 1 ] || exit 11; grep -q \"No space left\" err || "
        "exit 12;; "
        "*) exit 13;; esac; "
        "[ -z \"$(find disk -name \"*.part\")\" ] || exit 14; "
        "for f in disk/out/*.safetensors; do [ ! -e $f ] || $0 show $f >/dev/null || exit 15; "
        "done; "
        "for f in disk/out/summary.json disk/out/snapshots.json; do [ ! -e $f ] || "
        "[ \"$(tail -c 2 $f)\" = \"}\" ] || exit 16; done; "
        "umount disk; done; [ $full -ge 4 ] || exit 17");
    CHECK(!status, "ended at exit %d of its script: %s", status, said);
}

static void a_disk_for_reading(void) {
    int status;
    const char *said = mounted(
        &status,
        "cd $1; mkdir -p disk; mount -t tmpfs none disk; mkdir disk/out; echo old "
        ">disk/out/metrics.csv; "
        "mount -o remount,ro disk; $0 " SMALL "--quiet --out disk/out; [ $? = 2 ] || exit 10; "
        "$0 show model --npy disk/out >/dev/null; [ $? = 2 ] || exit 11; "
        "$0 sweep --arms qk --steps 1 --out disk/out; [ $? = 2 ] || exit 12; "
        "[ \"$(ls disk/out) $(cat disk/out/*)\" = \"metrics.csv old\" ] || exit 13");
    CHECK(!status, "ended at exit %d of its script: %s", status, said);
    int lines = 0;
    for (const char *c = said; *c; c++) lines += *c == '\n';
    CHECK(lines == 3 && strstr(said, "Read-only file system"), "%s", said);
}

// What is saved later finds no directory; the run goes on, and ends in a line.
static void a_directory_that_goes_away(void) {
    int status;
    const char *said =
        test_command(&status,
                     "cd %s; rm -rf out; %s " SMALL
                     "--steps 20000 --save-every 1e-9 --quiet --out out >/dev/null 2>err & "
                     "p=$!; cd %s; until [ -e out/qkv.safetensors ] || ! kill -0 $p; do sleep 0.01; "
                     "done; mv out gone; rm -rf gone; "
                     "kill -INT $p; wait $p; s=$?; cat err; exit $s",
                     scene_stage(), program, scene_stage());
    CHECK_INT(status, 1);
    CHECK(strstr(said, "/sym.safetensors: can't be written: No such file or directory"), "%s", said);
    test_command(&status, "test -e %s/out", scene_stage());
    CHECK(status, "out is there again");
}

// ---- stdout ------------------------------------------------------------------------------------

static pid_t start(const char *arguments, int out, int err, void (*on_pipe)(int)) {
    char command[1024];
    snprintf(command, sizeof command, "cd %s && exec %s %s", scene_stage(), program, arguments);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, on_pipe);
        dup2(out, 1);
        dup2(err, 2);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return child;
}

static int status_of(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char *rest_of(int fd) {
    static char text[1 << 16];
    size_t used = 0;
    for (ssize_t n;
         used < sizeof text - 1 && (n = read(fd, text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = '\0';
    return text;
}

static void nobody_reads(const char *arguments, void (*on_pipe)(int)) {
    int out[2], err[2];
    CHECK(!pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC), "pipe: %s", strerror(errno));
    close(out[0]);  // before anything is written: a head that has seen enough
    pid_t child = start(arguments, out[1], err[1], on_pipe);
    close(out[1]);
    close(err[1]);
    const char *said = rest_of(err[0]);
    CHECK(!strcmp(said, "train: stdout: Broken pipe\n"), "%s: \"%s\"", arguments, said);
    CHECK_INT(status_of(child), 1);
    close(err[0]);
}

static void a_reader_that_went_away(void) {
    static const char *const commands[] = {
        SMALL "--out out",
        "show model/qkv.safetensors --npy out",
        "sample text-model/qkv.safetensors",
        "sweep --arms qk --d-model 4 --d-k 2 --steps 1 --held-out 2 --out swept",
        "report out",
        "--help",
        "show --help",
        "sample --help",
        "sweep --help",
        "report --help"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        nobody_reads(commands[i], SIG_DFL);
        nobody_reads(commands[i], SIG_IGN);
    }
    scene_shell(
        "cd %/out; for f in metrics.csv summary.json qkv.safetensors report.html S.1.1.npy "
        "singular.1.1.npy ../swept/sweep.csv; do [ -s $f ] || { echo no $f; exit 1; }; done");
}

// Waits until the child waits in a write.
static bool until_it_writes(pid_t child) {
    char path[64], call[16] = "";
    snprintf(path, sizeof path, "/proc/%ld/syscall", (long)child);
    for (int i = 0; i < 3000; i++, usleep(10000)) {
        FILE *f = fopen(path, "r");
        if (!f || !fgets(call, sizeof call, f)) test_skip("%s can't be read", path);
        fclose(f);
        if (!strncmp(call, "1 ", 2)) return true;
    }
    return false;
}

// Ctrl-C while stdout is a pipe that is full: no byte of what is printed is lost, nor the status.
static void a_signal_while_a_write_waits(void) {
    int out[2], err[2];
    char byte = '#';
    if (!traced_possible()) test_skip("the number of write is known on x86-64 Linux alone");
    CHECK(!pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC), "pipe: %s", strerror(errno));
    CHECK(fcntl(out[1], F_SETPIPE_SZ, 4096) > 0, "a small pipe: %s", strerror(errno));
    fcntl(out[1], F_SETFL, O_NONBLOCK);
    while (write(out[1], &byte, 1) == 1) {}
    fcntl(out[1], F_SETFL, 0);
    pid_t child = start(SMALL "--steps 100000 --out out", out[1], err[1], SIG_DFL);
    close(out[1]);
    close(err[1]);
    CHECK(until_it_writes(child), "it never waited");
    kill(child, SIGINT);
    usleep(100000);  // it would have given up by now
    char *printed = rest_of(out[0]);
    printed += strspn(printed, "#");
    CHECK(!strncmp(printed, "\nstep 0 of 100000\narm ", 22) && strstr(printed, "symmetry  rank") &&
              strstr(printed, "/out/report.html\n"),
          "what was printed is \"%s\"", printed);
    const char *said = rest_of(err[0]);
    CHECK(!strncmp(said, "train: stopped at step ", 23), "%s", said);
    CHECK_INT(status_of(child), 130);
}

void faults_of_the_world(const char *of) {
    program = of;
    faults_prepare(of);
    test("a full disk", a_full_disk);
    test("a disk that is only for reading", a_disk_for_reading);
    test("a directory that goes away during a run", a_directory_that_goes_away);
    test("a reader that went away, with SIGPIPE ignored or not", a_reader_that_went_away);
    test("a signal while a write waits", a_signal_while_a_write_waits);
    scene_shell("rm -rf %");
}
