// Each allocation fails once, and each is the first of which all fail.
#include <stdio.h>
#include <stdlib.h>

#include "faults.h"
#include "scene.h"
#include "tests/test.h"

static const char *program;
static const Command *played;

static void every_allocation(void) {
    Scene s;
    int once = 0, all = 0;
    faults_before(program, played);
    scene_open(&s, program, played->arguments, played->status);
    for (int n = 1; scene_starve(&s, n).struck; n += faults_stride()) once++;
    for (int n = 1; scene_starve(&s, -n).struck; n += faults_stride()) all++;
    CHECK(once > 0 && all > 0, "nothing was allocated");
    printf("%-30s %6d faults\n", played->sentence, once + all);
    scene_close(&s);
}

void faults_of_allocations(const char *of) {
    program = of;
    faults_prepare(of);
    for (int i = 0; i < faults_commands_count; i++) {
        char sentence[128];
        played = &faults_commands[i];
        snprintf(sentence, sizeof sentence, "memory runs out: %s", played->sentence);
        test(sentence, every_allocation);
    }
    scene_shell("rm -rf %");
}
