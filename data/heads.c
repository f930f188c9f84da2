// Real sentences: which word does each word depend on? Token 0 of a sentence is the root, which
// asks nothing; word i of the treebank, from 0, is token i + 1, and its head is the token that
// answers. The vocabularies come from the training sentences alone: a word that only held-out
// sentences have is unknown.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "mixed.h"
#include "parsed.h"
#include "sources.h"
#include "utf8.h"

enum { UNKNOWN, ROOT };  // the first ids of every vocabulary
enum { FEATURES_OF_WORDS = FEATURE_SHAPE + 1 };

// What occurs less often in training is unknown: so that <unk> is trained too, and, for suffixes,
// which stand for many words, so that each of them says something.
static const size_t min_occurrences[FEATURES_OF_WORDS] = {
    [FEATURE_WORD] = 2, [FEATURE_TAG] = 1, [FEATURE_SUFFIX] = 5, [FEATURE_SHAPE] = 1};

// ---- features ----------------------------------------------------------------------------------

// Only ASCII has case here, as in utf8_lower: any other character counts as a small letter. ("Über"
// and "über" are two words, both of shape lower.)
static const char *shape(const char *form) {
    int capitals = 0, small = 0;
    bool first = false;  // is the first letter a capital?
    for (const char *c = form; *c; c++) {
        bool capital = *c >= 'A' && *c <= 'Z';
        if (*c >= '0' && *c <= '9') return "digit";
        if (capital && !capitals && !small) first = true;
        capitals += capital;
        small += (*c >= 'a' && *c <= 'z') || (unsigned char)*c >= 0x80;
    }
    if (!capitals) return small ? "lower" : "mark";
    if (first && capitals == 1) return "Capital";
    return small ? "mixed" : "CAPITALS";
}

// The last three characters: a UTF-8 character begins where a byte isn't 10xxxxxx.
static const char *suffix(const char *word) {
    const char *at = word + strlen(word);
    for (int characters = 0; at > word && characters < 3;)
        characters += ((unsigned char)*--at & 0xC0) != 0x80;
    return at;
}

// A feature as text; `lower` is the form in small letters.
static const char *feature(const ParsedWord *word, const char *lower, int f) {
    switch (f) {
    case FEATURE_TAG: return word->tag;
    case FEATURE_SUFFIX: return suffix(lower);
    case FEATURE_SHAPE: return shape(word->form);
    default: return lower;
    }
}

// Sentence i of the bank, with the root before it. A word that was typed has no relation; it asks
// nothing.
static void add_sentence(const Task *task, Sentences *to, const Parsed *bank, size_t i) {
    Token token = {.target = -1, .relation = -1, .form = "<root>"};
    for (int f = 0; f < FEATURES_OF_WORDS; f++) token.feature[f] = task->vocab[f].count ? ROOT : 0;
    sentences_append(to, &token);
    for (size_t w = bank->start[i]; w < bank->start[i + 1]; w++) {
        const ParsedWord *word = &bank->word[w];
        char *lower = utf8_lowered(word->form);
        for (int f = 0; f < FEATURES_OF_WORDS; f++) {
            int id = vocab_find(&task->vocab[f], feature(word, lower, f));
            token.feature[f] = id > ROOT ? id : UNKNOWN;  // a word written "<root>" is not the root
        }
        token.target = word->relation ? bank->target[w] + 1 : -1;
        token.relation = word->relation ? vocab_find(&task->relations, word->relation) : -1;
        token.form = word->form;
        sentences_append(to, &token);
        free(lower);
    }
    sentences_end(to);
}

// ---- the task ----------------------------------------------------------------------------------

static bool fits(const SourceOptions *o, const Parsed *bank, size_t i) {
    return parsed_length(bank, i) <= o->max_words;
}

// Without `dev` every fifth sentence of the file, counted before any is left out as too long.
static bool is_held_out(const SourceOptions *o, size_t i) { return !o->dev && i % 5 == 4; }

// The vocabularies, from the words that are trained on.
static void learn_vocab(Task *task, const SourceOptions *o, const Parsed *train) {
    const bool wanted[] = {
        [FEATURE_WORD] = true, [FEATURE_TAG] = o->tags,
        [FEATURE_SUFFIX] = o->suffixes, [FEATURE_SHAPE] = o->shapes};
    Vocab counted[FEATURES_OF_WORDS] = {{0}};
    for (size_t i = 0; i < train->count; i++)
        for (size_t w = train->start[i]; w < train->start[i + 1]; w++) {
            if (is_held_out(o, i) || !fits(o, train, i)) continue;
            char *lower = utf8_lowered(train->word[w].form);
            for (int f = 0; f < FEATURES_OF_WORDS; f++)
                if (wanted[f]) vocab_add(&counted[f], feature(&train->word[w], lower, f));
            free(lower);
        }
    for (int f = 0; f < FEATURES_OF_WORDS; f++) {
        if (wanted[f]) {
            vocab_add(&task->vocab[f], "<unk>");
            vocab_add(&task->vocab[f], "<root>");
        }
        for (int id = 0; id < counted[f].count; id++)
            if (counted[f].occurrences[id] >= min_occurrences[f])
                vocab_add(&task->vocab[f], counted[f].word[id]);
        vocab_free(&counted[f]);
    }
}

