// What a training is, as tensors. Saving and loading share one list, made from a trainer: saving
// writes it; loading compares a file with it, and only then copies into what it points to.
#include "checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "autograd/fatal.h"
#include "data/utf8.h"
#include "model/save/description.h"
#include "model/save/results.h"

enum { COLUMNS = 9, SHOWN = 72 };  // of the history; bytes of a message for a name

// What isn't floats in one of the trainer's arrays, on its way to or from a file.
typedef struct State {
    int64_t step, tokens, optimizer_step, rng, next;
    double seconds;
    int64_t *order, *begin;  // (sentences) (batches) NULL where the task generates
    double *history;         // (points, COLUMNS)
    int tensors;             // of the list: the weights follow
} State;

static void put(Safetensors *s, const char *dtype, void *data, int rank, uint64_t n,
                const char *name) {
    safetensors_add(s, name,
                    (SafeTensor){.dtype = dtype, .rank = rank, .shape = {n}, .data = data});
}

// An epoch that hasn't begun is saved as one that is over: the next batch
// begins another either way.
static void gather_sampler(Safetensors *s, const Trainer *t, State *state) {
    size_t n = t->task->train.count, B = (size_t)t->config.batch, batches = (n + B - 1) / B;
    const Sampler *from = &t->sampler;
    if (!t->task->fixed_set) return;
    state->order = grow(NULL, n, sizeof *state->order);
    state->begin = grow(NULL, batches, sizeof *state->begin);
    bool begun = from->batches;
    for (size_t i = 0; i < n; i++) state->order[i] = (int64_t)(begun ? from->order[i] : i);
    for (size_t i = 0; i < batches; i++)
        state->begin[i] = (int64_t)(begun ? from->begin[i] : i * B);
    state->next = (int64_t)(begun ? from->next : batches);
    put(s, "I64", &state->next, 0, 0, "sampler.next");
    put(s, "I64", state->order, 1, n, "sampler.order");
    put(s, "I64", state->begin, 1, batches, "sampler.begin");
}

