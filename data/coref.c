// Real text: which earlier word does a pronoun mean? Read heads.c before, whose features these are,
// and mentions.h.
//
// A question is a sentence of its own: token 0, which stands for all that came before, then a
// window of words whose last one, the pronoun, asks. A pronoun asks if it is a mention by itself,
// and an earlier mention of its entity has ended and has its head in the window. The answer is the
// nearest such head (`any_mention`); or else the pronoun is in the third person, and the answer is
// the nearest of those heads that are nouns or names. The heads of all such mentions are alike.
//
// With `shared` the head also learns the other question about a pronoun, and what each word of a
// sentence depends on, as in heads.c. What a token asks is then a feature of it. Only the question
// that was chosen is measured.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "mentions.h"
#include "morphology.h"
#include "sources.h"
#include "utf8.h"

enum { UNKNOWN, START };         // the first ids of every vocabulary
enum { LEAST_OCCURRENCES = 2 };  // of a word; a rarer one is unknown, so that <unk> trains

// What a token asks: ids of FEATURE_QUESTION. THE_QUESTION is the one that is measured.
enum { NOTHING, THE_QUESTION, OTHER_QUESTION, ITS_HEAD };

static const int used_features[] = {FEATURE_WORD, FEATURE_TAG, FEATURE_DEPREL, FEATURE_AGREEMENT};
enum { USED = sizeof used_features / sizeof *used_features };

typedef struct Question {
    size_t first, word, answer;  // of the window, the pronoun, its answer
    size_t mention;              // the pronoun's own, in Reading.mentions
    int asks;                    // THE_QUESTION or OTHER_QUESTION
    bool held_out;
} Question;

// A file that has been read, and its questions.
typedef struct Reading {
    const SourceOptions *options;
    Parsed bank;
    Mentions mentions;
    bool penn;                   // has it Penn tags?
    Question *question;
    size_t questions;
} Reading;

// ---- words -------------------------------------------------------------------------------------

// "Sing.Fem.3": number, gender, person, as far as the word has them; "_" without any.
static const char *agreement(const ParsedWord *word, char text[64]) {
    static const char *const name[] = {"Number", "Gender", "Person"};
    size_t used = 0, n = 0;
    for (int i = 0; i < 3; i++) {
        const char *value = feature_value(word, name[i], &n);
        if (value && n < 20)
            used += (size_t)sprintf(text + used, "%s%.*s", used ? "." : "", (int)n, value);
    }
    return used ? text : strcpy(text, "_");
}

// ---- questions ---------------------------------------------------------------------------------

// Walks back over the mentions of the pronoun's entity that have ended before it, and whose heads
// are in the window: gives the mention before `next`, or, for NO_MENTION, the one that ended last.
static const size_t NO_MENTION = (size_t)-1;

static size_t mention_before(const Reading *r, const Question *q, size_t next) {
    const Mention *m = r->mentions.mention, *own = &m[q->mention];
    size_t i = next == NO_MENTION ? q->mention : next;
    while (i-- && m[i].last >= q->first)
        if (m[i].entity == own->entity && m[i].last < own->first && m[i].head >= q->first) return i;
    return NO_MENTION;
}

// The answer, or the pronoun itself if there is none.
static size_t find_answer(const Reading *r, const Question *q) {
    const Mention *m = r->mentions.mention;
    const ParsedWord *word = r->bank.word;
    bool any = r->options->any_mention == (q->asks == THE_QUESTION);
    size_t nearest = q->word, i = NO_MENTION;
    if (!any && !feature_is(&word[q->word], "Person", "3")) return nearest;
    while ((i = mention_before(r, q, i)) != NO_MENTION)
        if ((any || is_noun(&word[m[i].head])) && (nearest == q->word || m[i].head > nearest))
            nearest = m[i].head;
    return nearest;
}

static void ask(Reading *r, Question q, int what) {
    q.asks = what;
    q.answer = find_answer(r, &q);
    if (q.answer == q.word) return;
    r->question = grow_one(r->question, r->questions, sizeof *r->question);
    r->question[r->questions++] = q;
}

// A word that is a mention by itself twice over, of two entities, asks for the first of them.
static void find_questions(Reading *r, size_t from, size_t to, size_t *mention, bool held_out) {
    const Mentions *m = &r->mentions;
    size_t window = (size_t)r->options->window, asked = to;
    for (; *mention < m->count && m->mention[*mention].last < to; ++*mention) {
        size_t w = m->mention[*mention].first;
        if (w != m->mention[*mention].last || w == asked || !is_pronoun(&r->bank.word[w], r->penn))
            continue;
        asked = w;
        Question q = {.first = w - from >= window ? w + 1 - window : from, .word = w,
                      .mention = *mention, .held_out = held_out};
        ask(r, q, THE_QUESTION);
        if (r->options->shared && !held_out) ask(r, q, OTHER_QUESTION);
    }
}

