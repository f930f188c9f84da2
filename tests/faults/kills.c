// A run is killed, at a moment or at a system call (half of a write done, too), gone on with,
// sometimes killed again. In the end weights and curves are those of a run that nobody killed, bit
// for bit.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"
#include "scene.h"
#include "model/save/safetensors.h"
#include "tests/test.h"

#define RUN                                                                                        \
    "pronoun --arms xxt,sym,qkv --d-model 8 --d-k 4 --held-out 4 --batch 2 --steps 60 "            \
    "--save-every 1e-9 --quiet "

static const char *program;
static const char *const arms[] = {"xxt", "sym", "qkv"};

typedef struct Plan {
    Scene whole;  // what is run: with all its threads, or under ptrace with one
    bool traced;
    long microseconds;  // that a run takes
    unsigned long long seed, luck;
    int kills, again, early;
} Plan;

static long number_of(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

// 0 .. below-1, of a generator like that of Numerical Recipes.
static long draw(Plan *p, long below) {
    p->luck = p->luck * 6364136223846793005ull + 1442695040888963407ull;
    return (long)((p->luck >> 33) % (unsigned long long)below);
}

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

// ---- what has to be the same -------------------------------------------------------------------

static Safetensors tensors_of(const char *directory, const char *arm) {
    Safetensors s;
    char file[400], error[SAFETENSORS_ERROR];
    snprintf(file, sizeof file, "%s/%s/%s.safetensors", scene_stage(), directory, arm);
    CHECK(safetensors_read(&s, file, error), "%s", error);
    return s;
}

// All that is saved, the curve and the state of the optimiser too; the command in the header
// differs.
static void same_tensors(const char *arm, const char *which) {
    Safetensors x = tensors_of("whole", arm), y = tensors_of("out", arm);
    CHECK(x.name.count == y.name.count, "%s: %s has other tensors", which, arm);
    for (int i = 0; i < x.name.count; i++) {
        const SafeTensor *a = &x.tensor[i], *b = safetensors_find(&y, x.name.word[i]);
        CHECK(b && a->bytes == b->bytes &&
                  (!a->bytes || !memcmp(a->data, b->data, (size_t)a->bytes)),
              "%s: %s of %s differs", which, x.name.word[i], arm);
    }
    safetensors_free(&x);
    safetensors_free(&y);
}

static void same_results(const char *which) {
    int status;
    const char *stage = scene_stage();
    const char *said = test_command(&status,
                                    "cd %s; for f in metrics.csv symmetry.csv xxt.scores.npy "
                                    "sym.attention.npy qkv.scores.npy qkv.attention.npy; do "
                                    "cmp whole/$f out/$f || exit 1; done; [ -e out/report.html ]; "
                                    "find out -name '*.part'",
                                    stage);
    CHECK(!status && !*said, "%s: %s", which, said);
    for (int i = 0; i < 3; i++) same_tensors(arms[i], which);
}

// ---- kills -------------------------------------------------------------------------------------

static bool is_saved(void) {
    bool any = false;
    for (int i = 0; i < 3; i++) {
        char file[400];
        snprintf(file, sizeof file, "%s/out/%s.safetensors", scene_stage(), arms[i]);
        if (access(file, F_OK)) continue;
        any = true;
        Safetensors s = tensors_of("out", arms[i]);  // whole, whenever it was
        safetensors_free(&s);
    }
    return any;
}

static void go_on(Plan *p, const char *which) {
    int status;
    const char *threads = p->traced ? "--threads 1" : "";
    const char *said = test_command(&status, "%s " RUN "%s --out %s/out %s 2>&1 >/dev/null",
                                    program, threads, scene_stage(), is_saved() ? "--resume" : "");
    CHECK(!status, "%s: going on: status %d: %s", which, status, said);
}

// A quarter of the kills come early, while little or nothing is saved.
static bool kill_once(Plan *p, char *which, size_t size) {
    char out[400], err[400];
    const char *resume = is_saved() ? "--resume" : NULL;
    char *command[40];
    int n = 0;
    for (; p->whole.argument[n]; n++) command[n] = p->whole.argument[n];
    command[n++] = (char *)(uintptr_t)resume;
    command[n] = NULL;
    snprintf(out, sizeof out, "%s/stdout", scene_stage());
    snprintf(err, sizeof err, "%s/stderr", scene_stage());
    Traced t;
    if (p->traced) {
        long calls = draw(p, 4) ? p->whole.calls : p->whole.calls / 16 + 1;
        Fault f = {(int)draw(p, calls) + 1, draw(p, 2) ? KILL_HALF : KILL, false};
        t = traced_run(command, out, err, f, NULL, NULL);
        snprintf(which, size, "KILLS_SEED=%llu: killed at call %d, %s%s", p->seed, f.call, t.name,
                 f.what == KILL_HALF ? ", half done" : "");
    } else {
        long after = draw(p, draw(p, 4) ? p->microseconds : p->microseconds / 16);
        t = killed_run(command, out, err, after);
        snprintf(which, size, "KILLS_SEED=%llu: killed after %ld us", p->seed, after);
    }
    CHECK(t.status == 137 || !t.status, "%s: status %d", which, t.status);
    return t.status == 137;
}

static void kill_and_go_on(Plan *p) {
    char which[200];
    scene_shell("rm -rf %/out");
    p->luck = p->seed * 2654435769u + 1;
    for (int i = 0; i < 10; i++) draw(p, 2);
    p->kills += kill_once(p, which, sizeof which);
    p->early += !is_saved();
    while (draw(p, 3) == 0) p->again += kill_once(p, which, sizeof which);
    go_on(p, which);
    same_results(which);
}

static void kill_all(bool traced, const char *arguments, int kills) {
    Plan p = {.traced = traced,
              .seed = (unsigned long long)number_of("KILLS_SEED", time(NULL) % 1000000)};
    scene_shell("rm -rf %/out; mkdir -p %/out");
    scene_open(&p.whole, program, arguments, 0);
    scene_shell("rm -rf %/whole; mv %/out %/whole; mkdir %/out");
    long began = now();
    CHECK(!untraced_run(p.whole.argument, "/dev/null", "/dev/null", 0).status, "it fails untraced");
    p.microseconds = now() - began;
    unsigned long long first = p.seed;
    for (int i = 0; i < kills; i++, p.seed++) kill_and_go_on(&p);
    printf("%-30s %6d kills and %d again, seeds %llu to %llu, %d before anything was saved\n",
           traced ? "at a system call" : "at a moment", p.kills, p.again, first, p.seed - 1,
           p.early);
    CHECK(p.kills > 0, "none came in time");
    scene_close(&p.whole);
}

// Started again, a sweep keeps the rows that are there, and its file ends up the same.
static void sweep_at_calls(void) {
    Plan p = {.traced = true,
              .seed = (unsigned long long)number_of("KILLS_SEED", time(NULL) % 1000000)};
    int kills = (int)(number_of("KILLS", 100) + 3) / 4, status;
    scene_shell("rm -rf %/out; mkdir -p %/out");
    scene_open(&p.whole, program,
               "sweep --arms xxt,qk,qkv --seeds 1:2 --d-model 4 --d-k 2 --steps 2 --held-out 2 "
               "--batch 2 --threads 1 --quiet --out %/out",
               0);
    scene_shell("mv %/out/sweep.csv %/whole.csv; rm -rf %/model %/text-model");
    for (int i = 0; i < kills; i++, p.seed++) {
        char which[200];
        scene_shell("rm -rf %/out");
        p.luck = p.seed * 2654435769u + 1;
        for (int k = 0; k < 10; k++) draw(&p, 2);
        p.kills += kill_once(&p, which, sizeof which);
        status = untraced_run(p.whole.argument, "/dev/null", "/dev/null", 0).status;
        CHECK(!status, "%s: going on: status %d", which, status);
        const char *said = test_command(&status,
                                        "cd %s; cmp whole.csv out/sweep.csv; ls out/*.part "
                                        "2>/dev/null",
                                        scene_stage());
        CHECK(!*said, "%s: %s", which, said);
    }
    CHECK_INT(p.kills, kills);
    printf("%-30s %6d kills\n", "a sweep at a system call", p.kills);
    scene_close(&p.whole);
}

static void at_moments(void) {
    kill_all(false, RUN "--out %/out", (int)(number_of("KILLS", 100) + 1) / 2);
}

static void at_calls(void) {
    kill_all(true, RUN "--threads 1 --out %/out", (int)number_of("KILLS", 100) / 2);
}

void faults_by_kills(const char *of) {
    program = of;
    faults_prepare(of);
    test("killed at any moment, a run goes on to the same bits", at_moments);
    if (traced_possible()) {
        test("killed at any system call, a run goes on to the same bits", at_calls);
        test("killed at any system call, a sweep goes on to the same rows", sweep_at_calls);
    }
    scene_shell("rm -rf %");
}