static void gather_history(Safetensors *s, const ArmHistory *curve, State *state) {
    state->history = grow(NULL, (size_t)curve->count * COLUMNS, sizeof *state->history);
    for (int i = 0; i < curve->count; i++) {
        const Measurement *p = &curve->point[i];
        const double row[COLUMNS] = {p->step,        p->loss,     p->attention_accuracy,
                                     p->accuracy,    p->attention_nll, p->asymmetry,
                                     p->circulation, p->symmetry, p->seconds};
        memcpy(state->history + (size_t)i * COLUMNS, row, sizeof row);
    }
    safetensors_add(s, "history", (SafeTensor){.dtype = "F64", .rank = 2, .data = state->history,
                                               .shape = {(uint64_t)curve->count, COLUMNS}});
    safetensors_add(s, "history.heads",
                    (SafeTensor){.dtype = "F64",
                                 .rank = 2,
                                 .data = curve->head_symmetry,
                                 .shape = {(uint64_t)curve->count, (uint64_t)curve->heads}});
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

static void gather(Safetensors *s, const Trainer *t, const ArmHistory *curve, State *state) {
    *state = (State){.step = t->step, .tokens = t->tokens, .optimizer_step = t->optim.step,
                     .seconds = t->seconds};
    memcpy(&state->rng, &t->rng.state, sizeof state->rng);
    put(s, "I64", &state->step, 0, 0, "training.step");
    put(s, "I64", &state->tokens, 0, 0, "training.tokens");
    put(s, "F64", &state->seconds, 0, 0, "training.seconds");
    put(s, "I64", &state->rng, 0, 0, "training.rng");
    put(s, "I64", &state->optimizer_step, 0, 0, "optimizer.step");
    gather_sampler(s, t, state);
    state->tensors = s->name.count;
    if (curve) gather_history(s, curve, state);
    gather_weights(s, &t->model.params, t->optim.kind == OPTIM_ADAM ? 2 : 1);
}

static void state_free(State *state) {
    free(state->order);
    free(state->begin);
    free(state->history);
}

// The caller frees it.
static char *file_in(const char *directory, const Arm *arm) {
    size_t size = strlen(directory) + strlen(arm->name) + sizeof "/.safetensors";
    char *file = grow(NULL, size, 1);
    snprintf(file, size, "%s/%s.safetensors", directory, arm->name);
    return file;
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
    gather(&s, t, curve, &state);
    bool saved = safetensors_write(&s, file, error);
    free(file);
    safetensors_free(&s);
    state_free(&state);
    return saved;
}

// A file, and where complaints about it go.
typedef struct Source {
    const Safetensors *have;
    const char *file;
    char *error;
} Source;

#define refuse(s, ...) safetensors_refuse((s)->error, (s)->file, __VA_ARGS__)

static bool has_tensors(const Source *s, const Safetensors *want) {
    char a[256], b[256];
    for (int i = 0; i < want->name.count; i++) {
        const SafeTensor *x = &want->tensor[i], *y = safetensors_find(s->have, want->name.word[i]);
        safetensors_shape(x, a);
        if (!y || strcmp(a, safetensors_shape(y, b)))
            return refuse(s, "tensor \"%s\" is %.99s; expected %.99s", want->name.word[i],
                          y ? b : "missing", a);
    }
    return true;
}

// Weights are finite, and so is what the optimiser remembers; squares are no less than 0.
static bool are_numbers(const Source *s, const Safetensors *want) {
    for (int i = 0; i < want->name.count; i++) {
        const char *name = want->name.word[i];
        const SafeTensor *x = safetensors_find(s->have, name);
        double least = strncmp(name, "optimizer.square.", 17) ? -INFINITY : 0;
        float value = 0;
        uint64_t n = strcmp(x->dtype, "F32") ? 0 : x->bytes / sizeof value;
        for (uint64_t k = 0; k < n; k++) {
            memcpy(&value, (const char *)x->data + k * sizeof value, sizeof value);
            if (!isfinite(value) || (double)value < least)
                return refuse(s,
                              "tensor \"%s\": number %" PRIu64 " of %" PRIu64 " is %g; expected %s",
                              name, k + 1, n, (double)value,
                              least < 0 ? "finite ones" : "none below 0");
        }
    }
    return true;
}

static bool same_tensors(const Source *s, const Safetensors *want) {
    const Safetensors *have = s->have;
    char b[256], shown[SHOWN];
    if (!has_tensors(s, want)) return false;
    for (int i = 0; i < have->name.count; i++)
        if (!safetensors_find(want, have->name.word[i]) && strcmp(have->name.word[i], "history")
            && strcmp(have->name.word[i], "history.heads"))
            return refuse(s, "tensor \"%s\" is %.99s; expected none of that name",
                          utf8_show(shown, sizeof shown, have->name.word[i]),
                          safetensors_shape(&have->tensor[i], b));
    return true;
}

// ---- loading -----------------------------------------------------------------------------------

// A permutation of 0, by, 2 by, ..., (n-1) by.
static bool is_permutation(const int64_t *x, size_t n, int64_t by) {
    bool *seen = zeroed(n, sizeof *seen), good = true;
    for (size_t i = 0; i < n && good; i++) {
        good = x[i] >= 0 && x[i] % by == 0 && x[i] / by < (int64_t)n && !seen[x[i] / by];
        if (good) seen[x[i] / by] = true;
    }
    free(seen);
    return good;
}

static bool valid_state(const Source *from, const State *s, const Trainer *t) {
    int64_t n = (int64_t)t->task->train.count, B = t->config.batch, batches = (n + B - 1) / B;
    if (s->step < 0 || s->step > INT_MAX)
        return refuse(from, "training.step is %" PRId64 "; expected 0 to %d", s->step, INT_MAX);
    if (s->tokens < 0 || s->tokens > INT64_MAX / 2)  // there is room for more
        return refuse(from, "training.tokens is %" PRId64 "; expected a count", s->tokens);
    if (s->optimizer_step < 0 || s->optimizer_step > s->step)
        return refuse(from, "optimizer.step is %" PRId64 "; expected 0 to %" PRId64,
                      s->optimizer_step, s->step);
    if (!(s->seconds >= 0 && s->seconds < 1e18))
        return refuse(from, "training.seconds is %g; expected a time", s->seconds);
    if (!t->task->fixed_set) return true;
    if (s->next < 0 || s->next > batches)
        return refuse(from, "sampler.next is %" PRId64 "; expected 0 to %" PRId64, s->next,
                      batches);
    if (!is_permutation(s->order, (size_t)n, 1) || !is_permutation(s->begin, (size_t)batches, B))
        return refuse(from, "sampler.%s is no order; expected each place once",
                      is_permutation(s->order, (size_t)n, 1) ? "begin" : "order");
    return true;
}

// A table of so many columns, or NULL.
static const SafeTensor *history_table(const Source *s, const char *name, uint64_t columns) {
    const SafeTensor *x = safetensors_find(s->have, name);
    char shape[256];
    if (x && !strcmp(x->dtype, "F64") && x->rank == 2 && x->shape[1] == columns
        && x->shape[0] <= INT_MAX)
        return x;
    refuse(s, "tensor \"%s\" is %.99s; expected F64 (points, %" PRIu64 ")", name,
           x ? safetensors_shape(x, shape) : "missing", columns);
    return NULL;
}

static bool same_points(const Source *s, const SafeTensor *x, const SafeTensor *heads) {
    return x->shape[0] == heads->shape[0]
           || refuse(s,
                     "tensor \"history.heads\" has %" PRIu64 " rows; expected %" PRIu64
                     ", as \"history\"",
                     heads->shape[0], x->shape[0]);
}

// Looks at all of it first.
static bool load_history(const Source *s, int64_t step, ArmHistory *curve) {
    double row[COLUMNS] = {0}, before = -1;
    if (!curve || !safetensors_find(s->have, "history")) return true;
    size_t heads = (size_t)curve->heads;
    const SafeTensor *x = history_table(s, "history", COLUMNS);
    const SafeTensor *y = x ? history_table(s, "history.heads", heads) : NULL;
    if (!y) return false;
    const char *at = x->data, *symmetry = y->data;
    for (uint64_t i = 0; i < x->shape[0]; i++, at += sizeof row, before = row[0]) {
        memcpy(row, at, sizeof row);
        if (!(row[0] > before && row[0] <= (double)step) || row[0] != floor(row[0]))
            return refuse(s, "history: step %g after %g; expected a later one, up to %" PRId64,
                          row[0], before, step);
    }
    if (!same_points(s, x, y)) return false;
    double *of_heads = grow(NULL, heads, sizeof *of_heads);
    at = x->data;
    for (uint64_t i = 0; i < x->shape[0];
         i++, at += sizeof row, symmetry += heads * sizeof *of_heads) {
        memcpy(row, at, sizeof row);
        memcpy(of_heads, symmetry, heads * sizeof *of_heads);
        history_add(curve,
                    (Measurement){(int)row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7],
                            row[8]},
                    of_heads);
    }
    free(of_heads);
    return true;
}

