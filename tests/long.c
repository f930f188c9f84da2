// What is long and what is large: minutes of work, so `make long` runs it and `make test` does not.
// With an argument: only the tests whose sentence contains it.
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#include <malloc.h>
#define HEAP_IN_USE() (mallinfo2().uordblks + mallinfo2().hblkhd)
#else
#define HEAP_IN_USE() ((size_t)0)  // arenas and peak say enough there
#endif

#include "setup.h"
#include "test.h"

// ---- a million steps --------------------------------------------------------------------------

// The bytes that a training holds: the peaks of its arenas, and what malloc has in use. And the
// most that the process ever had, KiB in whole pages.
typedef struct Held { size_t params, tape, measuring, heap; long peak; } Held;

static Held held(const Trainer *t) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (Held){t->model.params.arena.peak, t->tape.arena.peak, t->measuring.arena.peak,
                  HEAP_IN_USE(), usage.ru_maxrss};
}

static void check_same(const Held *early, const Held *late) {
    CHECK_INT(late->params, early->params);
    CHECK_INT(late->tape, early->tape);
    CHECK_INT(late->measuring, early->measuring);
    CHECK_INT(late->heap, early->heap);
    CHECK_INT(late->peak, early->peak);
}

// The batches of `pronoun` have sentences of every length: in a thousand
// steps the longest has come.
static void a_million_steps(void) {
    Setup setup;
    Trainer t;
    setup_open(&setup, "train pronoun --d-model 2 --d-k 1 --batch 1 --steps 1000000 --threads 1");
    trainer_init(&t, options_config(&setup.options), &setup.task, arm_find("qkv"));
    for (int i = 1; i <= 2; i++) {  // what the first of them take, printing included
        trainer_run(&t, 500 * i, NULL);
        evaluate(&t, 16, NULL);
        CHECK(t.step == 500 * i && !t.failure[0], "%s", t.failure);
        (void)held(&t);
    }
    Held early = held(&t);
    trainer_run(&t, 1000000, NULL);
    evaluate(&t, 16, NULL);
    CHECK(t.step == 1000000 && !t.failure[0], "%s", t.failure);
    Held late = held(&t);
    check_same(&early, &late);
    printf("1,000,000 steps: %zu bytes of arenas, %zu of malloc, a peak of %ld KiB, all as after "
           "1,000\n", late.params + late.tape + late.measuring, late.heap, late.peak);
    trainer_free(&t);
    setup_close(&setup);
}

// ---- the program ------------------------------------------------------------------------------

// The most memory that any child had so far, in MiB.
static long peak_of_children(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss / 1024;
}

// Text of a few words over and over, `size` bytes of it.
static void write_text(const char *path, size_t size) {
    static const char *const word[] = {"the ",  "king ", "gave ", "a ",
                                       "boat ", "to ",   "his ",  "nun.\n"};
    FILE *f = fopen(path, "wb");
    CHECK(f, "%s can't be written", path);
    Rng rng = rng_new(1, 1);
    for (size_t written = 0; written < size;) {
        const char *w = word[rng_below(&rng, 8)];
        fputs(w, f);
        written += strlen(w);
    }
    CHECK(!fclose(f), "%s can't be written", path);
}

// Runs ./train, which must end well, and gives what it printed.
static const char *train(const char *format, const char *file, const char *out) {
    int status;
    char arguments[1024];
    snprintf(arguments, sizeof arguments, format, file, out);
    const char *said = test_command(&status, "%s %s", test_train(), arguments);
    CHECK(!status, "%s: status %d: %s", arguments, status, said);
    return said;
}

static void a_long_sequence(void) {
    const char *text = test_path("long.txt"), *out = test_fresh("long");
    write_text(text, 50000);
    train("text --text %s --context 4096 --layers 1 --heads 2 --d-model 16 --batch 2 --steps 3 "
          "--held-out 1 --quiet --out %s", text, out);
    printf("a context of 4,096: %ld MiB, report included\n", peak_of_children());
    train("sample %s --prompt the --length 40 --seed 1", out, "");
    remove(text);
}

