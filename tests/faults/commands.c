#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "tests/test.h"

#define TINY " --d-model 4 --d-k 2 --held-out 2 --batch 2 --seed 3 --threads 1 "
#define TEXTS " text --text %/text --context 4 --heads 2 --layers 1 --d-model 4 --arms qkv" \
              " --held-out 2 --batch 2 --threads 1 "

const Command faults_commands[] = {
    {"pronoun", "pronoun" TINY "--arms xxt,qkv --steps 2 --save-every 1e-9 --out %/out", 0},
    {"search, quietly", "search" TINY "--arms kv --layers 1 --steps 1 --quiet --out %/out", 0},
    {"heads",
     "heads" TINY "--arms sym --conllu %/conllu --epochs 1 --quiet --no-report --out %/out", 0},
    {"text", TEXTS "--steps 1 --quiet --out %/out", 0},
    {"gone on with", "pronoun" TINY "--arms xxt,qkv --steps 3 --quiet --out %/out --resume", 0},
    {"show", "show %/model/qkv.safetensors --npy %/out", 0},
    {"show of a sentence", "show %/model the_tired_king_left_.", 2},
    {"sample", "sample %/text-model/qkv.safetensors --length 5 --prompt ab", 0},
    {"sweep", "sweep" TINY "--arms xxt,qk --steps 1 --out %/out", 0},
    {"report", "report %/out", 0},
    {"report of a sweep", "report %/out/sweep.csv", 0},
    {"a wrong option", "pronoun --stepps 3", 2},
    {"help", "--help", 0},
};
const int faults_commands_count = sizeof faults_commands / sizeof *faults_commands;

int faults_stride(void) {
    const char *every = getenv("FAULTS_EVERY");
    int n = every ? atoi(every) : 1;
    return n > 0 ? n : 1;
}

static void run(const char *program, const char *arguments) {
    char command[1200];
    snprintf(command, sizeof command, "%s %s", program, arguments);
    scene_shell(command);
}

void faults_prepare(const char *program) {
    scene_shell("rm -rf %; mkdir -p %/out; for i in 1 2 3; do "
                "printf '1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n"
                "2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
                "3\tbarks\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
                "1\tit\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
                "2\tsings\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n'; done >%/conllu; "
                "printf 'abc abd abe. bad cab ace. dab bed cede babe. a cad.' >%/text");
    run(program, "pronoun" TINY "--arms qkv --steps 1 --quiet --out %/model");
    run(program, TEXTS "--steps 1 --quiet --out %/text-model");
}

// What is gone on with: a shorter run, or a sweep without its last row.
void faults_before(const char *program, const Command *command) {
    scene_shell("rm -rf %/out; mkdir %/out");
    if (strstr(command->arguments, "sweep")) {
        run(program, "sweep" TINY "--arms xxt,qk --steps 1 --out %/out");
        scene_shell("sed -i '$d' %/out/sweep.csv");
    } else {
        run(program, "pronoun" TINY "--arms xxt,qkv,kv --quiet --out %/out --steps 2");
    }
}