static void close_reading(Reading *r) {
    parsed_free(&r->bank);
    mentions_free(&r->mentions);
    free(r->question);
}

// Without `dev` every fifth document of the file is held out, else all documents of `dev` are.
static bool is_held_out(const SourceOptions *o, bool dev, size_t document) {
    return dev || (!o->dev && document % 5 == 4);
}

// `r` has to be closed whatever happened.
static bool open_reading(Reading *r, const SourceOptions *o, bool dev, char error[TASK_ERROR]) {
    const char *file = dev ? o->dev : o->file;
    size_t mention = 0;
    *r = (Reading){.options = o};
    if (!conllu_read(&r->bank, file, error) || !mentions_read(&r->mentions, &r->bank, file, error))
        return false;
    r->penn = has_penn_tags(&r->bank);
    const size_t *document = r->mentions.document;
    for (size_t i = 0; i < r->mentions.documents; i++)
        find_questions(r, document[i], document[i + 1], &mention, is_held_out(o, dev, i));
    return true;
}

// ---- sentences ---------------------------------------------------------------------------------

// A feature as text; `lower` is the form in small letters.
static const char *feature(const ParsedWord *word, const char *lower, int f, char text[64]) {
    switch (f) {
    case FEATURE_TAG: return word->tag;
    case FEATURE_DEPREL: return word->relation;
    case FEATURE_AGREEMENT: return agreement(word, text);
    default: return lower;
    }
}

static Token token_of(const Task *task, const ParsedWord *word) {
    Token token = {.target = -1, .relation = -1, .form = word->form};
    char *lower = utf8_lowered(word->form), text[64];
    for (int i = 0; i < USED; i++) {
        int f = used_features[i], id = vocab_find(&task->vocab[f], feature(word, lower, f, text));
        token.feature[f] = id > START ? id : UNKNOWN;
    }
    free(lower);
    return token;
}

static void add_start(const Task *task, Sentences *to) {
    Token start = {.target = -1, .relation = -1, .form = "<start>"};
    for (int i = 0; i < USED; i++)
        start.feature[used_features[i]] = task->vocab[used_features[i]].count ? START : 0;
    sentences_append(to, &start);
}

static int relation_of(Task *task, const ParsedWord *word) {
    char *lower = utf8_lowered(word->form);
    int id = vocab_add(&task->relations, lower);
    free(lower);
    return id;
}

static void mark_alike(const Reading *r, const Question *q, bool *alike) {
    for (size_t i = NO_MENTION; (i = mention_before(r, q, i)) != NO_MENTION;)
        alike[r->mentions.mention[i].head - q->first] = true;
}

static void add_question(const Task *task, Sentences *to, const Reading *r, const Question *q,
                         int relation) {
    bool *alike = zeroed(q->word - q->first + 1, sizeof *alike);
    mark_alike(r, q, alike);
    add_start(task, to);
    for (size_t w = q->first; w <= q->word; w++) {
        Token token = token_of(task, &r->bank.word[w]);
        token.alike = alike[w - q->first];
        if (w == q->word) {
            token.target = (int)(q->answer - q->first) + 1;
            token.relation = relation;
            token.feature[FEATURE_QUESTION] = q->asks;
        }
        sentences_append(to, &token);
    }
    sentences_end(to);
    free(alike);
}

// A whole sentence: each word asks for what it depends on, and the main word for token 0.
static void add_sentence(Task *task, const Parsed *bank, size_t i) {
    int relation = vocab_add(&task->relations, "head");
    add_start(task, &task->train);
    for (size_t w = bank->start[i]; w < bank->start[i + 1]; w++) {
        Token token = token_of(task, &bank->word[w]);
        token.target = bank->target[w] + 1;
        token.relation = relation;
        token.feature[FEATURE_QUESTION] = ITS_HEAD;
        sentences_append(&task->train, &token);
    }
    sentences_end(&task->train);
}

// ---- guesses -----------------------------------------------------------------------------------

enum { NEAREST_NOUN, NEAREST_SUBJECT, NEAREST_AGREEING, SAME_WORD, RULES };
static const char *const rule_name[RULES] = {"nearest noun", "nearest subject",
                                             "nearest that agrees", "same word"};

// May the word be the answer, as far as the question itself tells?
static bool is_candidate(const Reading *r, const ParsedWord *word) {
    return is_noun(word) || (r->options->any_mention && !strcmp(word->tag, "PRON"));
}

