#include "tests/exercises/check.h"

enum { N = 7 };

// dL/da, the right one and those of common mistakes.
typedef struct Slopes {
    double right[N], of_input[N], no_square[N], square[N], none[N], lost[N];
} Slopes;

static Slopes slopes(const Tensor *a, const Tensor *out) {
    Slopes s;
    for (int i = 0; i < N; i++) {
        double x = (double)a->data[i], y = tanh(x), dout = (double)out->grad[i];
        s.right[i] = (1 - y * y) * dout;
        s.of_input[i] = (1 - x * x) * dout;
        s.no_square[i] = (1 - y) * dout;
        s.square[i] = y * y * dout;
        s.none[i] = dout;
        s.lost[i] = 1 - y * y;
    }
    return s;
}

void check(void) {
    Tape tape = {0};
    double y[N];
    Tensor *a = leaf(&tape, 1, (const int[]){N}, 1, 1);
    for (int i = 0; i < N; i++) a->data[i] = 0.6f * (float)(i - 3), y[i] = tanh((double)a->data[i]);
    trying("my_tanh");
    Tensor *out = my_tanh(&tape, a);
    check_recorded("my_tanh", out, a);
    compare("tanh(a)", out->data, y, N, NULL);
    if (!out->backward || !out->grad)
        wrong("my_tanh records no backward, so no gradient passes through it");
    for (int i = 0; i < N; i++) out->grad[i] = 0.5f + 0.4f * (float)(i * i % 5);
    trying("the backward of my_tanh");
    Slopes s = slopes(a, out);
    compare_gradient(
        "dL/da", out, a, s.right,
        (const Guess[]){
            {"is (1 - a²) dout: take the square of the output, not of the input", s.of_input},
            {"is (1 - y) dout: y should be squared", s.no_square},
            {"is y² dout: subtract y² from 1", s.square},
            {"is dout unchanged: the slope 1 - y² is missing", s.none},
            {"is the slope alone: the factor dout is missing", s.lost},
            {0}});
    tape_free(&tape);
}
