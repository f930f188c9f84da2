// A training as a list of tensors. gather() makes the list of a trainer. Saving writes it; loading
// compares a file with it, and only then copies the file's data to where the list points. Read
// checkpoint.h before; the metadata are in description.c.
#include "checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "autograd/fatal.h"
#include "model/save/description.h"
#include "model/save/memory.h"

enum { COLUMNS = 10 };  // of the history

// The part of a trainer that isn't float arrays, in the types of the file.
typedef struct State {
    int64_t step, tokens, optimizer_step, rng, next;
    double seconds;
    size_t sentences, batches;  // of an epoch; 0 if the task generates its sentences
    int64_t *order, *begin;     // (sentences) (batches)
    int points, heads;
    double *history;            // (points, COLUMNS)
    double *symmetry;           // (points, heads)
    int tensors;                // of the list; the weights come after them
} State;

// ---- the list ----------------------------------------------------------------------------------

static void put(Safetensors *s, const char *name, const char *dtype, void *data, int rank,
                size_t rows, int columns) {
    safetensors_add(s, name, (SafeTensor){.dtype = dtype, .rank = rank, .data = data,
                                          .shape = {rows, (uint64_t)columns}});
}

// An epoch that has not begun is saved as one that is over: either way the next batch begins
// another one.
static void gather_sampler(Safetensors *s, const Trainer *t, State *state) {
    const Sampler *from = &t->sampler;
    size_t n = t->task->train.count, B = (size_t)t->config.batch;
    if (!t->task->fixed_set) return;
    bool begun = from->batches;
    state->sentences = n;
    state->batches = (n + B - 1) / B;
    state->order = grow(NULL, n, sizeof *state->order);
    state->begin = grow(NULL, state->batches, sizeof *state->begin);
    for (size_t i = 0; i < n; i++) state->order[i] = (int64_t)(begun ? from->order[i] : i);
    for (size_t i = 0; i < state->batches; i++)
        state->begin[i] = (int64_t)(begun ? from->begin[i] : i * B);
    state->next = (int64_t)(begun ? from->next : state->batches);
    put(s, "sampler.next", "I64", &state->next, 0, 0, 0);
    put(s, "sampler.order", "I64", state->order, 1, n, 0);
    put(s, "sampler.begin", "I64", state->begin, 1, state->batches, 0);
}

// Those points that the curve has; where it is loaded, there is only room for them.
static void gather_history(Safetensors *s, const ArmHistory *curve, State *state) {
    size_t points = (size_t)state->points, heads = (size_t)curve->heads;
    state->heads = curve->heads;
    state->history = grow(NULL, points * COLUMNS, sizeof *state->history);
    state->symmetry = grow(NULL, points * heads, sizeof *state->symmetry);
    for (int i = 0; i < curve->count; i++) {
        const Measurement *p = &curve->point[i];
        const double row[COLUMNS] = {
            p->step, p->loss, p->attention_accuracy, p->accuracy, p->attention_nll, p->asymmetry,
            p->circulation, p->symmetry, p->cycle, p->seconds};
        memcpy(state->history + (size_t)i * COLUMNS, row, sizeof row);
    }
    size_t bytes = points * heads * sizeof *state->symmetry;
    if (curve->count) memcpy(state->symmetry, curve->head_symmetry, bytes);
    put(s, "history", "F64", state->history, 2, points, COLUMNS);
    put(s, "history.heads", "F64", state->symmetry, 2, points, curve->heads);
}

static void gather_weights(Safetensors *s, const Params *p, int moments) {
    static const char *const moment[] = {"optimizer.mean.", "optimizer.square."};
    for (int i = 0; i < p->count; i++) {
        const Tensor *w = p->tensor[i];
        SafeTensor x = {.dtype = "F32", .rank = w->rank, .data = w->data};
        for (int d = 0; d < w->rank; d++) x.shape[d] = (uint64_t)w->shape[d];
        safetensors_add(s, w->name, x);
        for (int m = 0; w->grad && m < moments; m++) {
            char name[128];
            snprintf(name, sizeof name, "%s%s", moment[m], w->name);
            x.data = p->moment[m] + (w->data - p->data);
            safetensors_add(s, name, x);
        }
    }
}

static void gather(Safetensors *s, const Trainer *t, const ArmHistory *curve, int points,
                   State *state) {
    *state = (State){.step = t->step, .tokens = t->tokens, .optimizer_step = t->optim.step,
                     .seconds = t->seconds, .points = points};
    memcpy(&state->rng, &t->rng.state, sizeof state->rng);
    put(s, "training.step", "I64", &state->step, 0, 0, 0);
    put(s, "training.tokens", "I64", &state->tokens, 0, 0, 0);
    put(s, "training.seconds", "F64", &state->seconds, 0, 0, 0);
    put(s, "training.rng", "I64", &state->rng, 0, 0, 0);
    put(s, "optimizer.step", "I64", &state->optimizer_step, 0, 0, 0);
    gather_sampler(s, t, state);
    gather_history(s, curve, state);
    state->tensors = s->name.count;
    gather_weights(s, &t->model.params, t->optim.kind == OPTIM_ADAM ? 2 : 1);
}

