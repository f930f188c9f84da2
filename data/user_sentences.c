// Sentences that somebody wrote, with their questions: a task like `pronoun`, with a fixed set to
// train on. Its vocabulary is that of the whole file: embeddings are drawn and stay as they are, so
// that a word that only a held-out sentence has is new to what is trained, but not to the readout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "cycle.h"
#include "sources.h"
#include "hash.h"
#include "question_file.h"
#include "utf8.h"

enum { HOLD_OUT_FROM = 10, HOLD_OUT_SHARE = 5 };  // sentences; one in so many
enum { IN_CIRCLE = QUESTION_NAME + sizeof " (cycle)" };

static const char unnamed[] = "question";

static int words_of(const QuestionFile *w, size_t i) { return (int)(w->start[i + 1] - w->start[i]); }

// In small letters, for the vocabulary; the caller frees it.
static char *lower(const char *form) {
    size_t size = strlen(form) + 1;
    char *small = grow(NULL, size, 1);
    for (size_t i = 0; i < size; i++) small[i] = utf8_lower(form[i]);
    return small;
}

// ---- questions ---------------------------------------------------------------------------------

// Which questions of sentence i lie in a cycle: (words).
static bool *cycles(const QuestionFile *w, size_t i) {
    int n = words_of(w, i), *target = grow(NULL, (size_t)n, sizeof *target);
    bool *turns = grow(NULL, (size_t)n, sizeof *turns);
    for (int k = 0; k < n; k++) target[k] = w->word[w->start[i] + (size_t)k].target;
    cycle_find(target, n, turns);
    free(target);
    return turns;
}

static const char *name_of(const QuestionWord *word) {
    return word->relation ? word->relation : unnamed;
}

// What a name is called of which some questions lie in a cycle and others don't: brackets can't be
// written into a name.
static const char *in_circle(const char *name, char text[IN_CIRCLE]) {
    snprintf(text, IN_CIRCLE, "%s (cycle)", name);
    return text;
}

// The names of all questions. A name whose questions lie now in a cycle, now in none, becomes two,
// so that the cycle's figures are of whole cycles alone, as the bounds on them are.
static void name_relations(Task *task, const QuestionFile *w) {
    Vocab straight = {0};
    bool *turns;
    char text[IN_CIRCLE];
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < w->sentences; i++, free(turns)) {
            turns = cycles(w, i);
            for (int k = 0; k < words_of(w, i); k++) {
                const QuestionWord *word = &w->word[w->start[i] + (size_t)k];
                if (word->target < 0) continue;
                const char *name = name_of(word);
                if (!pass && !turns[k]) vocab_add(&straight, name);
                if (pass) vocab_add(&task->relations, turns[k] && vocab_find(&straight, name) >= 0
                                                          ? in_circle(name, text) : name);
            }
        }
    int count = task->relations.count;
    task->cycle = grow(NULL, (size_t)count, sizeof *task->cycle);
    for (int r = 0; r < count; r++)
        task->cycle[r] = vocab_find(&straight, task->relations.word[r]) < 0;
    vocab_free(&straight);
}

// The name's id; -1: the model knows no such question.
static int relation_of(const Task *task, const QuestionWord *word, bool turns) {
    char text[IN_CIRCLE];
    int split = turns ? vocab_find(&task->relations, in_circle(name_of(word), text)) : -1;
    return split >= 0 ? split : vocab_find(&task->relations, name_of(word));
}

// Sentence i, with ids; words that aren't in the vocabulary have -1.
static void add_sentence(const Task *task, Sentences *to, const QuestionFile *w, size_t i) {
    bool *turns = cycles(w, i);
    for (int k = 0; k < words_of(w, i); k++) {
        const QuestionWord *word = &w->word[w->start[i] + (size_t)k];
        Token token = {.target = word->target, .relation = -1, .form = word->form};
        char *small = lower(word->form);
        token.feature[FEATURE_WORD] = vocab_find(&task->vocab[FEATURE_WORD], small);
        if (word->target >= 0 || word->relation)  // "?" may have a name, too
            token.relation = relation_of(task, word, turns[k]);
        sentences_append(to, &token);
        free(small);
    }
    sentences_end(to);
    free(turns);
}

// ---- what is held out --------------------------------------------------------------------------

typedef struct Ranked { uint64_t hash; size_t sentence; } Ranked;

static int before(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->sentence > y->sentence) - (x->sentence < y->sentence);
}

static uint64_t hash_of(const QuestionFile *w, size_t i, uint64_t seed) {
    uint64_t hash = hash_in(hash_in(HASH_START, (uint32_t)seed), (uint32_t)(seed >> 32));
    for (size_t k = w->start[i]; k < w->start[i + 1]; k++)
        for (const char *c = w->word[k].form;; c++) {
            hash = hash_in(hash, (unsigned char)utf8_lower(*c));
            if (!*c) break;
        }
    return hash;
}

