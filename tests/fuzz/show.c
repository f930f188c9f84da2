// The sentence of `show`: the first byte says of which model, and how the terminal is; what is left
// is typed, or, of a few, only its length counts. It is refused in a line, or looked at: attention
// sums to 1, and all of it can be printed.
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "models.h"
#include "model/view/saved_model.h"
#include "model/view/show_heads.h"

static SavedModel model[TINY];
static FILE *nowhere;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static Tiny tiny[TINY];
    char error[SAVED_MODEL_ERROR];
    (void)argc;
    (void)argv;
    for (int i = 0; i < TINY; i++)
        HOLDS(saved_model_open(&model[i], tiny_open(&tiny[i], i), error));
    nowhere = fopen("/dev/null", "w");
    HOLDS(nowhere);
    return 0;
}

static void check_attention(const Inspected *x) {
    for (int i = 0; i < x->layers; i++)
        for (int h = ALL_HEADS; h < inspect_heads(x, i); h++) {
            const float *row = inspect_attention(x, i, h);
            for (int r = 0; r < x->rows; r++, row += x->columns) {
                double sum = 0;
                for (int c = 0; c < x->columns; c++) sum += row[c];
                HOLDS(fabs(sum - 1) < 1e-4);
            }
        }
}

static void check_words(const Inspected *x) {
    HOLDS(x->rows >= 1 && x->columns >= 1);
    for (int i = 0; i < x->rows; i++) {
        HOLDS(x->row_word[i] && *x->row_word[i]);
        HOLDS(x->target[i] >= -1 && x->target[i] < x->columns);
    }
    for (int j = 0; j < x->columns; j++) HOLDS(x->column_word[j] && *x->column_word[j]);
}

static void print(Chosen *chosen, unsigned how) {
    Term term = {.fd = -1, .width = how & 1 ? 24 : 90, .height = 40, .colours = how & 2 ? 256 : 0,
                 .utf8 = how & 4};
    chosen->last_layer = chosen->sentence.layers - 1;
    chosen->head = how & 8 ? 0 : ALL_HEADS;
    show_questions(nowhere, term, chosen);
    show_maps(nowhere, term, chosen);
    show_figures(nowhere, term, chosen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[SAVED_MODEL_ERROR] = "";
    if (!size) return 0;
    SavedModel *m = &model[*data % TINY];
    Chosen chosen = {.model = m};
    char *sentence = fuzz_string(data + 1, size - 1);
    bool typed = *data / TINY < 26;  // else one of the task's own is looked at
    if (saved_model_inspect(m, typed ? sentence : NULL, size, &chosen.sentence, error)) {
        fuzz_batch(&m->saved.task, &m->given.batch);
        fuzz_sentences(&m->saved.task, &m->given.sentences);
        check_words(&chosen.sentence);
        check_attention(&chosen.sentence);
        print(&chosen, *data / TINY);
    } else {
        fuzz_refused(error, "");
    }
    free(sentence);
    return 0;
}