static void state_free(State *state) {
    free(state->order);
    free(state->begin);
    free(state->history);
    free(state->symmetry);
}

// ---- saving ------------------------------------------------------------------------------------

// The caller frees it.
static char *file_in(const char *directory, const Arm *arm) {
    return memory_print("%s/%s.safetensors", directory, arm->name);
}

bool checkpoint_exists(const char *directory, const Arm *arm) {
    struct stat status;
    char *file = file_in(directory, arm);
    bool exists = !stat(file, &status) || (errno != ENOENT && errno != ENOTDIR);
    free(file);
    return exists;
}

bool checkpoint_save(const char *directory, const Trainer *t, const Options *o,
                     const ArmHistory *curve, const char *command, char error[SAFETENSORS_ERROR]) {
    Safetensors s = {0};
    State state;
    char *file = file_in(directory, model_attention(&t->model)->arm);
    description_note(&s, t, o, command);
    gather(&s, t, curve, curve->count, &state);
    bool saved = safetensors_write(&s, file, error);
    free(file);
    safetensors_free(&s);
    state_free(&state);
    return saved;
}

// ---- comparing ---------------------------------------------------------------------------------

#define refuse(s, ...) file_refuse(error, (s)->path, __VA_ARGS__)

// Weights and what the optimiser remembers are finite; mean squares are not below 0.
static bool has_numbers(const Safetensors *s, const char *name, const SafeTensor *x, char *error) {
    double least = strncmp(name, "optimizer.square.", 17) ? -INFINITY : 0;
    float value = 0;
    uint64_t n = x->bytes / sizeof value;
    for (uint64_t k = 0; k < n; k++) {
        memcpy(&value, (const char *)x->data + k * sizeof value, sizeof value);
        if (!isfinite(value) || (double)value < least)
            return refuse(s, "tensor \"%s\": number %" PRIu64 " of %" PRIu64 " is %g; expected %s",
                          name, k + 1, n, (double)value,
                          isfinite(value) ? "none below 0" : "finite ones");
    }
    return true;
}

static bool has_tensors(const Safetensors *have, const Safetensors *want, char *error) {
    char a[256], b[256];
    for (int i = 0; i < want->name.count; i++) {
        const char *name = want->name.word[i];
        const SafeTensor *x = &want->tensor[i], *y = safetensors_find(have, name);
        if (!y || strcmp(safetensors_shape(x, a), safetensors_shape(y, b)))
            return refuse(have, "tensor \"%s\" is %.99s; expected %.99s", name, y ? b : "missing",
                          safetensors_shape(x, a));
        if (!strcmp(x->dtype, "F32") && !has_numbers(have, name, y, error)) return false;
    }
    return true;
}

// ---- loading -----------------------------------------------------------------------------------

// Are all of them 0 to `most`?
static bool in_range(const Safetensors *s, const char *name, const int64_t *x, size_t n,
                     int64_t most, char *error) {
    for (size_t i = 0; i < n; i++)
        if (x[i] < 0 || x[i] > most)
            return refuse(s, "%s is %" PRId64 "; expected 0 to %" PRId64, name, x[i], most);
    return true;
}

static bool valid_history(const Safetensors *from, const State *s, char *error) {
    double before = -1;
    for (int i = 0; i < s->points; i++) {
        double step = s->history[i * COLUMNS];
        if (!(step > before && step <= (double)s->step) || step != floor(step))
            return refuse(from, "history: step %g after %g; expected a later one, up to %" PRId64,
                          step, before, s->step);
        before = step;
    }
    return true;
}

static bool valid_state(const Safetensors *from, const State *s, char *error) {
    int64_t sentences = (int64_t)s->sentences, batches = (int64_t)s->batches;
    return in_range(from, "training.step", &s->step, 1, INT_MAX, error)
        && in_range(from, "training.tokens", &s->tokens, 1, INT64_MAX / 2, error)  // more may come
        && in_range(from, "optimizer.step", &s->optimizer_step, 1, s->step, error)
        && ((s->seconds >= 0 && s->seconds < 1e18)
            || refuse(from, "training.seconds is %g; expected a time", s->seconds))
        && in_range(from, "sampler.next", &s->next, 1, batches, error)
        && in_range(from, "sampler.order", s->order, s->sentences, sentences - 1, error)
        && in_range(from, "sampler.begin", s->begin, s->batches, sentences - 1, error)
        && valid_history(from, s, error);
}

// Nothing can change the results of a run that is over, except more steps.
static bool steps_left(const Safetensors *have, const State *state, const Trainer *t,
                       const Safetensors *want, char *error) {
    if (state->step > t->config.steps)
        return refuse(have, "%" PRId64 " steps are done; expected --steps %" PRId64 " or more",
                      state->step, state->step);
    return state->step < t->config.steps || description_same(want, have, MAY_DIFFER, error);
}

