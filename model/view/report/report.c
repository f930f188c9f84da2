// Makes the page from the files of a run or of a sweep: checks that they are whole and have this
// version's layout, and puts them into the page unchanged. The page's script reads and draws them.
#include "model/view/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "autograd/fatal.h"
#include "data/file.h"
#include "model/arms.h"
#include "model/save/json.h"
#include "model/save/memory.h"
#include "model/train/arguments.h"
#include "model/view/commands.h"
#include "model/view/report/weights.h"

enum { BIGGEST = 256 << 20 };  // of a file that is put in

// A file that becomes part of the page, in a script element with this id.
typedef struct Part {
    const char *id, *file;
    const char *begin;  // what its text must begin with: that is its layout
    char *text;         // owned; NULL: the page has no such part
} Part;

// Does the page answer what is typed? Then the weights are its last part.
static bool has_weights(const Part *part, int parts) {
    return part[parts - 1].text && !strcmp(part[parts - 1].id, "weights");
}

// ---- reading -----------------------------------------------------------------------------------

static bool wrong_layout(const char *path, const char *expected, char error[RESULTS_ERROR]) {
    return file_refuse(error, path, "another layout, as of an older version; expected %s; "
                       "write the file again with this ./train", expected);
}

static bool has_layout(const char *path, const Part *part, char error[RESULTS_ERROR]) {
    bool json = *part->begin == '{';
    const char *rest = strchr(part->text, '\n');
    char columns[220];
    if (!strncmp(part->text, part->begin, strlen(part->begin)))
        return json || (rest && rest[1])
               || file_refuse(error, path, "no line after the header");
    snprintf(columns, sizeof columns, "the columns %.*s", (int)strcspn(part->begin, "\n"),
             part->begin);
    return wrong_layout(path, json ? "\"format\": \"" RESULTS_FORMAT "\"" : columns, error);
}

// What a spreadsheet or an editor makes of a table: \r\n ends its lines, and nothing the last one.
// Of a sweep, that one is whole if it has as many fields as the first; a run's own tables end as
// they were written. Gives the bytes of the text.
static size_t mend_table(Part *part) {
    char *to = part->text;
    int first = 0, commas = 0;
    for (const char *from = to; *from; from++) {
        if (*from != '\r' || (from[1] && from[1] != '\n')) *to++ = *from;
        commas += *from == ',';
        if (*from != '\n') continue;
        if (!first) first = commas;
        commas = 0;
    }
    strcpy(to, commas && commas == first && !strcmp(part->id, "sweep") ? "\n" : "");
    return strlen(part->text);
}

// The whole file as a string. Files are written whole or not at all, so the end is checked only
// against a copy that was cut short.
static bool read_part(const char *path, Part *part, char error[RESULTS_ERROR]) {
    const char *end = *part->begin == '{' ? "\n}\n" : "\n";
    size_t used, tail = strlen(end);
    part->text = file_text(path, BIGGEST, &used, "a file of at most 256 MiB", error);
    if (!part->text) return false;
    if (strlen(part->text) < used)
        return file_refuse(error, path, "a zero byte; text was expected");
    if (*part->begin != '{') {
        part->text = grow(part->text, used + 2, 1);
        used = mend_table(part);
    }
    if (used < tail || strcmp(part->text + used - tail, end))
        return file_refuse(error, path, "it ends too early");
    return has_layout(path, part, error);
}

// The lines with which all JSON files of one run begin: results_begin().
static size_t beginning(const char *json) {
    const char *at = json;
    for (int line = 0; line < 5 && *at; line++) at += strcspn(at, "\n") + 1;
    return (size_t)(at - json);
}

// A summary and snapshots of different runs would make a page that is false.
static bool same_run(const char *directory, const char *a, const char *b,
                     char error[RESULTS_ERROR]) {
    size_t n = beginning(a);
    return (n == beginning(b) && !memcmp(a, b, n))
           || file_refuse(error, directory,
                          "summary.json and snapshots.json are of different runs");
}

// ---- writing -----------------------------------------------------------------------------------

// Inside a script element nothing but a "<" can end it; JSON may write that as an escape.
static void write_escaped(FILE *out, const char *json) {
    for (const char *c = json; *c; c++) {
        if (*c == '<') fputs("\\u003c", out);
        else fputc(*c, out);
    }
}

// A JSON file as it is, a CSV as one string.
static void write_part(FILE *out, const Part *part) {
    fprintf(out, "<script type=\"application/json\" id=\"%s\">\n", part->id);
    if (part->text[strspn(part->text, " \n\r\t")] == '{') write_escaped(out, part->text);
    else json_text(out, part->text, '<');
    fputs("\n</script>\n", out);
}

