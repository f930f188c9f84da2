// Each system call on a file fails: a disk that is full, one that is broken, a signal in the
// middle, half of what was to be written. Once, or from there on.
#include <errno.h>
#include <stdio.h>

#include "faults.h"
#include "scene.h"
#include "tests/test.h"

static const char *program;
static const Command *played;

static void every_call(void) {
    static const Fault fault[] = {{0, ENOSPC, false}, {0, ENOSPC, true}, {0, EIO, false},
                                  {0, EIO, true},     {0, EINTR, false}, {0, HALF, false},
                                  {0, HALF, true}};
    Scene s;
    int struck = 0;
    faults_before(program, played);
    scene_open(&s, program, played->arguments, played->status);
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++)
        for (int call = 1; call <= s.calls; call += faults_stride()) {
            Fault f = fault[i];
            f.call = call;
            struck += scene_strike(&s, f).struck;
        }
    CHECK(struck > 0 || !s.calls || played->status, "nothing was made to fail");
    printf("%-30s %6d faults in %d calls\n", played->sentence, struck, s.calls);
    scene_close(&s);
}

void faults_of_writes(const char *of) {
    program = of;
    faults_prepare(of);
    for (int i = 0; i < faults_commands_count; i++) {
        char sentence[128];
        played = &faults_commands[i];
        snprintf(sentence, sizeof sentence, "system calls fail: %s", played->sentence);
        test(sentence, every_call);
    }
    scene_shell("rm -rf %");
}
