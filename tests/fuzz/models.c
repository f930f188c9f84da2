#include "models.h"

#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "model/train/record.h"
#include "model/train/tasks.h"

static const struct { const char *name, *options; } table[TINY] = {
    {"pronoun", "pronoun --arms qkv --d-model 4 --d-k 2 --held-out 2"},
    {"search", "search --arms sym --d-model 4 --d-k 2 --held-out 2"},
    {"heads", "heads --arms qk --d-model 4 --d-k 2 --suffixes --capitals"},
    {"plain", "heads --arms qkv --d-model 4 --heads 2 --layers 1 --no-tags --relative 2"},
    {"text", "text --arms tied --d-model 4 --heads 2 --layers 1 --context 16"},
    {"masked", "text --arms qkv --d-model 4 --heads 1 --layers 0 --context 16 --objective masked"},
    {"own", "pronoun --arms qkv --d-model 4 --d-k 2"},
    {"joined", "recall --arms kv --d-model 4 --d-k 2 --held-out 2"},
    {"separate", "recall --separate --arms sym --d-model 4 --d-k 2 --held-out 2"},
};

static const char treebank[] =
    "1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    "3\tbarks\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_\n"
    "2\tdog\t_\tNOUN\t_\t_\t3\tnsubj:pass\t_\t_\n3\tbarks\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
static const char written[] =
    "The king saw the dog , and it smiled .\n  it -> dog (means) | dog -> king | king -> it\n"
    "The nun smiled .\n  nun -> smiled (does)\n";
static const char letters[] = "the tired king gave the old book to the nun, so he smiled.\nΩ é!\n";

// The command line, and the data that it names.
static void write_data(char line[256], const char *name, const char *options) {
    const char *bank = fuzz_path("tiny.conllu"), *text = fuzz_path("tiny.txt");
    const char *own = fuzz_path("tiny.sentences");
    int n = snprintf(line, 256, "train %s --batch 2 --steps 4", options);
    fuzz_write(own, written, sizeof written - 1);
    fuzz_write(bank, treebank, sizeof treebank - 1);
    fuzz_write(text, letters, sizeof letters - 1);
    if (*options == 'h') snprintf(line + n, 256 - (size_t)n, " --conllu %s --dev %s", bank, bank);
    if (*options == 't') snprintf(line + n, 256 - (size_t)n, " --text %s", text);
    if (!strcmp(name, "own")) snprintf(line + n, 256 - (size_t)n, " --sentences %s", own);
}

const char *tiny_open(Tiny *t, int i) {
    static char file[600];
    char *argv[64], *rest = NULL, error[TASK_ERROR];
    const char *directory = fuzz_path(table[i].name);
    int argc = 0;
    *t = (Tiny){.name = table[i].name};
    write_data(t->text, t->name, table[i].options);
    for (char *word = strtok_r(t->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    HOLDS(parse_options(&t->options, argc, argv, error));
    HOLDS(tasks_open(&t->task, &t->options, error));
    trainer_init(&t->trainer, options_config(&t->options), &t->task, t->options.arm[0]);
    t->curve = record_begin(&t->trainer);
    trainer_run(&t->trainer, 1, NULL);
    record_note(&t->trainer, 2, &t->curve);
    mkdir(directory, 0777);
    HOLDS(checkpoint_save(directory, &t->trainer, &t->options, &t->curve, "./train", error));
    snprintf(file, sizeof file, "%s/%s.safetensors", directory, t->options.arm[0]->name);
    return file;
}
