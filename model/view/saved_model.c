// Opens a saved model for `show` and `sample`, and reads the sentence that it is given: typed, or
// one of its task's own. Read saved_model.h first.
#include "model/view/saved_model.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/file.h"
#include "data/utf8.h"
#include "model/save/memory.h"
#include "model/train/tasks.h"
#include "model/view/typed.h"

enum { WINDOW = 24 };  // characters of a text that fit a window

// Shown by a text model whose own text isn't there.
static const char ours[] = "the king gave the old book";

// ---- the model ---------------------------------------------------------------------------------

static bool is_model(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && dot != name && !strcmp(dot, ".safetensors");
}

// The one model of a directory; the caller frees it. NULL: `error` says how many there are.
static char *only_model(const char *path, DIR *directory, char error[SAVED_MODEL_ERROR]) {
    char *file = NULL, shown[200];
    int count = 0;
    errno = 0;
    for (struct dirent *entry; (entry = readdir(directory)); errno = 0) {
        if (!is_model(entry->d_name)) continue;
        count++;
        // The first in order, so that the message is the same on every file system.
        if (file && strcmp(entry->d_name, file + strlen(path) + 1) > 0) continue;
        free(file);
        file = memory_print("%s/%s", path, entry->d_name);
    }
    int reason = errno;
    if (count == 1 && !reason && file_is_own(file, error)) return file;
    utf8_show(shown, sizeof shown, file ? file : path);
    if (reason || !count)
        file_refuse(error, path, "%s", reason ? strerror(reason)
                    : "no model in it; expected the .safetensors file of a run");
    else if (count > 1)
        snprintf(error, SAVED_MODEL_ERROR,
                 "%d models in that directory; expected the name of one, such as %s", count, shown);
    free(file);
    return NULL;
}

static char *find_model(const char *path, char error[SAVED_MODEL_ERROR]) {
    DIR *directory = opendir(path);
    char *file = NULL;
    if (directory) {
        file = only_model(path, directory, error);
        closedir(directory);
    } else if (errno == ENOMEM) {
        fatal("out of memory: %s can't be opened", path);
    } else if (errno != ENOTDIR && errno != ENOENT) {
        file_refuse(error, path, "%s; expected a model, or the directory of one", strerror(errno));
    } else {
        file = memory_print("%s", path);
    }
    return file;
}

bool saved_model_open(SavedModel *m, const char *path, char error[SAVED_MODEL_ERROR]) {
    *m = (SavedModel){.tape.no_gradients = true, .file = find_model(path, error)};
    const Checkpoint *c = &m->saved;
    bool good = m->file && checkpoint_open(&m->saved, m->file, error);
    if (good) {
        model_init(&m->model, &c->task, c->arm, options_config(&c->options).model, 0);
        good = checkpoint_weights(c, &m->model.params, error);
    }
    if (!good) saved_model_close(m);
    return good;
}

void saved_model_close(SavedModel *m) {
    if (m->model.task) model_free(&m->model);
    tape_free(&m->tape);
    example_free(&m->given);
    if (m->saved.arm) checkpoint_close(&m->saved);
    free(m->file);
    *m = (SavedModel){0};
}

// ---- the sentence ------------------------------------------------------------------------------

static bool read_generated(SavedModel *m, uint64_t seed, char error[SAVED_MODEL_ERROR]) {
    const Options *o = &m->saved.options;
    char *text = typed_generate(o, seed, error);
    bool good = text && typed_read(&m->given, &m->saved.task, o, text, seed, error);
    snprintf(m->origin, sizeof m->origin, "made up from seed %llu", (unsigned long long)seed);
    free(text);
    return good;
}

// Its own text can't be read: `why` says so.
static bool read_ours(SavedModel *m, const char *why, RandomSource random,
                      char error[SAVED_MODEL_ERROR]) {
    char part[sizeof ours];
    snprintf(m->origin, sizeof m->origin, "one of ours, as its own text can't be read (%.300s)",
             why);
    snprintf(part, sizeof part, "%.*s", m->saved.task.max_length, ours);
    m->given.random = random;
    return tasks_source(&m->saved.options)->typed(&m->given, &m->saved.task, part, error);
}

static bool read_from_file(SavedModel *m, uint64_t seed, char error[SAVED_MODEL_ERROR]) {
    const Options *o = &m->saved.options;
    const Task *task = &m->saved.task;
    uint64_t number = seed ? seed - 1 : 0;
    char why[TASK_ERROR], shown[200];
    Rng rng = rng_new(seed ? seed : o->seed, STREAM_HIDDEN);
    SourceOptions source = tasks_source_options(o, random_source(&rng));
    source.context = task->max_length < WINDOW ? task->max_length : WINDOW;
    bool good = tasks_source(o)->held_out(&m->given, task, &source, number, why);
    if (!good && task->is_text) return read_ours(m, why, source.random, error);
    if (!good && !m->given.unknown)
        snprintf(error, SAVED_MODEL_ERROR, "%.440s; give a sentence instead", why);
    utf8_show(shown, sizeof shown, source.dev ? source.dev : source.file);
    snprintf(m->origin, sizeof m->origin,
             m->given.trained_on ? "%s %llu of %s; it was trained on, too"
                           : "%s %llu of what is held out of %s",
             task->is_text ? "window" : "sentence", (unsigned long long)number + 1, shown);
    return good;
}

// Finite weights may be so large that what comes of them isn't; no figure would mean anything.
static bool is_sound(const SavedModel *m, const Inspected *x, char error[SAVED_MODEL_ERROR]) {
    for (int i = 0; i <= x->layers; i++) {  // the scores of each layer, then the logits
        const Tensor *t = i < x->layers ? x->forward.layer[i].S : x->forward.logits;
        for (size_t k = 0; t && k < t->size; k++)
            if (!isfinite(t->data[k]))
                return file_refuse(error, m->file, "%s that aren't finite numbers; "
                                   "expected a trained model", i < x->layers ? "scores" : "logits");
    }
    return true;
}

bool saved_model_inspect(SavedModel *m, const char *sentence, uint64_t seed, Inspected *x,
                         char error[SAVED_MODEL_ERROR]) {
    const Options *o = &m->saved.options;
    uint64_t luck = seed ? seed : o->seed;
    tape_reset(&m->tape);
    example_free(&m->given);
    m->origin[0] = '\0';
    bool good = sentence      ? typed_read(&m->given, &m->saved.task, o, sentence, luck, error)
                : tasks_source(o)->held_out ? read_from_file(m, seed, error)
                              : read_generated(m, luck, error);
    if (!good && m->given.unknown) typed_unknown(&m->given, o, error);
    if (!good) return false;
    if (!typed_attends(&m->given, &m->saved.task, o, error)) return false;
    *x = inspect(&m->model, &m->tape, &m->given.batch, &m->given.sentences, 0);
    return is_sound(m, x, error);
}
