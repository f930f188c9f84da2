// ./train sweep: the grid, its file, and that every row is what ./train says of that run.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "model/sweep/grid.h"
#include "model/train/tasks.h"

#define SMALL "--d-model 16 --steps 30 --held-out 32"

// A shell command with this status; gives what it said.
#define shell(expected, ...)                                                                       \
    shell_at(__LINE__, expected, test_command(&status, __VA_ARGS__), &status)

static const char *shell_at(int line, int expected, const char *said, const int *status) {
    if (*status != expected)
        test_fail(__FILE__, line, "expected status %d, got %d: %s", expected, *status, said);
    return said;
}

static void sweep(int expected, const char *arguments, const char *out) {
    int status;
    const char *said = test_command(&status, "%s sweep %s --out %s", test_train(), arguments, out);
    CHECK(status == expected, "%s: expected status %d, got %d: %s", arguments, expected, status,
          said);
}

static void same_files(const char *a, const char *b) {
    int status;
    const char *said = test_command(&status, "cmp %s %s", a, b);
    CHECK(!status, "%s", said);
}

static const char *csv(const char *directory) {
    static char path[4][300];
    static int used;
    char *p = path[used++ % 4];
    snprintf(p, 300, "%s/sweep.csv", directory);
    return p;
}

// ---- the grid ----------------------------------------------------------------------------------

// Of arguments that are separated by spaces.
static bool read_grid(Grid *g, const char *arguments, char error[GRID_ERROR]) {
    static char text[1024], program[] = "./train", command[] = "sweep";
    char *argv[64] = {program, command};
    int argc = 2;
    snprintf(text, sizeof text, "%s", arguments);
    for (char *at = strtok(text, " "); at; at = strtok(NULL, " ")) argv[argc++] = at;
    return grid_read(g, argc, argv, error);
}

static void check_axis(const char *list, const char *expected) {
    Grid g;
    char error[GRID_ERROR] = "", text[256] = "";
    CHECK(read_grid(&g, list, error), "%s: %s", list, error);
    CHECK_INT(g.axes, 3);
    for (int i = 0; i < g.axis[2].value.count; i++) {
        strcat(text, " ");
        strcat(text, g.axis[2].value.word[i]);
    }
    CHECK_STRING(text, expected);
    grid_free(&g);
}

static void lists_and_ranges(void) {
    check_axis("--d-k 1,2,4", " 1 2 4");
    check_axis("--d-k 3:6", " 3 4 5 6");
    check_axis("--d-k=1:9:3", " 1 4 7");
    check_axis("--d-k 1:10:3,2,20:22", " 1 4 7 10 2 20 21 22");
    check_axis("--d-k 007,8", " 7 8");
    check_axis("--d-k 5:5", " 5");
    check_axis("--lr 0.1,1e-3,.02", " 0.1 0.001 0.02");
    check_axis("--lr 0.1,0.1000000000001", " 0.1 0.1000000000001");
    check_axis("--init random,tied", " random tied");
}