static void copy_tensors(const Safetensors *to, const Safetensors *from, int first, int end) {
    for (int i = first; i < end; i++) {
        const SafeTensor *x = safetensors_find(from, to->name.word[i]);
        if (x->bytes) memcpy(to->tensor[i].data, x->data, (size_t)x->bytes);
    }
}

static void apply(Trainer *t, const State *s) {
    size_t n = t->task->train.count, B = (size_t)t->config.batch;
    Sampler *to = &t->sampler;
    t->step = (int)s->step;
    t->optim.step = (long)s->optimizer_step;
    t->tokens = s->tokens;
    t->seconds = s->seconds;
    memcpy(&t->rng.state, &s->rng, sizeof s->rng);
    if (!t->task->fixed_set) return;
    to->batches = (n + B - 1) / B;
    to->next = (size_t)s->next;
    to->order = grow(to->order, n, sizeof *to->order);
    to->begin = grow(to->begin, to->batches, sizeof *to->begin);
    for (size_t i = 0; i < n; i++) to->order[i] = (size_t)s->order[i];
    for (size_t i = 0; i < to->batches; i++) to->begin[i] = (size_t)s->begin[i];
}

// A run that is over can only be asked for its results again: what would
// change them must have changed steps.
static bool steps_left(const Source *s, const State *state, const Trainer *t,
                       const Safetensors *want) {
    if (state->step > t->config.steps)
        return refuse(s, "%" PRId64 " steps are done; expected --steps %" PRId64 " or more",
                      state->step, state->step);
    return state->step < t->config.steps || description_settled(want, s->have, s->file, s->error);
}

