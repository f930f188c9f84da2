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

HeadsOptions tasks_heads_options(const Options *o) {
    return (HeadsOptions){o->conllu,   o->dev,      o->max_words,
                          !o->no_tags, o->suffixes, o->capitals};
}

// The task alone.
static bool open_data(Task *task, const Options *o, size_t skipped[2], char error[TASK_ERROR]) {
    Rng rng = rng_new(o->seed, STREAM_HELD_OUT);
    const HeadsOptions heads = tasks_heads_options(o);
    if (!strcmp(o->task, "heads")) return task_heads(task, &heads, skipped, error);
    if (!strcmp(o->task, "text"))
        return task_text(task, o->text, o->context, o->objective == OBJECTIVE_MASKED, random_source(&rng),
                         error);
    if (o->sentences) return task_user_sentences(task, o->sentences, o->seed, error);
    if (!strcmp(o->task, "search")) task_search(task, random_source(&rng), o->held_out);
    else task_pronoun(task, random_source(&rng), o->held_out);
    return true;
}

bool tasks_open(Task *task, Options *o, size_t skipped[2], char error[TASK_ERROR]) {
    skipped[0] = skipped[1] = 0;
    if (!open_data(task, o, skipped, error)) return false;
    if (tasks_steps(task, o, error)) return true;
    task_free(task);
    return false;
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
    if (task->seen)
        fprintf(stderr,
                "train: %s: %zu sentence%s, too few to hold any out: trained on and measured on\n",
                shown, task->train.count, task->train.count == 1 ? "" : "s");
    else
        fprintf(stderr,
                "train: %s: %zu sentences to train on; %zu others, which --seed chose, to measure "
                "on\n",
                shown, task->train.count, task->held_out.count);
}

void tasks_tell(const Task *task, const Options *o, const size_t skipped[2]) {
    if (o->sentences) tell_own(task, o->sentences);
    if (o->conllu) tell(o->conllu, skipped[0], o->max_words);
    if (o->dev) tell(o->dev, skipped[1], o->max_words);
}
