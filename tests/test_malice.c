// Folders and models that somebody else made: `report`, `show` and `sample` read and write no file
// outside of the folder that is named, don't wait for a pipe, take no memory that the sizes of the
// files don't bound, and write nothing that steers a terminal. tests/report.mjs tests the page.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "model/save/safetensors.h"
#include "model/view/report/weights.h"

#define TINY "--quiet --steps 12 --held-out 8 --arms xxt,qk"
#define LINK "a link, a pipe or a device; expected a file of that folder\n"

// A run in a folder of its own.
static const char *folder(void) {
    static char out[256];
    int status;
    snprintf(out, sizeof out, "%s", test_fresh("malice"));
    const char *said = test_command(&status, "%s pronoun " TINY " --out %s", test_train(), out);
    CHECK(!status, "status %d: %s", status, said);
    return out;
}

static void shell(const char *command) {
    int status;
    const char *said = test_command(&status, "%s", command);
    CHECK(!status, "%s: %s", command, said);
}

// One line that ends so, and this status. A program that waits for a pipe is ended.
static void refused(int expected, const char *arguments, const char *end) {
    int status;
    const char *said = test_command(&status, "timeout 60 %s %s", test_train(), arguments);
    const char *line = strchr(said, '\n');
    CHECK(status == expected, "%s: status %d: %s", arguments, status, said);
    CHECK(line && !line[1] && strlen(said) >= strlen(end)
              && !strcmp(said + strlen(said) - strlen(end), end),
          "%s: expected one line that ends with \"%s\": %s", arguments, end, said);
}

// ---- files -------------------------------------------------------------------------------------

static void nothing_outside_is_written(void) {
    char command[1600], arguments[400], text[16] = "";
    const char *out = folder(), *outside = test_path("malice-outside");
    snprintf(arguments, sizeof arguments, "report %s", out);
    snprintf(command, sizeof command, "printf precious >%s; rm %s/report.html; ln -s "
             "../malice-outside %s/report.html.part", outside, out, out);
    shell(command);
    char loop[200];  // each libc has its own words for it
    snprintf(loop, sizeof loop, "report.html: can't be written: %s\n", strerror(ELOOP));
    refused(1, arguments, loop);
    test_read(outside, (unsigned char *)text, sizeof text - 1);
    CHECK_STRING(text, "precious");
    snprintf(command, sizeof command, "cd %s && rm -f report.html.part && mkfifo "
             "report.html.part", out);
    shell(command);
    refused(1, arguments, "report.html: can't be written: No such device or address\n");
    // The page itself may be a link: the new page takes its place.
    snprintf(command, sizeof command, "rm -f %s/report.html.part; ln -s ../malice-outside "
             "%s/report.html; %s %s && ! test -h %s/report.html", out, out, test_train(), arguments,
             out);
    shell(command);
    test_read(outside, (unsigned char *)text, sizeof text - 1);
    CHECK_STRING(text, "precious");
    // The lock of a run, too.
    snprintf(command, sizeof command, "rm -rf %s/* && ln -s ../malice-outside %s/.train.lock && "
             "ln -s ../malice-outside %s/.sweep.lock && %s pronoun " TINY " --out %s && "
             "%s sweep pronoun --quiet --steps 1 --held-out 8 --arms qk --seeds 1 --out %s", out, out,
             out, test_train(), out, test_train(), out);
    shell(command);
    test_read(outside, (unsigned char *)text, sizeof text - 1);
    CHECK_STRING(text, "precious");
}

static void nothing_outside_is_read(void) {
    static const char *const name[] = {"summary.json", "snapshots.json", "metrics.csv",
                                       "symmetry.csv"};
    char command[1600], arguments[400], end[200];
    const char *out = folder();
    snprintf(arguments, sizeof arguments, "report %s", out);
    for (int i = 0; i < 4; i++) {
        snprintf(end, sizeof end, "%s: " LINK, name[i]);
        snprintf(command, sizeof command, "cd %s && mv %s ../malice-moved && ln -s "
                 "../malice-moved %s", out, name[i], name[i]);
        shell(command);
        refused(2, arguments, end);
        snprintf(command, sizeof command, "cd %s && rm %s && mkfifo %s", out, name[i], name[i]);
        shell(command);
        refused(2, arguments, end);
        snprintf(command, sizeof command, "cd %s && rm %s && mv ../malice-moved %s", out, name[i],
                 name[i]);
        shell(command);
    }
    snprintf(command, sizeof command, "cd %s && rm xxt.safetensors && mv qk.safetensors "
             "../malice-moved && ln -s ../malice-moved qk.safetensors", out);
    shell(command);
    snprintf(arguments, sizeof arguments, "show %s", out);
    refused(2, arguments, "qk.safetensors: " LINK);
    snprintf(arguments, sizeof arguments, "sample %s", out);
    refused(2, arguments, "qk.safetensors: " LINK);
}

