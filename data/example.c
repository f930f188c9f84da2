// What the sources share when they read one sentence.
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "utf8.h"

void example_free(Example *example) {
    sentences_free(&example->sentences);
    batch_free(&example->batch);
    free(example->text);
    free(example->word);
    *example = (Example){0};
}

int example_split(Example *example, const char *text) {
    static const char blanks[] = " \t\n\v\f\r";
    size_t size = strlen(text) + 1;
    int count = 0;
    example->open_question = -1;
    example->text = grow(example->text, size, 1);
    memcpy(example->text, text, size);
    example->word = grow(example->word, size / 2 + 1, sizeof *example->word);
    for (char *at = example->text + strspn(example->text, blanks); *at; at += strspn(at, blanks)) {
        example->word[count++] = at;
        at += strcspn(at, blanks);
        if (*at) *at++ = '\0';
    }
    return count;
}

void example_end(Example *example) {
    const size_t first = 0;
    sentences_end(&example->sentences);
    batch_fill(&example->batch, &example->sentences, &first, 1, 0);
}

void example_note_unknown(Example *example, int unknown) {
    const Sentences *s = &example->sentences;
    char *note = example->note, shown[40];
    bool full = false;
    for (size_t t = 0; t < s->tokens && !full; t++) {
        if (s->feature[FEATURE_WORD][t] != unknown) continue;
        size_t used = strlen(note), left = sizeof example->note - used;
        utf8_show(shown, sizeof shown, s->form[t]);
        full = strlen(shown) + 8 >= left;
        snprintf(note + used, left, used ? ", %s" : "unknown to the model: %s",
                 full ? "..." : shown);
    }
}

bool example_unknown(Example *example, const char *word, const Vocab *known, int first_known) {
    example->unknown = word;
    example->known = known;
    example->first_known = first_known;
    return false;
}

bool example_fits(int tokens, int most, const char *what, char error[TASK_ERROR]) {
    if (tokens >= 1 && tokens <= most) return true;
    if (tokens < 1)
        snprintf(error, TASK_ERROR, "an empty sentence; expected 1 to %d %s", most, what);
    else
        snprintf(error, TASK_ERROR, "%d %s; the model was made for at most %d", tokens, what, most);
    return false;
}
