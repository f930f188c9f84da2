// How fast it is, on this machine, now. Other programs slow it down: only
// ratios taken in turn count.
//
//     bench                      all of these, in turn
//     bench start | products | steps | lasting | beside | growth
//     bench step NAME SECONDS    one line: NAME,steps/s,tokens/s,cpu ms a step,MB
//     bench sizes NAME           what that model is built of
//     bench about                the width of vectors and the compiler
//
// QKV_KERNELS chooses the width of vectors, OMP_NUM_THREADS the threads; QKV_CSV names a file to which
// each figure is added as a line.
#include "bench.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "setup.h"
#include "autograd/simd/kernels.h"
#include "model/train/threads.h"

#ifdef __clang__
#define COMPILER "clang"
#else
#define COMPILER "gcc"
#endif

enum { ROUNDS = 7 };

static double clock_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double wall(void) { return clock_of(CLOCK_MONOTONIC); }
static double cpu(void) { return clock_of(CLOCK_PROCESS_CPUTIME_ID); }

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, by_size);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

// kernels,what,threads,figure,unit
static void note(const char *what, int threads, double figure, const char *unit) {
    const char *name = getenv("QKV_CSV");
    FILE *csv = name ? fopen(name, "a") : NULL;
    if (name && !csv) fprintf(stderr, "bench: %s can't be written\n", name), exit(1);
    if (!csv) return;
    fprintf(csv, "%s,%s,%d,%.6g,%s\n", kernels()->name, what, threads, figure, unit);
    fclose(csv);
}

// ---- peak ---------------------------------------------------------------------------------------

// Operations a second of one thread, for about a millisecond.
static double peak(void) {
    const char *name = kernels()->name;
    double (*run)(long, float *) = bench_peak_plain;
#ifdef __x86_64__
    if (!strcmp(name, "avx2")) run = bench_peak_avx2;
    if (!strcmp(name, "avx512")) run = bench_peak_avx512;
#endif
    float sink = 0.5f;
    double began = cpu(), done = run(600000, &sink);
    return done / (cpu() - began);
}

// ---- products -----------------------------------------------------------------------------------

typedef struct Shape { size_t count, m, n, k; } Shape;

static const Shape shapes[] = {{1, 512, 64, 64},    {1, 768, 128, 128}, {1, 768, 512, 128},
                               {1, 1024, 384, 384}, {32, 16, 16, 16},   {48, 64, 64, 32}};

// C += A B (way 0), A Bᵀ (1) or Aᵀ B (2), for each of the shape's products.
typedef void Product(const Shape *s, int way, float *A, float *B, float *C);

static void our_product(const Shape *s, int way, float *A, float *B, float *C) {
    Matrices a = {A, s->m, s->k, way == 2 ? 1 : s->k, way == 2 ? s->m : 1, s->m * s->k};
    Matrices b = {B, s->k, s->n, way == 1 ? 1 : s->n, way == 1 ? s->k : 1, s->k * s->n};
    kernels()->gemm(s->count, (Matrices){C, s->m, s->n, s->n, 1, s->m * s->n}, a, b, true);
}

// cblas_sgemm of OpenBLAS, where the machine has it; its enums are 101 for rows, 111 as it is, 112
// transposed.
typedef void Sgemm(int order, int turn_a, int turn_b, int m, int n, int k, float alpha,
                   const float *A, int a_row, const float *B, int b_row, float beta, float *C,
                   int c_row);
static Sgemm *sgemm;

// It knows processors by name; one it doesn't is given the kernels of a width that ours uses.
static void open_blas(void) {
    setenv("OPENBLAS_CORETYPE", strcmp(kernels()->name, "avx512") ? "Haswell" : "SkylakeX", 0);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    void (*threads)(int) = NULL;
    if (!library) return;
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&threads = dlsym(library, "openblas_set_num_threads");
    if (threads) threads(1);
}

static void blas_product(const Shape *s, int way, float *A, float *B, float *C) {
    int m = (int)s->m, n = (int)s->n, k = (int)s->k;
    for (size_t p = 0; p < s->count; p++, A += m * k, B += k * n, C += m * n)
        sgemm(101, way == 2 ? 112 : 111, way == 1 ? 112 : 111, m, n, k, 1, A, way == 2 ? m : k, B,
              way == 1 ? k : n, 1, C, n);
}

// A rate; its share of the peak, and of OpenBLAS's rate, which were measured in turn with it.
typedef struct Speed { double rate, of_peak, of_blas; } Speed;

