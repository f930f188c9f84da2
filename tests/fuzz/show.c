// The sentence of `show`: the first byte says of which model, and how the terminal is; what is left
// is typed, or, of a few, only its length counts. It is refused in a line, or looked at: attention
// sums to 1, and all of it can be printed.
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "models.h"
#include "model/view/look.h"
#include "model/view/show_heads.h"

static Look look[TINY];
static FILE *nowhere;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static Tiny tiny[TINY];
    char error[LOOK_ERROR];
    (void)argc;
    (void)argv;
    for (int i = 0; i < TINY; i++) HOLDS(look_open(&look[i], tiny_open(&tiny[i], i), error));
    nowhere = fopen("/dev/null", "w");
    HOLDS(nowhere);
    return 0;
}

static void check_weights(Look *l) {
    for (int i = 0; i < model_layers(&l->model); i++)
        for (int h = ALL_HEADS; h < look_heads(l, i); h++) {
            const float *row = look_weights(l, i, h);
            for (int r = 0; r < l->rows; r++, row += l->columns) {
                double sum = 0;
                for (int c = 0; c < l->columns; c++) sum += row[c];
                HOLDS(fabs(sum - 1) < 1e-4);
            }
        }
}

static void check_forms(const Look *l) {
    HOLDS(l->rows >= 1 && l->columns >= 1);
    for (int i = 0; i < l->rows; i++) {
        HOLDS(look_row(l, i) && *look_row(l, i));
        HOLDS(look_target(l)[i] >= -1 && look_target(l)[i] < l->columns);
    }
    for (int j = 0; j < l->columns; j++) HOLDS(look_column(l, j) && *look_column(l, j));
}

static void print(Look *l, unsigned how) {
    Term term = {.fd = -1, .width = how & 1 ? 24 : 90, .height = 40, .colours = how & 2 ? 256 : 0,
                 .utf8 = how & 4 ? 1 : 0};
    Chosen chosen = {0, model_layers(&l->model) - 1, how & 8 ? 0 : ALL_HEADS};
    show_questions(nowhere, term, l, chosen);
    show_maps(nowhere, term, l, chosen);
    show_figures(nowhere, term, l, chosen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[LOOK_ERROR] = "";
    if (!size) return 0;
    Look *l = &look[*data % TINY];
    char *sentence = fuzz_string(data + 1, size - 1);
    bool typed = *data / TINY < 36;  // else one of the task's own is looked at
    if (look_at(l, typed ? sentence : NULL, size, error)) {
        fuzz_batch(&l->saved.task, &l->given.batch);
        fuzz_sentences(&l->saved.task, &l->given.sentences);
        check_forms(l);
        check_weights(l);
        print(l, *data / TINY);
    } else {
        fuzz_refused(error, "");
    }
    free(sentence);
    return 0;
}
