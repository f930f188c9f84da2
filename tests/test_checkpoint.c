// Checkpoints: a training that was saved, loaded and went on is the one
// that never stopped, bit for bit.
#include "model/save/checkpoint.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setup.h"
#include "test.h"
#include "model/save/results.h"

// One arm of a command line, in training.
typedef struct Run {
    Setup setup;
    Trainer trainer;
    ArmHistory curve;
} Run;

static void run_open(Run *run, const char *command) {
    *run = (Run){0};
    setup_open(&run->setup, command);
    const Options *o = &run->setup.options;
    trainer_init(&run->trainer, options_config(o), &run->setup.task, o->arm[0]);
    run->curve = record_begin(&run->trainer);
}

static void run_close(Run *run) {
    trainer_free(&run->trainer);
    setup_close(&run->setup);
    free(run->curve.point);
    free(run->curve.layer_of);
    free(run->curve.head_symmetry);
}

// On to `step`, measured every 20 steps.
static void run_until(Run *run, int step) {
    while (run->trainer.step < step) {
        int next = run->trainer.step / 20 * 20 + 20;
        trainer_run(&run->trainer, next < step ? next : step, NULL);
        CHECK_STRING(run->trainer.failure, "");
        if (run->trainer.step % 20 == 0) record_note(&run->trainer, 64, &run->curve);
    }
}

static const char *directory(void) {
    static char path[512];
    snprintf(path, sizeof path, "%s/checkpoint", test_directory());
    mkdir(path, 0777);
    return path;
}

static const char *file_of(const char *arm) {
    static char path[600];
    snprintf(path, sizeof path, "%s/%s.safetensors", directory(), arm);
    return path;
}

static void save(const Run *run) {
    char error[SAFETENSORS_ERROR] = "";
    CHECK(checkpoint_save(directory(), &run->trainer, &run->setup.options, &run->curve,
                          "./train --it's", error), "%s",
          error);
}

static void load(Run *run) {
    char error[SAFETENSORS_ERROR] = "";
    CHECK(checkpoint_load(directory(), &run->trainer, &run->setup.options, &run->curve, error),
          "%s", error);
}

static void check_same(const Run *got, const Run *expected) {
    const Trainer *g = &got->trainer, *e = &expected->trainer;
    const Params *p = &g->model.params, *q = &e->model.params;
    setup_same_bits("weights", p->data, q->data, q->size);
    setup_same_bits("frozen weights", p->frozen_data, q->frozen_data, q->frozen);
    setup_same_bits("means", p->moment[0], q->moment[0], q->size);
    setup_same_bits("squares", p->moment[1], q->moment[1], q->size);
    CHECK_INT(g->step, e->step);
    CHECK_INT(g->optim.step, e->optim.step);
    CHECK(g->rng.state == e->rng.state, "another random state");
    CHECK_INT(got->curve.count, expected->curve.count);
    for (int i = 0; i < expected->curve.count; i++) {
        Measurement a = got->curve.point[i], b = expected->curve.point[i];
        a.seconds = b.seconds = 0;
        CHECK_INT(a.step, b.step);
        CHECK(!memcmp(&a.loss, &b.loss, 7 * sizeof(double)), "step %d: loss %.17g, expected %.17g",
              b.step, a.loss, b.loss);
    }
}

// `steps` steps, against `first` steps, saved, loaded where nothing has happened yet, and the rest.
static void check_resume(const char *command, int first, int steps) {
    Run whole, half, rest;
    run_open(&whole, command);
    run_until(&whole, steps);
    run_open(&half, command);
    run_until(&half, first);
    save(&half);
    run_open(&rest, command);
    load(&rest);
    check_same(&rest, &half);
    CHECK_NEAR(rest.trainer.seconds, half.trainer.seconds, 0);
    run_until(&rest, steps);
    check_same(&rest, &whole);
    run_close(&whole);
    run_close(&half);
    run_close(&rest);
}

static void resume_pronoun(void) {
    check_resume("train pronoun --arms qkv --d-model 16 --d-k 4 --steps 200 --held-out 64", 100,
                 200);
    check_resume("train pronoun --arms kv --d-model 16 --d-k 4 --steps 60 --init random --batch 7",
                 20, 60);
    check_resume("train pronoun --arms xxt --d-model 16 --steps 40", 20, 40);
    check_resume("train pronoun --arms sym --d-model 16 --steps 40 --optimizer sgd --lr 0.001", 20,
                 40);
}

