// A model rebuilt from its file alone, and what is refused there.
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "test.h"
#include "model/save/checkpoint.h"
#include "model/save/results.h"
#include "model/train/record.h"

// One arm of a command line, in training.
typedef struct Run {
    Setup setup;
    Trainer trainer;
} Run;

// Trains it that far and gives the file.
static const char *run_save(Run *run, const char *command, int steps) {
    static char file[600];
    char error[SAFETENSORS_ERROR] = "";
    setup_open(&run->setup, command);
    const Options *o = &run->setup.options;
    trainer_init(&run->trainer, options_config(o), &run->setup.task, o->arm[0]);
    trainer_run(&run->trainer, steps, NULL);
    ArmHistory curve = record_begin(&run->trainer);
    CHECK(checkpoint_save(test_directory(), &run->trainer, o, &curve, "./train --it's", error),
          "%s", error);
    free(curve.layer_of);
    snprintf(file, sizeof file, "%s/%s.safetensors", test_directory(), o->arm[0]->name);
    return file;
}

static void run_close(Run *run) {
    trainer_free(&run->trainer);
    setup_close(&run->setup);
}

static void check_open(const char *command) {
    Run run;
    Checkpoint c;
    Model model;
    char error[SAFETENSORS_ERROR] = "";
    const char *file = run_save(&run, command, 20);
    CHECK(checkpoint_open(&c, file, error), "%s", error);
    CHECK_STRING(safetensors_metadata(&c.file, "command"), "./train --it's");
    Options o = run.setup.options, *got = &c.options;
    CHECK_STRING(got->task->name, o.task->name);
    CHECK(c.arm == o.arm[0], "another arm");
    CHECK_INT(c.task.max_length, run.setup.task.max_length);
    CHECK_INT(c.task.points_at_answer, run.setup.task.points_at_answer);
    CHECK_INT(c.task.alike, run.setup.task.alike);
    CHECK_INT(c.task.causal, run.setup.task.causal);
    for (int f = 0; f < FEATURES; f++) {
        CHECK_INT(c.task.vocab[f].count, run.setup.task.vocab[f].count);
        for (int i = 0; i < c.task.vocab[f].count; i++)
            CHECK_STRING(c.task.vocab[f].word[i], run.setup.task.vocab[f].word[i]);
    }
    for (int r = 0; r < c.task.relations.count; r++)
        CHECK_INT(task_in_cycle(&c.task, r), task_in_cycle(&run.setup.task, r));
    model_init(&model, &c.task, c.arm, options_config(&c.options).model, 99);
    CHECK(checkpoint_weights(&c, &model.params, error), "%s", error);
    setup_same_bits("weights", model.params.data, run.trainer.model.params.data, model.params.size);
    setup_same_bits("frozen", model.params.frozen_data, run.trainer.model.params.frozen_data,
                    model.params.frozen);
    model_free(&model);
    checkpoint_close(&c);
    run_close(&run);
}

static void open_alone(void) {
    check_open("train pronoun --arms qkv --d-model 8 --d-k 4 --d-v 3");
    check_open("train pronoun --arms xxt --d-model 8");
    check_open("train pronoun --sentences data/sentences.txt --arms qkv --d-model 8 --d-k 4");
    check_open("train search --arms kv --d-model 8 --layers 1 --heads 2");
    check_open("train recall --arms kv --d-model 8 --pairs 64");
    check_open("train heads --arms qk --d-model 8 --d-k 4 --suffixes --capitals --relative 2 "
               "--no-scale");
    check_open("train coref --arms sym --d-model 8 --d-k 4 --relative 3");
}

// Each option that is saved is set in a command below, and so must be in the file. Who adds an option
// adds it to both, or here, if a model means the same without it.
static void check_named(const char *json, const Safetensors *file) {
    static const char *const left_out[] = {"--dev", "--d-v", "--text", "--context", "--sentences",
                                           "--window", "--no-relations", "--shared", "--pairs",
                                           "--separate"};
    for (const char *at = strstr(json, "\n    \""); at; at = strstr(at, "\n    \"")) {
        char name[64];
        bool known = false;
        at += strlen("\n    \"");
        snprintf(name, sizeof name, "--%.*s", (int)strcspn(at, "\""), at);
        for (int i = 0; i < 10; i++) known |= !strcmp(name, left_out[i]);
        CHECK(known || safetensors_metadata(file, name),
              "%s isn't in the file (see the table in options.c)", name);
    }
}

