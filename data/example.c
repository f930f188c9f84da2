// What the readers of typed sentences share.
#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

void example_free(Example *given) {
    sentences_free(&given->sentences);
    batch_free(&given->batch);
    free(given->text);
    *given = (Example){0};
}

int example_split(Example *given, const char *text, char ***word) {
    static const char blanks[] = " \t\n\v\f\r";
    size_t size = strlen(text) + 1;
    int count = 0;
    given->open = -1;
    given->text = grow(given->text, size, 1);
    memcpy(given->text, text, size);
    *word = grow(NULL, size / 2 + 1, sizeof **word);
    for (char *at = given->text + strspn(given->text, blanks); *at; at += strspn(at, blanks)) {
        (*word)[count++] = at;
        at += strcspn(at, blanks);
        if (*at) *at++ = '\0';
    }
    return count;
}

void example_end(Example *given) {
    const size_t first = 0;
    sentences_end(&given->sentences);
    batch_fill(&given->batch, &given->sentences, &first, 1, 0);
}

bool example_unknown(Example *given, const char *word, const Vocab *known, int first_known) {
    given->unknown = word;
    given->known = known;
    given->first_known = first_known;
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
