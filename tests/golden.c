#include "golden.h"

#include <string.h>

#include "test.h"

static void read_tensor(Golden *g, char *line, FILE *file) {
    int shape[4], rank = 0;
    char *rest = NULL, *name = strtok_r(line, " \n", &rest);
    CHECK(name, "%s: a line without a name", g->name);
    for (char *word; (word = strtok_r(NULL, " \n", &rest)); rank++) {
        CHECK(rank < 4 && sscanf(word, "%d", shape + rank) == 1, "%s: %s: a wrong shape", g->name,
              name);
    }
    Tensor *x = tape_tensor(&g->tape, rank, shape);
    char *copy = arena_alloc(&g->tape.arena, strlen(name) + 1, 1);
    x->name = strcpy(copy, name);
    for (size_t i = 0; i < x->size; i++)
        CHECK(fscanf(file, "%f", x->data + i) == 1, "%s: %s: number %zu is missing", g->name, name,
              i);
    CHECK(fgetc(file) == '\n', "%s: %s: more than %zu numbers", g->name, name, x->size);
}

Golden golden_read(const char *name) {
    Golden g = {.name = name};
    char line[512];
    snprintf(line, sizeof line, "tests/golden/%s.txt", name);
    FILE *file = fopen(line, "r");
    CHECK(file, "%s: can't be opened; tests run in the directory of the Makefile", line);
    while (fgets(line, sizeof line, file)) read_tensor(&g, line, file);
    fclose(file);
    CHECK(g.tape.last, "%s: an empty golden file", name);
    return g;
}

void golden_free(Golden *g) { tape_free(&g->tape); }

static Tensor *look_for(const Golden *g, const char *tensor) {
    Tensor *x = g->tape.last;
    while (x && strcmp(x->name, tensor)) x = x->prev;
    return x;
}

bool golden_has(const Golden *g, const char *tensor) { return look_for(g, tensor) != NULL; }

Tensor *golden_find(const Golden *g, const char *tensor) {
    Tensor *x = look_for(g, tensor);
    CHECK(x, "%s: no tensor %s", g->name, tensor);
    return x;
}

float golden_number(const Golden *g, const char *tensor) {
    const Tensor *x = golden_find(g, tensor);
    CHECK(x->size == 1, "%s: %s holds %zu numbers, not one", g->name, tensor, x->size);
    return x->data[0];
}

const int *golden_integers(Golden *g, const char *tensor) {
    const Tensor *x = golden_find(g, tensor);
    int *integers = arena_alloc(&g->tape.arena, x->size, sizeof *integers);
    for (size_t i = 0; i < x->size; i++) integers[i] = (int)x->data[i];
    return integers;
}

void golden_fill(const Golden *g, const char *tensor, Tensor *x) {
    const Tensor *from = golden_find(g, tensor);
    char expected[64], got[64];
    CHECK(!strcmp(tensor_shape(from, expected), tensor_shape(x, got)),
          "%s: %s: expected shape %s, got %s", g->name, tensor, expected, got);
    memcpy(x->data, from->data, x->size * sizeof *x->data);
}

void golden_compare(const Golden *g, const char *tensor, const float *got, size_t size,
                    double tolerance) {
    const Tensor *expected = golden_find(g, tensor);
    CHECK(expected->size == size, "%s: %s: expected %zu numbers, got %zu", g->name, tensor,
          expected->size, size);
    double largest = 0;
    for (size_t i = 0; i < size; i++)
        if (isfinite(expected->data[i])) largest = fmax(largest, fabs((double)expected->data[i]));
    for (size_t i = 0; i < size; i++) {
        double e = expected->data[i], error = fabs(got[i] - e);
        CHECK(isinf(e) ? got[i] == expected->data[i] : error <= tolerance * largest,
              "%s: %s[%zu]: expected %.9g, got %.9g", g->name, tensor, i, e, (double)got[i]);
    }
}
