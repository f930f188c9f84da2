// The files that a run leaves for people and other programs: tables, a summary, arrays. A figure
// has one name in all of them, from the table `figures`.
#include "results.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/save/json.h"
#include "model/save/memory.h"

bool results_directory(const char *directory, char error[RESULTS_ERROR]) {
    char *path = memory_print("%s", directory), *slash = path;
    bool made = true;
    while (made && slash) {
        slash = strchr(slash + 1, '/');
        if (slash) *slash = '\0';
        made = !mkdir(path, 0777) || errno == EEXIST
               || file_refuse(error, path, "can't be made: %s", strerror(errno));
        if (slash) *slash = '/';
    }
    free(path);
    AtomicFile probe;
    if (!made || !atomic_file_open_in(&probe, directory, "metrics.csv", error)) return false;
    atomic_file_drop(&probe);
    return true;
}

void results_number(FILE *out, double x) {
    fputc(',', out);
    if (!isnan(x)) fprintf(out, "%.9g", x);
}

// The figures of a measurement, under the names that they have in every file.
static const struct { const char *name; size_t offset; } figures[] = {
    {"loss", offsetof(Measurement, loss)},
    {"attention_accuracy", offsetof(Measurement, attention_accuracy)},
    {"accuracy", offsetof(Measurement, accuracy)},
    {"asymmetry", offsetof(Measurement, asymmetry)},
    {"circulation", offsetof(Measurement, circulation)},
    {"attention_nll", offsetof(Measurement, attention_nll)},
    {"cycle_attention_accuracy", offsetof(Measurement, cycle)},
    {"seconds", offsetof(Measurement, seconds)},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static double figure(const Measurement *m, int i) {
    return *(const double *)(const void *)((const char *)m + figures[i].offset);
}

bool results_metrics(const char *directory, const History *history, char error[RESULTS_ERROR]) {
    AtomicFile f;
    if (!atomic_file_open_in(&f, directory, "metrics.csv", error)) return false;
    fputs("step,arm", f.out);
    for (int c = 0; c < FIGURES; c++) fprintf(f.out, ",%s", figures[c].name);
    fputc('\n', f.out);
    for (int i = 0, any = 1; any; i++) {
        any = 0;
        for (int k = 0; k < history->arms; k++) {
            const ArmHistory *arm = &history->arm[k];
            if (i >= arm->count) continue;
            any = 1;
            fprintf(f.out, "%d,%s", arm->point[i].step, arm->name);
            for (int c = 0; c < FIGURES; c++) results_number(f.out, figure(&arm->point[i], c));
            fputc('\n', f.out);
        }
    }
    return atomic_file_close(&f, error);
}

// Layers and heads from 1, as in the tables.
bool results_symmetry(const char *directory, const History *history, char error[RESULTS_ERROR]) {
    AtomicFile f;
    if (!atomic_file_open_in(&f, directory, "symmetry.csv", error)) return false;
    fputs("step,arm,layer,head,symmetry\n", f.out);
    for (int k = 0; k < history->arms; k++) {
        const ArmHistory *arm = &history->arm[k];
        for (int i = 0; i < arm->count; i++)
            for (int h = 0, head = 1; h < arm->heads; h++, head++) {
                if (h && arm->layer_of[h] != arm->layer_of[h - 1]) head = 1;
                fprintf(f.out, "%d,%s,%d,%d", arm->point[i].step, arm->name, arm->layer_of[h] + 1,
                        head);
                results_number(f.out,
                               arm->head_symmetry[(size_t)i * (size_t)arm->heads + (size_t)h]);
                fputc('\n', f.out);
            }
    }
    return atomic_file_close(&f, error);
}

static void member(FILE *out, const char *name, double x) {
    fprintf(out, ", \"%s\": ", name);
    json_number(out, x);
}

static void write_relations(FILE *out, const ArmHistory *arm) {
    const char *comma = "";
    fputs("\"relations\": {", out);
    for (int i = 0; i < arm->relations; i++) {
        const RelationScore *r = &arm->relation[i];
        if (!r->questions) continue;
        fprintf(out, "%s\n       ", comma);
        comma = ",";
        json_string(out, r->name);
        fprintf(out, ": {\"questions\": %ld", r->questions);
        member(out, "attention_accuracy", r->attention_accuracy);
        member(out, "accuracy", r->accuracy);
        member(out, "attention_nll", r->attention_nll);
        fputc('}', out);
    }
    fputc('}', out);
}

static void write_arm(FILE *out, const ArmHistory *arm, bool text) {
    const Measurement *last = history_newest(arm);
    fputs("    {\"name\": ", out);
    json_string(out, arm->name);
    fprintf(out, ", \"parameters\": %ld, \"steps\": %d", arm->parameters, last->step);
    for (int i = 0; i < FIGURES; i++) member(out, figures[i].name, figure(last, i));
    if (text) member(out, "bits_per_character", last->loss / log(2));
    member(out, "cycle_accuracy", arm->cycle_accuracy);
    member(out, "tokens", arm->tokens);
    member(out, "memory_bytes", (double)arm->memory);
    fputs(",\n     \"M\": {\"symmetry\": ", out);
    json_number(out, arm->singular ? arm->symmetry : NAN);
    fputs(", \"singular_values\": ", out);
    json_numbers(out, arm->singular, arm->singular_values);
    fputs("},\n     ", out);
    write_relations(out, arm);
    fputc('}', out);
}

void results_begin(FILE *out, const History *history) {
    fputs("{\n  \"format\": \"" RESULTS_FORMAT "\",\n  \"task\": ", out);
    json_string(out, history->task);
    fprintf(out, ",\n  \"seed\": \"%llu\",\n  \"command\": ", history->seed);
    json_string(out, history->command);
    fputs(",\n", out);
}

void results_option(FILE *out, const Option *option, const Options *options) {
    char text[32];
    const char *value = arguments_value(option, options, text);
    if (option->kind == FLAG) fputs(value ? "true" : "false", out);
    else results_value(out, option, value);
}

void results_value(FILE *out, const Option *option, const char *value) {
    if (option->kind == INT || option->kind == REAL) fputs(value, out);
    else json_string(out, value);
}

// Options that are not saved with a model change how a run is seen, and not what it computes.
static void write_options(FILE *out, const Options *options) {
    const char *comma = "";
    fputs("  \"options\": {", out);
    for (int i = 0; i < options_table.count; i++) {
        const Option *option = &options_table.option[i];
        if (option->saved == FORGOTTEN) continue;
        fprintf(out, "%s\n    \"%s\": ", comma, option->name + 2);
        results_option(out, option, options);
        comma = ",";
    }
    fputs("\n  }", out);
}

bool results_summary(const char *directory, const History *history, const Options *options,
                     char error[RESULTS_ERROR]) {
    AtomicFile f;
    if (!atomic_file_open_in(&f, directory, "summary.json", error)) return false;
    results_begin(f.out, history);
    write_options(f.out, options);
    fputs(",\n  \"random_asymmetry\": ", f.out);
    json_numbers(f.out, (const double[]){history->random_low, history->random_high}, 2);
    fputs(",\n  \"baselines\": {", f.out);
    for (int i = 0; i < history->baselines; i++) {
        fputs(i ? ", " : "", f.out);
        json_string(f.out, history->baseline_name[i]);
        fputs(": ", f.out);
        json_number(f.out, history->baseline[i]);
    }
    fputs("},\n  \"arms\": [\n", f.out);
    for (int k = 0; k < history->arms; k++) {
        if (k) fputs(",\n", f.out);
        write_arm(f.out, &history->arm[k], history->text);
    }
    fputs("\n  ]\n}\n", f.out);
    return atomic_file_close(&f, error);
}

// NumPy's header is a Python literal, padded with spaces: the data start at a multiple of 64.
bool results_npy(const char *directory, const char *name, const float *data, int rank,
                 const int *shape, char error[RESULTS_ERROR]) {
    char header[256], file[256];
    const uint16_t one = 1;
    size_t size = 1;
    int n = snprintf(header, sizeof header, "{'descr': '%cf4', 'fortran_order': False, 'shape': (",
                     *(const unsigned char *)&one ? '<' : '>');
    for (int i = 0; i < rank; i++) {
        n += snprintf(header + n, sizeof header - (size_t)n, "%s%d", i ? ", " : "", shape[i]);
        size *= (size_t)shape[i];
    }
    n += snprintf(header + n, sizeof header - (size_t)n, "%s), }", rank == 1 ? "," : "");
    int padded = (10 + n + 1 + 63) / 64 * 64 - 10;
    AtomicFile f;
    snprintf(file, sizeof file, "%s.npy", name);
    if (!atomic_file_open_in(&f, directory, file, error)) return false;
    fwrite("\x93NUMPY\x01\x00", 1, 8, f.out);
    fputc(padded & 255, f.out);
    fputc(padded >> 8, f.out);
    fprintf(f.out, "%s%*s\n", header, padded - n - 1, "");
    fwrite(data, sizeof *data, size, f.out);
    return atomic_file_close(&f, error);
}
