// The program as a person runs it: files, exit statuses, messages. QKV_TRAIN names another binary.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "test.h"

#define TINY "--steps 20 --held-out 16"

static void run(int expected, const char *arguments, const char *out) {
    int status;
    const char *said = test_command(&status, "%s %s --out %s", test_train(), arguments, out);
    CHECK(status == expected, "%s: expected status %d, got %d: %s", arguments, expected, status,
          said);
}

// A command that has to print exactly this.
static void prints(const char *expected, const char *command) {
    int status;
    const char *said = test_command(&status, "%s", command);
    CHECK(!strcmp(said, expected), "%s: expected \"%s\", got \"%s\"", command, expected, said);
}

static char *read_file(const char *directory, const char *name, size_t *size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s is not there", path);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, (1 << 20) - 1, file);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static void no_leftovers(const char *out) {
    int status;
    const char *left = test_command(&status, "find %s -name '*.part'", out);
    CHECK(!*left, "left behind: %s", left);
}

// ---- files -------------------------------------------------------------------------------------

static void check_metrics(const char *out, int rows) {
    size_t size;
    int lines = 0;
    char *text = read_file(out, "metrics.csv", &size);
    const char *header = "step,arm,loss,attention_accuracy,accuracy,asymmetry,circulation,attention_nll,"
                         "cycle_attention_accuracy,seconds\n";
    CHECK(!strncmp(text, header, strlen(header)), "metrics.csv begins %.80s", text);
    for (char *line = text; *line; lines++) {
        int commas = 0;
        for (; *line != '\n'; line++) {
            CHECK(*line, "metrics.csv: the last line doesn't end");
            commas += *line == ',';
        }
        line++;
        CHECK_INT(commas, 9);
    }
    CHECK_INT(lines, rows + 1);
    free(text);
}

static void check_summary(const char *out, const char *arm) {
    const char *keys[] = {
        "format", "task", "seed", "command", "options", "arms", "name", "parameters", "steps", "loss",
        "attention_accuracy", "accuracy", "cycle_attention_accuracy", "cycle_accuracy",
        "attention_nll", "asymmetry", "circulation", "seconds", "memory_bytes", "relations"};
    size_t size;
    char *text = read_file(out, "summary.json", &size), name[64];
    const char *wrong = json_wrong(text);
    CHECK(!wrong, "summary.json is no JSON, from: %.60s", wrong);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(name, sizeof name, "\"%s\": ", keys[i]);
        CHECK(strstr(text, name), "summary.json has no %s", name);
    }
    snprintf(name, sizeof name, "\"name\": \"%s\"", arm);
    CHECK(strstr(text, name), "summary.json has no %s", name);
    free(text);
}

// NumPy's format 1.0, a square matrix; gives its floats behind *bytes.
static const float *check_npy(const char *out, const char *file, char **bytes, int *n) {
    size_t size;
    char *b = *bytes = read_file(out, file, &size);
    CHECK(size > 10 && !memcmp(b, "\x93NUMPY\x01\x00", 8), "%s doesn't begin as NumPy's files do",
          file);
    size_t header = (size_t)(unsigned char)b[8] + 256 * (size_t)(unsigned char)b[9];
    int rows = 0, columns = 0, end = 0;
    CHECK((10 + header) % 64 == 0 && b[10 + header - 1] == '\n', "%s: a header of %zu bytes", file,
          header);
    CHECK(sscanf(b + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }%n", &rows,
                 &columns, &end) == 2 &&
              end,
          "%s: a header that says %.*s", file, (int)header, b + 10);
    CHECK_INT(strspn(b + 10 + end, " ") + (size_t)end + 1, header);
    CHECK_INT(rows, columns);
    CHECK_INT(size, 10 + header + sizeof(float) * (size_t)rows * (size_t)columns);
    *n = rows;
    return (const float *)(const void *)(b + 10 + header);
}

