// Reads the sentences that people type, for `show` and for the page that trains (model/web), and
// says what is wrong with them.
#include "model/view/typed.h"

#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "data/utf8.h"
#include "model/model.h"
#include "model/save/memory.h"
#include "model/train/tasks.h"

bool typed_read(Example *g, Task *task, const Options *options, const char *text, uint64_t seed,
                char error[TYPED_ERROR]) {
    Rng rng = rng_new(seed, STREAM_HIDDEN);
    g->random = random_source(&rng);
    bool good = tasks_source(options)->typed(g, task, text, error);
    task->key_count = g->key_count;
    return good && typed_attends(g, task, options, error);
}

bool typed_attends(const Example *g, const Task *task, const Options *o, char error[TYPED_ERROR]) {
    return !o->mask_self || task_has_keys(task) || g->batch.L > 1
           || arguments_wrong(error, "one word, which may not attend to itself (--mask-self); "
                              "expected two or more");
}

void typed_write(FILE *out, const Task *task, const Sentences *s) {
    const Vocab *words = &task->vocab[FEATURE_WORD];
    for (size_t i = task->points_at_answer; i < s->start[1]; i++) {  // not the root
        fprintf(out, "%s%s", i > (size_t)task->points_at_answer && !task->is_text ? " " : "",
                task_form(task, s, i));
        if ((int)i < task->key_count) fprintf(out, ":%s", words->word[s->feature[FEATURE_WORD][i]]);
    }
}

// The first held-out sentence of the same options with another seed.
char *typed_generate(const Options *options, uint64_t seed, char error[TYPED_ERROR]) {
    Options o = *options;
    Task task;
    size_t size;
    char *text;
    o.seed = seed;
    o.held_out = 1;
    if (!tasks_open(&task, &o, error)) return NULL;
    FILE *out = memory_open(&text, &size);
    typed_write(out, &task, &task.held_out);
    memory_close(out);
    task_free(&task);
    return text;
}

// ---- words that are unknown --------------------------------------------------------------------

static void append(char error[TYPED_ERROR], const char *before, const char *word) {
    char shown[360];
    size_t used = strlen(error);
    snprintf(error + used, TYPED_ERROR - used, "%s%s", before, utf8_show(shown, sizeof shown, word));
}

static bool takes_sentences(const TaskKind *kind) {
    const Option *option = options_table.option;
    while (strcmp(option->name, "--sentences")) option++;
    return tasks_takes(kind, option);
}

// A sentence of words that are known, so that one sees what works.
static void append_sentence(const Options *o, char error[TYPED_ERROR]) {
    char *text, ignored[TYPED_ERROR];
    if (tasks_source(o)->held_out || !(text = typed_generate(o, o->seed, ignored))) return;
    append(error, "; this works: ", text);
    if (takes_sentences(o->task))
        append(error, "; --sentences FILE trains on words of your own", "");
    free(text);
}

// The nearest of the known words, the very nearest first; or, if none is near, some of them.
void typed_unknown(const Example *g, const Options *o, char error[TYPED_ERROR]) {
    enum { NEAREST = 3, EXAMPLES = 4 };
    int count = g->known->count - g->first_known, told = 0;
    char of[64];
    const char *word, **left = grow(NULL, (size_t)(count > 0 ? count : 0), sizeof *left);
    for (int i = 0; i < count; i++) left[i] = g->known->word[g->first_known + i];
    snprintf(of, sizeof of, "\" is unknown to the model; it knows %d: ", count);
    error[0] = '\0';
    append(error, "\"", g->unknown);
    for (; told < NEAREST; told++) {
        word = nearest(g->unknown, (Names){left, sizeof *left, count});
        if (!word) break;
        append(error, told ? ", " : "\" is unknown to the model; the nearest it knows: ", word);
        for (int i = 0; i < count; i++)
            if (left[i] == word) left[i] = left[--count];
    }
    for (int i = 0; !told && i < EXAMPLES && i < count; i++) append(error, i ? ", " : of, left[i]);
    if (!told) append(error, count > EXAMPLES ? ", ..." : "", "");
    free(left);
    append_sentence(o, error);
}