static void a_large_text(void) {
    const char *text = test_path("large.txt"), *out = test_fresh("large");
    write_text(text, 200000000);
    train("text --text %s --layers 0 --heads 1 --d-model 2 --d-k 1 --batch 32 --context 32 "
          "--steps 5 --held-out 16 --quiet --no-report --out %s", text, out);
    printf("a text of 200 MB: %ld MiB\n", peak_of_children());
    remove(text);
}

// ---- two days, in pieces ------------------------------------------------------------------------

static Safetensors tensors_of(const char *directory) {
    Safetensors s;
    char path[512], error[SAFETENSORS_ERROR];
    snprintf(path, sizeof path, "%s/qkv.safetensors", directory);
    CHECK(safetensors_read(&s, path, error), "%s", error);
    return s;
}

// All but the clock and the curve: each piece begins with points of it that are close together.
static void check_same_tensors(const char *directory, const char *other) {
    Safetensors x = tensors_of(directory), y = tensors_of(other);
    int same = 0;
    for (int i = 0; i < x.name.count; i++) {
        const char *name = x.name.word[i];
        const SafeTensor *a = &x.tensor[i], *b = safetensors_find(&y, name);
        if (!strncmp(name, "history", 7) || !strcmp(name, "training.seconds")) continue;
        CHECK(b && a->bytes == b->bytes && !memcmp(a->data, b->data, (size_t)a->bytes),
              "%s differs", name);
        same++;
    }
    CHECK_INT(same, 2 + 3 * 3 + 4);  // E, P; W_Q, W_K, W_V with two moments each; four numbers
    safetensors_free(&x);
    safetensors_free(&y);
}

// As many steps as the largest model of the benchmark takes in two days, two a second, of a model
// that takes them in minutes. Each piece is an hour's worth, and a process of its own.
static void two_days_in_pieces(void) {
    enum { HOURS = 48, AN_HOUR = 7200 };
    static const char command[] = "pronoun --arms qkv --schedule constant --quiet --no-report "
                                  "--steps %s --out %s";
    const char *whole = test_fresh("whole"), *pieces = test_fresh("pieces");
    char steps[32];
    long peak = 0;
    for (int hour = 1; hour <= HOURS; hour++) {
        snprintf(steps, sizeof steps, "%d%s", hour * AN_HOUR, hour > 1 ? " --resume" : "");
        train(command, steps, pieces);
        if (hour == 2) peak = peak_of_children();
    }
    CHECK(peak_of_children() <= peak + 1, "%ld MiB at the end, %ld after two pieces",
          peak_of_children(), peak);
    snprintf(steps, sizeof steps, "%d", HOURS * AN_HOUR);
    train(command, steps, whole);
    check_same_tensors(whole, pieces);
    printf("%s steps at once and in %d pieces: the same weights; %ld MiB after 2 pieces, %ld at "
           "the end\n", steps, HOURS, peak, peak_of_children());
}

// ---- ten thousand rows ------------------------------------------------------------------------

static const char tiny_treebank[] =
    "1\tthe\t_\tD\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tN\t_\t_\t0\troot\t_\t_\n\n"
    "1\ta\t_\tD\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tN\t_\t_\t0\troot\t_\t_\n\n";  // 3 times

static size_t lines_of(const char *path) {
    size_t lines = 0;
    FILE *f = fopen(path, "r");
    CHECK(f, "%s can't be read", path);
    for (int c; (c = fgetc(f)) != EOF;) lines += c == '\n';
    fclose(f);
    return lines;
}