// Operations a second, for about a millisecond.
static double product_rate(Product *run, const Shape *s, int way, float *A, float *B, float *C) {
    double work = 2.0 * (double)(s->count * s->m * s->n * s->k);
    int repeats = (int)(1e8 / work) + 1;
    double began = cpu();
    for (int i = 0; i < repeats; i++) run(s, way, A, B, C);
    return repeats * work / (cpu() - began);
}

static Speed product(const Shape *s, int way) {
    float *A = calloc(s->count * s->m * s->k, sizeof *A);
    float *B = calloc(s->count * s->k * s->n, sizeof *B);
    float *C = calloc(s->count * s->m * s->n, sizeof *C);
    double rate[ROUNDS], of_peak[ROUNDS], of_blas[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        double most = peak();
        rate[r] = product_rate(our_product, s, way, A, B, C);
        of_peak[r] = rate[r] / most;
        of_blas[r] = sgemm ? rate[r] / product_rate(blas_product, s, way, A, B, C) : NAN;
    }
    free(A);
    free(B);
    free(C);
    return (Speed){median(rate, ROUNDS), median(of_peak, ROUNDS), median(of_blas, ROUNDS)};
}

static void products(void) {
    static const char *const ways[] = {"A B", "A B^T", "A^T B"};
    double most[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) most[r] = peak();
    printf("%s: at most %.0f GFLOP/s on one thread\n\n", kernels()->name,
           median(most, ROUNDS) / 1e9);
    note("peak", 1, median(most, ROUNDS) / 1e9, "GFLOP/s");
    open_blas();
    printf("GFLOP/s, %% of that%s             A B%s          A B^T%s          A^T B\n",
           sgemm ? ", times OpenBLAS" : "", sgemm ? "     " : "", sgemm ? "     " : "");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const Shape *s = &shapes[i];
        printf("%3zu of (%4zu, %3zu) (%3zu, %3zu)", s->count, s->m, s->k, s->k, s->n);
        for (int way = 0; way < 3; way++) {
            Speed speed = product(s, way);
            char what[64];
            snprintf(what, sizeof what, "%zu of %zux%zux%zu %s", s->count, s->m, s->n, s->k, ways[way]);
            note(what, 1, speed.rate / 1e9, "GFLOP/s");
            if (sgemm) note(what, 1, speed.of_blas, "times OpenBLAS");
            printf("  %5.0f %3.0f %%", speed.rate / 1e9, 100 * speed.of_peak);
            if (sgemm) printf(" %5.2f", speed.of_blas);
        }
        putchar('\n');
    }
}

// ---- steps --------------------------------------------------------------------------------------

static const struct { const char *name, *command; int text; } models[] = {
    {"pronoun", "train --arms qkv", 0},
    {"pronoun qk", "train --arms qk", 0},
    {"pronoun kv", "train --arms kv", 0},
    {"pronoun sym", "train --arms sym", 0},
    {"pronoun tied", "train --arms tied", 0},
    {"pronoun xxt-v", "train --arms xxt-v", 0},
    {"pronoun-64", "train --arms qkv --d-k 64", 0},
    {"small", "train text --arms qkv --layers 2 --d-model 64", 1},
    {"baby", "train text --arms qkv", 1},
    {"larger", "train text --arms qkv --layers 6 --heads 6 --d-model 384 --context 256 --batch 4",
     1},
    {"heads", "train heads --arms qk", 0},
};
enum { MODELS = sizeof models / sizeof *models };

// A text of 65 letters, all as likely: what it says is nothing to the clock.
static const char *some_text(void) {
    static const char *const name = "build/bench.txt";
    const char *given = getenv("QKV_TEXT");
    if (given) return given;
    FILE *file = fopen(name, "w");
    if (!file) fprintf(stderr, "bench: %s can't be written\n", name), exit(1);
    Rng rng = rng_new(1, 1);
    for (int i = 0; i < 200000; i++) fputc('0' + (int)rng_below(&rng, 65), file);
    fclose(file);
    return name;
}

typedef struct Timed { Setup setup; Trainer trainer; } Timed;

