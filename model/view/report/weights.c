// Chooses which arms' weights go into a page, and writes them. Read weights.h first.
#include "model/view/report/weights.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "autograd/fatal.h"
#include "data/file.h"
#include "model/arms.h"
#include "model/save/json.h"
#include "model/save/memory.h"
#include "model/save/safetensors.h"

typedef struct Carried {
    char name[32];
    Safetensors read, kept;           // its file, and what goes into the page
    char missing[SAFETENSORS_ERROR];  // why nothing does, or ""
} Carried;

typedef struct Weights {
    Carried arm[ARMS_MOST];           // in the order of the run
    int arms, tensors;
    const SafeTensor **tensor;        // (tensors) all that go into the page, each once
    uint64_t bytes;                   // of those
} Weights;

// ---- choosing ----------------------------------------------------------------------------------

// Names of arms alone: a name becomes part of a path, and a summary may come from anybody.
static void name_arms(Weights *w, const char *summary) {
    static const char before[] = "\n    {\"name\": \"";
    for (const char *at = summary; w->arms < ARMS_MOST && (at = strstr(at, before));) {
        char *name = w->arm[w->arms].name;
        at += strlen(before);
        snprintf(name, sizeof w->arm->name, "%.*s", (int)strcspn(at, "\""), at);
        int known = 0;
        while (strcmp(w->arm[known].name, name)) known++;  // the name itself ends it
        w->arms += arm_find(name) && known == w->arms;
    }
}

// Is the file of the run that the summary is of? Then both have its command.
static bool is_of_run(const Safetensors *s, const char *summary) {
    const char *command = safetensors_metadata(s, "command");
    char *text;
    size_t size;
    FILE *out = memory_open(&text, &size);
    fputs("\n  \"command\": ", out);
    json_string(out, command ? command : "");
    memory_close(out);
    bool same = strstr(summary, text);
    free(text);
    return same;
}

static bool same_tensor(const SafeTensor *a, const SafeTensor *b) {
    return a->bytes == b->bytes && !memcmp(a->data, b->data, (size_t)a->bytes);
}

// The place of a tensor among those that go into the page; their number if it isn't there.
static int place_of(const Weights *w, const SafeTensor *x) {
    int i = 0;
    while (i < w->tensors && !same_tensor(w->tensor[i], x)) i++;
    return i;
}

// What the model is built of: other floats are the optimiser's, and what is no float the trainer's.
static void keep_weights(Carried *arm) {
    for (int i = 0; i < arm->read.name.count; i++) {
        const char *name = arm->read.name.word[i];
        if (!strcmp(arm->read.tensor[i].dtype, "F32") && strncmp(name, "optimizer.", 10))
            safetensors_add(&arm->kept, name, arm->read.tensor[i]);
    }
    for (int i = 0; i < arm->read.key.count; i++)
        safetensors_note(&arm->kept, arm->read.key.word[i], arm->read.value[i]);
}

static void no_room(Carried *arm, const char *what, uint64_t bytes) {
    snprintf(arm->missing, sizeof arm->missing,
             "%s %.1f MB, and a page has room for %.1f MB of weights", what, (double)bytes / 1e6,
             WEIGHTS_MOST / 1e6);
}

// Adds the arm's weights, if there is room for those that no other arm has. A third of a file at
// least is weights, but for a small rest: one that is very large isn't even read.
static void carry(Weights *w, Carried *arm, const char *file, const char *summary) {
    uint64_t more = 0;
    struct stat status;
    if (!file_is_own(file, arm->missing)) return;
    if (!stat(file, &status) && status.st_size > 16 * WEIGHTS_MOST) {
        no_room(arm, "its file has", (uint64_t)status.st_size);
        return;
    }
    if (!safetensors_read(&arm->read, file, arm->missing)) return;
    if (!is_of_run(&arm->read, summary)) {
        snprintf(arm->missing, sizeof arm->missing, "its file is of another run");
        return;
    }
    keep_weights(arm);
    int count = arm->kept.name.count;
    for (int i = 0; i < count; i++)
        if (place_of(w, &arm->kept.tensor[i]) == w->tensors) more += arm->kept.tensor[i].bytes;
    if (w->bytes + more > WEIGHTS_MOST) {
        no_room(arm, w->bytes ? "it needs another" : "its weights have", more);
        return;
    }
    w->tensor = grow(w->tensor, (size_t)(w->tensors + count), sizeof *w->tensor);
    for (int i = 0; i < count; i++) {
        const SafeTensor *x = &arm->kept.tensor[i];
        if (place_of(w, x) == w->tensors) w->tensor[w->tensors++] = x;
    }
    w->bytes += more;
}