static void check_attention(const char *out, const char *arm) {
    char file[64], *bytes;
    int n, m;
    snprintf(file, sizeof file, "%s.attention.npy", arm);
    const float *A = check_npy(out, file, &bytes, &n);
    for (int i = 0; i < n; i++) {
        double total = 0;
        for (int j = 0; j < n; j++) {
            float weight;
            memcpy(&weight, A + i * n + j, sizeof weight);
            total += weight;
        }
        CHECK_NEAR(total, 1, 1e-6);
    }
    free(bytes);
    snprintf(file, sizeof file, "%s.scores.npy", arm);
    check_npy(out, file, &bytes, &m);
    CHECK_INT(m, n);
    free(bytes);
}

static void pronoun_writes_its_files(void) {
    const char *arms[] = {"xxt", "xxt-v", "tied", "sym", "qk", "qkv"}, *out = test_fresh("pronoun");
    int status;
    const char *said = test_command(&status, "%s " TINY " --out %s", test_train(), out);
    CHECK_INT(status, 0);
    CHECK(!strchr(said, '\033') && !strchr(said, '\r'), "an escape or a return in a pipe");
    CHECK(strstr(said, "qkv") && strstr(said, "metrics.csv"),
          "the report doesn't name arm and file: %.200s", said);
    check_metrics(out, 21 * 6);
    for (int i = 0; i < 6; i++) {
        check_summary(out, arms[i]);
        check_attention(out, arms[i]);
    }
    char command[300];
    snprintf(command, sizeof command, "grep -c '\"pronoun\": {\"questions\": 16, ' %s/summary.json",
             out);
    prints("6\n", command);
    no_leftovers(out);
}

static void heads_writes_its_files(void) {
    const char *arms[] = {"xxt", "tied", "sym", "qk"}, *out = test_fresh("heads");
    run(0, "heads --steps 3 --held-out 16 --quiet", out);
    check_metrics(out, 4 * 4);
    for (int i = 0; i < 4; i++) {
        check_summary(out, arms[i]);
        check_attention(out, arms[i]);
    }
    no_leftovers(out);
}

static void coref_writes_its_files(void) {
    const char *arms[] = {"xxt", "tied", "sym", "qk"}, *out = test_fresh("coref");
    run(0, "coref --steps 3 --quiet", out);
    check_metrics(out, 4 * 4);
    for (int i = 0; i < 4; i++) {
        check_summary(out, arms[i]);
        check_attention(out, arms[i]);
    }
    no_leftovers(out);
}

static void recall_writes_its_files(void) {
    const char *arms[] = {"xxt", "tied", "sym", "qk", "kv", "qkv"}, *out = test_fresh("recall");
    run(0, "recall --steps 3 --held-out 16 --quiet", out);
    check_metrics(out, 6 * 4);
    for (int i = 0; i < 6; i++) {
        check_summary(out, arms[i]);
        check_attention(out, arms[i]);
    }
    no_leftovers(out);
}

static void odd_names_stay_json(void) {
    char out[300], quoted[310];
    snprintf(out, sizeof out, "%s/it\"s \\ odd", test_directory());
    snprintf(quoted, sizeof quoted, "'%s'", out);
    run(0, TINY " --arms qk", quoted);
    check_summary(out, "qk");
}

// ---- reproducibility ---------------------------------------------------------------------------

// metrics.csv without the seconds, its last column; of one arm, or of all.
static void same_metrics(const char *a, const char *b, const char *arm) {
    char command[1024];
    snprintf(command, sizeof command,
             "for d in %s %s; do grep ',%s' $d/metrics.csv | cut -d, -f1-9 >$d/cut; done; "
             "test -s %s/cut && cmp %s/cut %s/cut && echo same",
             a, b, arm, a, a, b);
    prints("same\n", command);
}