static bool fits_rule(const Reading *r, const ParsedWord *word, const ParsedWord *asks, int rule) {
    switch (rule) {
    case NEAREST_NOUN: return is_noun(word);
    case NEAREST_SUBJECT: return is_candidate(r, word) && !strcmp(word->relation, "nsubj");
    case NEAREST_AGREEING:
        return is_candidate(r, word) && !features_differ(word, asks, "Number")
            && !features_differ(word, asks, "Gender");
    default: return !strcmp(word->lemma, asks->lemma);
    }
}

// The nearest word of the window that fits the rule, or the pronoun itself.
static size_t guess(const Reading *r, const Question *q, int rule) {
    const ParsedWord *word = r->bank.word, *asks = &word[q->word];
    for (size_t w = q->word; w-- > q->first;)
        if (fits_rule(r, &word[w], asks, rule)) return w;
    return q->word;
}

// A noun is never the same word as a pronoun.
static void add_guesses(Task *task, const Reading *r) {
    int rules = r->options->any_mention ? RULES : SAME_WORD;
    bool *alike = grow(NULL, (size_t)r->options->window, sizeof *alike);
    for (int rule = 0; rule < rules; rule++) {
        Heuristic *to = task_add_guess(task, rule_name[rule]);
        for (size_t i = 0; i < r->questions; i++) {
            const Question *q = &r->question[i];
            if (!q->held_out) continue;
            size_t found = guess(r, q, rule);
            int relation = relation_of(task, &r->bank.word[q->word]);
            memset(alike, 0, (size_t)r->options->window * sizeof *alike);
            mark_alike(r, q, alike);
            to->right[relation] += found == q->answer;
            to->alike[relation] += alike[found - q->first];
        }
    }
    free(alike);
}

// ---- the task ----------------------------------------------------------------------------------

// Counts the features of the words of one document.
static void count_words(Vocab counted[FEATURES], const SourceOptions *o, const Reading *r,
                        size_t document) {
    const bool wanted[FEATURES] = {[FEATURE_WORD] = true, [FEATURE_TAG] = o->tags,
                                   [FEATURE_DEPREL] = o->relations, [FEATURE_AGREEMENT] = true};
    const size_t *start = r->mentions.document + document;
    for (size_t w = start[0]; w < start[1]; w++) {
        char *lower = utf8_lowered(r->bank.word[w].form), text[64];
        for (int f = 0; f < FEATURES; f++)
            if (wanted[f]) vocab_add(&counted[f], feature(&r->bank.word[w], lower, f, text));
        free(lower);
    }
}

// The vocabularies, from the documents that are trained on.
static void learn_vocab(Task *task, const SourceOptions *o, const Reading *r) {
    Vocab counted[FEATURES] = {{0}};
    for (size_t i = 0; i < r->mentions.documents; i++)
        if (!is_held_out(o, false, i)) count_words(counted, o, r, i);
    for (int f = 0; f < FEATURES; f++) {
        size_t least = f == FEATURE_WORD ? LEAST_OCCURRENCES : 1;
        if (counted[f].count) {
            vocab_add(&task->vocab[f], "<unk>");
            vocab_add(&task->vocab[f], "<start>");
        }
        for (int id = 0; id < counted[f].count; id++)
            if (counted[f].occurrences[id] >= least)
                vocab_add(&task->vocab[f], counted[f].word[id]);
        vocab_free(&counted[f]);
    }
}

static void add_questions(Task *task, const Reading *r) {
    for (size_t i = 0; i < r->questions; i++) {
        const Question *q = &r->question[i];
        int relation = relation_of(task, &r->bank.word[q->word]);
        add_question(task, q->held_out ? &task->held_out : &task->train, r, q, relation);
    }
}

// The sentences of the documents that are trained on, but for those longer than a window.
static void add_heads(Task *task, const SourceOptions *o, const Reading *r) {
    const Parsed *bank = &r->bank;
    for (size_t i = 0, document = 0; i < bank->count; i++) {
        while (bank->start[i] >= r->mentions.document[document + 1]) document++;
        if (!is_held_out(o, false, document) && parsed_length(bank, i) <= o->window)
            add_sentence(task, bank, i);
    }
}

static void name_questions(Task *task, const SourceOptions *o) {
    static const char *const name[] = {"noun", "nearest"};
    Vocab *question = &task->vocab[FEATURE_QUESTION];
    vocab_add(question, "nothing");
    vocab_add(question, name[o->any_mention]);
    vocab_add(question, name[!o->any_mention]);
    vocab_add(question, "head");
}

static bool asks_what_is_measured(const Sentences *s) {
    for (size_t i = 0; i < s->tokens; i++)
        if (s->feature[FEATURE_QUESTION][i] == THE_QUESTION) return true;
    return false;
}

