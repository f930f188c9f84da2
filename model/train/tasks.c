#include "tasks.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "data/utf8.h"
#include "model/model.h"

enum { MOST_STEPS = 1000000000 };

// The tokens of a batch are counted in an int.
static bool batch_fits(const Task *task, const Options *o, char error[TASK_ERROR]) {
    int length = task->key_count ? 2 * task->key_count : task->max_length, most = INT_MAX / length;
    if (o->batch > most)
        snprintf(error, TASK_ERROR,
                 "--batch %d: at most %d, of up to %d tokens each; --accumulate adds up more",
                 o->batch, most, length);
    return o->batch <= most;
}

bool tasks_steps(const Task *task, Options *o, char error[TASK_ERROR]) {
    if (!batch_fits(task, o, error)) return false;
    size_t batch = (size_t)o->batch, batches = (task->train.count + batch - 1) / batch;
    size_t each = (size_t)o->accumulate;  // batches a step
    if (task->fixed_set && each > batches) {
        snprintf(error, TASK_ERROR, "--accumulate %d: at most the %zu batches of an epoch",
                 o->accumulate, batches);
        return false;
    }
    if (o->steps) return true;
    if (batches > MOST_STEPS / (size_t)o->epochs) {
        snprintf(error, TASK_ERROR, "--epochs %d: of %zu batches each; at most %d steps in all",
                 o->epochs, batches, MOST_STEPS);
        return false;
    }
    o->steps = (int)((batches * (size_t)o->epochs + each - 1) / each);
    return true;
}

SourceOptions tasks_source(const Options *o) {
    return (SourceOptions){
        .file = o->conllu ? o->conllu : o->text ? o->text : o->sentences, .dev = o->dev,
        .seed = o->seed, .held_out = o->held_out, .max_words = o->max_words,
        .tags = !o->no_tags, .suffixes = o->suffixes, .shapes = o->capitals,
        .context = o->context, .masked = o->objective == OBJECTIVE_MASKED};
}

// The task alone.
static bool open_data(Task *task, const Options *o, char error[TASK_ERROR]) {
    Rng rng = rng_new(o->seed, STREAM_HELD_OUT);
    const SourceOptions source = tasks_source(o);
    SourceLoad *load = !strcmp(o->task, "heads")    ? heads_load
                     : !strcmp(o->task, "text")     ? text_load
                     : o->sentences                 ? user_sentences_load
                     : !strcmp(o->task, "search")   ? search_load
                                                    : pronoun_load;
    return load(task, &source, random_source(&rng), error);
}

bool tasks_open(Task *task, Options *o, char error[TASK_ERROR]) {
    if (!open_data(task, o, error)) return false;
    if (tasks_steps(task, o, error)) return true;
    task_free(task);
    return false;
}

size_t tasks_curve_sentences(const Task *task, const Options *o) {
    bool given = task->is_text || task->train.count;
    return given ? (size_t)o->held_out : ((size_t)o->held_out + 1) / 2;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

// Of a treebank nothing is drawn; of a text, what is hidden.
bool tasks_same(const Options *a, const Options *b) {
    bool seed = a->seed == b->seed;
    if (strcmp(a->task, b->task)) return false;
    if (!strcmp(a->task, "heads"))
        return same_text(a->conllu, b->conllu) && same_text(a->dev, b->dev)
               && a->max_words == b->max_words && a->no_tags == b->no_tags
               && a->suffixes == b->suffixes && a->capitals == b->capitals;
    if (!strcmp(a->task, "text"))
        return same_text(a->text, b->text) && a->context == b->context
               && a->objective == b->objective && (seed || a->objective != OBJECTIVE_MASKED);
    if (a->sentences || b->sentences) return seed && same_text(a->sentences, b->sentences);
    return seed && a->held_out == b->held_out;
}

static void tell(const char *file, size_t skipped, int limit) {
    if (skipped)
        fprintf(stderr, "train: %s: %zu sentences of over %d words were left out (--max-words)\n",
                file, skipped, limit);
}

static void tell_own(const Task *task, const char *file) {
    char shown[320];
    utf8_show(shown, sizeof shown, file);
    if (task->measured_on_training)
        fprintf(stderr,
                "train: %s: %zu sentence%s, too few to hold any out: trained on and measured on\n",
                shown, task->train.count, task->train.count == 1 ? "" : "s");
    else
        fprintf(stderr,
                "train: %s: %zu sentences to train on; %zu others, which --seed chose, to measure "
                "on\n",
                shown, task->train.count, task->held_out.count);
}

void tasks_tell(const Task *task, const Options *o) {
    if (o->sentences) tell_own(task, o->sentences);
    if (o->conllu) tell(o->conllu, task->skipped[0], o->max_words);
    if (o->dev) tell(o->dev, task->skipped[1], o->max_words);
}