// 200 steps are no whole number of epochs of 400 sentences in batches of 7, nor are 100.
static void resume_heads(void) {
    check_resume("train heads --arms qk --d-model 16 --d-k 4 --steps 200 --batch 7", 100, 200);
    check_resume("train heads --arms tied --d-model 16 --d-k 4 --steps 60 --freeze-embeddings "
                 "--suffixes --relative 3", 20, 60);
}

static void resume_text(void) {
#define SMALL "train text --text README.md --layers 2 --heads 2 --d-model 8 --context 6 --batch 3 " \
              "--held-out 9 "
    check_resume(SMALL "--arms qkv --steps 200", 100, 200);
    check_resume(SMALL "--arms tied --steps 40 --objective masked --accumulate 2 --readout own", 20,
                 40);
    check_resume("train search --arms kv --d-model 8 --layers 2 --heads 2 --steps 40", 20, 40);
    check_resume("train recall --arms kv --d-model 8 --pairs 5 --steps 40", 20, 40);
    check_resume("train recall --separate --arms sym --d-model 8 --d-k 8 --layers 2 --steps 40", 20,
                 40);
#undef SMALL
}

static void resume_from_start(void) {
    check_resume("train heads --arms qk --d-model 8 --d-k 4 --steps 20 --batch 7", 0, 20);
    check_resume("train pronoun --arms qk --d-model 8 --d-k 4 --steps 20", 0, 20);
}

static void save_twice(void) {
    Run run, again;
    int status;
    char name[600];
    run_open(&run, "train heads --arms qk --d-model 8 --d-k 4 --batch 7");
    run_until(&run, 20);
    save(&run);
    snprintf(name, sizeof name, "%s", file_of("qk"));
    test_command(&status, "cp %s %s.first", name, name);
    run_open(&again, "train heads --arms qk --d-model 8 --d-k 4 --batch 7");
    load(&again);
    save(&again);
    const char *said = test_command(&status, "cmp %s %s.first", name, name);
    CHECK(!status, "%s", said);
    run_close(&run);
    run_close(&again);
}

static void other_rate(void) {
    Run run, other;
    run_open(&run, "train pronoun --arms qkv --d-model 8 --d-k 4 --steps 40");
    run_until(&run, 20);
    save(&run);
    run_open(&other,
             "train pronoun --arms qkv --d-model 8 --d-k 4 --steps 80 --lr 0.5 --schedule "
             "constant --warmup 3 --clip 1 --decay 0.1");
    load(&other);
    check_same(&other, &run);
    CHECK_NEAR(other.setup.options.lr, 0.5, 0);
    CHECK_NEAR(other.trainer.optim.decay, 0.1, 0);
    run_close(&run);
    run_close(&other);
}

// ---- what is refused ---------------------------------------------------------------------------

// What follows the name of the file. Nothing in the trainer may have changed.
static const char *refusal_of(const char *path, const char *command) {
    static char error[SAFETENSORS_ERROR];
    Run run, fresh;
    run_open(&run, command);
    run_open(&fresh, command);
    CHECK(!checkpoint_load(path, &run.trainer, &run.setup.options, &run.curve, error),
          "expected to be refused, was loaded");
    check_same(&run, &fresh);
    CHECK(!run.trainer.sampler.order && run.trainer.seconds <= 0, "the trainer has changed");
    for (const char *c = error; *c; c++)
        CHECK((unsigned char)*c >= ' ', "more than one line: \"%s\"", error);
    CHECK(!strncmp(error, directory(), strlen(directory())), "got \"%s\"", error);
    run_close(&run);
    run_close(&fresh);
    return strstr(error, ": ");
}

static const char small[] = "train pronoun --arms qkv --d-model 4 --d-k 2 --steps 40 --held-out 8";

static void save_small(const char *command, int step) {
    Run run;
    run_open(&run, command);
    run_until(&run, step);
    save(&run);
    run_close(&run);
}