static void write_lines(FILE *out, const char *const *line) {
    for (; *line; line++) fputs(*line, out);
}

static void write_script(FILE *out, const char *id, const char *const *line) {
    fprintf(out, "<script type=\"text/plain\" id=\"%s\">\n", id);
    write_lines(out, line);
    fputs("</script>\n", out);
}

static void write_data(FILE *out, const Part *part, int parts) {
    for (int i = 0; i < parts; i++)
        if (part[i].text) write_part(out, &part[i]);
    if (!has_weights(part, parts)) return;
    write_script(out, "answer.wasm", page_module);
    write_script(out, "answer.js", page_worker);
    write_script(out, "notices", page_notices);
}

// The page, with what belongs there in place of four of its lines.
static void write_page(FILE *out, const Part *part, int parts) {
    for (const char *const *line = page_html; *line; line++) {
        if (!strcmp(*line, "<!-- style -->\n")) write_lines(out, page_css);
        else if (!strcmp(*line, "<!-- script -->\n")) write_lines(out, page_script);
        else if (!strcmp(*line, "<!-- data -->\n")) write_data(out, part, parts);
        else if (strcmp(*line, "<!-- policy -->\n")) fputs(*line, out);
        else if (has_weights(part, parts)) fputs("'wasm-unsafe-eval'; worker-src blob:\n", out);
    }
}

static bool write_file(const char *path, const Part *part, int parts, char error[RESULTS_ERROR]) {
    AtomicFile file;
    if (!atomic_file_open(&file, path, error)) return false;
    write_page(file.out, part, parts);
    return atomic_file_close(&file, error);
}

int report_write(const char *directory, char error[RESULTS_ERROR]) {
    static const char format[] = "{\n  \"format\": \"" RESULTS_FORMAT "\",\n";
    enum { PARTS = 5, FILES = 4 };
    Part part[PARTS] = {
        {"summary", "summary.json", format, NULL},
        {"snapshots", "snapshots.json", format, NULL},
        {"metrics", "metrics.csv", "step,arm,loss,attention_accuracy,accuracy,asymmetry,"
                                   "circulation,attention_nll,"
                                   "cycle_attention_accuracy,seconds\n", NULL},
        {"symmetry", "symmetry.csv", "step,arm,layer,head,symmetry\n", NULL},
        {"weights", NULL, NULL, NULL},
    };
    char path[4096];
    bool good = true;
    for (int i = 0; good && i < FILES; i++) {
        snprintf(path, sizeof path, "%.4000s/%s", directory, part[i].file);
        good = file_is_own(path, error) && read_part(path, &part[i], error);
    }
    good = good && part[0].text && part[1].text
        && same_run(directory, part[0].text, part[1].text, error);
    if (good && page_module[0])
        part[FILES].text = weights_of(directory, part[0].text, part[1].text);
    snprintf(path, sizeof path, "%.4000s/report.html", directory);
    int status = !good ? MISUSED : write_file(path, part, PARTS, error) ? DONE : FAILED;
    for (int i = 0; i < PARTS; i++) free(part[i].text);
    return status;
}

// {"xxt": "#8A8A8A", ...}, in the order of the table. The caller frees it.
static char *arm_colours(void) {
    char *text;
    size_t size;
    FILE *out = memory_open(&text, &size);
    for (int i = 0; i < arm_count; i++)
        fprintf(out, "%s\"%s\": \"#%06X\"", i ? ", " : "{", arm_table[i].name,
                (unsigned)arm_table[i].colour);
    fputc('}', out);
    memory_close(out);
    return text;
}

int report_sweep(const char *csv, char written[4096], char error[RESULTS_ERROR]) {
    static const char figures[] = ",parameters,steps,loss,attention_accuracy,accuracy";
    Part part[] = {{"sweep", csv, "task,arm,seed,", NULL}, {"arms", NULL, NULL, NULL}};
    size_t stem = strlen(csv);
    if (stem > 4000) {
        snprintf(error, RESULTS_ERROR, "%.300s...: too long a name", csv);
        return MISUSED;
    }
    if (stem > 4 && !strcmp(csv + stem - 4, ".csv")) stem -= 4;
    snprintf(written, 4096, "%.*s.html", (int)stem, csv);
    bool good = read_part(csv, &part[0], error);
    const char *found = good ? strstr(part[0].text, figures) : NULL;
    if (good && (!found || found > strchr(part[0].text, '\n')))
        good = wrong_layout(csv, "the columns task,arm,seed, those swept, then parameters,steps,"
                                 "loss,attention_accuracy,accuracy", error);
    part[1].text = arm_colours();
    int status = !good ? MISUSED : write_file(written, part, 2, error) ? DONE : FAILED;
    free(part[0].text);
    free(part[1].text);
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