static void check_threads(const char *options) {
    const char *threads[] = {"1", "2", "3", "8"}, *first = test_fresh("threads-first");
    char arguments[256], command[600];
    run(0, options, first);
    for (int i = 0; i < 4; i++) {
        const char *out = test_fresh("threads");
        snprintf(arguments, sizeof arguments, "%s --threads %s", options, threads[i]);
        run(0, arguments, out);
        same_metrics(first, out, "");
        snprintf(command, sizeof command, "cmp %s/qkv.scores.npy %s/qkv.scores.npy && echo same",
                 first, out);
        prints("same\n", command);
    }
}

// The second is split into shards.
static void threads_change_no_bit(void) {
    check_threads(TINY " --quiet --seed 7");
    check_threads("text --text README.md --layers 1 --steps 3 --held-out 4 --quiet");
    const char *first = test_fresh("threads-first");
    run(0, TINY " --quiet --seed 7", first);
    const char *other = test_fresh("threads");
    run(0, TINY " --quiet --seed 8", other);
    char command[1024];
    snprintf(command, sizeof command,
             "for d in %s %s; do cut -d, -f1-9 $d/metrics.csv >$d/cut || exit; done; "
             "cmp -s %s/cut %s/cut || echo they differ", first, other, first, other);
    prints("they differ\n", command);
}

static void arms_do_not_touch_each_other(void) {
    const char *all = test_fresh("together"), *alone = test_fresh("alone");
    run(0, TINY " --quiet", all);
    run(0, TINY " --quiet --arms qkv", alone);
    same_metrics(all, alone, "qkv,");
    alone = test_fresh("alone");
    run(0, TINY " --quiet --arms sym,kv,xxt", alone);
    same_metrics(all, alone, "sym,");
    same_metrics(all, alone, "xxt,");
}

// ---- mistakes ----------------------------------------------------------------------------------

// Status 2, exactly this line on stderr, nothing on stdout, and no file.
static void refused(const char *arguments, const char *line) {
    const char *out = test_fresh("refused");
    int status;
    const char *said =
        test_command(&status,
                     "%s --out %s %s 2>%s.err; s=$?; cat %s.err; rm %s.err; test -e %s && "
                     "echo written; exit $s",
                     test_train(), out, arguments, out, out, out, out);
    char expected[512];
    snprintf(expected, sizeof expected, "train: %s\n", line);
    CHECK(!strcmp(said, expected), "%s: expected \"%s\", got \"%s\"", arguments, expected, said);
    CHECK_INT(status, 2);
}

static void mistakes_are_refused(void) {
    refused("pronuon", "\"pronuon\" is not a task; did you mean pronoun?");
    refused("--lr 1e30", "--lr 1e30: it must be from 0 to 1000000000");
    refused("--steps 0", "--steps 0: it must be from 1 to 1000000000");
    refused("heads --conllu nowhere.conllu", 
            "nowhere.conllu: No such file or directory; expected a CoNLL-U file of at most 1 GiB");
    refused("--out", "--out needs a value: DIR");
}

static void a_broken_treebank_is_refused(void) {
    char path[256], arguments[300], line[512];
    snprintf(path, sizeof path, "%s/broken.conllu", test_directory());
    FILE *file = fopen(path, "w");
    CHECK(file, "%s can't be written", path);
    fputs("1\tA\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t7\troot\t_\t_\n\n", file);
    fclose(file);
    snprintf(arguments, sizeof arguments, "heads --conllu %s", path);
    snprintf(line, sizeof line, "%s:2: head 7; expected 0 to 2", path);
    int status;
    const char *out = test_fresh("refused");
    const char *said = test_command(&status, "%s %s --out %s", test_train(), arguments, out);
    CHECK_INT(status, 2);
    snprintf(line, sizeof line, "train: %s:2: ", path);
    CHECK(!strncmp(said, line, strlen(line)) && strchr(said, '\n') == said + strlen(said) - 1,
          "expected one line that begins \"%s\", got \"%s\"", line, said);
    CHECK(access(out, F_OK), "%s was written", out);
}