static void timed_open(Timed *t, const char *name, const char *more) {
    char command[512];
    int i = 0;
    while (i < MODELS && strcmp(models[i].name, name)) i++;
    if (i == MODELS) fprintf(stderr, "bench: no model %s\n", name), exit(2);
    const char *treebank = !strcmp(name, "heads") ? getenv("QKV_TREEBANK") : NULL;
    snprintf(command, sizeof command, "%s --held-out 1%s%s%s%s%s", models[i].command,
             models[i].text ? " --text " : "", models[i].text ? some_text() : "",
             treebank ? " --conllu " : "", treebank ? treebank : "", more);
    setup_open(&t->setup, command);
    trainer_init(&t->trainer, options_config(&t->setup.options), &t->setup.task,
                 t->setup.options.arm[0]);
    t->setup.options.steps = 1000000000;
    trainer_run(&t->trainer, 3, NULL);  // the tape has found its size
}

static void timed_close(Timed *t) {
    trainer_free(&t->trainer);
    setup_close(&t->setup);
}

typedef struct Rate { double steps, tokens, cpu; } Rate;  // steps, tokens a second; seconds a step

static void sizes(const Timed *t) {
    const Options *o = &t->setup.options;
    const Task *task = &t->setup.task;
    const Batch *batch = &t->trainer.batch;
    int asking = 0;
    for (int i = 0; i < batch->B * batch->L; i++) asking += batch->answer[i] >= 0;
    printf("B=%d L=%d D=%d d_k=%d H=%d layers=%d words=%d tags=%d longest=%d asking=%.2f\n",
           batch->B, batch->L, o->d_model, o->d_k, o->heads, o->layers,
           task->vocab[FEATURE_WORD].count, task->vocab[FEATURE_TAG].count, task->max_length,
           (double)asking / (batch->B * batch->L));
}

static Rate timed_run(Timed *t, double seconds) {
    double began = wall(), spent = cpu();
    int64_t tokens = t->trainer.tokens;
    int steps = t->trainer.step;
    do trainer_run(&t->trainer, t->trainer.step + 1, NULL);
    while (wall() - began < seconds);
    double took = wall() - began;
    steps = t->trainer.step - steps;
    return (Rate){steps / took, (double)(t->trainer.tokens - tokens) / took,
                  (cpu() - spent) / steps};
}

static Rate medians(Timed *t, double seconds) {
    double steps[ROUNDS], tokens[ROUNDS], spent[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        Rate rate = timed_run(t, seconds);
        steps[r] = rate.steps, tokens[r] = rate.tokens, spent[r] = rate.cpu;
    }
    return (Rate){median(steps, ROUNDS), median(tokens, ROUNDS), median(spent, ROUNDS)};
}

static double megabytes(const Trainer *t) {
    size_t bytes = t->tape.arena.peak + t->model.params.arena.peak;
    for (int i = 1; i < t->shards; i++)
        bytes += t->shard[i].tape.arena.peak + t->shard[i].model.params.arena.peak;
    return (double)bytes / 1e6;
}

static void steps(void) {
    printf("\n%-12s %8s %9s %11s %12s %9s\n", "one step of", "threads", "steps/s", "tokens/s",
           "cpu ms/step", "MB");
    for (int i = 0; i < MODELS; i++)
        for (int threads = 1; threads <= 2; threads++) {
            Timed t;
            threads_set(threads);
            timed_open(&t, models[i].name, "");
            Rate r = medians(&t, 0.3);
            printf("%-12s %8d %9.1f %11.0f %12.3f %9.1f\n", models[i].name, threads, r.steps,
                   r.tokens, 1e3 * r.cpu, megabytes(&t.trainer));
            note(models[i].name, threads, r.steps, "steps/s");
            note(models[i].name, threads, r.tokens, "tokens/s");
            note(models[i].name, threads, megabytes(&t.trainer), "MB");
            if (t.trainer.shards == 1) threads++;  // nothing for a second one to do
            timed_close(&t);
        }
}

// ---- circumstances ------------------------------------------------------------------------------

// The first tenth of a long run against the last: attention that has become sharp makes numbers so
// small that some processors are slow with them (autograd/tiny.h).
static void lasting(void) {
    enum { STEPS = 20000 };
    static const char *const name[] = {"pronoun", "pronoun-64"};
    printf("\n%d steps: cpu ms a step in the first tenth, and in the last\n", STEPS);
    for (int i = 0; i < 2; i++) {
        Timed t;
        double took[10];
        timed_open(&t, name[i], " --steps 20000");
        for (int tenth = 0; tenth < 10; tenth++) {
            double spent = cpu();
            trainer_run(&t.trainer, STEPS / 10 * (tenth + 1), NULL);
            took[tenth] = (cpu() - spent) / (STEPS / 10);
        }
        printf("%-12s %8.3f %8.3f\n", name[i], 1e3 * took[0], 1e3 * took[9]);
        note(name[i], 1, took[9] / took[0], "last tenth over first");
        timed_close(&t);
    }
}