static void other_options(void) {
    static const struct {
        const char *command, *message;
    } other[] = {
        {"train pronoun --arms qkv --d-model 8 --d-k 2", ": --d-model 4; expected --d-model 8"},
        {"train pronoun --arms qkv --d-model 4 --d-k 3", ": --d-k 2; expected --d-k 3"},
        {"train pronoun --arms qkv --d-model 4 --d-k 2 --d-v 3", ": --d-v 4; expected --d-v 3"},
        {"train pronoun --arms qkv --d-model 4 --d-k 2 --seed 2", ": --seed 1; expected --seed 2"},
        {"train pronoun --arms qkv --d-model 4 --d-k 2 --batch 8",
         ": --batch 32; expected --batch 8"},
        {"train pronoun --arms qkv --d-model 4 --d-k 2 --accumulate 3",
         ": --accumulate 1; expected --accumulate 3"},
        {"train pronoun --arms qkv --d-model 4 --d-k 2 --init random",
         ": --init tied; expected --init random"},
        {"train pronoun --arms qkv --d-model 4 --d-k 2 --no-scale",
         ": no --no-scale; expected --no-scale"},
        {"train pronoun --arms qkv --d-model 4 --d-k 2 --optimizer sgd",
         ": --optimizer adam; expected --optimizer sgd"},
        {"train pronoun --arms qk --d-model 4 --d-k 2", ": arm qkv; expected arm qk"},
        {"train heads --arms qk --d-model 4 --d-k 2", ": task pronoun; expected task heads"}};
    save_small(small, 0);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        CHECK_STRING(refusal_of(file_of("qkv"), other[i].command), other[i].message);
    save_small("train pronoun --arms qkv --d-model 4 --d-k 2 --no-scale", 0);
    CHECK_STRING(refusal_of(file_of("qkv"), small), ": --no-scale; expected no --no-scale");
    unlink(file_of("tied"));
    CHECK_STRING(refusal_of(directory(), "train pronoun --arms tied --d-model 4 --d-k 2") + 2,
                 "No such file or directory; " A_FILE_OF_WEIGHTS);
}

// A file of an older version says how it can be had again.
static void older_format(void) {
    Safetensors s, changed = {0};
    char error[SAFETENSORS_ERROR] = "";
    save_small(small, 20);
    CHECK(safetensors_read(&s, file_of("qkv"), error), "%s", error);
    for (int i = 0; i < s.key.count; i++)
        safetensors_note(&changed, s.key.word[i],
                         strcmp(s.key.word[i], "format") ? s.value[i] : "qkv 1");
    for (int i = 0; i < s.name.count; i++) safetensors_add(&changed, s.name.word[i], s.tensor[i]);
    CHECK(safetensors_write(&changed, file_of("qkv"), error), "%s", error);
    safetensors_free(&changed);
    safetensors_free(&s);
    CHECK_STRING(refusal_of(file_of("qkv"), small),
                 ": format qkv 1, of another version; expected qkv 3: train again, with "
                 "./train --it's");
}

static void other_treebank(void) {
    static const char command[] =
        "train heads --arms qk --d-model 4 --d-k 2 --conllu build/test-output/other.conllu";
    int status;
    save_small("train heads --arms qk --d-model 4 --d-k 2", 0);
    // Every sentence but the first; then the same words under other heads.
    test_command(&status,
                 "awk 'found; /^$/ {found = 1}' data/english.conllu > "
                 "build/test-output/other.conllu");
    const char *message = refusal_of(file_of("qk"), command);
    CHECK(strstr(message, ": training data 250 sentences, fingerprint ")
              && strstr(message, "; expected training data 249 sentences, fingerprint "),
          "got \"%s\"", message);
    test_command(&status,
                 "awk -F'\\t' -v OFS='\\t' '$1 == 3 && $8 == \"det\" && !done {$8 = \"amod\"; "
                 "done = 1} {print}' data/english.conllu > build/test-output/other.conllu; ! cmp "
                 "-s data/english.conllu build/test-output/other.conllu");
    CHECK_INT(status, 0);
    message = refusal_of(file_of("qk"), command);
    CHECK(strstr(message, "; expected "), "got \"%s\"", message);
    // The same file under another name is no other treebank.
    test_command(&status, "cp data/english.conllu build/test-output/other.conllu");
    Run run;
    run_open(&run, command);
    load(&run);
    run_close(&run);
}

// Changes a tensor in a file; a type of NULL takes it out.
static void rewrite(const char *arm, const char *tensor, SafeTensor to) {
    Safetensors s, changed = {0};
    char error[SAFETENSORS_ERROR] = "";
    CHECK(safetensors_read(&s, file_of(arm), error), "%s", error);
    for (int i = 0; i < s.key.count; i++) safetensors_note(&changed, s.key.word[i], s.value[i]);
    for (int i = 0; i < s.name.count; i++)
        if (strcmp(s.name.word[i], tensor)) safetensors_add(&changed, s.name.word[i], s.tensor[i]);
    if (to.dtype) safetensors_add(&changed, tensor, to);
    CHECK(safetensors_write(&changed, file_of(arm), error), "%s", error);
    safetensors_free(&changed);
    safetensors_free(&s);
}

#define TENSOR(type, r, ...) \
    (SafeTensor){.dtype = type, .rank = r, .shape = {__VA_ARGS__}, .data = data}
static double data[4096];  // 0

