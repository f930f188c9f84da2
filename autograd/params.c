#include "params.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fatal.h"
#include "simd/loops.h"
#include "simd/sums.h"

// So many at most: each has four bytes in four arrays, and all of them are counted in a size_t.
#define MOST (SIZE_MAX / 32)

Tensor *params_add(Params *p, const char *name, bool trained, int rank, const int *shape) {
    if (p->data || p->frozen_data)
        fatal("%s: added to parameters that are sealed; params_seal comes last", name);
    if (params_find(p, name)) fatal("%s: there is a parameter of that name already", name);
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 16;
        Tensor **bigger = arena_alloc(&p->arena, (size_t)p->capacity, sizeof *bigger);
        if (p->count) memcpy(bigger, p->tensor, (size_t)p->count * sizeof *bigger);
        p->tensor = bigger;
    }
    if (rank < 0 || rank > 4) fatal("%s: rank %d; a tensor has 0 to 4 dimensions", name, rank);
    char *copy = arena_alloc(&p->arena, strlen(name) + 1, 1);
    strcpy(copy, name);
    Tensor *x = arena_alloc(&p->arena, 1, sizeof *x);
    *x = (Tensor){.rank = rank, .size = 1, .name = copy};
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 1) fatal("%s: dimension %d is %d; it must be at least 1", name, i, shape[i]);
        if (x->size > MOST / (size_t)shape[i])
            fatal("%s: more numbers than can be addressed", name);
        x->shape[i] = shape[i];
        x->size *= (size_t)shape[i];
    }
    // not NULL says "trained" until params_seal hands out arrays
    x->grad = trained ? &x->factor : NULL;
    size_t *all = trained ? &p->size : &p->frozen;
    if (x->size > MOST - *all)
        fatal("%s: with those before it more numbers than can be addressed", name);
    *all += x->size;
    return p->tensor[p->count++] = x;
}

static float *zeros(Arena *arena, size_t n) {
    float *x = arena_alloc(arena, n, sizeof *x);
    memset(x, 0, n * sizeof *x);
    return x;
}

// Gives every tensor its place in the arrays.
static void hand_out(Params *p) {
    size_t trained = 0, frozen = 0;
    for (int i = 0; i < p->count; i++) {
        Tensor *x = p->tensor[i];
        size_t *at = x->grad ? &trained : &frozen;
        x->data = (x->grad ? p->data : p->frozen_data) + *at;
        if (x->grad) x->grad = p->grad + *at;
        *at += x->size;
    }
}

void params_seal(Params *p) {
    p->data = zeros(&p->arena, p->size);
    p->grad = zeros(&p->arena, p->size);
    p->moment[0] = zeros(&p->arena, p->size);
    p->moment[1] = zeros(&p->arena, p->size);
    p->frozen_data = zeros(&p->arena, p->frozen);
    hand_out(p);
}

void params_share(Params *p, const Params *of) {
    if (p->size != of->size || p->frozen != of->frozen)
        fatal("parameters of %zu and %zu numbers can't share them with %zu and %zu", p->size,
              p->frozen, of->size, of->frozen);
    p->data = of->data;
    p->frozen_data = of->frozen_data;
    p->grad = zeros(&p->arena, p->size);
    hand_out(p);
}

Tensor *params_find(const Params *p, const char *name) {
    for (int i = 0; i < p->count; i++)
        if (!strcmp(p->tensor[i]->name, name)) return p->tensor[i];
    return NULL;
}

void params_zero_grad(Params *p) {
    if (p->size) memset(p->grad, 0, p->size * sizeof *p->grad);
}

bool params_worth_sharing(const Params *p) { return p->size >= 8 * PIECE; }

size_t params_piece(const Params *p, size_t at) {
    return p->size - at < PIECE ? p->size - at : PIECE;
}