static char *slurp(const char *folder_of, const char *name) {
    char path[500], *text = calloc(1 << 20, 1);
    snprintf(path, sizeof path, "%s/%s", folder_of, name);
    test_read(path, (unsigned char *)text, (1 << 20) - 1);
    return text;
}

// Of each arm once, however often the summary names it; of none through a link.
static void weights(void) {
    char command[1600];
    const char *out = folder();
    snprintf(command, sizeof command, "cd %s && mv xxt.safetensors ../malice-moved && ln -s "
             "../malice-moved xxt.safetensors && sed -i 's|^    {\"name\": \"qk\"|    {\"name\": "
             "\"qk\"},\\n    {\"name\": \"qk\"},\\n&|' summary.json", out);
    shell(command);
    char *summary = slurp(out, "summary.json"), *snapshots = slurp(out, "snapshots.json");
    char *text = weights_of(out, summary, snapshots), *qk = strstr(text, "\"qk\": {\"header\"");
    CHECK(qk && !strstr(qk + 1, "\"qk\": {"), "qk is there twice, or not at all: %.300s", text);
    CHECK(strstr(text, "\"xxt\": {\"missing\": "), "xxt was read through a link: %.300s", text);
    free(summary);
    free(snapshots);
    free(text);
}

// ---- models ------------------------------------------------------------------------------------

// The run's qk with another value of this key, and its path.
static const char *with(const char *out, const char *key, const char *value) {
    static char path[400];
    char error[SAFETENSORS_ERROR];
    Safetensors s;
    snprintf(path, sizeof path, "%s/qk.safetensors", out);
    CHECK(safetensors_read(&s, path, error), "%s", error);
    int id = vocab_find(&s.key, key);
    CHECK(id >= 0, "no %s", key);
    free(s.value[id]);
    s.value[id] = strdup(value);
    snprintf(path, sizeof path, "%s", test_path("malice.safetensors"));
    CHECK(safetensors_write(&s, path, error), "%s", error);
    safetensors_free(&s);
    return path;
}

// What a model says of itself asks for no more than its own bytes can hold.
static void sizes(void) {
    static const char *const made[][2] = {
        {"--layers", "1024"}, {"--d-model", "16384"}, {"--d-k", "16384"}, {"--heads", "1024"},
        {"--relative", "4096"}, {"--d-model", "1e308"}, {"--seed", "-1"}, {"cycle", "111"},
        {"task", "../pronoun"}, {"arm", "../qk"}, {"vocabulary.word", "the\nthe\n"},
    };
    struct rusage used;
    const char *out = folder();
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        int status;
        const char *file = with(out, made[i][0], made[i][1]);
        const char *said = test_command(&status, "%s show %s", test_train(), file);
        CHECK(status == 2 && strchr(said, '\n') && !strchr(said, '\n')[1], "%s %s: status %d: %s",
              made[i][0], made[i][1], status, said);
    }
    getrusage(RUSAGE_CHILDREN, &used);
    CHECK(used.ru_maxrss < 1 << 19, "%ld KiB", used.ru_maxrss);
}

static void terminals(void) {
    static const char *const hidden[] = {"\033", "\302\233", "\342\200\256", "\342\201\246", "\r",
                                         "\a"};
    static const char evil[] = "pro\033[2J\nthe\302\233giver\n\342\200\256gift\n"
                               "\342\201\246receiver\na\rdjective\ngiving\a verb\nlast verb\n";
    int status;
    const char *out = folder(), *file = with(out, "vocabulary.relation", evil);
    const char *said = test_command(&status, "%s show %s "
        "'the tired twins gave the wizard to the mother so she sang .'", test_train(), file);
    CHECK(status == 0 || status == 2, "status %d: %s", status, said);
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        CHECK(!strstr(said, hidden[i]), "hidden character %zu is printed: %s", i, said);
    CHECK(status == 2 || strstr(said, "pro?[2J"), "the relation isn't there: %s", said);
    file = with(out, "format", "qkv 2\033[2J\342\200\256");
    said = test_command(&status, "%s show %s", test_train(), file);
    CHECK(status == 2 && !strchr(said, '\033') && !strstr(said, "\342\200\256"), "%s", said);
}

void tests_malice(void) {
    test("report and a run write through no link or pipe that was put into the folder",
         nothing_outside_is_written);
    test("report, show and sample read no link or pipe of the folder that is named",
         nothing_outside_is_read);
    test("a page's weights are read once an arm, and through no link", weights);
    test("sizes and names in a model are refused in a line, without memory for them", sizes);
    test("names in a model do not steer the terminal", terminals);
}