static void check_changed(const char *tensor, SafeTensor to, const char *expected) {
    save_small(small, 20);
    rewrite("qkv", tensor, to);
    CHECK_STRING(refusal_of(file_of("qkv"), small), expected);
}

static void other_tensors(void) {
    const int64_t large = 1LL << 40, negative = -1;
    check_changed("W_Q", (SafeTensor){0}, ": tensor \"W_Q\" is missing; expected F32 (4, 2)");
    check_changed("W_Q", TENSOR("F32", 2, 2, 4),
                  ": tensor \"W_Q\" is F32 (2, 4); expected F32 (4, 2)");
    check_changed("W_Q", TENSOR("F32", 1, 8), ": tensor \"W_Q\" is F32 (8); expected F32 (4, 2)");
    check_changed("W_Q", TENSOR("F64", 2, 4, 2),
                  ": tensor \"W_Q\" is F64 (4, 2); expected F32 (4, 2)");
    check_changed("optimizer.square.W_V", TENSOR("F32", 0, 0),
                  ": tensor \"optimizer.square.W_V\" is F32 (); expected F32 (4, 4)");
    check_changed("history", TENSOR("F64", 2, 1, 7),
                  ": tensor \"history\" is F64 (1, 7); expected F64 (1, 10)");
    check_changed("history.heads", TENSOR("F64", 2, 2, 3),
                  ": tensor \"history.heads\" is F64 (2, 3); expected F64 (1, 1)");
    check_changed("history.heads", TENSOR("F64", 2, 2, 1),
                  ": tensor \"history.heads\" is F64 (2, 1); expected F64 (1, 1)");
    memcpy(data, &large, sizeof large);
    check_changed("training.step", TENSOR("I64", 0, 0),
                  ": training.step is 1099511627776; expected 0 to 2147483647");
    check_changed("optimizer.step", TENSOR("I64", 0, 0),
                  ": optimizer.step is 1099511627776; expected 0 to 20");
    memcpy(data, &negative, sizeof negative);
    check_changed("training.step", TENSOR("I64", 0, 0),
                  ": training.step is -1; expected 0 to 2147483647");
    const int64_t all = INT64_MAX;
    memcpy(data, &all, sizeof all);
    check_changed("training.tokens", TENSOR("I64", 0, 0),
                  ": training.tokens is 9223372036854775807; expected 0 to 4611686018427387903");
    data[0] = 21;
    check_changed("history", TENSOR("F64", 2, 1, 10),
                  ": history: step 21 after -1; expected a later one, up to 20");
    data[0] = NAN;
    check_changed("training.seconds", TENSOR("F64", 0, 0),
                  ": training.seconds is nan; expected a time");
    check_changed("history", TENSOR("F64", 2, 1, 10),
                  ": history: step nan after -1; expected a later one, up to 20");
}

static void no_numbers(void) {
    const float infinite = -INFINITY, below = -0.5f;
    memset(data, 0, sizeof data);
    memcpy((float *)data + 3, &(float){NAN}, sizeof(float));
    check_changed("W_Q", TENSOR("F32", 2, 4, 2),
                  ": tensor \"W_Q\": number 4 of 8 is nan; expected finite ones");
    memcpy((float *)data + 3, &infinite, sizeof infinite);
    check_changed("W_V", TENSOR("F32", 2, 4, 4),
                  ": tensor \"W_V\": number 4 of 16 is -inf; expected finite ones");
    check_changed("optimizer.mean.W_K", TENSOR("F32", 2, 4, 2),
                  ": tensor \"optimizer.mean.W_K\": number 4 of 8 is -inf; expected finite ones");
    memcpy((float *)data + 3, &below, sizeof below);
    check_changed("optimizer.square.W_Q", TENSOR("F32", 2, 4, 2),
                  ": tensor \"optimizer.square.W_Q\": number 4 of 8 is -0.5; expected none below "
                  "0");
    memset(data, 0, sizeof data);
}

static void other_order(void) {
    static const char command[] = "train heads --arms qk --d-model 4 --d-k 2 --batch 7";
    Setup setup;
    setup_open(&setup, command);
    uint64_t n = setup.task.train.count, batches = (n + 6) / 7;
    char missing[128];
    int64_t next = (int64_t)batches + 1;
    setup_close(&setup);
    ((int64_t *)data)[1] = (int64_t)n;
    save_small(command, 1);
    rewrite("qk", "sampler.order", TENSOR("I64", 1, n));
    snprintf(missing, sizeof missing, ": sampler.order is %d; expected 0 to %d", (int)n,
             (int)n - 1);
    CHECK_STRING(refusal_of(file_of("qk"), command), missing);
    ((int64_t *)data)[1] = -1;
    save_small(command, 1);
    rewrite("qk", "sampler.begin", TENSOR("I64", 1, batches));
    snprintf(missing, sizeof missing, ": sampler.begin is -1; expected 0 to %d", (int)n - 1);
    CHECK_STRING(refusal_of(file_of("qk"), command), missing);
    save_small(command, 1);
    memcpy(data, &next, sizeof next);
    rewrite("qk", "sampler.next", TENSOR("I64", 0, 0));
    snprintf(missing, sizeof missing, ": sampler.next is %d; expected 0 to %d", (int)next,
             (int)batches);
    CHECK_STRING(refusal_of(file_of("qk"), command), missing);
}