static bool load_file(const char *file, Trainer *t, const Options *o, ArmHistory *curve,
                      char *error) {
    Safetensors want = {0}, have;
    State state;
    const Source s = {&have, file, error};
    if (!safetensors_read(&have, file, error)) return false;
    description_note(&want, t, o, "");
    gather(&want, t, NULL, &state);
    bool good = description_same(&want, &have, file, error) && same_tensors(&s, &want)
             && are_numbers(&s, &want);
    if (good) copy_tensors(&want, &have, 0, state.tensors);
    good = good && valid_state(&s, &state, t) && steps_left(&s, &state, t, &want)
        && load_history(&s, state.step, curve);
    if (good) {
        copy_tensors(&want, &have, state.tensors, want.name.count);
        apply(t, &state);
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
        return safetensors_refuse(error, path, "%s; expected a training to go on with",
                                  strerror(errno));
    bool directory = S_ISDIR(status.st_mode);
    char *file = directory ? file_in(path, model_attention(&t->model)->arm) : NULL;
    bool loaded = load_file(file ? file : path, t, o, curve, error);
    free(file);
    return loaded;
}

// ---- a model alone -----------------------------------------------------------------------------

static bool is_matrix(const Safetensors *s, const char *name, int columns) {
    const SafeTensor *x = safetensors_find(s, name);
    return x && !strcmp(x->dtype, "F32") && x->rank == 2 && x->shape[0] >= 1
           && x->shape[0] <= INT_MAX && x->shape[1] == (uint64_t)columns;
}

static bool is_large_enough(const Checkpoint *c, const char *file, char error[SAFETENSORS_ERROR]) {
    ModelConfig config = options_config(&c->options).model;
    uint64_t bytes = 0, least = sizeof(float) * (uint64_t)model_size(&c->task, c->arm, config);
    for (int i = 0; i < c->file.name.count; i++) bytes += c->file.tensor[i].bytes;
    return least <= bytes
           || safetensors_refuse(error, file,
                                 "%" PRIu64 " bytes of tensors; expected %" PRIu64
                                 " or more, by its options",
                                 bytes, least);
}

// The tables and the sizes are looked at here: what a damaged file has a model allocate is bounded
// by the file.
bool checkpoint_open(Checkpoint *c, const char *file, char error[SAFETENSORS_ERROR]) {
    *c = (Checkpoint){0};
    bool good = safetensors_read(&c->file, file, error)
             && description_read(&c->file, &c->options, &c->task, file, error);
    int D = c->options.d_model, words = c->task.vocab[FEATURE_WORD].count;
    bool ordered = !task_has_keys(&c->task);  // else there is no P: pages and queries have no order
    if (good && ((ordered && !is_matrix(&c->file, "P", D)) || !is_matrix(&c->file, "E", D)
                 || safetensors_find(&c->file, "E")->shape[0] != (uint64_t)words))
        good = safetensors_refuse(error, file,
                                  "no tensors E and P that fit; expected F32 (%d, %d) and "
                                  "F32 (tokens, %d)",
                                  words, D, D);
    if (good) {
        c->arm = c->options.arm[0];
        if (ordered) c->task.max_length = (int)safetensors_find(&c->file, "P")->shape[0];
    }
    good = good && is_large_enough(c, file, error);
    if (!good) checkpoint_close(c);
    return good;
}

bool checkpoint_weights(const Checkpoint *c, const char *file, Params *params,
                        char error[SAFETENSORS_ERROR]) {
    Safetensors want = {0};
    const Source s = {&c->file, file, error};
    gather_weights(&want, params, 0);
    bool good = has_tensors(&s, &want) && are_numbers(&s, &want);
    if (good) copy_tensors(&want, &c->file, 0, want.name.count);
    safetensors_free(&want);
    return good;
}

void checkpoint_close(Checkpoint *c) {
    task_free(&c->task);
    safetensors_free(&c->file);
    *c = (Checkpoint){0};
}