// held[i]: is sentence i held out? Those whose words and seed have the least hashes are: adding a
// sentence moves few others, and one that stands there twice is never on both sides. Gives how many
// there are.
static size_t hold_out(const QuestionFile *w, uint64_t seed, bool *held) {
    size_t n = w->sentences, count = n < HOLD_OUT_FROM ? 0 : n / HOLD_OUT_SHARE;
    Ranked *ranked = grow(NULL, n, sizeof *ranked);
    for (size_t i = 0; i < n; i++) ranked[i] = (Ranked){hash_of(w, i, seed), i};
    qsort(ranked, n, sizeof *ranked, before);
    while (count && ranked[count - 1].hash == ranked[count].hash) count--;
    for (size_t i = 0; i < n; i++) held[ranked[i].sentence] = i < count;
    free(ranked);
    return count;
}

// ---- the task ----------------------------------------------------------------------------------

static void learn_vocab(Task *task, const QuestionFile *w) {
    for (size_t k = 0; k < w->words; k++) {
        char *small = lower(w->word[k].form);
        vocab_add(&task->vocab[FEATURE_WORD], small);
        free(small);
    }
}

bool user_sentences_load(Task *task, const SourceOptions *options, RandomSource random,
                         char error[TASK_ERROR]) {
    (void)random;
    *task = (Task){0};
    QuestionFile w;
    if (!question_file_read(&w, options->file, error, TASK_ERROR)) return false;
    *task = (Task){
        .name = "pronoun", .asked = "which word answers each word's question?", .fixed_set = true};
    bool *held = grow(NULL, w.sentences, sizeof *held);
    learn_vocab(task, &w);
    name_relations(task, &w);
    task->measured_on_training = !hold_out(&w, options->seed, held);
    for (size_t i = 0; i < w.sentences; i++) {
        if (!held[i]) add_sentence(task, &task->train, &w, i);
        if (held[i] || task->measured_on_training) add_sentence(task, &task->held_out, &w, i);
        if (words_of(&w, i) > task->max_length) task->max_length = words_of(&w, i);
    }
    free(held);
    task->text = w.text;  // the forms' own
    w.text = NULL;
    question_file_free(&w);
    return true;
}

// ---- reading -----------------------------------------------------------------------------------

// Whether the model knows all of its words, and has room for them.
static bool check_known(Example *example, const Task *task, char error[TASK_ERROR]) {
    const Sentences *s = &example->sentences;
    if (!example_fits((int)s->tokens, task->max_length, "words", error)) return false;
    for (size_t t = 0; t < s->tokens; t++)
        if (s->feature[FEATURE_WORD][t] < 0)
            return example_unknown(example, s->form[t], &task->vocab[FEATURE_WORD], 0);
    example_end(example);
    return true;
}

bool user_sentences_typed(Example *example, const Task *task, const char *text,
                          RandomSource random, char error[TASK_ERROR]) {
    (void)random;
    QuestionFile w;
    example->open_question = -1;
    if (!text[strspn(text, " \t\n")]) return example_fits(0, task->max_length, "words", error);
    if (!question_file_typed(&w, text, error, TASK_ERROR)) return false;
    add_sentence(task, &example->sentences, &w, 0);
    example->text = w.text;
    w.text = NULL;
    example->open_question = w.open;
    question_file_free(&w);
    if (!check_known(example, task, error)) return false;
    int asking = example->open_question >= 0;
    for (int i = 0; i < example->batch.L; i++) asking += example->batch.target[i] >= 0;
    if (example->open_question >= 0)
        example->batch.answer[example->open_question] = 0;  // asks; what is right doesn't matter
    if (!asking)
        snprintf(example->note, sizeof example->note,
                 "these words ask nothing; to ask, put questions behind, as in \"... | she -> "
                 "queen | her -> ?\"");
    return true;
}

bool user_sentences_held_out(Example *example, const Task *task, const SourceOptions *options,
                             uint64_t number, RandomSource random, char error[TASK_ERROR]) {
    Task of;
    example->open_question = -1;
    if (!user_sentences_load(&of, options, random, error)) return false;
    const Sentences *s = &of.held_out;
    // Where none is held out, all are. NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    size_t i = (size_t)(number % s->count);
    for (size_t t = s->start[i]; t < s->start[i + 1]; t++) {
        const char *word = of.vocab[FEATURE_WORD].word[s->feature[FEATURE_WORD][t]];
        int r = s->relation[t];
        Token token = {.target = s->target[t], .form = s->form[t]};
        token.feature[FEATURE_WORD] = vocab_find(&task->vocab[FEATURE_WORD], word);
        token.relation = r < 0 ? -1 : vocab_find(&task->relations, of.relations.word[r]);
        sentences_append(&example->sentences, &token);
    }
    example->trained_on = of.measured_on_training;
    example->text = of.text;
    of.text = NULL;
    task_free(&of);
    return check_known(example, task, error);
}
