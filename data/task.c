// What all tasks share: freeing one, a token as text, and the two answers that need no model.
#include "task.h"

#include <stdlib.h>

void task_free(Task *task) {
    for (int f = 0; f < FEATURES; f++) vocab_free(&task->vocab[f]);
    vocab_free(&task->relations);
    free(task->cycle);
    sentences_free(&task->train);
    sentences_free(&task->held_out);
    free(task->text);
    free(task->dev_text);
    *task = (Task){0};
}

const char *task_form(const Task *task, const Sentences *s, size_t token) {
    const char *form = s->form[token];
    if (form) return form;
    int shown = !task->keys ? FEATURE_WORD : s->feature[FEATURE_TERM][token] < 0 ? FEATURE_TAG : FEATURE_TERM;
    return task->vocab[shown].word[s->feature[shown][token]];
}

Baselines task_baselines(const Sentences *s) {
    size_t questions = 0, previous = 0, next = 0;
    for (size_t i = 0; i < s->count; i++) {
        const int *target = s->target + s->start[i];
        int n = sentences_length(s, i);
        for (int t = 0; t < n; t++) {
            if (target[t] < 0) continue;
            questions++;
            previous += target[t] == t - 1;
            next += target[t] == (t + 1) % n;  // past the last word comes token 0, the root
        }
    }
    double all = questions ? (double)questions : 1;
    return (Baselines){(double)previous / all, (double)next / all};
}