double params_grad_norm(const Params *p) {
    double part[SUMS];
    if (!params_worth_sharing(p)) return sqrt(loops()->dot(p->size, p->grad, p->grad));
    #pragma omp parallel for
    for (size_t i = 0; i < SUMS; i++) {
        size_t from = p->size / SUMS * i, to = i + 1 < SUMS ? p->size / SUMS * (i + 1) : p->size;
        part[i] = loops()->dot(to - from, p->grad + from, p->grad + from);
    }
    return sqrt(sums_total(part));
}

void params_gather_grad(Params *p, const Params *const *from, int count, double factor) {
    #pragma omp parallel for if (params_worth_sharing(p))
    for (size_t at = 0; at < p->size; at += PIECE) {
        size_t n = params_piece(p, at);
        for (int i = 0; i < count; i++) loops()->add_to(n, from[i]->grad + at, p->grad + at);
        loops()->scale(n, (float)factor, p->grad + at, p->grad + at);
    }
}

void params_clip_grad(Params *p, double norm, double limit) {
    if (limit > 0 && norm > limit) params_gather_grad(p, NULL, 0, limit / norm);
}

const Tensor *params_not_finite(const Params *p, bool grad) {
    for (int i = 0; i < p->count; i++) {
        const float *x = grad ? p->tensor[i]->grad : p->tensor[i]->data;
        for (size_t j = 0; x && j < p->tensor[i]->size; j++)
            if (!isfinite(x[j])) return p->tensor[i];
    }
    return NULL;
}

void params_free(Params *p) {
    arena_free(&p->arena);
    *p = (Params){0};
}

void fill_normal(Tensor *x, Rng *rng, double deviation) {
    for (size_t i = 0; i < x->size; i++) x->data[i] = (float)(deviation * rng_normal(rng));
}

void fill_identity(Tensor *x) {
    int rows = x->shape[0], columns = x->shape[1];
    memset(x->data, 0, x->size * sizeof *x->data);
    for (int i = 0; i < rows && i < columns; i++)
        x->data[(size_t)i * (size_t)columns + (size_t)i] = 1;
}

void fill_copy(Tensor *x, const Tensor *from) {
    char to[64], of[64];
    if (x->rank != from->rank || memcmp(x->shape, from->shape, (size_t)x->rank * sizeof *x->shape))
        fatal("%s: %s can't be copied from %s, which is %s", x->name, tensor_shape(x, to),
              from->name, tensor_shape(from, of));
    memcpy(x->data, from->data, x->size * sizeof *x->data);
}

// Vector i of n, each of `length` numbers `stride` apart, made orthogonal to those before it and of
// length 1. Twice is enough (Giraud et al. 2005).
static void orthogonalise(double *q, int n, int length) {
    for (int i = 0; i < n; i++) {
        double *v = q + (size_t)i * (size_t)length;
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < i; j++) {
                const double *u = q + (size_t)j * (size_t)length;
                double dot = 0;
                for (int k = 0; k < length; k++) dot += u[k] * v[k];
                for (int k = 0; k < length; k++) v[k] -= dot * u[k];
            }
        double norm = 0;
        // Filled: n and length are 1 or more.
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
        for (int k = 0; k < length; k++) norm += v[k] * v[k];
        norm = sqrt(norm);
        for (int k = 0; k < length; k++) v[k] /= norm;
    }
}

void fill_orthonormal(Tensor *x, Rng *rng) {
    int rows = x->shape[0], columns = x->shape[1];
    if (rows == columns) {
        fill_identity(x);
        return;
    }
    int n = rows < columns ? rows : columns, length = rows < columns ? columns : rows;
    double *q = grow(NULL, (size_t)n * (size_t)length, sizeof *q);
    for (size_t i = 0; i < (size_t)n * (size_t)length; i++) q[i] = rng_normal(rng);
    orthogonalise(q, n, length);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < length; k++) {
            size_t at = rows < columns ? (size_t)i * (size_t)columns + (size_t)k
                                       : (size_t)k * (size_t)columns + (size_t)i;
            x->data[at] = (float)q[(size_t)i * (size_t)length + (size_t)k];
        }
    free(q);
}