static void unwritable(const char *out, const char *line) {
    int status;
    char expected[512];
    snprintf(expected, sizeof expected, "train: %s\n", line);
    CHECK_STRING(test_command(&status, "%s " TINY " --out %s", test_train(), out), expected);
    CHECK_INT(status, 2);
}

static void places_that_cannot_be_written(void) {
    char path[300], line[400];
    int status;
    const char *file = test_fresh("a-file");
    test_command(&status, "echo kept >%s", file);
    snprintf(line, sizeof line, "%s/metrics.csv: can't be written: Not a directory", file);
    unwritable(file, line);
    snprintf(path, sizeof path, "%s/below", file);
    snprintf(line, sizeof line, "%s: can't be made: Not a directory", path);
    unwritable(path, line);
    snprintf(path, sizeof path, "cat %s", file);
    prints("kept\n", path);
    unwritable("/proc/x", "/proc/x: can't be made: No such file or directory");
    if (geteuid()) {
        const char *locked = test_fresh("locked");
        test_command(&status, "mkdir -m 555 %s", locked);
        snprintf(line, sizeof line, "%s/metrics.csv: can't be written: Permission denied", locked);
        unwritable(locked, line);
    }
}

// ---- ends --------------------------------------------------------------------------------------

// Weights are multiplied by -1e18 a step.
static void a_run_that_diverges_says_where(void) {
    const char *out = test_fresh("diverged");
    const char *runaway =
        "--held-out 16 --lr 1e9 --decay 1e9 --schedule constant --quiet --arms xxt,qk --out";
    char expected[512];
    int status;
    for (int steps = 2; steps <= 20; steps += 18) {
        const char *said =
            test_command(&status, "%s --steps %d %s %s", test_train(), steps, runaway, out);
        snprintf(expected, sizeof expected,
                 "train: step 2, arm qk: the loss of held-out sentences is not finite, first in "
                 "matmul_t (8, 1, 14, 14); a smaller --decay or --lr may do better. "
                 "What was measured before is in %s\n",
                 out);
        CHECK_STRING(said, expected);
        CHECK_INT(status, 1);
        check_metrics(out, 5);  // xxt has a row more
        check_summary(out, "qk");
        no_leftovers(out);
    }
}

// Starts a run in `out`, signals it once the shell's condition `begun` is true, and gives what it
// then said on stderr. A run that has not ended after `patience` twentieths of a second is killed.
static const char *signalled(const char *out, const char *arguments, const char *begun,
                             const char *signal, int patience, int *status) {
    return test_command(status,
        "%s %s --out %s >%s.log 2>%s.err & p=$!; i=0; "
        "until %s || [ $i -ge 200 ]; do sleep 0.05; i=$((i+1)); done; "
        "kill -%s $p; (i=0; while kill -0 $p 2>&- && [ $i -lt %d ]; do sleep 0.05; i=$((i+1)); "
        "done; [ $i -lt %d ] || kill -9 $p) & wait $p; s=$?; "
        "cat %s.err; rm %s.log %s.err; exit $s",
        test_train(), arguments, out, out, out, begun, signal, patience, patience, out, out, out);
}

