#include "tests/exercises/check.h"

enum { ROWS = 3, N = 4, ALL = ROWS * N };

static void backward(Tensor *out) {
    for (int r = 0; r < ROWS; r++)
        my_softmax_backward(N, out->data + r * N, out->grad + r * N, out->in[0]->grad + r * N);
}

// dL/dx, the right one and those of common mistakes.
typedef struct Slopes {
    double right[ALL], diagonal[ALL], no_dot[ALL], no_y[ALL], plain_sum[ALL], mean[ALL], plus[ALL];
} Slopes;

static void row(const double *y, const double *dy, int at, Slopes *s) {
    double dot = 0, sum = 0;
    for (int j = 0; j < N; j++) dot += y[j] * dy[j], sum += dy[j];
    for (int i = 0; i < N; i++) {
        s->right[at + i] = y[i] * (dy[i] - dot);
        s->diagonal[at + i] = y[i] * (1 - y[i]) * dy[i];
        s->no_dot[at + i] = y[i] * dy[i];
        s->no_y[at + i] = dy[i] - dot;
        s->plain_sum[at + i] = y[i] * (dy[i] - sum);
        s->mean[at + i] = y[i] * (dy[i] - sum / N);
        s->plus[at + i] = y[i] * (dy[i] + dot);
    }
}

void check(void) {
    Tape tape = {0};
    Slopes s;
    double y[ALL], dy[ALL];
    Tensor *x = leaf(&tape, 2, (const int[]){ROWS, N}, 1, 1);
    Tensor *like = softmax(&tape, x),
           *out = tape_record(&tape, "softmax", 2, x->shape, backward, x, NULL, NULL);
    for (int i = 0; i < ALL; i++) {
        out->data[i] = like->data[i];
        out->grad[i] = 0.4f + 0.7f * (float)(i * i % 7);
    }
    copied(out->data, ALL, y);
    copied(out->grad, ALL, dy);
    for (int r = 0; r < ROWS; r++) row(y + r * N, dy + r * N, r * N, &s);
    trying("my_softmax_backward");
    compare_gradient(
        "dL/dx", out, x, s.right,
        (const Guess[]){
            {"is y_i (1 - y_i) dy_i, the diagonal of the Jacobian alone: x_i changes the other "
             "outputs too",
             s.diagonal},
            {"is y_i dy_i: subtract the dot product of the row from dy_i", s.no_dot},
            {"is dy_i - dot: it is missing the factor y_i", s.no_y},
            {"subtracts the plain sum of dy: the sum should be weighted by y", s.plain_sum},
            {"subtracts the plain mean of dy: the mean should be weighted by y", s.mean},
            {"adds the dot product; it should be subtracted", s.plus},
            {0}});
    tape_free(&tape);
}
