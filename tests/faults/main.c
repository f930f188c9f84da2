// Makes a program fail in every way it can be made to: run allocations|writes|world|all|kills
// PROGRAM [part of a sentence]. PROGRAM is linked with hook.c.
#include <stdbool.h>
#include <string.h>

#include "faults.h"
#include "tests/test.h"

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (argc > 3) test_only(argv[3]);
    bool all = !strcmp(argv[1], "all");
    if (all || !strcmp(argv[1], "allocations")) faults_of_allocations(argv[2]);
    if (all || !strcmp(argv[1], "writes")) faults_of_writes(argv[2]);
    if (all || !strcmp(argv[1], "world")) faults_of_the_world(argv[2]);
    if (!strcmp(argv[1], "kills")) faults_by_kills(argv[2]);
    return test_end();
}