// Starts a run without end, signals it when it has begun, and waits; not forever.
static void interrupted(const char *signal, const char *arguments) {
    const char *out = test_fresh("interrupted");
    char all[128], begun[512];
    int status;
    snprintf(all, sizeof all, "%s --held-out 16 --arms qk,xxt", arguments);
    snprintf(begun, sizeof begun, "grep -qs ' qk ' %s.log", out);
    const char *said = signalled(out, all, begun, signal, 400, &status);
    CHECK(strstr(said, "train: stopped at step ") == said,
          "expected to be told where it stopped, got %s", said);
    CHECK_INT(status, 130);
    // Each arm stands where the signal met it, and the line names the first and the last.
    int least = -1, most = -1, step[2] = {-1, -1};
    CHECK(sscanf(said, "train: stopped at step %d to %d", &least, &most) >= 1, "%s", said);
    if (most < 0) most = least;
    size_t size;
    char *summary = read_file(out, "summary.json", &size);
    const char *qk = strstr(summary, "{\"name\": \"qk\""), *xxt = strstr(summary, "{\"name\": \"xxt\"");
    CHECK(qk && xxt, "summary.json lacks an arm");
    sscanf(qk, "{\"name\": \"qk\", \"parameters\": 2048, \"steps\": %d,", &step[0]);
    sscanf(xxt, "{\"name\": \"xxt\", \"parameters\": 0, \"steps\": %d,", &step[1]);
    CHECK_INT(step[0] < step[1] ? step[0] : step[1], least);
    CHECK_INT(step[0] < step[1] ? step[1] : step[0], most);
    free(summary);
    check_summary(out, "qk");
    check_attention(out, "qk");
    no_leftovers(out);
}

static void an_interrupt_ends_in_whole_files(void) { interrupted("INT", "--steps 1000000000"); }
static void termination_ends_in_whole_files(void) { interrupted("TERM", "--steps 1000000000"); }
static void a_slow_run_can_be_interrupted(void) { interrupted("INT", "--steps 10 --pace 10000"); }

// A second after the run began; each of these takes minutes until its next step is taken.
static void a_long_step_or_measurement_is_broken_off(void) {
    static const struct { const char *arguments, *says; int saves; } list[] = {
        {"--quiet --accumulate 1000000 --held-out 16 --arms qkv",
         "train: stopped at step 0 of 1000; ", 1},
        {"--quiet --held-out 100000 --layers 24 --arms qkv",
         "train: stopped at step 0 of 1000; ", 0},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *out = test_fresh("at-once");
        char begun[512];
        int status;
        snprintf(begun, sizeof begun, "{ [ -e %s ] && sleep 1; }", out);
        const char *said = signalled(out, list[i].arguments, begun, "TERM", 200, &status);
        CHECK(strstr(said, list[i].says) == said, "%s: %s", list[i].arguments, said);
        CHECK(!strstr(said, " --resume") == !list[i].saves, "%s", said);
        CHECK_INT(status, 130);
    }
}

// Builds beside each other copy their program to the same place. `-o` makes a program that stands
// there pass for built.
static void make_copies_the_last_build(void) {
    int status;
    const char *tree = test_fresh("tree");
    const char *said = test_command(&status,
        "command -v make >/dev/null || exit 77; root=$PWD; mkdir -p %s/one %s/two && cd %s && "
        "ln -s \"$root/Makefile\" \"$root/tests\" \"$root/model\" . && "
        "echo 1 >one/train && echo 2 >two/train && touch -d '1 hour ago' one/train && "
        "for build in one two one; do env -u MAKEFLAGS -u MAKELEVEL make -s train BUILD=$build "
        "-o $build/train || exit; cmp train $build/train || exit; done",
        tree, tree, tree);
    if (status == 77) test_skip("it needs make");
    CHECK(status == 0, "status %d: %s", status, said);
}

static void fast_math_is_refused(void) {
    int status;
    test_command(&status, "command -v cc");
    if (status) test_skip("it needs cc");
    test_command(&status, "cc -fsyntax-only -x c autograd/tape.h");
    CHECK_INT(status, 0);
    const char *const options[] = {"-ffast-math", "-Ofast", "-ffinite-math-only"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *said =
            test_command(&status, "cc %s -fsyntax-only -x c autograd/tape.h", options[i]);
        CHECK(status && strstr(said, "compile without -ffast-math"), "%s: status %d: %s",
              options[i], status, said);
    }
}

static void a_reader_that_leaves_costs_nothing(void) {
    const char *out = test_fresh("headed");
    int status;
    const char *tiny = "--steps 300 --held-out 16 --batch 4 --arms qk,qkv";
    test_command(&status, "%s %s --out %s | head -1", test_train(), tiny, out);
    check_metrics(out, 2 * 72);
    check_summary(out, "qkv");
    no_leftovers(out);
}