// Is there a question to train on, and another to measure on?
static bool is_enough(const Task *task, const SourceOptions *o, char error[TASK_ERROR]) {
    const char *asked = o->any_mention ? "whose entity was mentioned before"
                                       : "of the third person whose noun or name stands before it";
    if (!asks_what_is_measured(&task->train))
        return file_refuse(error, o->file,
                           "no pronoun %s, within %d words; expected one to train on", asked,
                           o->window);
    return task->held_out.count
        || file_refuse(error, o->dev ? o->dev : o->file,
                       "no pronoun %s, within %d words%s; expected one to measure on", asked,
                       o->window, o->dev ? "" : ", in every fifth document, which are held out");
}

bool coref_load(Task *task, const SourceOptions *options, char error[TASK_ERROR]) {
    Reading train = {0}, dev = {0};
    *task = (Task){.name = "coref", .asked = "which earlier word does each pronoun mean?",
                   .points_at_answer = true, .alike = true, .causal = !options->shared,
                   .trains_embeddings = true, .fixed_set = true,
                   .max_length = options->window + 1};
    bool good = open_reading(&train, options, false, error)
             && (!options->dev || open_reading(&dev, options, true, error));
    if (good) {
        learn_vocab(task, options, &train);
        if (options->shared) name_questions(task, options);
        add_questions(task, &train);
        add_questions(task, &dev);
        good = is_enough(task, options, error);
        if (good && options->shared) add_heads(task, options, &train);
        if (good) add_guesses(task, options->dev ? &dev : &train);
    }
    task->text = train.bank.text;  // which the forms point into
    task->dev_text = dev.bank.text;
    train.bank.text = dev.bank.text = NULL;
    close_reading(&train);
    close_reading(&dev);
    if (!good) task_free(task);
    return good;
}

// ---- one example -------------------------------------------------------------------------------

// Reads "she/PRON/nsubj/Sing.Fem.3": behind the word those features that the task has, in this
// order. Those at the end may be left out: they are unknown.
static bool read_typed(Example *example, const Task *task, char *text, Token *token) {
    char *slash = *text ? strchr(text + 1, '/') : NULL;
    if (slash) *slash = '\0';
    *token = (Token){.target = -1, .relation = -1, .form = text};
    char *lower = utf8_lowered(text);
    int id = vocab_find(&task->vocab[FEATURE_WORD], lower);
    free(lower);
    token->feature[FEATURE_WORD] = id > START ? id : UNKNOWN;
    for (int i = 1; i < USED; i++) {
        const Vocab *known = &task->vocab[used_features[i]];
        if (!known->count || !slash) continue;
        char *value = slash + 1;
        slash = strchr(value, '/');
        if (slash) *slash = '\0';
        id = vocab_find(known, value);
        if (id <= START) return example_unknown(example, value, known, START + 1);
        token->feature[used_features[i]] = id;
    }
    return !slash
        || example_unknown(example, slash + 1, &task->vocab[FEATURE_AGREEMENT], START + 1);
}

bool coref_typed(Example *example, const Task *task, const char *text, char error[TASK_ERROR]) {
    int count = example_split(example, text);
    bool good = example_fits(count, task->max_length - 1, "words", error);
    Token token;
    if (good) add_start(task, &example->sentences);
    for (int i = 0; good && i < count; i++)
        if ((good = read_typed(example, task, example->word[i], &token)))
            sentences_append(&example->sentences, &token);
    if (!good) return false;
    example_note_unknown(example, UNKNOWN);
    example->sentences.feature[FEATURE_QUESTION][count] = THE_QUESTION;
    example_end(example);
    example->open_question = count;
    example->batch.answer[count] = UNKNOWN;  // any id will do
    return true;
}

bool coref_held_out(Example *example, const Task *task, const SourceOptions *o, uint64_t number,
                    char error[TASK_ERROR]) {
    Reading r;
    size_t *shown = NULL, count = 0;
    bool good = open_reading(&r, o, o->dev != NULL, error);
    for (size_t i = 0; good && i < r.questions; i++) {
        shown = grow_one(shown, count, sizeof *shown);
        const Question *q = &r.question[i];
        if (q->held_out && q->word - q->first + 2 <= (size_t)task->max_length) shown[count++] = i;
    }
    if (good && !count) {
        good = file_refuse(error, o->dev ? o->dev : o->file,
                           "no held-out question of at most %d words", task->max_length - 1);
    } else if (good) {
        const Question *q = &r.question[shown[number % count]];
        char *lower = utf8_lowered(r.bank.word[q->word].form);
        add_question(task, &example->sentences, &r, q, vocab_find(&task->relations, lower));
        example_note_unknown(example, UNKNOWN);
        example_end(example);
        example->open_question = -1;
        example->text = r.bank.text;
        r.bank.text = NULL;
        free(lower);
    }
    free(shown);
    close_reading(&r);
    return good;
}
