// A file of weights: what is read is the same when it is written and read again, a model opened
// from it answers or refuses, and a training that accepts it goes on, saves it and accepts that.
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "models.h"
#include "model/save/safetensors.h"
#include "model/train/record.h"
#include "model/view/saved_model.h"

static Tiny tiny[TINY];

// ---- seeds -------------------------------------------------------------------------------------

// What this version saves is where a run may start from: FUZZ_DIR/seeds.
static void copy_seed(const char *from, const char *name) {
    static unsigned char bytes[1 << 16];
    char to[600];
    FILE *f = fopen(from, "rb");
    HOLDS(f);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    HOLDS(n < sizeof bytes);
    fclose(f);
    mkdir(fuzz_path("seeds"), 0777);
    snprintf(to, sizeof to, "%s/%s", fuzz_path("seeds"), name);
    fuzz_write(to, bytes, n);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    for (int i = 0; i < TINY; i++) copy_seed(tiny_open(&tiny[i], i), tiny[i].name);
    return 0;
}

// ---- mutations ---------------------------------------------------------------------------------

// Half of them change the JSON alone and say its new length, else hardly any would get past that.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    static uint8_t json[1 << 16], tail[1 << 16];
    uint64_t n = 0;
    for (int i = 0; i < 8 && size >= 8; i++) n |= (uint64_t)data[i] << 8 * i;
    if (seed % 2 || size < 8 || n > size - 8 || size > sizeof json || max_size < size)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t rest = size - 8 - (size_t)n, room = max_size - 8 - rest;
    memcpy(json, data + 8, (size_t)n);
    memcpy(tail, data + 8 + n, rest);
    n = LLVMFuzzerMutate(json, (size_t)n, room < sizeof json ? room : sizeof json);
    for (int i = 0; i < 8; i++) data[i] = (uint8_t)(n >> 8 * i);
    memcpy(data + 8, json, (size_t)n);
    memcpy(data + 8 + n, tail, rest);
    return 8 + (size_t)n + rest;
}

// ---- properties --------------------------------------------------------------------------------

static void check_same(const Safetensors *a, const Safetensors *b) {
    HOLDS(a->name.count == b->name.count && a->key.count == b->key.count);
    for (int i = 0; i < a->name.count; i++) {
        const SafeTensor *x = &a->tensor[i], *y = safetensors_find(b, a->name.word[i]);
        HOLDS(y && !strcmp(x->dtype, y->dtype) && x->rank == y->rank && x->bytes == y->bytes);
        HOLDS(!memcmp(x->shape, y->shape, (size_t)x->rank * sizeof *x->shape));
        HOLDS(!x->bytes || !memcmp(x->data, y->data, (size_t)x->bytes));
    }
    for (int i = 0; i < a->key.count; i++) {
        const char *value = safetensors_metadata(b, a->key.word[i]);
        HOLDS(value && !strcmp(a->value[i], value));
    }
}

static void check_file(const char *path) {
    const char *written = fuzz_path("again.safetensors");
    char error[SAFETENSORS_ERROR] = "";
    Safetensors s, again;
    if (!safetensors_read(&s, path, error)) {
        fuzz_refused(error, "; expected ");
        HOLDS(!s.file && !s.tensor && !s.value && !s.name.count && !s.key.count);
        return;
    }
    HOLDS(safetensors_write(&s, written, error));
    HOLDS(safetensors_read(&again, written, error));
    check_same(&s, &again);
    safetensors_free(&again);
    safetensors_free(&s);
}

static const char *sentence_of(const Task *task) {
    if (task->fixed_set && !strcmp(task->name, "pronoun")) return "the dog saw it | it -> dog";
    if (!strcmp(task->name, "pronoun")) return "the king gave the dog to the nun so he smiled .";
    if (!strcmp(task->name, "search")) return "bread:otter rivers:heron rivers? bread?";
    if (!strcmp(task->name, "recall")) return "ba:17 ko:4 ko? ba?";
    if (!strcmp(task->name, "heads"))
        return task->vocab[FEATURE_TAG].count ? "The/DET dog/NOUN" : "The dog";
    return "the king";
}

static void check_model(const char *path) {
    char error[SAVED_MODEL_ERROR] = "";
    SavedModel m;
    Inspected x;
    if (saved_model_open(&m, path, error)) {
        if (saved_model_inspect(&m, sentence_of(&m.saved.task), 1, &x, error)) {
            fuzz_batch(&m.saved.task, &m.given.batch);
            for (int i = 0; i < x.layers; i++) inspect_attention(&x, i, ALL_HEADS);
        } else {
            fuzz_refused(error, "");
        }
        saved_model_close(&m);
    } else {
        fuzz_refused(error, "");
    }
}

// Loads, takes a step where there is one left, and saves.
static void check_training(Tiny *t, const char *path) {
    char error[SAFETENSORS_ERROR] = "";
    t->curve.count = 0;
    if (!checkpoint_load(path, &t->trainer, &t->options, &t->curve, error)) {
        fuzz_refused(error, "; expected ");
        return;
    }
    int step = t->trainer.step;
    HOLDS(step >= 0 && step <= t->options.steps);
    if (step < t->options.steps) trainer_run(&t->trainer, step + 1, NULL);
    if (!*t->trainer.failure) record_note(&t->trainer, 2, &t->curve);
    t->trainer.failure[0] = '\0';
    HOLDS(checkpoint_save(fuzz_path(t->name), &t->trainer, &t->options, &t->curve, "./train",
                          error));
    t->curve.count = 0;
    HOLDS(checkpoint_load(fuzz_path(t->name), &t->trainer, &t->options, &t->curve, error));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_path("input.safetensors");
    char kept[600];
    snprintf(kept, sizeof kept, "%s", path);
    fuzz_write(kept, data, size);
    check_file(kept);
    check_model(kept);
    for (int i = 0; i < TINY; i++) check_training(&tiny[i], kept);
    return 0;
}