// The pair that the page's heading names gets room first.
static void choose(Weights *w, const char *directory, const char *summary, const char *snapshots) {
    static const char before[] = "\n  \"pair\": [";
    const char *at = strstr(snapshots, before);
    int pair[2] = {-1, -1};
    if (at) sscanf(at + strlen(before), "%d,%d", &pair[0], &pair[1]);
    for (int others = 0; others < 2; others++)
        for (int k = w->arms - 1; k >= 0; k--) {
            if ((k != pair[0] && k != pair[1]) != others) continue;
            char *file = memory_print("%s/%s.safetensors", directory, w->arm[k].name);
            carry(w, &w->arm[k], file, summary);
            free(file);
            if (!w->arm[k].missing[0]) continue;
            safetensors_free(&w->arm[k].kept);
            safetensors_free(&w->arm[k].read);
        }
}

// ---- writing -----------------------------------------------------------------------------------

static void write_base64(FILE *out, const unsigned char *x, uint64_t n) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (uint64_t i = 0; i < n; i += 3) {
        unsigned bits = (unsigned)x[i] << 16;
        if (i + 1 < n) bits |= (unsigned)x[i + 1] << 8;
        if (i + 2 < n) bits |= x[i + 2];
        fputc(digit[bits >> 18], out);
        fputc(digit[bits >> 12 & 63], out);
        fputc(i + 1 < n ? digit[bits >> 6 & 63] : '=', out);
        fputc(i + 2 < n ? digit[bits & 63] : '=', out);
    }
}

static void write_arm(FILE *out, const Weights *w, const Carried *arm) {
    json_string(out, arm->name);
    if (arm->missing[0]) {
        fputs(": {\"missing\": ", out);
        json_string(out, arm->missing);
    } else {
        char *header = safetensors_header(&arm->kept, &(size_t){0});
        fputs(": {\"header\": ", out);
        json_string(out, header);
        fputs(", \"tensors\": [", out);
        for (int i = 0; i < arm->kept.name.count; i++)
            fprintf(out, "%s%d", i ? "," : "", place_of(w, &arm->kept.tensor[i]));
        fputc(']', out);
        free(header);
    }
    fputc('}', out);
}

char *weights_of(const char *directory, const char *summary, const char *snapshots) {
    Weights *w = zeroed(1, sizeof *w);
    char *text;
    size_t size;
    name_arms(w, summary);
    choose(w, directory, summary, snapshots);
    FILE *out = memory_open(&text, &size);
    fprintf(out, "{\n  \"most\": %d,\n  \"arms\": {", WEIGHTS_MOST);
    for (int k = 0; k < w->arms; k++) {
        fputs(k ? ",\n    " : "\n    ", out);
        write_arm(out, w, &w->arm[k]);
    }
    fputs("\n  },\n  \"tensors\": [", out);
    for (int i = 0; i < w->tensors; i++) {
        fputs(i ? ",\n    \"" : "\n    \"", out);
        safetensors_swap(w->tensor[i]);
        write_base64(out, w->tensor[i]->data, w->tensor[i]->bytes);
        safetensors_swap(w->tensor[i]);  // back
        fputc('"', out);
    }
    fputs("\n  ]\n}\n", out);
    memory_close(out);
    for (int k = 0; k < w->arms; k++) {
        safetensors_free(&w->arm[k].kept);
        safetensors_free(&w->arm[k].read);
    }
    free(w->tensor);
    free(w);
    return text;
}
