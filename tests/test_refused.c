// What the program says where a command can't be meant as it stands: one line, and status 2.
#include <errno.h>
#include <string.h>

#include "test.h"

static void one_line(const char *arguments, const char *says) {
    char line[700];
    int status;
    snprintf(line, sizeof line, "train: %s\n", says);
    const char *said = test_command(&status, "%s %s", test_train(), arguments);
    CHECK_STRING(said, line);
    CHECK_INT(status, 2);
}

static void options_that_do_not_fit(void) {
    one_line("--d-model 6 --heads 4 --layers 1", "--heads 4: they must divide d_model, 6");
    one_line("heads --heads 2",
             "--heads 2: one head points at the answer; more need --layers 1 or more");
    one_line("--steps 50 --warmup 50",
             "--warmup 50: --lr would never be reached; it must be less than the 50 steps");
    one_line("heads --epochs 1 --warmup 8",
             "--warmup 8: --lr would never be reached; it must be less than the 8 steps");
    one_line("heads --accumulate 100000", "--accumulate 100000: at most the 8 batches of an epoch");
}

static void what_cannot_be_sampled(void) {
    const char *out = test_fresh("sampled");
    char command[600], says[660];
    int status;
    one_line("sample", "sample: of which model? ./train sample MODEL names its .safetensors");
    one_line("sample a b", "b: one model at a time; a prompt is --prompt TEXT");
    test_command(&status, "%s --quiet --no-report --steps 1 --arms qk --held-out 2 --out %s",
                 test_train(), out);
    CHECK_INT(status, 0);
    snprintf(command, sizeof command, "sample %s", out);
    snprintf(says, sizeof says, "%s/qk.safetensors: a model of pronoun; expected one of text", out);
    one_line(command, says);
}

static void names_too_long(void) {
    char name[5000], command[5100], says[660];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    snprintf(command, sizeof command, "--out %s", name);
    snprintf(says, sizeof says, "%.316s...: can't be made: %s", name,
             strerror(ENAMETOOLONG));
    one_line(command, says);
    snprintf(command, sizeof command, "report %s.csv", name);
    snprintf(says, sizeof says, "%.300s...: too long a name", name);
    one_line(command, says);
}

void tests_refused(void) {
    test("options that don't fit each other are refused in a line", options_that_do_not_fit);
    test("sample refuses what it can't write from", what_cannot_be_sampled);
    test("a name that is too long for a file is refused", names_too_long);
}