static void add_sentences(Task *task, const SourceOptions *o, const Parsed *bank, bool dev) {
    for (size_t i = 0; i < bank->count; i++) {
        bool held_out = dev || is_held_out(o, i);
        if (!fits(o, bank, i)) {
            task->skipped[held_out]++;
            continue;
        }
        for (size_t w = bank->start[i]; w < bank->start[i + 1]; w++)
            vocab_add(&task->relations, bank->word[w].relation);
        add_sentence(task, held_out ? &task->held_out : &task->train, bank, i);
        int tokens = parsed_length(bank, i) + 1;
        if (tokens > task->max_length) task->max_length = tokens;
    }
}

// Is there a sentence to train on, and another to measure on?
static bool is_enough(const Task *task, const SourceOptions *o, char error[TASK_ERROR]) {
    if (!task->train.count)
        return file_refuse(error, o->file,
                           "no sentence of at most %d words; expected one to train on",
                           o->max_words);
    return task->held_out.count
        || file_refuse(error, o->dev ? o->dev : o->file,
                       "no sentence of at most %d words%s; expected one to measure on",
                       o->max_words, o->dev ? "" : " among every fifth, which are held out");
}

static bool read_bank(Parsed *to, const char *file, const SourceOptions *o,
                      char error[TASK_ERROR]) {
    Mentions mentions;
    bool good = conllu_read(to, file, error);
    if (!good || !o->mix) return good;
    good = mentions_read(&mentions, to, file, error);
    if (good) mix_questions(to, &mentions, o->mix, o->max_words);
    else parsed_free(to);
    mentions_free(&mentions);
    return good;
}

static void mark_cycles(Task *task) {
    size_t relations = (size_t)task->relations.count;
    task->cycle = zeroed(relations, sizeof *task->cycle);
    for (size_t r = 0; r < relations; r++)
        task->cycle[r] = !strcmp(task->relations.word[r], MIXED_CYCLE);
}

bool heads_load(Task *task, const SourceOptions *options, char error[TASK_ERROR]) {
    Parsed train = {0}, dev = {0};
    *task = (Task){.name = "heads", .asked = "which word does each word depend on?",
                   .points_at_answer = true, .trains_embeddings = true, .fixed_set = true};
    bool good = read_bank(&train, options->file, options, error)
             && (!options->dev || read_bank(&dev, options->dev, options, error));
    if (good) {
        learn_vocab(task, options, &train);
        add_sentences(task, options, &train, false);
        add_sentences(task, options, &dev, true);
        good = is_enough(task, options, error);
        if (good) task_guess_neighbours(task);
        if (good && options->mix) mark_cycles(task);
    }
    task->text = train.text;  // which the forms point into
    task->dev_text = dev.text;
    train.text = dev.text = NULL;
    parsed_free(&train);
    parsed_free(&dev);
    if (!good) task_free(task);
    return good;
}

// ---- one example -------------------------------------------------------------------------------

// The example becomes sentence i of the bank.
static void take(Example *example, const Task *task, const Parsed *bank, size_t i) {
    add_sentence(task, &example->sentences, bank, i);
    example_note_unknown(example, UNKNOWN);
    example_end(example);
}

// Splits "dog/NOUN" at its last slash. If the task has no tags, the text is the word.
static bool read_word(Example *example, const Task *task, char *text, Parsed *to,
                      char error[TASK_ERROR]) {
    const Vocab *tags = &task->vocab[FEATURE_TAG];
    char *slash = tags->count ? strrchr(text, '/') : NULL, *tag = slash ? slash + 1 : "", shown[72];
    if (tags->count && (!slash || slash == text || !*tag)) {
        snprintf(error, TASK_ERROR,
                 "\"%s\" has no part of speech; expected a word and its tag, as in dog/NOUN: "
                 "the model was trained with tags",
                 utf8_show(shown, sizeof shown, text));
        return false;
    }
    if (tags->count && vocab_find(tags, tag) <= ROOT)
        return example_unknown(example, tag, tags, ROOT + 1);
    if (slash) *slash = '\0';
    parsed_append(to, (ParsedWord){.form = text, .tag = tag}, -1);
    return true;
}

bool heads_typed(Example *example, const Task *task, const char *text, char error[TASK_ERROR]) {
    Parsed bank = {0};
    int count = example_split(example, text);
    bool good = example_fits(count, task->max_length - 1, "words", error);
    for (int i = 0; good && i < count; i++)
        good = read_word(example, task, example->word[i], &bank, error);
    parsed_end(&bank);
    if (good) take(example, task, &bank, 0);
    parsed_free(&bank);
    return good;
}

bool heads_held_out(Example *example, const Task *task, const SourceOptions *o, uint64_t number,
                    char error[TASK_ERROR]) {
    const char *file = o->dev ? o->dev : o->file;
    Parsed bank;
    if (!read_bank(&bank, file, o, error)) return false;
    size_t *shown = grow(NULL, bank.count, sizeof *shown), count = 0;
    for (size_t i = 0; i < bank.count; i++)
        if ((o->dev || is_held_out(o, i)) && fits(o, &bank, i)
            && parsed_length(&bank, i) < task->max_length)
            shown[count++] = i;
    if (count) take(example, task, &bank, shown[number % count]);
    else file_refuse(error, file, "no held-out sentence of at most %d words", task->max_length - 1);
    example->open_question = -1;
    example->text = bank.text;
    bank.text = NULL;
    free(shown);
    parsed_free(&bank);
    return count > 0;
}
