#include "model/view/report/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/file.h"
#include "model/save/json.h"
#include "model/save/memory.h"
#include "model/train/arguments.h"
#include "model/view/report/page.h"

enum { BIGGEST = 256 << 20 };  // of a file that is put in

// A file that the page gets: under `id`, and how it is written there.
typedef struct Part {
    const char *id;
    char *text;  // owned
} Part;

static bool wrong(char error[RESULTS_ERROR], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool wrong(char error[RESULTS_ERROR], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, RESULTS_ERROR, format, arguments);
    va_end(arguments);
    return false;
}

// ---- reading -----------------------------------------------------------------------------------

// The whole file as a string.
static bool read_all(const char *path, char **text, char error[RESULTS_ERROR]) {
    size_t used;
    *text = file_read(path, BIGGEST, &used);
    if (!*text && errno == EFBIG)
        return wrong(error, "%.300s: over %d MB", path, BIGGEST >> 20);
    if (!*text) return wrong(error, "%.300s: can't be read: %s", path, strerror(errno));
    if (strlen(*text) < used) return wrong(error, "%.300s: a zero byte; text was expected", path);
    return true;
}

static int line_of(const char *text, const char *at) {
    int line = 1;
    for (; text < at; text++) line += *text == '\n';
    return line;
}

static bool check_json(const char *path, const char *text, const char *member,
                       char error[RESULTS_ERROR]) {
    const char *at = json_wrong(text);
    char name[64];
    if (at)
        return wrong(error, "%.300s:%d: %s", path, line_of(text, at),
                     *at ? "this is no JSON" : "it ends too early");
    snprintf(name, sizeof name, "\"%s\":", member);
    return strstr(text, name) || wrong(error, "%.300s: no %s in it; is it from a run?", path, name);
}

// A header that begins so, and as many columns in every line.
static bool check_csv(const char *path, const char *text, const char *header,
                      char error[RESULTS_ERROR]) {
    int expected = -1, line = 1;
    if (strncmp(text, header, strlen(header)))
        return wrong(error, "%.300s:1: it should begin with %.120s", path, header);
    for (const char *at = text; *at; line++) {
        int columns = 1, quoted = 0;
        for (; *at && (quoted || *at != '\n'); at++) {
            quoted ^= *at == '"';
            columns += *at == ',' && !quoted;
        }
        if (!*at) return wrong(error, "%.300s:%d: the line ends too early", path, line);
        if (expected < 0) expected = columns;
        if (columns != expected)
            return wrong(error, "%.300s:%d: %d columns; the first line has %d", path, line, columns,
                         expected);
        at++;
    }
    return line > 2 || wrong(error, "%.300s: no line after the header", path);
}

// Whether the header of a CSV has a column of that name.
static bool has_column(const char *csv, const char *name) {
    size_t length = strlen(name);
    for (const char *at = csv; ; at++) {
        size_t field = strcspn(at, ",\n");
        if (field == length && !strncmp(at, name, length)) return true;
        at += field;
        if (*at != ',') return false;
    }
}

// What the page of a sweep is drawn from; a line of it may still be empty.
static bool check_columns(const char *path, const char *csv, char error[RESULTS_ERROR]) {
    static const char *const name[] = {"parameters", "loss"};
    for (int i = 0; i < 2; i++)
        if (!has_column(csv, name[i]))
            return wrong(error, "%.300s:1: no column %s; is it from a sweep?", path, name[i]);
    return true;
}

// The string after the next `key`, which is left behind; its length, or -1 if there is none.
static int next_string(const char **at, const char *key, const char **string) {
    const char *found = strstr(*at, key);
    if (!found) return -1;
    *string = found + strlen(key);
    *at = *string;
    return (int)strcspn(*string, "\"");
}

// Whether both files have the same strings after `key`, in the same order.
static bool same_strings(const char *a, const char *b, const char *key) {
    for (;;) {
        const char *of_a, *of_b;
        int n = next_string(&a, key, &of_a), m = next_string(&b, key, &of_b);
        if (n != m || (n >= 0 && strncmp(of_a, of_b, (size_t)n))) return false;
        if (n < 0) return true;
    }
}

// A summary and snapshots of different runs would make a page that is false. A file that is laid
// out otherwise, the page itself checks.
static bool check_same_run(const char *directory, const char *summary, const char *snapshots,
                           char error[RESULTS_ERROR]) {
    static const char task[] = "\n  \"task\": \"", arm[] = "\n    {\"name\": \"";
    bool both = strstr(summary, task) && strstr(snapshots, task);  // older ones have it in one
    if ((both && !same_strings(summary, snapshots, task)) || !same_strings(summary, snapshots, arm))
        return wrong(error, "%.300s: summary.json and snapshots.json are of different runs",
                     directory);
    return true;
}

// ---- writing -----------------------------------------------------------------------------------

// Inside a script element nothing but a "<" can end it; JSON may write that as an escape.
static void write_escaped(FILE *out, const char *json) {
    for (const char *c = json; *c; c++) {
        if (*c == '<') fputs("\\u003c", out);
        else fputc(*c, out);
    }
}