static void copy_tensors(const Safetensors *to, const Safetensors *from, int first, int end) {
    for (int i = first; i < end; i++) {
        const SafeTensor *x = safetensors_find(from, to->name.word[i]);
        if (x->bytes) memcpy(to->tensor[i].data, x->data, (size_t)x->bytes);
    }
}

static void apply(Trainer *t, ArmHistory *curve, const State *s) {
    Sampler *to = &t->sampler;
    t->step = (int)s->step;
    t->optim.step = (long)s->optimizer_step;
    t->tokens = s->tokens;
    t->seconds = s->seconds;
    memcpy(&t->rng.state, &s->rng, sizeof s->rng);
    for (int i = 0; i < s->points; i++) {
        const double *x = s->history + i * COLUMNS;
        const Measurement point = {(int)x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]};
        history_add(curve, point, s->symmetry + (size_t)i * (size_t)s->heads);
    }
    if (!t->task->fixed_set) return;
    to->batches = s->batches;
    to->next = (size_t)s->next;
    to->order = grow(to->order, s->sentences, sizeof *to->order);
    to->begin = grow(to->begin, s->batches, sizeof *to->begin);
    for (size_t i = 0; i < s->sentences; i++) to->order[i] = (size_t)s->order[i];
    for (size_t i = 0; i < s->batches; i++) to->begin[i] = (size_t)s->begin[i];
}

// How many points the file's history has. The file bounds what is then allocated for them.
static int points_of(const Safetensors *have) {
    const SafeTensor *x = safetensors_find(have, "history");
    return x && x->rank && x->shape[0] <= x->bytes / 8 && x->shape[0] <= INT_MAX / COLUMNS
           ? (int)x->shape[0] : 0;
}

static bool load_file(const char *file, Trainer *t, const Options *o, ArmHistory *curve,
                      char *error) {
    Safetensors want = {0}, have;
    State state;
    if (!safetensors_read(&have, file, error)) return false;
    description_note(&want, t, o, "");
    gather(&want, t, curve, points_of(&have), &state);
    bool good = description_same(&want, &have, MUST_AGREE, error)
             && has_tensors(&have, &want, error);
    if (good) copy_tensors(&want, &have, 0, state.tensors);
    good = good && valid_state(&have, &state, error)
        && steps_left(&have, &state, t, &want, error);
    if (good) {
        copy_tensors(&want, &have, state.tensors, want.name.count);
        apply(t, curve, &state);
    }
    safetensors_free(&want);
    safetensors_free(&have);
    state_free(&state);
    return good;
}

bool checkpoint_load(const char *path, Trainer *t, const Options *o, ArmHistory *curve,
                     char error[SAFETENSORS_ERROR]) {
    struct stat status;
    if (stat(path, &status))
        return file_refuse(error, path, "%s; expected a training to go on with", strerror(errno));
    bool directory = S_ISDIR(status.st_mode);
    char *file = directory ? file_in(path, model_attention(&t->model)->arm) : NULL;
    bool loaded = load_file(file ? file : path, t, o, curve, error);
    free(file);
    return loaded;
}

// ---- a model alone -----------------------------------------------------------------------------

// The file bounds what a model of its options allocates; a damaged option can't ask for more.
static bool is_large_enough(const Checkpoint *c, char *error) {
    const Safetensors *s = &c->file;
    ModelConfig config = options_config(&c->options).model;
    uint64_t bytes = 0, least = sizeof(float) * (uint64_t)model_size(&c->task, c->arm, config);
    for (int i = 0; i < s->name.count; i++) bytes += s->tensor[i].bytes;
    return least <= bytes
           || refuse(s, "%" PRIu64 " bytes of tensors; expected %" PRIu64
                        " or more, by its options", bytes, least);
}

// P has a row for each token of the longest sentence. Pages and queries have no order, and no P.
static bool read_length(const Safetensors *s, Task *task, char *error) {
    const SafeTensor *P = safetensors_find(s, "P");
    if (task_has_keys(task)) return true;
    if (!P || P->rank != 2 || P->shape[0] < 1 || P->shape[0] > INT_MAX)
        return refuse(s, "no tensor P that fits; expected a row for each token of a sentence");
    task->max_length = (int)P->shape[0];
    return true;
}

bool checkpoint_open(Checkpoint *c, const char *file, char error[SAFETENSORS_ERROR]) {
    *c = (Checkpoint){0};
    bool good = safetensors_read(&c->file, file, error)
             && description_read(&c->file, &c->options, &c->task, error)
             && read_length(&c->file, &c->task, error);
    c->arm = c->options.arm[0];
    good = good && is_large_enough(c, error);
    if (!good) checkpoint_close(c);
    return good;
}

bool checkpoint_weights(const Checkpoint *c, Params *params, char error[SAFETENSORS_ERROR]) {
    Safetensors want = {0};
    gather_weights(&want, params, 0);
    bool good = has_tensors(&c->file, &want, error);
    if (good) copy_tensors(&want, &c->file, 0, want.name.count);
    safetensors_free(&want);
    return good;
}

void checkpoint_close(Checkpoint *c) {
    task_free(&c->task);
    safetensors_free(&c->file);
    *c = (Checkpoint){0};
}
