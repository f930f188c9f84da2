#include "scene.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograd/fatal.h"
#include "data/file.h"
#include "tests/test.h"

enum { MOST = 1 << 28 };

const char *scene_stage(void) {
    static char stage[300];
    if (!*stage) {
        const char *memory = access("/dev/shm", W_OK) ? test_directory() : "/dev/shm";
        snprintf(stage, sizeof stage, "%s/qkv-faults.%ld", memory, (long)getpid());
    }
    return stage;
}

// "%" becomes the stage; the caller frees it.
static char *staged(const char *text) {
    const char *stage = scene_stage();
    size_t room = strlen(text) + 1;
    for (const char *c = text; *c; c++) room += *c == '%' ? strlen(stage) : 0;
    char *full = grow(NULL, room, 1), *at = full;
    for (; *text; text++) {
        if (*text == '%')
            at += sprintf(at, "%s", stage);
        else
            *at++ = *text;
    }
    *at = '\0';
    return full;
}

void scene_shell(const char *command) {
    char *full = staged(command);
    int status;
    const char *said = test_command(&status, "%s", full);
    CHECK(!status, "%s: status %d: %s", full, status, said);
    free(full);
}

// ---- files -------------------------------------------------------------------------------------

static char *path_of(const char *directory, const char *name) {
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = grow(NULL, size, 1);
    snprintf(path, size, "%s/%s", directory, name);
    return path;
}

static Content take(const char *directory, const char *name) {
    char *path = path_of(directory, name);
    Content c = {.name = grow(NULL, strlen(name) + 1, 1)};
    strcpy(c.name, name);
    c.bytes = file_read(path, MOST, &c.size);
    CHECK(c.bytes, "%s: %s", path, strerror(errno));
    free(path);
    return c;
}

static void drop(Content c) {
    free(c.name);
    free(c.bytes);
}

static void contents_free(Contents *c) {
    for (int i = 0; i < c->count; i++) drop(c->file[i]);
    free(c->file);
    *c = (Contents){0};
}

static bool holds(const Contents *c, const char *name, const Content *same) {
    for (int i = 0; i < c->count; i++)
        if (!strcmp(c->file[i].name, name) &&
            (!same ||
             (c->file[i].size == same->size && !memcmp(c->file[i].bytes, same->bytes, same->size))))
            return true;
    return false;
}

static void add(Contents *c, Content file) {
    c->file = grow(c->file, (size_t)c->count + 1, sizeof *c->file);
    c->file[c->count++] = file;
}

// The files of a directory, no matter in which order; those that are known already aren't added.
static void take_all(Contents *c, const char *directory) {
    DIR *entries = opendir(directory);
    for (struct dirent *e; entries && (e = readdir(entries));) {
        if (e->d_name[0] == '.') continue;
        Content file = take(directory, e->d_name);
        if (holds(c, file.name, &file))
            drop(file);
        else
            add(c, file);
    }
    if (entries) closedir(entries);
}

static char *out_of(const char *name) {
    char *staged_out = staged("%/out"), *path = name ? path_of(staged_out, name) : staged_out;
    if (name) free(staged_out);
    return path;
}

static void put_back(const Scene *s) {
    char *out = out_of(NULL);
    DIR *entries = opendir(out);
    for (struct dirent *e; entries && (e = readdir(entries));)
        if (e->d_name[0] != '.') {
            char *path = path_of(out, e->d_name);
            CHECK(!unlink(path), "%s: %s", path, strerror(errno));
            free(path);
        }
    if (entries) closedir(entries);
    free(out);
    for (int i = 0; i < s->before.count; i++) {
        const Content *c = &s->before.file[i];
        char *path = out_of(c->name);
        FILE *f = fopen(path, "wb");
        CHECK(f && fwrite(c->bytes, 1, c->size, f) == c->size && !fclose(f), "%s: %s", path,
              strerror(errno));
        free(path);
    }
}

// ---- a scene -----------------------------------------------------------------------------------

static void take_version(void *scene) {
    char *out = out_of(NULL);
    take_all(&((Scene *)scene)->versions, out);
    free(out);
}

static Traced play(Scene *s, Fault fault, int allocation, void (*renamed)(void *)) {
    char *out = staged("%/stdout"), *err = staged("%/stderr");
    put_back(s);
    Traced t = allocation ? untraced_run(s->argument, out, err, allocation)
                          : traced_run(s->argument, out, err, fault, renamed, s);
    free(out);
    free(err);
    return t;
}

static Content said(const char *name) {
    return take(scene_stage(), name);
}

