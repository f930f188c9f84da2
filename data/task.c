// What all tasks share: what is held out, a token as text, and the two answers that need no model.
#include "task.h"

#include <math.h>
#include <stdlib.h>

#include "autograd/fatal.h"
#include "cycle.h"
#include "hash.h"

void task_free(Task *task) {
    for (int f = 0; f < FEATURES; f++) vocab_free(&task->vocab[f]);
    vocab_free(&task->relations);
    free(task->cycle);
    sentences_free(&task->train);
    sentences_free(&task->held_out);
    corpus_free(&task->corpus);
    free(task->text);
    free(task->dev_text);
    for (int i = 0; i < task->guesses; i++) {
        free(task->guess[i].right);
        free(task->guess[i].alike);
    }
    *task = (Task){0};
}

const char *task_form(const Task *task, const Sentences *s, size_t token) {
    if (s->form[token]) return s->form[token];
    int f = FEATURE_WORD;
    if (task_has_keys(task))
        f = s->feature[FEATURE_TERM][token] < 0 ? FEATURE_TAG : FEATURE_TERM;
    return task->vocab[f].word[s->feature[f][token]];
}

size_t task_held_out(const Task *task) {
    return task->is_text ? corpus_windows(&task->corpus) : task->held_out.count;
}

void task_batch(const Task *task, const size_t *which, int B, Batch *batch) {
    if (task->is_text) corpus_batch(&task->corpus, which, B, batch);
    else batch_fill(batch, &task->held_out, which, B, 0);
}

void task_choose(const Task *task, size_t n, size_t *which) {
    size_t all = task_held_out(task), each = all / n, more = all % n;
    for (size_t i = 0; i < n; i++) which[i] = task->is_text ? each * i + more * i / n : i;
    if (!task->is_text) sentences_sort(&task->held_out, n, which);
}

size_t task_trained_on(const Task *task) {
    return task->is_text ? task->corpus.held_out : task->train.count;
}

static uint64_t hash_sentences(uint64_t hash, const Sentences *s) {
    for (size_t i = 0, k = 0; i < s->tokens; i++) {
        bool first = i == s->start[k];
        k += first;
        hash = hash_in(hash, first);
        hash = hash_in(hash_in(hash, (uint32_t)s->target[i]), (uint32_t)s->relation[i]);
        for (int f = FEATURE_WORD; f < FEATURE_QUESTION; f++)
            hash = hash_in(hash, (uint32_t)s->feature[f][i]);
    }
    return hash;
}

static uint64_t hash_words(uint64_t hash, const Vocab *words) {
    for (int i = 0; i < words->count; i++) {
        for (const char *c = words->word[i]; *c; c++) hash = hash_in(hash, (unsigned char)*c);
        hash = hash_in(hash, 0);  // the end of the word
    }
    return hash_in(hash, (uint32_t)words->count);
}

// A task without questions as a feature has the number that it had before there were any.
uint64_t task_fingerprint(const Task *task) {
    uint64_t hash = hash_words(HASH_START, &task->relations);
    for (int f = 0; f < FEATURES; f++)
        if (f != FEATURE_QUESTION || task->vocab[f].count) hash = hash_words(hash, &task->vocab[f]);
    for (int r = 0; r < task->relations.count; r++) hash = hash_in(hash, task_in_cycle(task, r));
    for (size_t i = 0; i < task->corpus.held_out; i++)
        hash = hash_in(hash, (uint32_t)task->corpus.id[i]);
    hash = hash_sentences(hash, &task->train);
    return task->fixed_set && !task->dev_text ? hash_sentences(hash, &task->held_out) : hash;
}

Cycles task_cycles(const Task *task) {
    const Sentences *s = &task->held_out;
    Cycles count = {0};
    bool *in_cycle = grow(NULL, (size_t)task->max_length, sizeof *in_cycle);
    for (size_t i = 0; task->cycle && i < s->count; i++) {
        int n = sentences_length(s, i);
        count.cycles += cycle_find(s->target + s->start[i], n, SHORTEST_CYCLE, in_cycle);
        for (int t = 0; t < n; t++) count.questions += in_cycle[t];
    }
    free(in_cycle);
    return count;
}

Neighbours task_neighbours(const Sentences *s, int relation) {
    Neighbours count = {0};
    for (size_t i = 0; i < s->count; i++) {
        const int *target = s->target + s->start[i], *kind = s->relation + s->start[i];
        int n = sentences_length(s, i);
        for (int t = 0; t < n; t++) {
            if (target[t] < 0 || (relation >= 0 && kind[t] != relation)) continue;
            count.questions++;
            count.previous += target[t] == t - 1;
            count.next += target[t] == (t + 1) % n;  // past the last word comes token 0, the root
        }
    }
    return count;
}

Baselines task_baselines(const Sentences *s) {
    Neighbours count = task_neighbours(s, ALL_RELATIONS);
    double all = count.questions ? (double)count.questions : 1;
    return (Baselines){(double)count.previous / all, (double)count.next / all};
}

Heuristic *task_add_guess(Task *task, const char *name) {
    size_t n = (size_t)task->relations.count;
    Heuristic *new = &task->guess[task->guesses++];
    *new = (Heuristic){name, zeroed(n, sizeof *new->right), NULL};
    if (task->alike) new->alike = zeroed(n, sizeof *new->alike);
    return new;
}

void task_guess_neighbours(Task *task) {
    Heuristic *previous = task_add_guess(task, "previous word");
    Heuristic *next = task_add_guess(task, "next word");
    for (int r = 0; r < task->relations.count; r++) {
        Neighbours count = task_neighbours(&task->held_out, r);
        previous->right[r] = count.previous;
        next->right[r] = count.next;
    }
}

double task_guessed(const Task *task, const long *right) {
    long all = task_neighbours(&task->held_out, ALL_RELATIONS).questions, sum = 0;
    for (int r = 0; right && r < task->relations.count; r++) sum += right[r];
    return right && all ? (double)sum / (double)all : NAN;
}
