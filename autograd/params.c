// The weights of a model: named tensors over flat arrays. Read tape.h before it, optim.c after it.
// First come the tensors and their places, then loops over all gradients, then how weights start.
#include "params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fatal.h"
#include "simd/loops.h"

Tensor *params_add(Params *p, const char *name, bool trained, int rank, const int *shape) {
    if (p->sealed) fatal("%s: added to parameters that are sealed; params_seal comes last", name);
    if (params_find(p, name)) fatal("%s: there is a parameter of that name already", name);
    Tensor *x = tensor_new(&p->arena, name, rank, shape);
    x->name = strcpy(arena_alloc(&p->arena, strlen(name) + 1, 1), name);
    x->wants_grad = trained;
    size_t *all = trained ? &p->size : &p->frozen;
    if (x->size > TENSOR_MOST - *all)
        fatal("%s: with those before it more numbers than can be addressed", name);
    *all += x->size;
    p->tensor = grow_one(p->tensor, (size_t)p->count, sizeof *p->tensor);
    return p->tensor[p->count++] = x;
}

static void need_seal(const Params *p, const char *call) {
    if (p->count && !p->sealed)
        fatal("%s: the parameters have no data yet; call params_seal first", call);
}

static float *zeros(Arena *arena, size_t n) {
    return memset(arena_alloc(arena, n, sizeof(float)), 0, n * sizeof(float));
}

// Gives every tensor its place in the arrays, which are there by now.
static void hand_out(Params *p) {
    size_t trained = 0, frozen = 0;
    for (int i = 0; i < p->count; i++) {
        Tensor *x = p->tensor[i];
        size_t *at = x->wants_grad ? &trained : &frozen;
        x->data = (x->wants_grad ? p->data : p->frozen_data) + *at;
        if (x->wants_grad) x->grad = p->grad + *at;
        *at += x->size;
    }
    p->sealed = true;
}

void params_seal(Params *p) {
    if (p->sealed)
        fatal("params_seal: these parameters are sealed already; a second time would clear them");
    p->data = zeros(&p->arena, p->size);
    p->grad = zeros(&p->arena, p->size);
    p->moment[0] = zeros(&p->arena, p->size);
    p->moment[1] = zeros(&p->arena, p->size);
    p->frozen_data = zeros(&p->arena, p->frozen);
    hand_out(p);
}

void params_share(Params *p, const Params *of) {
    if (p->sealed) fatal("params_share: call it instead of params_seal, not after it");
    need_seal(of, "params_share");
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

void params_free(Params *p) {
    arena_free(&p->arena);
    free(p->tensor);
    *p = (Params){0};
}

// ---- loops over all gradients ------------------------------------------------------------------

void params_zero_grad(Params *p) {
    need_seal(p, "params_zero_grad");
    for (int i = 0; i < p->count; i++) p->tensor[i]->grad_unset = p->tensor[i]->wants_grad;
}

void params_need_grad(const Params *p, const char *call) {
    need_seal(p, call);
    for (int i = 0; i < p->count; i++)
        if (p->tensor[i]->grad_unset) grad_start(p->tensor[i]);
}

bool params_worth_sharing(const Params *p) { return p->size >= 8 * PIECE; }

size_t params_piece(const Params *p, size_t at) {
    return p->size - at < PIECE ? p->size - at : PIECE;
}

// Many gradients are summed in SUMS parts, however many threads there are: the order of the sum,
// and so its bits, don't depend on the threads.
double params_grad_norm(const Params *p) {
    double part[SUMS];
    params_need_grad(p, "params_grad_norm");
    if (!params_worth_sharing(p)) return sqrt(loops()->dot(p->size, p->grad, p->grad));
    #pragma omp parallel for
    for (size_t i = 0; i < SUMS; i++) {
        size_t from = p->size / SUMS * i, to = i + 1 < SUMS ? p->size / SUMS * (i + 1) : p->size;
        part[i] = loops()->dot(to - from, p->grad + from, p->grad + from);
    }
    return sqrt(sums_total(part));
}

void params_gather_grad(Params *p, const Params *const *from, int count, double factor) {
    params_need_grad(p, "params_gather_grad");
    for (int i = 0; i < count; i++) params_need_grad(from[i], "params_gather_grad");
    #pragma omp parallel for if (params_worth_sharing(p))
    for (size_t at = 0; at < p->size; at += PIECE) {
        size_t n = params_piece(p, at);
        for (int i = 0; i < count; i++) loops()->add_to(n, from[i]->grad + at, p->grad + at);
        loops()->shrink(n, (float)factor, 0, p->grad + at);
    }
}

void params_clip_grad(Params *p, double norm, double limit) {
    if (limit > 0 && norm > limit) params_gather_grad(p, NULL, 0, limit / norm);  // only scales
}

const Tensor *params_not_finite(const Params *p, bool grad) {
    if (grad) params_need_grad(p, "params_not_finite");
    for (int i = 0; i < p->count; i++) {
        const float *x = grad ? p->tensor[i]->grad : p->tensor[i]->data;
        for (size_t j = 0; x && j < p->tensor[i]->size; j++)
            if (!isfinite(x[j])) return p->tensor[i];
    }
    return NULL;
}

void fill_normal(Tensor *x, Rng *rng, double standard_deviation) {
    tensor_need_data(x, "fill_normal");
    for (size_t i = 0; i < x->size; i++)
        x->data[i] = (float)(standard_deviation * rng_normal(rng));
}

void fill_identity(Tensor *x) {
    int rows = x->shape[0], columns = x->shape[1];
    tensor_need_data(x, "fill_identity");
    memset(x->data, 0, x->size * sizeof *x->data);
    for (int i = 0; i < rows && i < columns; i++)
        x->data[(size_t)i * (size_t)columns + (size_t)i] = 1;
}

// Makes each of n vectors of `length` numbers orthogonal to the vectors before it, and 1 long. What
// one pass leaves by rounding, a second pass removes (Giraud et al. 2005: "twice is enough").
static void orthogonalise(double *q, size_t n, size_t length) {
    for (double *v = q; v < q + n * length; v += length) {
        for (int pass = 0; pass < 2; pass++)
            for (const double *u = q; u < v; u += length) {
                double dot = 0;
                for (size_t k = 0; k < length; k++) dot += u[k] * v[k];
                for (size_t k = 0; k < length; k++) v[k] -= dot * u[k];
            }
        double norm = 0;
        for (size_t k = 0; k < length; k++) norm += v[k] * v[k];
        norm = sqrt(norm);
        for (size_t k = 0; k < length; k++) v[k] /= norm;
    }
}

// The vectors are the rows of q. They become the rows of x, or its columns if x is tall.
void fill_orthonormal(Tensor *x, Rng *rng) {
    size_t rows = (size_t)x->shape[0], columns = (size_t)x->shape[1];
    size_t n = rows < columns ? rows : columns, length = rows < columns ? columns : rows;
    tensor_need_data(x, "fill_orthonormal");
    if (rows == columns) {
        fill_identity(x);
        return;
    }
    double *q = grow(NULL, n * length, sizeof *q);
    for (size_t i = 0; i < n * length; i++) q[i] = rng_normal(rng);
    orthogonalise(q, n, length);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < length; k++)
            x->data[rows < columns ? i * columns + k : k * columns + i] = (float)q[i * length + k];
    free(q);
}