static const char *write_damaged(const void *bytes, size_t size) {
    static char path[600];
    snprintf(path, sizeof path, "%s/damaged.safetensors", directory());
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0, "%s can't be written", path);
    return path;
}

// A bit of the header flipped: refused, or what differs is no part of what must agree.
static void damaged(void) {
    static unsigned char bytes[1 << 16];
    Run run, fresh;
    char error[SAFETENSORS_ERROR];
    save_small(small, 20);
    size_t size = test_read(file_of("qkv"), bytes, sizeof bytes),
           header = 8 + bytes[0] + 256u * bytes[1];
    run_open(&run, small);
    run_open(&fresh, small);
    for (size_t n = 0; n < size; n += 1 + n % 7)
        CHECK(!checkpoint_load(write_damaged(bytes, n), &run.trainer, &run.setup.options,
                               &run.curve, error),
              "%zu bytes of %zu", n, size);
    check_same(&run, &fresh);
    int loaded = 0;
    for (size_t i = 0; i < header; i++) {
        run.curve.count = 0;
        bytes[i] ^= (unsigned char)(1 << i % 8);
        loaded += checkpoint_load(write_damaged(bytes, size), &run.trainer, &run.setup.options,
                                  &run.curve, error);
        bytes[i] ^= (unsigned char)(1 << i % 8);
    }
    CHECK(loaded < (int)header / 4, "%d of %zu damaged headers were loaded", loaded, header);
    run_close(&run);
    run_close(&fresh);
}

static void killed_writer(void) {
    Run run;
    char part[700], error[SAFETENSORS_ERROR];
    save_small(small, 20);
    snprintf(part, sizeof part, "%s.part", file_of("qkv"));
    FILE *f = fopen(part, "wb");
    CHECK(f && fputs("{", f) >= 0 && !fclose(f), "%s can't be written", part);
    run_open(&run, small);
    load(&run);
    CHECK_INT(run.trainer.step, 20);
    CHECK(!checkpoint_save("build/test-output/none", &run.trainer, &run.setup.options,
                           &run.curve, "", error), "was saved");
    CHECK_STRING(error, "build/test-output/none/qkv.safetensors: can't be written: No such file "
                        "or directory");
    save(&run);
    CHECK(access(part, F_OK), "%s is still there", part);
    run_close(&run);
}

static void python(void) {
    int status;
    test_command(&status, "python3 -c 'import json, struct'");
    if (status) test_skip("no python3 here");
    save_small("train heads --arms qk --d-model 8 --d-k 4 --batch 7", 20);
    const char *said = test_command(&status, "python3 tests/safetensors_check.py %s",
                                    file_of("qk"));
    CHECK(!status && strstr(said, "optimizer.square.W_K: F32 [8, 4]"), "%s", said);
}

void tests_checkpoint(void) {
    test("a resumed training of text, or of blocks, is the one that never stopped", resume_text);
    test("a resumed training of pronoun is the one that never stopped", resume_pronoun);
    test("a resumed training of heads is the one that never stopped, within an epoch too",
         resume_heads);
    test("a training that is saved before its first step can be resumed", resume_from_start);
    test("what was loaded is saved as the same bytes", save_twice);
    test("the learning rate and its schedule may change when a training is resumed", other_rate);
    test("a checkpoint of other options is refused by the option's name", other_options);
    test("a checkpoint of an older format is refused, with the command that makes it again",
         older_format);
    test("a checkpoint of another treebank is refused", other_treebank);
    test("a checkpoint of other tensors, or a state that can't be, is refused", other_tensors);
    test("a checkpoint whose order of sentences names none that there are is refused", other_order);
    test("weights and moments that aren't finite are refused by name", no_numbers);
    test("a damaged checkpoint is refused and changes nothing", damaged);
    test("a killed or hindered writer leaves the last whole checkpoint", killed_writer);
    test("an independent reader in Python reads a checkpoint", python);
}
