// The house itself: which folder may include which, how large the part is that one reads, how long
// its functions are. Read from the source, so that the README's promises about it can fail.
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "model/arms.h"

// The floors, from the ground up. A file includes what lies on its own floor or below it.
static const struct { const char *folder; int floor; } floors[] = {
    {"autograd/simd", 0}, {"autograd", 0}, {"data", 1}, {"model", 2}, {"model/train", 3},
    {"model/save", 4}, {"model/sweep", 5}, {"model/windows", 0}, {"model/view", 6}, {"model/view/report", 6},
    {"model/web", 6},
};
enum { FOLDERS = sizeof floors / sizeof *floors, FILES = 256, TOP = 7 };

typedef struct Source {
    char path[96];
    char *text;
    int floor, lines, commented;
} Source;

typedef struct House {
    int files;
    Source file[FILES];
    size_t used;           // bytes of `text`
    char text[2 << 20];    // all files, each with a closing '\0'
} House;

static void read_source(House *house, const char *folder, const char *name, int floor) {
    Source *s = &house->file[house->files++];
    CHECK(house->files < FILES, "more files than this test has room for");
    snprintf(s->path, sizeof s->path, "%s%s%s", folder, *folder ? "/" : "", name);
    s->text = house->text + house->used;
    house->used += test_read(s->path, (unsigned char *)s->text,
                             sizeof house->text - house->used - 1);
    house->text[house->used++] = '\0';
    s->floor = floor;
    for (const char *at = s->text, *end; *at; at = end + 1) {
        end = at + strcspn(at, "\n");
        const char *slashes = strstr(at, "//");
        s->lines++;
        s->commented += slashes && slashes < end;
        if (!*end) break;
    }
}

static bool is_source(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".c") || !strcmp(dot, ".h"));
}

static House *read_house(void) {
    static House house;
    for (int i = 0; i < FOLDERS; i++) {
        DIR *folder = opendir(floors[i].folder);
        CHECK(folder, "%s: no such folder; the tests run where the Makefile is", floors[i].folder);
        for (struct dirent *entry; (entry = readdir(folder)); )
            if (is_source(entry->d_name))
                read_source(&house, floors[i].folder, entry->d_name, floors[i].floor);
        closedir(folder);
    }
    read_source(&house, "", "train.c", TOP);
    return &house;
}

// Does the file lie in this folder itself?
static bool lies_in(const Source *s, const char *folder) {
    const char *slash = strrchr(s->path, '/');
    return slash && strlen(folder) == (size_t)(slash - s->path)
           && !strncmp(s->path, folder, strlen(folder));
}

// What people read first: the tape and its ops, and the model.
static bool is_core(const Source *s) { return lies_in(s, "autograd") || lies_in(s, "model"); }

// ---- includes ----------------------------------------------------------------------------------

static const Source *included(const House *house, const Source *by, const char *name, size_t n) {
    char near[200];
    int folder = (int)(strrchr(by->path, '/') ? strrchr(by->path, '/') - by->path + 1 : 0);
    snprintf(near, sizeof near, "%.*s%.*s", folder, by->path, (int)n, name);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < house->files; i++)
            if (!strcmp(house->file[i].path, pass ? near + folder : near)) return &house->file[i];
    return NULL;
}

static void check_include(const Source *by, const Source *of) {
    CHECK(of->floor <= by->floor, "%s includes %s, which stands above it", by->path, of->path);
    CHECK(!(by->floor == 1 && of->floor == 0) || !strcmp(of->path, "autograd/fatal.h"),
          "%s includes %s; of autograd/ data/ may include fatal.h alone", by->path, of->path);
    CHECK(!lies_in(by, "autograd/simd") || lies_in(of, "autograd/simd")
              || !strcmp(of->path, "autograd/fatal.h") || !strcmp(of->path, "autograd/tiny.h"),
          "%s includes %s; of the rest simd/ may include fatal.h and tiny.h alone", by->path, of->path);
}

static void no_include_upward(void) {
    House *house = read_house();
    int seen = 0;
    for (int i = 0; i < house->files; i++)
        for (const char *at = house->file[i].text; (at = strstr(at, "#include \"")); ) {
            at += strlen("#include \"");
            const Source *of = included(house, &house->file[i], at, strcspn(at, "\""));
            if (of) check_include(&house->file[i], of);
            seen += of != NULL;
        }
    CHECK(seen > 200, "only %d includes were found", seen);
}

// A room is a .c file with its header. Rooms that include each other in a circle can't be read in
// any order.
typedef struct Rooms { int count, state[FILES]; char name[FILES][96]; } Rooms;

static int room_of(Rooms *rooms, const char *path) {
    int n = (int)(strrchr(path, '.') - path);
    for (int i = 0; i < rooms->count; i++)
        if ((int)strlen(rooms->name[i]) == n && !strncmp(rooms->name[i], path, (size_t)n)) return i;
    snprintf(rooms->name[rooms->count], sizeof rooms->name[0], "%.*s", n, path);
    return rooms->count++;
}