static void write_part(FILE *out, const Part *part) {
    fprintf(out, "<script type=\"application/json\" id=\"%s\">\n", part->id);
    bool json = part->text[strspn(part->text, " \n\t\r")] == '{';
    if (json) write_escaped(out, part->text);
    else {  // a CSV, as one string
        char *quoted;
        size_t size;
        FILE *memory = memory_open(&quoted, &size);
        json_string(memory, part->text);
        memory_close(memory);
        write_escaped(out, quoted);
        free(quoted);
    }
    fputs("\n</script>\n", out);
}

static void write_lines(FILE *out, const char *const *line) {
    for (; *line; line++) fputs(*line, out);
}

// The page, with what belongs there in place of three of its lines.
static void write_page(FILE *out, const Part *part, int parts) {
    for (const char *const *line = page_html; *line; line++) {
        if (!strcmp(*line, "<!-- style -->\n")) write_lines(out, page_css);
        else if (!strcmp(*line, "<!-- script -->\n")) write_lines(out, page_script);
        else if (strcmp(*line, "<!-- data -->\n")) fputs(*line, out);
        else for (int i = 0; i < parts; i++) write_part(out, &part[i]);
    }
}

static bool write_file(const char *directory, const char *name, Part *part, int parts,
                       char error[RESULTS_ERROR]) {
    Result file;
    bool good = results_open(&file, directory, name, error);
    if (good) {
        write_page(file.out, part, parts);
        good = results_close(&file, error);
    }
    return good;
}

int report_write(const char *directory, char error[RESULTS_ERROR]) {
    enum { PARTS = 4 };
    Part part[PARTS] = {
        {"summary", NULL}, {"metrics", NULL}, {"symmetry", NULL}, {"snapshots", NULL}};
    static const char *const name[PARTS] = {"summary.json", "metrics.csv", "symmetry.csv",
                                            "snapshots.json"};
    static const char *const member[PARTS] = {"task", NULL, NULL, "rows"};
    static const char *const header[PARTS] = {NULL, "step,arm,loss,found,answered,",
                                              "step,arm,layer,head,", NULL};
    bool good = true;
    for (int i = 0; good && i < PARTS; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%.4000s/%s", directory, name[i]);
        good = read_all(path, &part[i].text, error)
            && (member[i] ? check_json(path, part[i].text, member[i], error)
                          : check_csv(path, part[i].text, header[i], error));
    }
    good = good && check_same_run(directory, part[0].text, part[3].text, error);
    int status = !good ? MISUSED
                 : write_file(directory, "report.html", part, PARTS, error) ? DONE : FAILED;
    for (int i = 0; i < PARTS; i++) free(part[i].text);
    return status;
}

int report_sweep(const char *csv, char written[4096], char error[RESULTS_ERROR]) {
    Part part = {"sweep", NULL};
    char directory[4096] = ".", name[4096] = "";
    const char *slash = strrchr(csv, '/'), *base = slash ? slash + 1 : csv;
    size_t stem = strlen(base);
    if (strlen(csv) > 4000) {
        wrong(error, "%.300s...: too long a name", csv);
        return MISUSED;
    }
    if (slash == csv) strcpy(directory, "/");
    else if (slash) memcpy(directory, csv, (size_t)(slash - csv) + 1);
    if (stem > 4 && !strcmp(base + stem - 4, ".csv")) stem -= 4;
    memcpy(name, base, stem);
    strcpy(name + stem, ".html");
    bool good = read_all(csv, &part.text, error) &&
                check_csv(csv, part.text, "task,arm,seed,", error) &&
                check_columns(csv, part.text, error);
    int status = !good ? MISUSED : write_file(directory, name, &part, 1, error) ? DONE : FAILED;
    if (status == DONE) {  // beside the CSV, whose name has room for it
        memcpy(written, csv, (size_t)(base - csv));
        strcpy(written + (base - csv), name);
    }
    free(part.text);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

typedef struct Asked { const char *path; bool help; } Asked;

static const Option option[] = {
    {"--help", NULL, FLAG, offsetof(Asked, help), 0, 0, FORGOTTEN, 0, "this"},
};

static bool name_path(void *to, char *word, char *error) {
    Asked *asked = to;
    if (asked->path)
        return arguments_wrong(error, "%.60s: one at a time, after %.60s", word, asked->path);
    asked->path = word;
    return true;
}

static bool is_directory(const char *path) {
    struct stat status;
    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

int command_report(int argc, char **argv) {
    Asked asked = {0};
    char error[RESULTS_ERROR], written[4096];
    if (!arguments_read((OptionTable){option, 1}, &asked, argc - 1, argv + 1, name_path, error))
        return misused(error);
    if (asked.help) {
        puts("./train report [DIR]          the page of a run once more, from DIR (out)\n"
             "./train report SWEEP.csv      a page of a sweep's figures, beside it: "
             "SWEEP.html\n\noptions");
        arguments_help(stdout, (OptionTable){option, 1});
        return printed() ? DONE : FAILED;
    }
    const char *path = asked.path ? asked.path : "out";
    size_t length = strlen(path);
    bool csv = length > 4 && !strcmp(path + length - 4, ".csv") && !is_directory(path);
    int status = csv ? report_sweep(path, written, error) : report_write(path, error);
    if (status != DONE) {
        misused(error);
        return status;
    }
    if (csv) puts(written);
    else printf("%s/report.html\n", path);
    return printed() ? DONE : FAILED;
}