void scene_open(Scene *s, const char *program, const char *arguments, int status) {
    char *text = staged(arguments), *out = out_of(NULL);
    int n = 0;
    *s = (Scene){.status = status};
    s->argument[n++] = path_of(".", program);
    if (program[0] == '/') memmove(s->argument[0], program, strlen(program) + 1);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        CHECK(n < 39, "too many arguments: %s", arguments);
        s->argument[n] = grow(NULL, strlen(word) + 1, 1);
        strcpy(s->argument[n++], word);
    }
    take_all(&s->before, out);
    take_all(&s->versions, out);
    Traced t = play(s, (Fault){0}, 0, take_version);
    take_all(&s->after, out);
    add(&s->said, said("stdout"));
    add(&s->said, said("stderr"));
    CHECK(t.status == status, "%s: status %d: %s", arguments, t.status, s->said.file[1].bytes);
    s->calls = t.calls;
    free(text);
    free(out);
}

void scene_close(Scene *s) {
    for (int i = 0; s->argument[i]; i++) free(s->argument[i]);
    contents_free(&s->before);
    contents_free(&s->after);
    contents_free(&s->versions);
    contents_free(&s->said);
}

// ---- what is right -----------------------------------------------------------------------------

static int lines(const char *text) {
    int n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

// As if nothing had happened.
static void check_untouched(const Scene *s, const Contents *now, const Content *printed,
                            const char *what) {
    for (int i = 0; i < s->after.count; i++)
        CHECK(holds(now, s->after.file[i].name, &s->after.file[i]), "%s: %s is another, in silence",
              what, s->after.file[i].name);
    CHECK_INT(now->count, s->after.count);
    CHECK(holds(&s->said, "stdout", printed), "%s: what was printed is another, in silence:\n%s",
          what, printed->bytes);
}

static void check_files(const Contents *now, const Contents *may, const char *what) {
    for (int i = 0; i < now->count; i++)
        CHECK(holds(may, now->file[i].name, &now->file[i]),
              "%s: %s (%zu bytes) is none that was whole", what, now->file[i].name,
              now->file[i].size);
}

// A line for what was lost, and a second one where stdout was lost too.
typedef struct Reasons {
    const char *one, *other, *third;
} Reasons;  // any of them

static void check_line(const char *text, Reasons why, const char *what) {
    const char *second = strchr(text, '\n');
    bool both = second && lines(text) == 2 && !strncmp(second, "\ntrain: stdout: ", 16);
    CHECK(!strncmp(text, "train: ", 7) && (lines(text) == 1 || both), "%s: stderr is \"%s\"", what,
          text);
    CHECK(strstr(text, why.one) || strstr(text, why.other) || strstr(text, why.third),
          "%s: \"%s\" doesn't say \"%s\"", what, text, why.one);
}

static void judge(Scene *s, const Traced *t, Reasons why, const char *what) {
    Contents now = {0};
    Content printed = said("stdout"), complaint = said("stderr");
    char *out = out_of(NULL);
    take_all(&now, out);
    if (t->status == s->status && holds(&s->said, "stderr", &complaint)) {
        check_untouched(s, &now, &printed, what);
    } else {
        CHECK(t->status == 1 || t->status == 2, "%s: status %d: %s", what, t->status,
              complaint.bytes);
        check_line(complaint.bytes, why, what);
        check_files(&now, t->status == 1 ? &s->versions : &s->before, what);
    }
    contents_free(&now);
    drop(printed);
    drop(complaint);
    free(out);
}

Traced scene_strike(Scene *s, Fault fault) {
    char what[128];
    Traced t = play(s, fault, 0, NULL);
    snprintf(what, sizeof what, "call %d%s, %s, %s", fault.call, fault.on ? " and all after" : "",
             t.name, fault.what > 0 ? strerror(fault.what) : "half done");
    // Of a write to stdout in the middle, which is the only one to fail, nobody remembers what it
    // met with.
    const char *reason = fault.what > 0 ? strerror(fault.what) : "train: ";
    bool one = !fault.on && !strcmp(t.name, "write");
    judge(s, &t,
          one ? (Reasons){reason, reason, "not all could be written"}
              : (Reasons){reason, reason, reason},
          what);
    return t;
}

Traced scene_starve(Scene *s, int allocation) {
    char what[128];
    Traced t = play(s, (Fault){0}, allocation, NULL);
    snprintf(what, sizeof what, "allocation %d%s", abs(allocation),
             allocation < 0 ? " and all after" : "");
    if (t.status == 2) CHECK(s->status == 2, "%s: status 2", what);
    judge(s, &t, (Reasons){"memory", "memory", "memory"}, what);
    return t;
}