// All at once; then again, which keeps every row; then in 4 shards, which joined are
// the same bytes; then as a page.
static void ten_thousand_rows(void) {
    const char *treebank = test_path("tiny.conllu"), *out = test_fresh("rows"),
               *parts = test_fresh("parts");
    static const char grid[] = "sweep heads --conllu %s --seeds 1:5000 --arms xxt,qk --steps 1 "
                               "--d-model 2 --d-k 1 --quiet --out %s";
    char csv[512], sharded[512];
    int status;
    FILE *f = fopen(treebank, "w");
    for (int i = 0; f && i < 3; i++) fputs(tiny_treebank, f);
    CHECK(f && !fclose(f), "%s can't be written", treebank);
    snprintf(csv, sizeof csv, "%s/sweep.csv", out);
    train(grid, treebank, out);
    CHECK_INT(lines_of(csv), 10001);
    test_command(&status, "cp %s %s.first", csv, csv);
    train(grid, treebank, out);
    test_command(&status, "cmp %s %s.first", csv, csv);
    CHECK_INT(status, 0);
    for (int shard = 1; shard <= 4; shard++) {
        snprintf(sharded, sizeof sharded, "%s --shard %d/4", grid, shard);
        train(sharded, treebank, parts);
    }
    test_command(&status, "cat %s/sweep.*-of-4.csv | cmp - %s", parts, csv);
    CHECK_INT(status, 0);
    train("report %s%s", csv, "");
    snprintf(csv, sizeof csv, "%s/sweep.html", out);
    CHECK(lines_of(csv) > 100, "%s is short", csv);
}

// ---- sizes ------------------------------------------------------------------------------------

// Each is refused in one line that names it, or is more memory than the 1 GiB there is here.
static void sizes_past_32_bits(void) {
    static const struct {
        const char *arguments, *says;
    } row[] = {
        {"--d-model 70000 --d-k 70000", "train: --d-model 70000: it must be from 1 to 16384\n"},
        {"--d-model 99999999999", "train: --d-model 99999999999: it must be from 1 to 16384\n"},
        {"--batch 4294967297", "train: --batch 4294967297: it must be from 1 to 1048576\n"},
        {"--batch 1048576 --accumulate 1048576 --held-out 1 --arms qk --steps 1",
         "train: out of memory: "},
        {"text --text data/english.conllu --context 1000000",
         "train: --context 1000000: it must be from 1 to 32768\n"},
        {"text --text data/english.conllu --context 32768 --batch 1048576",
         "train: --batch 1048576: at most 65535, of up to 32768 tokens each; --accumulate adds up "
         "more\n"},
        {"text --text data/english.conllu --context 32768 --steps 1 --held-out 1", "train: out of memory: "},
        {"--d-model 16384 --d-k 16384 --steps 1", "train: out of memory: "},
        {"--d-model 16384 --heads 1024 --layers 1024 --steps 1", "train: out of memory: "},
        {"--d-model 16384 --heads 1024 --d-k 16384 --init random --steps 1",
         "train: out of memory: "},
        {"--arms sym --d-model 16384 --heads 1024 --steps 1", "train: out of memory: "},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int status;
        const char *said = test_command(&status,
                                        "ulimit -v 1048576; %s %s --quiet --no-report --out %s",
                                        test_train(), row[i].arguments, test_path("sizes"));
        const char *line = strstr(said, "train: ");
        CHECK(status == 1 || status == 2, "%s: status %d: %s", row[i].arguments, status, said);
        CHECK(line && !strncmp(line, row[i].says, strlen(row[i].says))
                  && strchr(line, '\n')[1] == '\0',
              "%s: expected \"%s\", got \"%s\"", row[i].arguments, row[i].says, said);
    }
}

int main(int argc, char **argv) {
    test_only(argc > 1 ? argv[1] : NULL);
    test("a million steps take the memory of a thousand, to the byte", a_million_steps);
    test("345,600 steps in 48 pieces end with the bits of those at once", two_days_in_pieces);
    test("a sequence of 4,096 is trained on, drawn and sampled from", a_long_sequence);
    test("a text of 200 MB is trained on", a_large_text);
    test("a sweep of 10,000 rows is trained, kept, joined and drawn", ten_thousand_rows);
    test("sizes whose products pass 32 bits are refused by name", sizes_past_32_bits);
    return test_end();
}
