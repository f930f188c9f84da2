#include "open.h"

#include <stdio.h>
#include <string.h>

enum { STREAM_HELD_OUT = 4, MOST_STEPS = 1000000000 };

static uint32_t roll(void *rng, uint32_t n) { return rng_below(rng, n); }

Dice dice_of(Rng *rng) { return (Dice){roll, rng}; }

static bool open_heads(Task *task, Options *o, size_t skipped[2], char error[TASK_ERROR]) {
    const HeadsOptions heads = {o->conllu, o->dev, o->max_words, !o->no_tags, o->suffixes, o->capitals};
    if (!task_heads(task, &heads, skipped, error)) return false;
    size_t batch = (size_t)o->batch * (size_t)o->accumulate;
    size_t batches = (task->train.count + batch - 1) / batch;
    if (!o->steps && batches > MOST_STEPS / (size_t)o->epochs) {
        snprintf(error, TASK_ERROR, "--epochs %d: of %zu batches each; at most %d steps in all", o->epochs,
                 batches, MOST_STEPS);
        task_free(task);
        return false;
    }
    if (!o->steps) o->steps = (int)batches * o->epochs;
    return true;
}

bool open_task(Task *task, Options *o, size_t skipped[2], char error[TASK_ERROR]) {
    Rng rng = rng_new(o->seed, STREAM_HELD_OUT);
    skipped[0] = skipped[1] = 0;
    if (!strcmp(o->task, "heads")) return open_heads(task, o, skipped, error);
    if (!strcmp(o->task, "text"))
        return task_text(task, o->text, o->context, o->objective == OBJECTIVE_MASKED, dice_of(&rng), error);
    if (!strcmp(o->task, "search")) task_search(task, dice_of(&rng), o->held_out);
    else task_pronoun(task, dice_of(&rng), o->held_out);
    return true;
}
