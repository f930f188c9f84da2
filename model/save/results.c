#include "results.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "model/save/json.h"

static bool failed(char error[RESULTS_ERROR], const char *path, const char *what) {
    snprintf(error, RESULTS_ERROR, "%.400s: %s: %s", path, what, strerror(errno));
    return false;
}

bool results_open(Result *f, const char *directory, const char *name, char error[RESULTS_ERROR]) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return failed(error, directory, "can't be written");
    }
    return atomic_file_open(f, path) || failed(error, path, "can't be written");
}

bool results_close(Result *f, char error[RESULTS_ERROR]) {
    char path[4096];
    snprintf(path, sizeof path, "%s", f->file);
    return atomic_file_close(f) || failed(error, path, "can't be written");
}

bool results_directory(const char *directory, char error[RESULTS_ERROR]) {
    char path[4096];
    if (strlen(directory) >= sizeof path) {
        errno = ENAMETOOLONG;
        return failed(error, directory, "can't be made");
    }
    strcpy(path, directory);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) && errno != EEXIST) return failed(error, path, "can't be made");
        *slash = '/';
    }
    if (mkdir(path, 0777) && errno != EEXIST) return failed(error, path, "can't be made");
    struct stat status;
    if (!stat(path, &status) && !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return failed(error, directory, "can't be written to");
    }
    Result probe;
    if (!results_open(&probe, directory, "metrics.csv", error))
        return failed(error, directory, "can't be written to");
    atomic_file_drop(&probe);
    return true;
}

void results_number(FILE *out, double x) {
    fputc(',', out);
    if (!isnan(x)) fprintf(out, "%.9g", x);
}

bool results_metrics(const char *directory, const History *history, char error[RESULTS_ERROR]) {
    Result f;
    if (!results_open(&f, directory, "metrics.csv", error)) return false;
    fputs("step,arm,loss,found,answered,asymmetry,circulation,surprise,seconds\n", f.out);
    for (int i = 0, any = 1; any; i++) {
        any = 0;
        for (int k = 0; k < history->arms; k++) {
            const ArmHistory *arm = &history->arm[k];
            if (i >= arm->count) continue;
            const Measurement *p = &arm->point[i];
            any = 1;
            fprintf(f.out, "%d,%s", p->step, arm->name);
            const double column[] = {p->loss, p->attention_accuracy, p->accuracy, p->asymmetry, p->circulation,
                                     p->attention_nll, p->seconds};
            for (int c = 0; c < 7; c++) results_number(f.out, column[c]);
            fputc('\n', f.out);
        }
    }
    return results_close(&f, error);
}

// Layers and heads from 1, as in the tables.
bool results_symmetry(const char *directory, const History *history, char error[RESULTS_ERROR]) {
    Result f;
    if (!results_open(&f, directory, "symmetry.csv", error)) return false;
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
    return results_close(&f, error);
}

static void member(FILE *out, const char *name, double x) {
    fprintf(out, ", \"%s\": ", name);
    json_number(out, x);
}

static void write_arm(FILE *out, const ArmHistory *arm, int text) {
    const Measurement *last = history_newest(arm);
    fputs("    {\"name\": ", out);
    json_string(out, arm->name);
    fprintf(out, ", \"parameters\": %ld, \"steps\": %d", arm->parameters, last->step);
    member(out, "loss", last->loss);
    if (text) member(out, "bits", last->loss / log(2));
    member(out, "found", last->attention_accuracy);
    member(out, "answered", last->accuracy);
    member(out, "cycle_attention_accuracy", arm->cycle_attention_accuracy);
    member(out, "cycle_accuracy", arm->cycle_accuracy);
    member(out, "surprise", last->attention_nll);
    member(out, "asymmetry", last->asymmetry);
    member(out, "circulation", last->circulation);
    member(out, "seconds", last->seconds);
    member(out, "tokens", arm->tokens);
    member(out, "memory", (double)arm->memory);
    fputs(",\n     \"M\": {\"symmetry\": ", out);
    json_number(out, arm->singular ? arm->symmetry : NAN);
    fputs(", \"singular_values\": [", out);
    for (int i = 0; i < arm->singular_values; i++) {
        fputs(i ? ", " : "", out);
        // As many as there are. NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
        json_number(out, arm->singular[i]);
    }
    fputs("]},\n     \"relations\": {", out);
    const char *comma = "";
    for (int i = 0; i < arm->relations; i++) {
        const RelationScore *r = &arm->relation[i];
        if (!r->questions) continue;
        fprintf(out, "%s\n       ", comma);
        comma = ",";
        json_string(out, r->name);
        fprintf(out, ": {\"questions\": %ld", r->questions);
        member(out, "found", r->attention_accuracy);
        member(out, "answered", r->accuracy);
        member(out, "surprise", r->attention_nll);
        fputc('}', out);
    }
    fputs("}}", out);
}

bool results_summary(const char *directory, const History *history, const Options *options,
                     char error[RESULTS_ERROR]) {
    Result f;
    if (!results_open(&f, directory, "summary.json", error)) return false;
    fputs("{\n  \"task\": ", f.out);
    json_string(f.out, history->task);
    fprintf(f.out, ",\n  \"seed\": %llu,\n  \"command\": ", history->seed);
    json_string(f.out, history->command);
    fputs(",\n  \"options\": {", f.out);
    options_json(f.out, options);
    fputs("\n  },\n  \"random_asymmetry\": [", f.out);
    json_number(f.out, history->random_low);
    fputs(", ", f.out);
    json_number(f.out, history->random_high);
    fputs("],\n  \"baselines\": {", f.out);
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
    return results_close(&f, error);
}

// NumPy's header is a Python literal, padded with spaces so that the data
// start at a multiple of 64.
bool results_npy(const char *directory, const char *name, const float *data, int rank,
                 const int *shape, char error[RESULTS_ERROR]) {
    char header[256], file[256];
    const uint16_t one = 1;
    size_t size = 1;
    int n = snprintf(header, sizeof header, "{'descr': '%cf4', 'fortran_order': False, 'shape': (",
                     *(const unsigned char *)&one ? '<' : '>');
    for (int i = 0; i < rank; i++) {
        n += snprintf(header + n, sizeof header - (size_t)n, "%d,%s", shape[i],
                      i + 1 < rank ? " " : "");
        size *= (size_t)shape[i];
    }
    if (rank > 1) n--;  // only a tuple of one ends in a comma
    n += snprintf(header + n, sizeof header - (size_t)n, "), }");
    int padded = (10 + n + 1 + 63) / 64 * 64 - 10;
    Result f;
    snprintf(file, sizeof file, "%s.npy", name);
    if (!results_open(&f, directory, file, error)) return false;
    fwrite("\x93NUMPY\x01\x00", 1, 8, f.out);
    fputc(padded & 255, f.out);
    fputc(padded >> 8, f.out);
    fprintf(f.out, "%s%*s\n", header, padded - n - 1, "");
    fwrite(data, sizeof *data, size, f.out);
    return results_close(&f, error);
}
