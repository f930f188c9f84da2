#include "setup.h"

#include <string.h>

#include "test.h"


void setup_open(Setup *s, const char *command) {
    char error[OPTIONS_ERROR], *argv[64], *rest = NULL;
    int argc = 0;
    CHECK(strlen(command) < sizeof s->text, "%s: too long", command);
    strcpy(s->text, command);
    for (char *word = strtok_r(s->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    CHECK(parse_options(&s->options, argc, argv, error), "%s: %s", command, error);
    char why[TASK_ERROR];
    CHECK(tasks_open(&s->task, &s->options, why), "%s", why);
}

void setup_close(Setup *s) { task_free(&s->task); }

void setup_batch(const Setup *s, Batch *batch, int B, int at_least) {
    size_t which[64];
    for (int i = 0; i < B; i++) which[i] = (size_t)i;
    if (s->task.is_text) task_batch(&s->task, which, B, batch);
    else batch_fill(batch, &s->task.held_out, which, B, at_least);
}

const char *setup_arms(void) {
    static char list[16 * ARMS_MOST];
    size_t used = 0;
    for (int i = 0; i < arm_count; i++)
        used += (size_t)sprintf(list + used, "%s%s", i ? ", " : "", arm_table[i].name);
    return list;
}

const char *setup_tasks(void) {
    static char list[256];
    size_t used = 0;
    for (int i = 0; i < task_count; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 task_table[i].name);
    return list;
}

void setup_normal(Tensor *x, uint64_t seed, double deviation) {
    Rng rng = rng_new(seed, 77);
    fill_normal(x, &rng, deviation);
}

void setup_same_bits(const char *what, const float *got, const float *expected, size_t n) {
    for (size_t i = 0; i < n; i++)
        CHECK(!memcmp(got + i, expected + i, sizeof *got),
              "%s: [%zu] of %zu: expected the bits of %.9g, got %.9g", what, i, n,
              (double)expected[i], (double)got[i]);
}

void setup_near(const char *what, const float *got, const double *expected, size_t n,
                double tolerance) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(expected[i]));
    for (size_t i = 0; i < n; i++)
        CHECK(fabs(got[i] - expected[i]) <= tolerance * largest,
              "%s: [%zu] of %zu: expected %.9g, got %.9g", what, i, n, expected[i], (double)got[i]);
}

void setup_check_tensor(const Safetensors *s, const char *name, const char *shape, size_t begin) {
    const SafeTensor *x = safetensors_find(s, name);
    char text[256];
    CHECK(x, "no tensor %s", name);
    CHECK_STRING(safetensors_shape(x, text), shape);
    safetensors_swap(x);  // back to the order of the file
    for (size_t i = 0; i < x->bytes; i++)
        CHECK_INT(((unsigned char *)x->data)[i], (begin + i) % 256);
}

Task setup_coref(SourceOptions o, const char *train, const char *dev) {
    Task task;
    char error[TASK_ERROR] = "";
    o.file = train;
    o.dev = dev;
    CHECK(coref_load(&task, &o, error), "expected a task, got \"%s\"", error);
    return task;
}
