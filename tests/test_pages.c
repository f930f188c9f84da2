// The pages (*.md): a link leads somewhere, a file that is named exists, a function that is said to
// stand in a file stands there, and the README stays short.
#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "test.h"

enum { PATH = 256, PAGE = 1 << 17, README_LINES = 250 };

// A page without its code blocks: those hold commands, and files that do not exist yet.
typedef struct Page {
    const char *path;
    char folder[PATH];  // "" or "model/"
    char prose[PAGE];
    char whole[PAGE];
    int links, names, places;  // how many were looked at
} Page;

static void read_page(Page *page, const char *path) {
    bool fenced = false;
    *page = (Page){.path = path};
    page->whole[test_read(path, (unsigned char *)page->whole, PAGE - 1)] = '\0';
    const char *slash = strrchr(path, '/');
    snprintf(page->folder, PATH, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
    for (const char *line = page->whole; *line; ) {
        size_t n = strcspn(line, "\n") + 1;
        if (!strncmp(line, "```", 3)) fenced = !fenced;
        else if (!fenced && strncmp(line, "    ", 4)) strncat(page->prose, line, n);
        line += line[n - 1] ? n : n - 1;
    }
}

// In `path`, a name with * becomes the first file that fits.
static bool exists(const char *folder, const char *name, char path[PATH]) {
    glob_t found;
    int n = snprintf(path, PATH, "%s%s", folder, name);
    CHECK(n < PATH, "%s%s: too long", folder, name);
    bool there = glob(path, 0, NULL, &found) == 0;
    if (there) snprintf(path, PATH, "%s", found.gl_pathv[0]);
    globfree(&found);
    return there;
}

// The address of a heading: small letters, no marks, a hyphen for each blank.
static void address(const char *heading, size_t n, char *out) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)heading[i];
        if (c == ' ') *out++ = '-';
        else if (isalnum(c) || c == '-' || c == '_' || c > 127) *out++ = (char)tolower(c);
    }
    *out = '\0';
}

static bool has_heading(const char *path, const char *wanted) {
    static char text[PAGE];
    text[test_read(path, (unsigned char *)text, PAGE - 1)] = '\0';
    for (const char *at = text; (at = strstr(at, "\n#")); ) {
        char got[PATH];
        at += 1 + strspn(at + 1, "#");
        at += strspn(at, " ");
        address(at, strcspn(at, "\n") < PATH ? strcspn(at, "\n") : PATH - 1, got);
        if (!strcmp(got, wanted)) return true;
    }
    return false;
}

// [words](file#heading)
static void check_links(Page *page) {
    for (const char *at = page->prose; (at = strstr(at, "](")); ) {
        char target[PATH], path[PATH];
        snprintf(target, PATH, "%.*s", (int)strcspn(at + 2, ")"), at + 2);
        at += 2;
        if (strstr(target, "://")) continue;
        page->links++;
        char *anchor = strchr(target, '#');
        if (anchor) *anchor++ = '\0';
        CHECK(exists(*target ? page->folder : "", *target ? target : page->path, path),
              "%s links to %s, which does not exist", page->path, target);
        CHECK(!anchor || has_heading(path, anchor), "%s links to %s#%s, which has no such heading",
              page->path, target, anchor);
    }
}

// Is this the name of a file of the repository? What a run writes is none.
static bool names_a_file(const char *name) {
    static const char *const endings[] = {".c", ".h", ".md", ".sh", ".mk", ".py", ".mjs", ".js",
                                          ".conllu", ".txt", "/"};
    size_t n = strlen(name);
    if (name[strcspn(name, " ()<>{}$")] || !strncmp(name, "build/", 6) || !strncmp(name, "out", 3))
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t m = strlen(endings[i]);
        if (n > m && !strcmp(name + n - m, endings[i])) return true;
    }
    return false;
}

// In the page's folder or in the top one.
static bool find(const Page *page, const char *name, char path[PATH]) {
    return exists(page->folder, name, path) || exists("", name, path);
}

// `model/arms.c`; not [`arms.c`](model/arms.c), which is a link.
static void check_names(Page *page) {
    for (const char *at = page->prose; (at = strchr(at, '`')); ) {
        char name[PATH], path[PATH];
        size_t n = strcspn(at + 1, "`\n");
        bool linked = at > page->prose && at[-1] == '[';
        snprintf(name, PATH, "%.*s", (int)n, at + 1);
        at += n + 1 + (at[n + 1] == '`');
        if (linked || !names_a_file(name)) continue;
        page->names++;
        CHECK(find(page, name, path), "%s names %s, which does not exist", page->path, name);
    }
}