static void a_full_disk_is_noticed(void) {
    int status;
    if (access("/dev/full", W_OK)) test_skip("there is no /dev/full");
    const char *said = test_command(&status, "%s " TINY " --quiet --out %s >/dev/full",
                                    test_train(), test_fresh("full"));
    CHECK_STRING(said, "train: stdout: No space left on device\n");
    CHECK_INT(status, 1);
    said = test_command(&status, "%s --help >/dev/full", test_train());
    CHECK_STRING(said, "train: stdout: No space left on device\n");
    CHECK_INT(status, 1);
}

// gcc's OpenMP tells how often a thread that waits looks before it sleeps.
static void waiting_threads_sleep(void) {
    static const struct { const char *set, *expected; } cases[] = {
        {"", "0\n"}, {"OMP_WAIT_POLICY=active", "300"}, {"GOMP_SPINCOUNT=17", "17\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status;
        const char *said = test_command(&status, "env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT %s "
                                        "OMP_DISPLAY_ENV=verbose %s --version 2>&1 | "
                                        "sed -n \"s/^ *GOMP_SPINCOUNT = '\\(.*\\)'/\\1/p\" | tail -n 1",
                                        cases[i].set, test_train());
        if (!*said) test_skip("it needs gcc's OpenMP");
        CHECK(!strncmp(said, cases[i].expected, strlen(cases[i].expected)), "\"%s\": %s",
              cases[i].set, said);
    }
}

static void help_is_given(void) {
    int status;
    const char *said = test_command(&status, "%s --help", test_train());
    CHECK_INT(status, 0);
    CHECK(strstr(said, "--arms LIST") && strstr(said, "pronoun") && !strchr(said, '\033'),
          "help says %s", said);
    CHECK(!strstr(said, "(null)"), "help says (null)");
}

static void the_program_is_built(void) {
    CHECK(!access(test_train(), X_OK), "%s is not there", test_train());
}

void tests_program(void) {
    test("the program is built", the_program_is_built);
    test("pronoun writes metrics, summary, scores and attention", pronoun_writes_its_files);
    test("heads writes them too, from the treebank in the repository", heads_writes_its_files);
    test("recall writes them too", recall_writes_its_files);
    test("coref writes them too, from the stories in the repository", coref_writes_its_files);
    test("summary.json stays JSON whatever the directory is named", odd_names_stay_json);
    test("a seed fixes every number, whatever the threads", threads_change_no_bit);
    test("an arm's numbers don't depend on the other arms", arms_do_not_touch_each_other);
    test("a mistaken command line costs one line and status 2, and writes nothing",
         mistakes_are_refused);
    test("a broken treebank is refused with its line", a_broken_treebank_is_refused);
    test("a directory that can't be written is refused before any training",
         places_that_cannot_be_written);
    test("a run that diverges says at which step, in which arm and tensor",
         a_run_that_diverges_says_where);
    test("Ctrl-C ends a run with status 130 and whole files", an_interrupt_ends_in_whole_files);
    test("so does SIGTERM", termination_ends_in_whole_files);
    test("Ctrl-C ends a run that keeps a pace at once", a_slow_run_can_be_interrupted);
    test("Ctrl-C breaks off a long step and a long measurement",
         a_long_step_or_measurement_is_broken_off);
    test("make leaves the program of its last build", make_copies_the_last_build);
    test("a build that breaks infinities is refused", fast_math_is_refused);
    test("a reader that has seen enough doesn't cost the results",
         a_reader_that_leaves_costs_nothing);
    test("a full disk behind stdout is status 1", a_full_disk_is_noticed);
    test("threads that wait sleep, unless the environment says otherwise", waiting_threads_sleep);
    test("--help helps", help_is_given);
}
