// Sentences with their questions, in a file, and one sentence that was typed: what
// is read is in range, and each sentence of a file has a question.
#include "data/parsed.h"

#include <string.h>

#include "fuzz.h"

static void check(const Parsed *w, bool typed) {
    HOLDS(w->count && w->start[w->count] == w->words);
    for (size_t i = 0; i < w->count; i++) {
        size_t n = w->start[i + 1] - w->start[i], asking = 0;
        HOLDS(n >= 1 && n <= QUESTION_MOST_WORDS);
        for (size_t k = w->start[i]; k < w->start[i + 1]; k++) {
            const ParsedWord *word = &w->word[k];
            HOLDS(*word->form && !strpbrk(word->form, " \t\r\n"));
            HOLDS(w->target[k] >= -1 && w->target[k] < (int)n);
            HOLDS(!word->relation || (*word->relation && strlen(word->relation) <= QUESTION_NAME));
            asking += w->target[k] >= 0;
        }
        HOLDS(asking || typed);
    }
    int open = w->open_question;
    HOLDS(open == -1 || (typed && open >= 0 && open < (int)w->words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_path("input.sentences");
    char error[TASK_ERROR] = "", *text = fuzz_string(data, size);
    Parsed p;
    fuzz_write(path, data, size);
    if (question_file_read(&p, path, error)) {
        HOLDS(p.open_question == -1);
        check(&p, false);
        parsed_free(&p);
    } else {
        fuzz_refused(error, "; expected ");
        HOLDS(!strncmp(error, path, strlen(path)));
        HOLDS(!p.text && !p.word && !p.start);
    }
    if (question_file_typed(&p, text, error)) {
        HOLDS(p.count == 1);
        check(&p, true);
        parsed_free(&p);
    } else {
        fuzz_refused(error, "; expected ");
    }
    free(text);
    return 0;
}
