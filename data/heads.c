// Real sentences: which word does each word depend on? Token 0 of a sentence is the root, which
// asks nothing; word i is token i, and its head in the treebank is the token that answers. The
// vocabularies come from the training sentences alone: what only held-out ones have is unknown.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "conllu.h"
#include "sources.h"
#include "file.h"
#include "utf8.h"

enum { UNKNOWN, ROOT };  // the first ids of every vocabulary

// What was met less often in training is unknown: so that <unk> is trained too, and for suffixes,
// which stand for many words, so that each of them says something.
static const size_t min_occurrences[FEATURES] = {
    [FEATURE_WORD] = 2, [FEATURE_TAG] = 1, [FEATURE_SUFFIX] = 5, [FEATURE_SHAPE] = 1};

// A word's features as text, not yet numbers. Kept from word to word for the memory of `lower`.
typedef struct Traits {
    const char *text[FEATURES];
    char *lower;  // owned
} Traits;

// Only ASCII has case here: any other character counts as a small letter, so that nothing depends
// on a locale or on tables of Unicode. ("Über" and "über" are two words, both of shape lower.)
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80; }

static const char *shape(const char *form) {
    int capitals = 0, small = 0;
    bool first = false;  // is the first letter a capital?
    for (const char *c = form; *c; c++) {
        if (*c >= '0' && *c <= '9') return "digit";
        if (is_upper(*c) && !capitals && !small) first = true;
        capitals += is_upper(*c);
        small += is_lower(*c);
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

static void describe(Traits *traits, const ConlluWord *word) {
    size_t size = strlen(word->form) + 1;
    char *lower = traits->lower = grow(traits->lower, size, 1);
    for (size_t i = 0; i < size; i++) lower[i] = utf8_lower(word->form[i]);
    traits->text[FEATURE_WORD] = lower;
    traits->text[FEATURE_TAG] = word->tag;
    traits->text[FEATURE_SUFFIX] = suffix(lower);
    traits->text[FEATURE_SHAPE] = shape(word->form);
}

static size_t words_of(const Conllu *bank, size_t i) { return bank->start[i + 1] - bank->start[i]; }

static bool fits(const SourceOptions *o, const Conllu *bank, size_t i) {
    return o->max_words > 0 && words_of(bank, i) <= (size_t)o->max_words;
}

// Of the sentences of `train`: by their place in the file, so that max_words moves none of them.
static bool is_held_out(const SourceOptions *o, size_t i) { return !o->dev && i % 5 == 4; }

// The vocabularies, from the words that are trained on.
static void learn_vocab(Task *task, const SourceOptions *o, const Conllu *train) {
    const bool wanted[FEATURES] = {
        [FEATURE_WORD] = true, [FEATURE_TAG] = o->tags,
        [FEATURE_SUFFIX] = o->suffixes, [FEATURE_SHAPE] = o->shapes};
    Vocab met[FEATURES] = {{0}};
    Traits traits = {0};
    for (size_t i = 0; i < train->sentences; i++) {
        if (is_held_out(o, i) || !fits(o, train, i)) continue;
        for (size_t w = train->start[i]; w < train->start[i + 1]; w++) {
            describe(&traits, &train->word[w]);
            for (int f = 0; f <= FEATURE_SHAPE; f++)
                if (wanted[f]) vocab_add(&met[f], traits.text[f]);
        }
    }
    for (int f = 0; f <= FEATURE_SHAPE; f++) {
        if (wanted[f]) {
            vocab_add(&task->vocab[f], "<unk>");
            vocab_add(&task->vocab[f], "<root>");
        }
        for (int id = 0; id < met[f].count; id++)
            if (met[f].occurrences[id] >= min_occurrences[f]) vocab_add(&task->vocab[f], met[f].word[id]);
        vocab_free(&met[f]);
    }
    free(traits.lower);
}

static Token root_of(const Task *task) {
    Token root = {.target = -1, .relation = -1, .form = "<root>"};
    for (int f = 0; f <= FEATURE_SHAPE; f++) root.feature[f] = task->vocab[f].count ? ROOT : 0;
    return root;
}

// Whose head and relation are the caller's to say.
static Token token_of(const Task *task, Traits *traits, const ConlluWord *word) {
    Token token = {.target = -1, .relation = -1, .form = word->form};
    describe(traits, word);
    for (int f = 0; f <= FEATURE_SHAPE; f++) {
        int id = vocab_find(&task->vocab[f], traits->text[f]);
        token.feature[f] = id > ROOT ? id : UNKNOWN;  // a word written "<root>" is not the root
    }
    return token;
}

static void add_sentence(Task *task, Sentences *to, Traits *traits, const ConlluWord *word,
                         size_t n) {
    Token root = root_of(task);
    sentences_append(to, &root);
    for (size_t w = 0; w < n; w++) {
        const char *relation = word[w].relation;
        Token token = token_of(task, traits, &word[w]);
        token.target = word[w].head;
        token.relation = vocab_add_n(&task->relations, relation, strcspn(relation, ":"));
        sentences_append(to, &token);
    }
    sentences_end(to);
    if ((int)n + 1 > task->max_length) task->max_length = (int)n + 1;
}

static void add_sentences(Task *task, const SourceOptions *o, const Conllu *bank, bool dev) {
    Traits traits = {0};
    for (size_t i = 0; i < bank->sentences; i++) {
        bool held_out = dev || is_held_out(o, i);
        if (fits(o, bank, i))
            add_sentence(task, held_out ? &task->held_out : &task->train, &traits,
                         bank->word + bank->start[i], words_of(bank, i));
        else
            task->skipped[held_out]++;
    }
    free(traits.lower);
}

// Fills the task from the treebanks, and takes their texts over.
static bool build(Task *task, const SourceOptions *o, Conllu *train, Conllu *dev, char *error) {
    learn_vocab(task, o, train);
    add_sentences(task, o, train, false);
    add_sentences(task, o, dev, true);
    if (!task->train.count)
        return file_refuse(error, TASK_ERROR, o->file, 0, 0,
                           "no sentence of at most %d words; expected one to train on",
                           o->max_words);
    if (!task->held_out.count)
        return file_refuse(error, TASK_ERROR, o->dev ? o->dev : o->file, 0, 0,
                           "no sentence of at most %d words%s; expected one to measure on",
                           o->max_words, o->dev ? "" : " among every fifth, which are held out");
    task->text = train->text;
    task->dev_text = dev->text;
    train->text = dev->text = NULL;
    return true;
}

bool heads_load(Task *task, const SourceOptions *options, RandomSource random,
                char error[TASK_ERROR]) {
    (void)random;
    *task = (Task){.name = "heads",
                   .asked = "which word does each word depend on?",
                   .points_at_answer = true,
                   .trains_embeddings = true,
                   .fixed_set = true};
    Conllu train = {0}, dev = {0};
    bool good = conllu_read(&train, options->file, error, TASK_ERROR)
             && (!options->dev || conllu_read(&dev, options->dev, error, TASK_ERROR))
             && build(task, options, &train, &dev, error);
    conllu_free(&train);
    conllu_free(&dev);
    if (!good) task_free(task);
    return good;
}

// ---- reading -----------------------------------------------------------------------------------

// "; unknown to the model: X, Y, ..." grows word by word until it is full.
static void note_unknown(Example *example, const char *word) {
    char shown[40];
    size_t used = strlen(example->note), size = sizeof example->note;
    utf8_show(shown, sizeof shown, word);
    if (strlen(shown) + 8 < size - used)
        snprintf(example->note + used, size - used, used ? ", %s" : "unknown to the model: %s",
                 shown);
    else if (strcmp(example->note + used - 3, "..."))
        snprintf(example->note + used, size - used, ", ...");
}

// Parts "dog/NOUN" at its last slash; where the task has no tags a word is all of it.
static bool read_word(Example *example, const Task *task, char *text, ConlluWord *word,
                      char error[TASK_ERROR]) {
    const Vocab *tags = &task->vocab[FEATURE_TAG];
    char *slash = tags->count ? strrchr(text, '/') : NULL, shown[72];
    *word = (ConlluWord){.form = text, .tag = slash ? slash + 1 : ""};
    if (!tags->count) return true;
    if (!slash || slash == text || !slash[1]) {
        snprintf(error, TASK_ERROR,
                 "\"%s\" has no part of speech; expected a word and its tag, as in dog/NOUN: "
                 "the model learned with tags",
                 utf8_show(shown, sizeof shown, text));
        return false;
    }
    *slash = '\0';
    return vocab_find(tags, word->tag) > ROOT || example_unknown(example, word->tag, tags, ROOT + 1);
}

bool heads_typed(Example *example, const Task *task, const char *text, RandomSource random,
                 char error[TASK_ERROR]) {
    (void)random;
    char **word;
    int count = example_split(example, text, &word);
    Token root = root_of(task);
    Traits traits = {0};
    bool good = example_fits(count, task->max_length - 1, "words", error);
    sentences_append(&example->sentences, &root);
    for (int i = 0; good && i < count; i++) {
        ConlluWord read;
        good = read_word(example, task, word[i], &read, error);
        if (!good) break;
        Token token = token_of(task, &traits, &read);
        if (token.feature[FEATURE_WORD] == UNKNOWN) note_unknown(example, read.form);
        sentences_append(&example->sentences, &token);
    }
    if (good) example_end(example);
    free(traits.lower);
    free(word);
    return good;
}

// Sentence i of the bank is one that is shown: held out, and no longer than the model can take.
static bool is_shown(const Task *task, const SourceOptions *o, const Conllu *bank, size_t i) {
    return (o->dev || is_held_out(o, i)) && fits(o, bank, i)
           && words_of(bank, i) < (size_t)task->max_length;
}

static void add_known(Example *example, const Task *task, const ConlluWord *word, size_t n) {
    Traits traits = {0};
    Token root = root_of(task);
    sentences_append(&example->sentences, &root);
    for (size_t w = 0; w < n; w++) {
        Token token = token_of(task, &traits, &word[w]);
        token.target = word[w].head;
        token.relation =
            vocab_find_n(&task->relations, word[w].relation, strcspn(word[w].relation, ":"));
        if (token.feature[FEATURE_WORD] == UNKNOWN) note_unknown(example, word[w].form);
        sentences_append(&example->sentences, &token);
    }
    example_end(example);
    free(traits.lower);
}

bool heads_held_out(Example *example, const Task *task, const SourceOptions *o, uint64_t number,
                    RandomSource random, char error[TASK_ERROR]) {
    (void)random;
    const char *file = o->dev ? o->dev : o->file;
    Conllu bank;
    size_t shown = 0;
    example->open_question = -1;
    if (!conllu_read(&bank, file, error, TASK_ERROR)) return false;
    for (size_t i = 0; i < bank.sentences; i++) shown += is_shown(task, o, &bank, i);
    if (!shown) {
        conllu_free(&bank);
        return file_refuse(error, TASK_ERROR, file, 0, 0,
                           "no held-out sentence of at most %d words", task->max_length - 1);
    }
    size_t left = (size_t)(number % shown), i = 0;
    for (;; i++)
        if (is_shown(task, o, &bank, i) && !left--) break;
    add_known(example, task, bank.word + bank.start[i], words_of(&bank, i));
    example->text = bank.text;
    bank.text = NULL;
    conllu_free(&bank);
    return true;
}