static double tokens_beside(int threads) {
    Timed t;
    threads_set(threads);
    timed_open(&t, "baby", "");
    double tokens = medians(&t, 0.5).tokens;
    timed_close(&t);
    return tokens;
}

// Two programs beside it that never wait.
static void beside(void) {
    pid_t busy[2];
    double tokens[2];
    fflush(stdout);
    pid_t self = getpid();
    for (int i = 0; i < 2; i++) {
        busy[i] = fork();
        if (busy[i] < 0) perror("bench: fork"), exit(1);
        while (!busy[i] && getppid() == self) {}
        if (!busy[i]) _exit(0);
    }
    for (int i = 0; i < 2; i++) tokens[i] = tokens_beside(i + 1);
    for (int i = 0; i < 2; i++) kill(busy[i], SIGKILL), waitpid(busy[i], NULL, 0);
    printf("\nbaby beside two busy programs: %.0f tokens/s on one thread, %.2f times that on two\n",
           tokens[0], tokens[1] / tokens[0]);
    note("baby beside two busy programs", 2, tokens[1] / tokens[0], "times one thread");
}

static void start(void) {
    double began = wall();
    Timed t;
    setup_open(&t.setup, "train --arms qkv");
    trainer_init(&t.trainer, options_config(&t.setup.options), &t.setup.task,
                 t.setup.options.arm[0]);
    trainer_run(&t.trainer, 1, NULL);
    double took = 1e3 * (wall() - began);
    printf("\nfrom the start to the end of the first step of pronoun: %.1f ms\n", took);
    note("pronoun start", 1, took, "ms");
    timed_close(&t);
}

// ---- growth -------------------------------------------------------------------------------------

static const struct { const char *option; int from; const char *theory; } dimensions[] = {
    {"--batch", 4, "1"},
    {"--context", 32, "1 to 2"},
    {"--d-model", 32, "1 to 2"},
    {"--layers", 1, "1"},
};

// Each dimension doubled four times: milliseconds and megabytes, and the exponent of the last
// doubling.
static void growth(void) {
    printf("\nbaby GPT, one dimension doubled four times: ms a step (MB)\n");
    for (size_t d = 0; d < sizeof dimensions / sizeof *dimensions; d++) {
        double took[5], size[5];
        printf("%-10s", dimensions[d].option);
        for (int i = 0; i < 5; i++) {
            Timed t;
            char more[64];
            snprintf(more, sizeof more, " %s %d", dimensions[d].option, dimensions[d].from << i);
            timed_open(&t, "baby", more);
            took[i] = medians(&t, 0.05).cpu;
            note(more + 1, 1, 1e3 * took[i], "ms/step");
            size[i] = megabytes(&t.trainer);
            printf(" %7.1f (%4.0f)", 1e3 * took[i], size[i]);
            timed_close(&t);
        }
        printf("  time ^%.2f, memory ^%.2f; in theory %s\n", log2(took[4] / took[2]) / 2,
               log2(size[4] / size[2]) / 2, dimensions[d].theory);
    }
}

int main(int argc, char **argv) {
    threads_wait_asleep(argv);
    const char *what = argc > 1 ? argv[1] : "";
    if (argc == 4 && !strcmp(what, "step")) {
        Timed t;
        timed_open(&t, argv[2], "");
        Rate r = timed_run(&t, atof(argv[3]));
        printf("%s,%.2f,%.1f,%.4f,%.1f\n", argv[2], r.steps, r.tokens, 1e3 * r.cpu,
               megabytes(&t.trainer));
        timed_close(&t);
        return 0;
    }
    if (argc == 3 && !strcmp(what, "sizes")) {
        Timed t;
        timed_open(&t, argv[2], "");
        sizes(&t);
        timed_close(&t);
        return 0;
    }
    if (!strcmp(what, "about"))
        printf("%s, compiled by %s %s\n", kernels()->name, COMPILER, __VERSION__);
    if (!*what || !strcmp(what, "start")) start();
    if (!*what || !strcmp(what, "products")) products();
    if (!*what || !strcmp(what, "steps")) steps();
    if (!*what || !strcmp(what, "lasting")) lasting();
    if (!*what || !strcmp(what, "beside")) beside();
    if (!*what || !strcmp(what, "growth")) growth();
    return 0;
}