// `attention()` in `model/attention.c`, or in [attention.c](attention.c)
static void check_places(Page *page) {
    for (char *at = page->prose; (at = strstr(at, "` in ")); at++) {
        char place[PATH], path[PATH], text[PAGE], function[PATH];
        const char *file = at + 5, *name = at;
        if (*file == '[') file = strchr(file, '(');
        if (!file || (*file != '`' && *file != '(')) continue;
        snprintf(place, PATH, "%.*s", (int)strcspn(file + 1, "`)\n"), file + 1);
        while (name > page->prose && name[-1] != '`') name--;
        snprintf(function, PATH, "%.*s", (int)strcspn(name, "`(\n"), name);
        if (!names_a_file(place) || function[strspn(function, "abcdefghijklmnopqrstuvwxyz_"
                                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")])
            continue;
        page->places++;
        CHECK(find(page, place, path), "%s: %s does not exist", page->path, place);
        text[test_read(path, (unsigned char *)text, PAGE - 1)] = '\0';
        CHECK(strstr(text, function), "%s says that %s is in %s; it is not", page->path, function,
              place);
    }
}

// Every page under `folder`, which ends in a slash or is empty.
static void check_folder(const char *folder, int *pages, Page *all) {
    static Page page;
    DIR *dir = opendir(*folder ? folder : ".");
    CHECK(dir, "%s: no such folder; the tests run where the Makefile is", folder);
    for (struct dirent *entry; (entry = readdir(dir)); ) {
        char path[PATH];
        struct stat status;
        snprintf(path, PATH, "%s%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &status)) continue;
        if (S_ISDIR(status.st_mode) && strcmp(path, "build") && strncmp(path, "out", 3)) {
            strncat(path, "/", PATH - strlen(path) - 1);
            check_folder(path, pages, all);
        } else if (strlen(path) > 3 && !strcmp(path + strlen(path) - 3, ".md")) {
            read_page(&page, path);
            check_links(&page);
            check_names(&page);
            check_places(&page);
            ++*pages, all->links += page.links, all->names += page.names, all->places += page.places;
        }
    }
    closedir(dir);
}

static void nothing_is_missing(void) {
    static Page all;
    int pages = 0;
    check_folder("", &pages, &all);
    CHECK(pages > 30 && all.links > 100 && all.names > 50 && all.places > 15,
          "%d pages with %d links, %d files and %d places: the test reads too little", pages,
          all.links, all.names, all.places);
}

// ---- what the program prints -------------------------------------------------------------------

// The letters alone: numbers, blanks and marks of a map may differ between machines.
static void letters(const char *from, size_t n, char *out) {
    for (size_t i = 0; i < n && from[i]; i++) {
        bool exponent = i && from[i] == 'e' && isdigit((unsigned char)from[i - 1]);
        if (isalpha((unsigned char)from[i]) && !exponent) *out++ = from[i];
    }
    *out = '\0';
}

// Each line that the program printed stands in the page's block, which begins after `head`.
static void check_printed(const Page *page, const char *head, const char *printed) {
    const char *line = strstr(page->whole, head);
    CHECK(line, "%s has no \"%s\"", page->path, head);
    line += strlen(head);
    for (; *printed; printed += strcspn(printed, "\n") + 1, line += strcspn(line, "\n") + 1) {
        char got[1024], expected[1024];
        size_t n = strcspn(printed, "\n"), m = strcspn(line, "\n");
        CHECK(n < sizeof got && m < sizeof expected, "a line of %zu bytes", n);
        if (!strncmp(printed, "file://", 7)) continue;  // names this machine's folder
        letters(printed, n, got);
        letters(line, m, expected);
        CHECK(!strcmp(got, expected) || !strncmp(printed, "file://", 7), "%s shows \"%.*s\", and the program prints \"%.*s\"",
              page->path, (int)m, line, (int)n, printed);
    }
}

static void commands_print(void) {
    static Page page;
    const char *set = "cd %s && LC_ALL=C.UTF-8 COLUMNS=80 NO_COLOR=1";
    char command[PATH];
    int status;
    read_page(&page, "model/view/commands.md");
    const char *out = test_fresh("pages");
    test_command(&status, "mkdir %s && ln -s $(realpath %s) %s/train", out, test_train(), out);
    CHECK_INT(status, 0);
    snprintf(command, sizeof command, set, out);
    const char *printed = test_command(&status, "%s ./train --quiet", command);
    check_printed(&page, "    $ ./train --quiet\n", printed);
    printed = test_command(&status, "%s ./train show out/qkv.safetensors the old aunt sold the boat "
                           "to the twins and she wept .", command);
    check_printed(&page, "With the model of `make run`:\n\n", printed);
    printed = test_command(&status, "%s ./train show out/qkv.safetensors the kign left", command);
    check_printed(&page, "    $ ./train show out/qkv.safetensors the kign left\n", printed);
}

static void readme_is_short(void) {
    static Page readme;
    int lines = 0;
    read_page(&readme, "README.md");
    for (const char *at = readme.whole; (at = strchr(at, '\n')); at++) lines++;
    CHECK(lines > 100 && lines <= README_LINES, "README.md has %d lines; at most %d", lines,
          README_LINES);
}

// ---- tables that make results writes -----------------------------------------------------------

static void check_mark(const char *path, const char *table, const char *part) {
    static Page page;
    char mark[3 * PATH];
    snprintf(mark, sizeof mark, "\n<!-- %s: make results PARTS=%s -->\n", table, part);
    read_page(&page, path);
    const char *begins = strstr(page.whole, mark);
    CHECK(begins, "%s has no mark \"%s\"", path, mark);
    const char *next = strstr(begins + 1, "\n<!-- ");
    CHECK(next && !strncmp(next, "\n<!-- end -->\n", 14), "%s: %s has no <!-- end -->", path, table);
}

// Each mark of a page has a table of its name in tests/results.sh, and each table a mark in its page.
// A part's first table has the part's name; `another` names the others.
static void tables_have_parts(void) {
    static char script[PAGE];
    static Page page;
    char name[PATH], part[PATH] = "", path[PATH] = "";
    int tables = 0;
    script[test_read("tests/results.sh", (unsigned char *)script, PAGE - 1)] = '\0';
    for (const char *at = script; (at = strstr(at, "\n    ")); at++) {
        bool first = sscanf(at, " part %255s %*d %255s", part, path) == 2;
        if (!first && sscanf(at, " another %255s", name) != 1) continue;
        check_mark(path, first ? part : name, part);
        tables++;
    }
    CHECK(tables > 0, "tests/results.sh has no part");
    const char *const pages[] = {"model/train/results.md", "tests/claims.md",
                                 "tests/recipes/add_an_arm.md", "tests/recipes/add_a_task.md"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        read_page(&page, pages[i]);
        for (const char *at = page.whole; (at = strstr(at, "\n<!-- ")); at++) {
            char as_part[PATH + 16], as_other[PATH + 16];
            if (!strncmp(at, "\n<!-- end", 9)) continue;
            CHECK(sscanf(at, "\n<!-- %255[^: ]: make results", name) == 1,
                  "%s: \"%.40s\" names no part", pages[i], at + 1);
            snprintf(as_part, sizeof as_part, "\n    part %s ", name);
            snprintf(as_other, sizeof as_other, "\n    another %s ", name);
            CHECK(strstr(script, as_part) || strstr(script, as_other),
                  "%s: tests/results.sh has no table %s", pages[i], name);
        }
    }
}

// The second table of `mixed` has the rows of one of its sweeps alone, and no other column.
static void tables_of_one_part(const char *out, const char *here) {
    int status;
    test_command(
        &status,
        "cd %s && for i in 1 2 3 4; do mkdir -p rows/mixed/$i && { echo "
        "arm,seed,attention_accuracy,cycle_attention_accuracy,attention_nll && "
        "echo qk,1,0.$i,0.$i$i,$i; } >rows/mixed/$i/sweep.csv; done && printf '<!-- cycles: x -->\n"
        "<!-- end -->\n<!-- mixed: x -->\n<!-- end -->\n' >model/train/results.md && "
        "QKV_GUM=x QKV_RESULTS=rows sh '%s/tests/results.sh' page mixed", out, here);
    CHECK_INT(status, 0);
    CHECK_STRING(test_command(&status, "cat %s/model/train/results.md", out),
        "<!-- cycles: x -->\n| arm | cycle attention accuracy | cycle attention NLL |\n"
        "|---|---|---|\n| `qk` | 0.220 | 2.000 |\n<!-- end -->\n"
        "<!-- mixed: x -->\n| questions | `qk` |\n|---|---|\n| `--mix nothing` | 0.100 |\n"
        "| `--mix nouns` | 0.200 |\n| `--mix pairs` | 0.300 |\n| `--mix pairs --relative 16` | 0.400 |\n"
        "<!-- end -->\n");
}

// Rows of four seeds and of one in a page; then differences of three seeds: 0.1, 0.3 and 0.2, whose
// standard deviation is 0.1, and t = 4.303 at two degrees of freedom.
static void tables_come_from_rows(void) {
    int status;
    const char *out = test_fresh("results"), *root = test_command(&status, "pwd");
    char here[PATH];
    snprintf(here, sizeof here, "%.*s", (int)strcspn(root, "\n"), root);
    test_command(
        &status,
        "mkdir -p %s/model/train && cd %s && for i in 1 2 3 4 5 6 7; do mkdir -p rows/search/$i && "
        "echo task,arm,seed,d_k,accuracy >rows/search/$i/sweep.csv; done && "
        "printf 'search,kv,%%s\\n' 1,2,0.25 2,2,0.75 3,2,0.125 4,2,0.5 1,3,1 "
        ">>rows/search/2/sweep.csv && "
        "printf 'a\\n<!-- search: x -->\\nold\\n<!-- end -->\\nb\\n' >model/train/results.md && "
        "QKV_RESULTS=rows sh '%s/tests/results.sh' page search", out, out, here);
    CHECK_INT(status, 0);
    const char *page = test_command(&status, "cat %s/model/train/results.md", out);
    const char *expected = "a\n<!-- search: x -->\n| d_k | 2 | 3 |\n|---|---|---|\n"
                           "| `kv` | 0.38 (0.12-0.75) | 1.00 |\n<!-- end -->\nb\n";
    CHECK(!strcmp(page, expected), "expected \"%s\", got \"%s\"", expected, page);
    tables_of_one_part(out, here);
    const char *const differences =
        "| arm | a | parameters |\n|---|---|---|\n| `qkv` | 2.000 | 1,234,567 |\n"
        "| `kv` | +0.200 ± 0.248 | 999 |\n";
    const char *table = test_command(
        &status,
        "for s in 1 2 3; do printf 'arm=qkv\\tseed=%%s\\twhere=a\\tloss=%%s\\tp=1234567\\n' $s $s; "
        "done >%s/pairs; printf 'arm=kv\\twhere=a\\tp=999\\tseed=%%s\\tloss=%%s\\n' 1 1.1 2 2.3 3 3.2 "
        ">>%s/pairs; awk -v rows=arm -v columns=where -v figures='loss:3;p:,:parameters:range' "
        "-v base=qkv -f tests/results.awk %s/pairs", out, out, out);
    CHECK_STRING(table, differences);
    const char *refused = test_command(&status, "tests/results.sh tables serch 2>&1");
    CHECK(status && strstr(refused, "\"serch\" is no part; the parts are search"),
          "a part that is none: status %d, \"%s\"", status, refused);
}

// Two heads and two steps of one run: medians of heads, and the first step from 400 on.
static void rows_come_from_runs(void) {
    int status;
    const char *out = test_fresh("results_rows");
    const char *rows = test_command(
        &status,
        "mkdir %s && cd %s && printf 'x\\n0,kv,1,1,0.5\\n0,kv,1,2,0.7\\n410,kv,1,1,0.1\\n"
        "410,kv,1,2,0.2\\n' >s && printf 'x\\n410,kv,1.5,0\\n' >m && "
        "printf '{\\n    {\"name\": \"kv\", \"loss\": 1.25,\\n' >j && cd - >/dev/null && "
        "awk -F, -v 'columns=seed=4;where=a b' -f tests/results_rows.awk %s/s %s/m %s/j",
        out, out, out, out, out);
    CHECK_STRING(rows, "arm=kv\tstep=410\tcurve=1.5\tseed=4\twhere=a b\n"
                       "arm=kv\tloss=1.25\t\tsymmetry_at_0=0.6\tsymmetry_at_400=0.15\tsymmetry=0.15"
                       "\tseed=4\twhere=a b\n");
}

void tests_pages(void) {
    test("pages: links, files and functions that they name exist", nothing_is_missing);
    test("the README has at most 250 lines", readme_is_short);
    test("pages: model/view/commands.md shows what the program prints", commands_print);
    test("pages: each table of make results has a part in tests/results.sh", tables_have_parts);
    test("make results: a run gives rows of its curve and of its end", rows_come_from_runs);
    test("make results: a table has the median and the range of its rows", tables_come_from_rows);
}