static void grid_order(void) {
    Grid g;
    char error[GRID_ERROR], text[256];
    CHECK(read_grid(&g,
                    "--layers 0,1 --arms xxt,qk --d-k 1,2 search --seeds "
                    "18446744073709551614:18446744073709551615",
                    error),
          "%s", error);
    CHECK_INT(g.runs, 16);
    const struct { int run; const char *what; } expected[] = {
        {0, "arm xxt, seed 18446744073709551614, d_k 1, layers 0"},
        {1, "arm qk, seed 18446744073709551614, d_k 1, layers 0"},
        {2, "arm xxt, seed 18446744073709551614, d_k 1, layers 1"},
        {4, "arm xxt, seed 18446744073709551614, d_k 2, layers 0"},
        {15, "arm qk, seed 18446744073709551615, d_k 2, layers 1"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        grid_describe(&g, expected[i].run, text, sizeof text);
        CHECK_STRING(text, expected[i].what);
    }
    Options o;
    CHECK(grid_options(&g, 15, &o, error), "%s", error);
    CHECK(o.arms == 1 && !strcmp(o.arm[0]->name, "qk") && o.seed == UINT64_MAX && o.d_k == 2
              && o.layers == 1 && !strcmp(o.task->name, "search"),
          "run 15 has other options");
    grid_free(&g);
}

static void shards_cover_the_grid(void) {
    for (int n = 1; n <= 30; n++) {
        int next = 0, least = 24, most = 0;
        for (int i = 1; i <= n; i++) {
            Grid g;
            char error[GRID_ERROR], arguments[80];
            snprintf(arguments, sizeof arguments,
                     "--seeds 1:4 --d-k 1,2 --arms xxt,qk,qkv --shard %d/%d", i, n);
            CHECK(read_grid(&g, arguments, error), "%s", error);
            int runs = g.end - g.first;
            CHECK_INT(g.first, next);
            next = g.end;
            if (runs < least) least = runs;
            if (runs > most) most = runs;
            grid_free(&g);
        }
        CHECK_INT(next, 24);
        CHECK(most - least <= 1, "of %d shards one has %d runs, another %d", n, least, most);
    }
}

static void mistakes(void) {
    const struct { const char *arguments, *message;
    } list[] = {
        {"--d-k 1,128",
         "--d-k 128: at most d_model / heads, 64, for orthonormal columns; --init random takes any "
         "(arm xxt, seed 1, d_k 128)"},
        {"--seeds 3:1",
         "--seeds 3:1: no range; expected one that rises, as 1:20, or 1:20:2 with a step"},
        {"--seeds 1:3:0",
         "--seeds 1:3:0: no range; expected one that rises, as 1:20, or 1:20:2 with a step"},
        {"--seeds :3",
         "--seeds :3: no range; expected one that rises, as 1:20, or 1:20:2 with a step"},
        {"--seeds 1:2:3:4",
         "--seeds 1:2:3:4: no range; expected one that rises, as 1:20, or 1:20:2 with a step"},
        {"--seeds 1:x",
         "--seeds 1:x: no range; expected one that rises, as 1:20, or 1:20:2 with a step"},
        {"--seeds 1,", "--seeds: a value of its list is empty"},
        {"--seeds one", "--seeds one: not a whole number from 0 to 18446744073709551615"},
        {"--seeds 1:3,2", "--seeds: 2 stands there twice"},
        {"--d-k 01,1", "--d-k: 1 stands there twice"},
        {"--d-k 0:3", "--d-k 0: it must be from 1 to 16384"},
        {"--lr 1:3", "--lr 1:3: ranges are for whole numbers; expected a list, as 1,2,3"},
        {"--init tied,tide", "--init tide: it must be tied or random"},
        {"--arms xxt,qkvv", "--arms: \"qkvv\" is not an arm; did you mean qkv?"},
        {"--seeds 1:200000", "--seeds 1:200000: at most 100000 values"},
        {"--seeds 1:1000 --d-k 1:60", "a grid of 360000 runs or more; expected at most 100000"},
        {"--threads 1,2", "--threads 1,2: not a whole number from 1 to 1024"},
        {"--seeds", "--seeds needs a value: N"},
        {"--seed 3:1",
         "--seed 3:1: no range; expected one that rises, as 1:20, or 1:20:2 with a step"},
        {"--seed=one", "--seed one: not a whole number from 0 to 18446744073709551615"},
        {"--seeds 1:2 --seed 3", "--seed and --seeds: give one of them"},
        {"--shard", "--shard needs a value: I/N"},
        {"--shard 0/2",
         "--shard 0/2: expected I/N, the Ith of N parts, with I from 1 to N and N at most 10000"},
        {"--shard 3/2",
         "--shard 3/2: expected I/N, the Ith of N parts, with I from 1 to N and N at most 10000"},
        {"--shard 1/2x",
         "--shard 1/2x: expected I/N, the Ith of N parts, with I from 1 to N and N at most 10000"},
        {"--shrad 1/2", "--shrad is not an option; did you mean --shard? (--help lists them)"},
        {"--resume", "--resume: a sweep keeps its finished rows anyway; start it without"},
        {"--version", "--version: a sweep has none of its own; ./train --version"},
        {"--pace 9", "--pace: a sweep draws no curves; it is for one training"},
        {"pronuon --seeds 1:9", "\"pronuon\" is not a task; did you mean pronoun?"},
        {"text --seeds 1:9", "text needs a file to read: --text FILE"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        Grid g;
        char error[GRID_ERROR] = "";
        CHECK(!read_grid(&g, list[i].arguments, error), "%s: was accepted", list[i].arguments);
        CHECK(!strcmp(error, list[i].message), "%s: expected \"%s\", got \"%s\"", list[i].arguments,
              list[i].message, error);
        grid_free(&g);
    }
}

static void refused_before_anything_is_written(void) {
    const char *out = test_fresh("sweep-refused");
    int status;
    const char *said = shell(2, "%s sweep --d-k 1,99 --arms qk --out %s", test_train(), out);
    CHECK_STRING(said, "train: --d-k 99: at most d_model / heads, 64, for orthonormal columns; "
                       "--init random takes "
                       "any (arm qk, seed 1, d_k 99)\n");
    said = shell(2, "%s sweep heads --conllu nowhere --seeds 1:2 --out %s", test_train(), out);
    CHECK_STRING(
        said,
        "train: nowhere: No such file or directory; expected a CoNLL-U file of at most 1 GiB\n");
    CHECK(access(out, F_OK), "%s was written", out);
}

// ---- a row is a run ----------------------------------------------------------------------------

// The arm's figures in summary.json as a row ends: ",loss,attention_accuracy,...", null as nothing.
static void figures_of(const char *out, char row[512]) {
    static const char *const name[] = {
        "parameters", "steps", "loss", "attention_accuracy", "accuracy", "cycle_attention_accuracy",
        "cycle_accuracy", "attention_nll", "asymmetry", "circulation", "symmetry"};
    int status;
    const char *text = shell(0, "cat %s/summary.json", out), *arms = strstr(text, "\"arms\": [");
    CHECK(arms, "no arms in %s", text);
    row[0] = '\0';
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char member[64], value[64];
        snprintf(member, sizeof member, "\"%s\": ", name[i]);
        const char *at = strstr(arms, member);
        CHECK(at && sscanf(at + strlen(member), "%63[^,}]", value) == 1, "no %s", member);
        strcat(strcat(row, ","), strcmp(value, "null") ? value : "");
    }
}

// Each run of a sweep by itself: its axes as ./train takes them, and as its row begins.
static void check_row(const char *rows, const char *options, const char *axes, const char *start) {
    char expected[640];
    const char *alone = test_fresh("sweep-alone");
    int status;
    shell(0, "%s %s %s --quiet --out %s", test_train(), options, axes, alone);
    int n = snprintf(expected, sizeof expected, "\n%s", start);
    figures_of(alone, expected + n);
    strcat(expected, "\n");
    CHECK(strstr(rows, expected), "expected the row %sin %s", expected + 1, rows);
}

static char *rows_of(const char *out) {
    int status;
    char *rows = malloc(1 << 16);
    snprintf(rows, 1 << 16, "%s", shell(0, "cat %s", csv(out)));
    return rows;
}

static void rows_are_runs(void) {
    const char *out = test_fresh("sweep-pronoun");
    sweep(0, SMALL " --seeds 3,7 --d-k 2,16 --layers 0,1 --arms xxt,qkv --threads 3", out);
    char *rows = rows_of(out);
    check_row(rows, SMALL, "--seed 3 --layers 0 --arms xxt", "pronoun,xxt,3,2,0");
    check_row(rows, SMALL, "--seed 7 --d-k 2 --layers 0 --arms qkv", "pronoun,qkv,7,2,0");
    check_row(rows, SMALL, "--seed 3 --d-k 16 --layers 1 --arms qkv", "pronoun,qkv,3,16,1");
    check_row(rows, SMALL, "--seed 7 --layers 1 --arms xxt", "pronoun,xxt,7,16,1");
    free(rows);
    out = test_fresh("sweep-search");
    sweep(0, "search --d-model 16 --steps 30 --seeds 2 --held-out 16,48 --arms kv,qkv", out);
    rows = rows_of(out);
    check_row(rows, "search " SMALL, "--seed 2 --held-out 16 --arms kv", "search,kv,2,16");
    check_row(rows, "search " SMALL, "--seed 2 --held-out 48 --arms qkv", "search,qkv,2,48");
    free(rows);
    out = test_fresh("sweep-recall");
    sweep(0, "recall " SMALL " --seeds 2 --pairs 4,64 --arms kv,qkv", out);
    rows = rows_of(out);
    check_row(rows, "recall " SMALL, "--seed 2 --pairs 4 --arms kv", "recall,kv,2,4");
    check_row(rows, "recall " SMALL, "--seed 2 --pairs 64 --arms qkv",
              "recall,qkv,2,64");
    free(rows);
}

// Those of a file share it, and some take their steps from it.
static void rows_of_files_are_runs(void) {
    const char *out = test_fresh("sweep-heads"), *heads = "heads --d-model 8 --d-k 4 --epochs 1";
    int status;
    sweep(0,
          "heads --d-model 8 --d-k 4 --epochs 1 --seeds 1:2 --batch 16,40 --max-words 9,128 --arms "
          "sym,qk --threads 2",
          out);
    char *rows = rows_of(out);
    check_row(rows, heads, "--seed 1 --batch 16 --max-words 9 --arms sym", "heads,sym,1,16,9");
    check_row(rows, heads, "--seed 2 --batch 40 --max-words 128 --arms qk", "heads,qk,2,40,128");
    free(rows);
    const char *text =
        "text --text README.md --layers 1 --heads 1 --d-model 8 --steps 5 --context 8";
    char arguments[300];
    snprintf(arguments, sizeof arguments, "%s --seeds 1,5 --objective causal,masked --arms qk,qkv",
             text);
    out = test_fresh("sweep-text");
    sweep(0, arguments, out);
    rows = rows_of(out);
    check_row(rows, text, "--seed 5 --objective causal --arms qk", "text,qk,5,causal");
    check_row(rows, text, "--seed 5 --objective masked --arms qkv", "text,qkv,5,masked");
    free(rows);
    shell(0, "grep -q '\"text bytes\": \"[0-9]*, FNV-1a [0-9a-f]\\{16\\}\"' %s/sweep.json", out);
}

// ---- the file ----------------------------------------------------------------------------------

#define GRID_SMALL SMALL " --seeds 1:3 --d-k 2,4 --arms xxt,tied,qkv"

static const char *whole(void) {
    const char *out = test_fresh("sweep-whole");
    sweep(0, GRID_SMALL " --quiet", out);
    return out;
}

static void threads_change_no_byte(void) {
    const char *first = whole();
    for (int threads = 1; threads <= 8; threads += 7) {
        char arguments[200];
        const char *out = test_fresh("sweep-threads");
        snprintf(arguments, sizeof arguments, GRID_SMALL " --threads %d", threads);
        sweep(0, arguments, out);
        same_files(csv(first), csv(out));
    }
}

static void shards_join(void) {
    const char *first = whole();
    const int counts[] = {2, 12, 40};  // of 18 runs
    for (size_t k = 0; k < 3; k++) {
        const char *out = test_fresh("sweep-shards");
        int status;
        shell(0,
              "for i in $(seq %d); do %s sweep " GRID_SMALL
              " --quiet --out %s --shard $i/%d || exit 1; done",
              counts[k], test_train(), out, counts[k]);
        shell(0, "cat %s/sweep.*-of-%d.csv >%s", out, counts[k], csv(out));
        same_files(csv(first), csv(out));
    }
}

// One row is taken out, another marked: the first comes back, the second isn't trained again.
static void finished_rows_are_kept(void) {
    const char *first = whole(), *out = test_fresh("sweep-kept");
    int status;
    sweep(0, GRID_SMALL, out);
    shell(0, "cd %s; sed -i '5d; 9s/,[^,]*$/,kept/' sweep.csv; grep -c . sweep.csv", out);
    const char *said = shell(
        0, "%s sweep --arms xxt,tied,qkv --d-k 2,4 " SMALL " --seeds 1,2,3 --threads 1 --out %s",
        test_train(), out);
    CHECK(strstr(said, "18 of 18 runs, 17 of them from before"), "%s", said);
    shell(0, "grep -c ',kept$' %s", csv(out));
    shell(0, "grep -v kept %s >%s.a; for row in $(cat %s.a); do grep -qxF $row %s || exit 1; done; "
             "grep -c . %s | grep -qx 19", csv(out), csv(out), csv(out), csv(first), csv(out));
}

// Status 2, this line, and every file as it was.
static void other(const char *out, const char *arguments, const char *line) {
    char expected[600], before[64];
    int status;
    snprintf(before, sizeof before, "%s", shell(0, "cat %s/* | cksum", out));
    const char *said = shell(2, "%s sweep %s --out %s", test_train(), arguments, out);
    snprintf(expected, sizeof expected, "train: %s/%s\n", out, line);
    CHECK_STRING(said, expected);
    CHECK_STRING(shell(0, "cat %s/* | cksum", out), before);
}

static void other_sweeps_are_refused(void) {
    const char *out = whole();
    int status;
#define DIFFERS(what)                                                                              \
    "sweep.json: another sweep, which differs in \"" what                                          \
    "\"; expected the same one, or another --out DIR"
    other(out, GRID_SMALL " --steps 31", DIFFERS("steps"));
    other(out, SMALL " --seeds 1:4 --d-k 2,4 --arms xxt,tied,qkv", DIFFERS("seed"));
    other(out, SMALL " --seeds 1:3 --d-k 4,2 --arms xxt,tied,qkv", DIFFERS("d_k"));
    other(out, SMALL " --seeds 1:3 --d-k 2 --arms xxt,tied,qkv", DIFFERS("d-k"));
    other(out, GRID_SMALL " --init tied,random", DIFFERS("init"));
    other(out, GRID_SMALL " --no-scale", DIFFERS("no-scale"));
    other(out, "search " GRID_SMALL, DIFFERS("task"));
    sweep(0, GRID_SMALL " --shard 1/3", out);
    shell(0, "sed -i s/30/31/ %s/sweep.1-of-3.json", out);
    other(out, GRID_SMALL " --shard 2/3",
          "sweep.1-of-3.json: another sweep, which differs in \"steps\"; expected the "
          "same one, or another --out DIR");
    shell(0, "cp %s/sweep.json %s.kept; printf '  \"\\033[31mred\\377\": 1\\n' >>%s/sweep.json",
          out, out, out);
    other(out, GRID_SMALL, DIFFERS("\\x1b[31mred\\xff"));
    shell(0, "cp %s.kept %s/sweep.json", out, out);
    shell(0, "printf pronoun,q >>%s", csv(out));
    other(out, GRID_SMALL,
          "sweep.csv: not the rows of this sweep; expected them, or another --out DIR");
    shell(0, "echo else >%s", csv(out));
    other(out, GRID_SMALL,
          "sweep.csv: not the rows of this sweep; expected them, or another --out DIR");
    shell(0, "rm %s/sweep.json", out);
    other(out, GRID_SMALL,
          "sweep.csv: no .json beside it says which sweep it is of; expected that, or another "
          "--out DIR");
}

static void changed_data_are_another_sweep(void) {
    const char *out = test_fresh("sweep-changed");
    char arguments[300];
    int status;
    snprintf(arguments, sizeof arguments,
             "heads --conllu %s.conllu --steps 2 --arms qk --seeds 1:2", out);
    shell(0, "cp data/english.conllu %s.conllu", out);
    sweep(0, arguments, out);
    shell(0, "echo '# more' >>%s.conllu", out);
    other(out, arguments, DIFFERS("conllu bytes"));
}

// ---- ends --------------------------------------------------------------------------------------

static void failed_runs_have_empty_rows(void) {
    const char *out = test_fresh("sweep-failed");
    int status;
    const char *arguments = SMALL " --decay 0,1e9 --lr 1e9 --schedule constant --arms xxt,qk";
    for (int again = 0; again < 2; again++) {
        const char *said = shell(1, "%s sweep %s --quiet --out %s", test_train(), arguments, out);
        CHECK(again || strstr(said, "train: arm qk, seed 1, decay 1000000000: step "), "%s", said);
        CHECK(strstr(said, "of 4 runs came to nothing finite; their rows are empty\n"), "%s", said);
    }
    shell(0, "grep -qx 'pronoun,qk,1,1000000000,[0-9]*,[0-9]*,,,,,,,,,' %s", csv(out));
    shell(0, "grep -q '^pronoun,xxt,1,1000000000,0,30,[0-9]' %s", csv(out));
}

// Killed when some rows are there, then started again.
static void stopped(const char *signal, int expected) {
    const char *first = test_fresh("sweep-stopped-first"), *out = test_fresh("sweep-stopped");
    const char *arguments =
        "--d-model 8 --batch 8 --held-out 32 --steps 700 --seeds 1:8 --arms qk,qkv --threads 2";
    int status;
    sweep(0, arguments, first);
    const char *said = test_command(&status,
        "%s sweep %s --out %s >%s.log 2>&1 & p=$!; i=0; "
        "until [ $(cat %s/sweep.csv 2>&- | wc -l) -gt 1 ] || [ $i -ge 1000 ]; do "
        "sleep 0.02; i=$((i+1)); done; kill -%s $p; wait $p; s=$?; cat %s.log; exit $s",
        test_train(), arguments, out, out, out, signal, out);
    if (!status) test_skip("the sweep was over before it could be stopped");
    CHECK_INT(status, expected);
    if (expected == 130)
        CHECK(strstr(said, "of 16 runs; to go on: "), "expected to be told how to go on, got %s",
              said);
    said = shell(0, "%s sweep %s --out %s", test_train(), arguments, out);
    CHECK(strstr(said, "of them from before"), "no row was kept: %s", said);
    same_files(csv(first), csv(out));
    CHECK_STRING(shell(0, "find %s -name '*.part'", out), "");
}

static void interrupted(void) { stopped("INT", 130); }
static void killed(void) { stopped("KILL", 137); }

static void says_little(void) {
    const char *out = test_fresh("sweep-quiet");
    int status;
    CHECK_STRING(shell(0, "%s sweep " SMALL " --arms qk --quiet --out %s", test_train(), out), "");
    const char *said = shell(0, "%s sweep " SMALL " --seeds 1:10 --arms qk --out %s", test_train(),
                             test_fresh("sweep-lines"));
    CHECK(!strchr(said, '\033') && !strchr(said, '\r'), "an escape or a return in a pipe: %s",
          said);
    CHECK(strstr(said, " 100%  10 of 10 runs  "), "%s", said);
    said = shell(0, "%s sweep --help", test_train());
    CHECK(strstr(said, "--shard I/N") && !strchr(said, '\033'), "%s", said);
    said = shell(2, "QKV_KERNELS=nonsense %s sweep --help", test_train());
    CHECK(strstr(said, "train: QKV_KERNELS=nonsense: expected one of ") == said, "%s", said);
    said = shell(2, "QKV_KERNELS=\"$(printf '\\303\\244\\377\\na')\" %s sweep --help",
                 test_train());
    CHECK(strstr(said, "train: QKV_KERNELS=????a: expected one of ") == said, "%s", said);
    if (access("/dev/full", W_OK)) return;
    shell(1, "%s sweep " SMALL " --arms qk --out %s >/dev/full", test_train(),
          test_fresh("sweep-full"));
    said = shell(2, "rm %s/sweep.*; mkdir %s/sweep.json.part; %s sweep " SMALL
                    " --arms qk --quiet --out %s", out, out, test_train(), out);
    CHECK(strstr(said, "sweep.json: can't be written: Is a directory\n"), "%s", said);
}

// The median of three seeds' figures, as awk finds it in the rows, stands in the table.
static void ends_with_medians_and_a_page(void) {
    const char *out = test_fresh("sweep-medians");
    char expected[64];
    int status;
    char *said = strdup(shell(0, "COLUMNS=80 %s sweep " GRID_SMALL " --out %s", test_train(), out));
    CHECK(strstr(said, "attention accuracy on the cycle, median of 3 seeds\n"), "%s", said);
    snprintf(expected, sizeof expected, "%s",
             shell(0, "awk -F, '$2 == \"qkv\" && $4 == 4 { print $10 }' %s | sort -g | sed -n 2p",
                   csv(out)));
    char *row = strstr(said, "\nd_k 4 ");
    double tied, median;
    CHECK(row && sscanf(row, " d_k 4 %*s %lf %lf", &tied, &median) == 2, "no row d_k 4 in %s", said);
    CHECK_NEAR(median, atof(expected), 5.1e-4);
    CHECK(strstr(said, "18 of 18 runs\nfile:///") && strstr(said, "/sweep.html\n"), "%s", said);
    shell(0, "grep -q 'pronoun,qkv,3,4,' %s/sweep.html", out);
    free(said);
    sweep(0, SMALL " --arms qk --no-report", test_fresh("sweep-no-page"));
    sweep(0, SMALL " --arms qk --seeds 1:2 --shard 1/2", "build/test-output/sweep-no-page");
    shell(1, "ls build/test-output/sweep-no-page | grep html");
}

void tests_sweep(void) {
    test("lists and ranges of a sweep are read, and each value once", lists_and_ranges);
    test("a grid runs seed by seed, arms last", grid_order);
    test("shards cover the grid, each run once, and are even", shards_cover_the_grid);
    test("a grid that is wrong, too large or impossible somewhere is refused", mistakes);
    test("and nothing is written then", refused_before_anything_is_written);
    test("a row of a sweep is what ./train says of that run", rows_are_runs);
    test("so it is of a treebank and a text, which runs share", rows_of_files_are_runs);
    test("threads change no byte of a sweep", threads_change_no_byte);
    test("shards join to the file of the whole, byte for byte", shards_join);
    test("a sweep that is started again keeps its rows and trains the others",
         finished_rows_are_kept);
    test("rows of another sweep are refused, not mixed", other_sweeps_are_refused);
    test("so are rows of data that have changed since", changed_data_are_another_sweep);
    test("a run of a sweep that fails has an empty row and a note, status 1",
         failed_runs_have_empty_rows);
    test("Ctrl-C keeps the finished rows of a sweep and tells how to go on", interrupted);
    test("SIGKILL costs a sweep what isn't finished", killed);
    test("a sweep ends with its medians, and writes and names its page", ends_with_medians_and_a_page);
    test("a quiet sweep is quiet, a piped one plain, a full disk noticed", says_little);
}
