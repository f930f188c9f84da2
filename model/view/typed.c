// Reads the sentences that people type, for `show` and for the page that trains (model/web).
#include "model/view/typed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/sources.h"
#include "data/utf8.h"
#include "model/model.h"
#include "model/train/tasks.h"

static void append(char error[TYPED_ERROR], const char *before, const char *word) {
    char shown[72];
    size_t used = strlen(error);
    snprintf(error + used, TYPED_ERROR - used, "%s%s", before, utf8_show(shown, sizeof shown, word));
}

// The nearest of the known words, the very nearest first; or, if none is near, some of them.
void typed_unknown(const Example *g, char error[TYPED_ERROR]) {
    enum { NEAREST = 3, EXAMPLES = 4 };
    int count = g->known->count - g->first_known, told = 0;
    char of[64];
    const char *word, **left = grow(NULL, (size_t)(count > 0 ? count : 0), sizeof *left);
    for (int i = 0; i < count; i++) left[i] = g->known->word[g->first_known + i];
    snprintf(of, sizeof of, "\" is unknown to the model; it knows %d: ", count);
    error[0] = '\0';
    append(error, "\"", g->unknown);
    for (; told < NEAREST && (word = nearest(g->unknown, left, count)); told++) {
        append(error, told ? ", " : "\" is unknown to the model; the nearest it knows: ", word);
        for (int i = 0; i < count; i++)
            if (left[i] == word) left[i] = left[--count];
    }
    for (int i = 0; !told && i < EXAMPLES && i < count; i++) append(error, i ? ", " : of, left[i]);
    if (!told) append(error, count > EXAMPLES ? ", ..." : "", "");
    free(left);
}

bool typed_read(Example *g, Task *task, const Options *options, const char *text, uint64_t seed,
                char error[TYPED_ERROR]) {
    Rng rng = rng_new(seed, STREAM_HIDDEN);
    SourceTyped *typed = !strcmp(task->name, "text")   ? text_typed
                       : !strcmp(task->name, "heads")  ? heads_typed
                       : !strcmp(task->name, "search") ? search_typed
                       : options->sentences            ? user_sentences_typed
                                                       : pronoun_typed;
    bool good = typed(g, task, text, random_source(&rng), error);
    task->key_count = g->key_count;
    if (!good && g->unknown) typed_unknown(g, error);
    return good;
}