enum { NEW, OPEN, CLOSED };

static void visit(const House *house, Rooms *rooms, int room) {
    rooms->state[room] = OPEN;
    for (int i = 0; i < house->files; i++) {
        const Source *s = &house->file[i];
        if (room_of(rooms, s->path) != room) continue;
        for (const char *at = s->text; (at = strstr(at, "#include \"")); ) {
            at += strlen("#include \"");
            const Source *of = included(house, s, at, strcspn(at, "\""));
            int next = of ? room_of(rooms, of->path) : room;
            if (next == room) continue;
            CHECK(rooms->state[next] != OPEN, "%s and %s include each other, perhaps through "
                  "others", rooms->name[room], rooms->name[next]);
            if (rooms->state[next] == NEW) visit(house, rooms, next);
        }
    }
    rooms->state[room] = CLOSED;
}

static void no_circle_of_files(void) {
    House *house = read_house();
    static Rooms rooms;
    for (int i = 0; i < house->files; i++) room_of(&rooms, house->file[i].path);
    for (int i = 0; i < rooms.count; i++)
        if (rooms.state[i] == NEW) visit(house, &rooms, i);
}

// ---- sizes -------------------------------------------------------------------------------------

static void the_core_is_small(void) {
    House *house = read_house();
    int core = 0;
    for (int i = 0; i < house->files; i++)
        if (is_core(&house->file[i])) core += house->file[i].lines;
    CHECK(core > 1500 && core <= 2400, "autograd/ and model/ have %d lines; at most 2,400", core);
}

static void the_core_is_explained(void) {
    House *house = read_house();
    int lines = 0, commented = 0;
    for (int i = 0; i < house->files; i++) {
        const Source *s = &house->file[i];
        if (!is_core(s)) continue;
        lines += s->lines;
        commented += s->commented;
        CHECK(strrchr(s->path, '.')[1] == 'h' || !strncmp(s->text, "// ", 3),
              "%s: expected a comment at its head: what is it for, what to read before?", s->path);
    }
    CHECK(5 * commented >= lines, "%d of %d lines of the core have a comment; one in five should",
          commented, lines);
}

// A function begins in the first column and its brace ends there.
static int function_lengths(const Source *s, int *length, int count) {
    const char *begun = NULL;
    int line = 0, first = 0;
    for (const char *at = s->text; *at; at += strcspn(at, "\n") + 1) {
        size_t n = strcspn(at, "\n");
        line++;
        bool opens = n && at[n - 1] == '{' && memchr(at, '(', n) && strncmp(at, "typedef", 7);
        if (!begun && n && strchr(" }/#\t", *at) == NULL) begun = at, first = line;
        if (begun && (memchr(at, ';', n) || (n && at[n - 1] == '}'))) begun = NULL;
        if (begun && opens) {
            while (at[0] && strncmp(at, "}", 1)) at += strcspn(at, "\n") + 1, line++;
            CHECK(line - first + 1 <= 41, "%s:%d: a function of %d lines; at most 41", s->path,
                  first, line - first + 1);
            length[count++] = line - first + 1;
            begun = NULL;
        }
        if (!at[strcspn(at, "\n")]) break;
    }
    return count;
}

static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void functions_fit_a_screen(void) {
    House *house = read_house();
    static int length[4096];
    int count = 0;
    for (int i = 0; i < house->files; i++)
        if (strrchr(house->file[i].path, '.')[1] == 'c')
            count = function_lengths(&house->file[i], length, count);
    CHECK(count > 500, "only %d functions were found", count);
    qsort(length, (size_t)count, sizeof *length, by_size);
    CHECK(length[count * 9 / 10] <= 20, "one function in ten is longer than %d lines; at most 20",
          length[count * 9 / 10] - 1);
}

static void check_not_compared(const House *house, const char *name) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    for (int i = 0; i < house->files; i++)
        for (const char *at = house->file[i].text; (at = strstr(at, "strcmp(")); at++) {
            const char *found = strstr(at, quoted);
            CHECK(!found || found > at + strcspn(at, ";\n"), "%s: the name %s is compared",
                  house->file[i].path, quoted);
        }
}

// A task is a row of one table, and so is an arm. Their names are compared where the table is
// searched, and nowhere else.
static void names_are_not_compared(void) {
    House *house = read_house();
    const char *const tasks[] = {"pronoun", "search", "recall", "heads", "coref", "text"};
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) check_not_compared(house, tasks[k]);
    for (int k = 0; k < arm_count; k++) check_not_compared(house, arm_table[k].name);
}

void tests_house(void) {
    test("no file includes one of a floor above its own", no_include_upward);
    test("files do not include each other in a circle", no_circle_of_files);
    test("the core, autograd/ and model/, has at most 2,400 lines", the_core_is_small);
    test("the core explains itself: heads of files, and comments on one line in five",
         the_core_is_explained);
    test("functions are of 41 lines at most, nine in ten of 20", functions_fit_a_screen);
    test("no file compares the name of a task or an arm", names_are_not_compared);
}