// summary.json would say the same of the options that a file gives and of those that were saved.
static void all_options(void) {
    static const char *const command[] = {
        "train heads --arms sym --d-model 8 --d-k 4 --steps 20 --seed 18446744073709551615 "
        "--batch 5 --lr 0.1234567890123 --momentum 0.3 --optimizer sgd --schedule constant "
        "--warmup 2 --decay 0.01 --clip 1.5 --init random --no-scale --mask-self "
        "--freeze-embeddings --conllu data/english.conllu --max-words 50 --no-tags --suffixes "
        "--capitals --relative 7 --held-out 100 --epochs 2 --layers 1 --heads 2 --d-ff 12 --embed-rms 3 "
        "--positions sinusoidal --accumulate 2",
        "train pronoun --arms kv --d-model 8 --d-k 4 --d-v 5 --steps 20 --momentum 0 --lr 0 "
        "--readout own",
        "train text --text README.md --arms kv --d-model 8 --layers 1 --heads 2 --context 9 "
        "--objective masked",
        "train pronoun --sentences data/sentences.txt --arms qkv --d-model 8 --d-k 4",
        "train coref --arms qk --d-model 8 --d-k 4 --window 9 --no-relations --shared "
        "--antecedent nearest",
        "train recall --arms kv --d-model 8 --d-k 4 --pairs 9 --separate --steps 20"};
    for (int i = 0; i < 6; i++) {
        Run run;
        Checkpoint c;
        char error[SAFETENSORS_ERROR] = "", *text[2];
        size_t size;
        CHECK(checkpoint_open(&c, run_save(&run, command[i], 0), error), "%s", error);
        const Options *o[2] = {&c.options, &run.setup.options};
        for (int k = 0; k < 2; k++) {
            FILE *out = open_memstream(&text[k], &size);
            for (int n = 0; n < options_table.count; n++) {
                const Option *option = &options_table.option[n];
                if (option->saved == FORGOTTEN) continue;
                fprintf(out, "\n    \"%s\": ", option->name + 2);
                results_option(out, option, o[k]);
            }
            fclose(out);
        }
        CHECK_STRING(text[0], text[1]);
        if (i == 0) check_named(text[1], &c.file);
        CHECK_NEAR(c.options.lr, run.setup.options.lr, 0);
        free(text[0]);
        free(text[1]);
        checkpoint_close(&c);
        run_close(&run);
    }
}

// With one text of the metadata changed, or taken out.
static void check_not_open(const char *key, const char *value, const char *expected) {
    Run run;
    Checkpoint c;
    Safetensors s;
    char error[SAFETENSORS_ERROR] = "";
    const char *file = run_save(&run, "train pronoun --arms qkv --d-model 4 --d-k 2", 0);
    CHECK(safetensors_read(&s, file, error), "%s", error);
    Safetensors changed = {0};
    for (int i = 0; i < s.key.count; i++)
        if (strcmp(s.key.word[i], key)) safetensors_note(&changed, s.key.word[i], s.value[i]);
    if (value) safetensors_note(&changed, key, value);
    for (int i = 0; i < s.name.count; i++) safetensors_add(&changed, s.name.word[i], s.tensor[i]);
    CHECK(safetensors_write(&changed, file, error), "%s", error);
    safetensors_free(&changed);
    safetensors_free(&s);
    CHECK(!checkpoint_open(&c, file, error), "%s %s: was opened", key, value ? value : "missing");
    CHECK(!c.file.file && !c.arm && !c.task.relations.count, "something is left");
    CHECK_STRING(error + strlen(file), expected);
    run_close(&run);
}

static void not_open(void) {
    Checkpoint c;
    char error[SAFETENSORS_ERROR], arms[200];
    CHECK(!checkpoint_open(&c, "none", error), "was opened");
    CHECK_STRING(error, "none: No such file or directory; " A_FILE_OF_WEIGHTS);
    check_not_open("format", "pt",
                   ": no model of this program; expected format qkv 3, task and arm in the "
                   "metadata");
    check_not_open("format", "qkv 1", ": format qkv 1, of another version; expected qkv 3: train "
                                      "again, with ./train --it's");
    check_not_open("arm", NULL, ": no task or no arm in the metadata; expected both");
    check_not_open("arm", "qk,qkv", ": a task or an arm that isn't one; expected one of each");
    check_not_open("task", "--help", ": a task or an arm that isn't one; expected one of each");
    snprintf(arms, sizeof arms, ": --arms: \"q?\xEF\xBF\xBD\" is not an arm; the arms are %s",
             setup_arms());
    check_not_open("arm", "q\n\xff", arms);
    check_not_open("--d-k", "1000000", ": --d-k 1000000: it must be from 1 to 16384");
    check_not_open("--d-model", "8",
                   ": 1720 bytes of tensors; expected 2976 or more, by its options");
    check_not_open("vocabulary.word", "a\na\n",
                   ": vocabulary.word: number 1 was there before; expected different "
                   "words, a line each");
    check_not_open("vocabulary.word", "a\nb",
                   ": vocabulary.word: number 1 isn't a whole line; expected different "
                   "words, a line each");
}

void tests_checkpoint_open(void) {
    test("a model is rebuilt from its file alone", open_alone);
    test("every option that means something is in the file", all_options);
    test("a file that is no model, or a damaged one, is not opened", not_open);
}
