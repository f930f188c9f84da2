// Sentences that somebody wrote down with their questions, in a file, and one that was typed: what
// is read is in range, and each sentence of a file has a question.
#include "data/question_file.h"

#include <string.h>

#include "fuzz.h"

static void check(const QuestionFile *w, bool typed) {
    HOLDS(w->sentences && w->start[w->sentences] == w->words);
    for (size_t i = 0; i < w->sentences; i++) {
        size_t n = w->start[i + 1] - w->start[i], asking = 0;
        HOLDS(n >= 1 && n <= QUESTION_MOST_WORDS);
        for (size_t k = w->start[i]; k < w->start[i + 1]; k++) {
            const QuestionWord *word = &w->word[k];
            HOLDS(*word->form && !strpbrk(word->form, " \t\r\n"));
            HOLDS(word->target >= -1 && word->target < (int)n);
            HOLDS(!word->relation || (*word->relation && strlen(word->relation) <= QUESTION_NAME));
            asking += word->target >= 0;
        }
        HOLDS(asking || typed);
    }
    HOLDS(w->open == -1 || (typed && w->open >= 0 && w->open < (int)w->words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_path("input.sentences");
    char error[TASK_ERROR] = "", *text = fuzz_string(data, size);
    QuestionFile written;
    fuzz_write(path, data, size);
    if (question_file_read(&written, path, error, sizeof error)) {
        HOLDS(written.open == -1);
        check(&written, false);
        question_file_free(&written);
    } else {
        fuzz_refused(error, "; expected ");
        HOLDS(!strncmp(error, path, strlen(path)));
        HOLDS(!written.text && !written.word && !written.start);
    }
    if (question_file_typed(&written, text, error, sizeof error)) {
        HOLDS(written.sentences == 1);
        check(&written, true);
        question_file_free(&written);
    } else {
        fuzz_refused(error, "; expected ");
    }
    free(text);
    return 0;
}
