// Headers by themselves: each compiles alone, and all of them together, in either order. Two of
// them that give one name to two things would not.
#include <stdio.h>

#include "test.h"

#define HEADERS "find -L autograd data model -name '*.h' ! -path 'model/windows/*' | sort"
#define COMPILE "cc -std=c11 -D_POSIX_C_SOURCE=200809L -I. -Wall -Werror -Wno-unused-function " \
                "-Wno-psabi -fsyntax-only -x c"

static void compiles(const char *command) {
    int status;
    test_command(&status, "command -v cc");
    if (status) test_skip("it needs cc");
    const char *said = test_command(&status, "%s", command);
    CHECK(status == 0, "%s", said);
}

static void alone(void) { compiles(COMPILE " $(" HEADERS ")"); }

static void together(void) { compiles(HEADERS " | sed 's/.*/#include \"&\"/' | " COMPILE " -"); }

static void in_reverse(void) {
    compiles(HEADERS " -r | sed 's/.*/#include \"&\"/' | " COMPILE " -");
}

void tests_headers(void) {
    test("each header compiles alone", alone);
    test("all headers compile together", together);
    test("all headers compile together in reverse", in_reverse);
}
