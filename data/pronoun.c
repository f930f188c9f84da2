// Mini-English in which every content word asks another one something:
//
//     the tired aunt lent the dog to the old uncle so he smiled .
//
//     pronoun -> its antecedent           giver -> gift -> receiver -> giver   (the cycle)
//     adjective -> its noun               giving verb -> giver, last verb -> pronoun
//
// The three nouns are of three different classes (he, she, it, they), so that a pronoun means one
// of them, and each is any noun of its class: which gift it is can't be guessed from its giver.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "sources.h"
#include "utf8.h"

enum { PRONOUN, GIVER, GIFT, RECEIVER, ADJECTIVE, GIVING_VERB, LAST_VERB, RELATIONS };
enum { CLASSES = 4, NOUNS = 8 };

static const char *const relation_name[RELATIONS] = {
    "pronoun", "giver", "gift", "receiver", "adjective", "giving verb", "last verb",
};
static const char *const pronoun[CLASSES] = {"he", "she", "it", "they"};
static const char *const noun[CLASSES][NOUNS] = {
    {"uncle", "king", "monk", "brother", "prince", "wizard", "father", "groom"},
    {"aunt", "queen", "nun", "sister", "princess", "witch", "mother", "bride"},
    {"dog", "lamp", "book", "horse", "boat", "clock", "piano", "goose"},
    {"twins", "pirates", "farmers", "nurses", "cousins", "sailors", "bakers", "judges"},
};
static const char *const adjective[] = {
    "tired", "old", "young", "happy", "quiet", "proud", "tall", "kind", "small", "clever",
};
static const char *const giving_verb[] = {"lent", "gave", "sold", "sent", "showed", "brought"};
static const char *const conjunction[] = {"and", "but", "so"};
static const char *const last_verb[] = {
    "smiled", "laughed", "waited", "left", "slept", "sang", "wept", "nodded",
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define ANY(array) (array)[random_below(random, COUNT(array))]

// Where the parts of a sentence stand; -1: it has none.
typedef struct Roles {
    int noun[3], adjective[3];  // of giver, gift, receiver
    int verb, pronoun, last;
    int who;                    // which of the three the pronoun means
} Roles;

static void ask(Token *token, int asks, int relation, int answers) {
    if (asks < 0 || answers < 0) return;
    token[asks].relation = relation;
    token[asks].target = answers;
}

// The one place that says which word asks which.
static void ask_all(Token *token, const Roles *r) {
    for (int i = 0; i < 3; i++) {
        ask(token, r->noun[i], GIVER + i, r->noun[(i + 1) % 3]);
        ask(token, r->adjective[i], ADJECTIVE, r->noun[i]);
    }
    ask(token, r->verb, GIVING_VERB, r->noun[0]);
    ask(token, r->pronoun, PRONOUN, r->who < 0 ? -1 : r->noun[r->who]);
    ask(token, r->last, LAST_VERB, r->pronoun);
}

static Token token_of(const Task *task, const char *word) {
    Token token = {.target = -1, .relation = -1};
    token.feature[FEATURE_WORD] = vocab_find(&task->vocab[FEATURE_WORD], word);
    return token;
}

// ---- generating --------------------------------------------------------------------------------

// A sentence as it is drawn: where each token's answer lies is known only once all are there.
typedef struct Draft {
    const Task *task;
    Token token[16];
    int count;
    Roles roles;
} Draft;

static int say(Draft *d, const char *word) {
    d->token[d->count] = token_of(d->task, word);
    return d->count++;
}

static void noun_phrase(Draft *d, RandomSource random, int role, int class) {
    say(d, "the");
    d->roles.adjective[role] = random_below(random, 2) ? say(d, ANY(adjective)) : -1;
    d->roles.noun[role] = say(d, ANY(noun[class]));
}

static void generate(const Task *task, RandomSource random, Sentences *out) {
    int class[CLASSES] = {0, 1, 2, 3};
    for (int i = 0; i < 3; i++) {  // the first three of a shuffle
        int j = i + random_below(random, CLASSES - i), kept = class[i];
        class[i] = class[j];
        class[j] = kept;
    }
    Draft d = {.task = task};
    noun_phrase(&d, random, 0, class[0]);
    d.roles.verb = say(&d, ANY(giving_verb));
    noun_phrase(&d, random, 1, class[1]);
    say(&d, "to");
    noun_phrase(&d, random, 2, class[2]);
    say(&d, ANY(conjunction));
    d.roles.who = random_below(random, 3);
    d.roles.pronoun = say(&d, pronoun[class[d.roles.who]]);
    d.roles.last = say(&d, ANY(last_verb));
    say(&d, ".");
    ask_all(d.token, &d.roles);
    for (int i = 0; i < d.count; i++) sentences_append(out, &d.token[i]);
    sentences_end(out);
}

// ---- reading -----------------------------------------------------------------------------------

typedef struct Scan { char **word; int count, at; } Scan;

// Past the next word, if it is one of these: which. Else -1.
static int pass(Scan *s, const char *const *known, int count) {
    for (int i = 0; s->at < s->count && i < count; i++)
        if (!strcmp(s->word[s->at], known[i])) return s->at++, i;
    return -1;
}
#define PASS(scan, array) pass(scan, array, COUNT(array))

static bool pass_word(Scan *s, const char *word) { return pass(s, &word, 1) == 0; }

// Gives the noun's class, or -1.
static int pass_noun_phrase(Scan *s, Roles *r, int role) {
    if (!pass_word(s, "the")) return -1;
    r->adjective[role] = PASS(s, adjective) >= 0 ? s->at - 1 : -1;
    for (int class = 0; class < CLASSES; class++)
        if (PASS(s, noun[class]) >= 0) return r->noun[role] = s->at - 1, class;
    return -1;
}

// Whether the words are what the generator could have said, with or without the full stop, or
// nearly: several nouns of a class are allowed, and then their pronoun means none of them.
static bool parse(Scan *s, Roles *r) {
    int class[3];
    if ((class[0] = pass_noun_phrase(s, r, 0)) < 0 || PASS(s, giving_verb) < 0) return false;
    r->verb = s->at - 1;
    if ((class[1] = pass_noun_phrase(s, r, 1)) < 0 || !pass_word(s, "to")) return false;
    if ((class[2] = pass_noun_phrase(s, r, 2)) < 0 || PASS(s, conjunction) < 0) return false;
    int means = PASS(s, pronoun);
    r->pronoun = s->at - 1;
    if (means < 0 || PASS(s, last_verb) < 0) return false;
    r->last = s->at - 1;
    r->who = -1;
    for (int i = 0, met = 0; i < 3; i++)
        if (class[i] == means) r->who = met++ ? -1 : i;
    pass_word(s, ".");
    return s->at == s->count;
}

// Capitals are read as small letters, and a full stop at the end of a word as a word.
static char *plain(const char *text) {
    size_t n = strlen(text), to = 0;
    char *out = grow(NULL, 2 * n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '.') out[to++] = ' ';
        out[to++] = utf8_lower(text[i]);
    }
    out[to] = '\0';
    return out;
}

bool pronoun_typed(Example *example, const Task *task, const char *text, RandomSource random,
                   char error[TASK_ERROR]) {
    (void)random;
    char *small = plain(text), **word;
    Scan s = {.count = example_split(example, small, &word)};
    Roles roles;
    free(small);
    s.word = word;
    bool known = example_fits(s.count, task->max_length, "words", error),
         asks = known && parse(&s, &roles);
    Token *token = grow(NULL, (size_t)s.count, sizeof *token);
    for (int i = 0; known && i < s.count; i++) {
        token[i] = token_of(task, word[i]);
        token[i].form = word[i];
        if (token[i].feature[FEATURE_WORD] < 0)
            known = example_unknown(example, word[i], &task->vocab[FEATURE_WORD], 0);
    }
    if (asks && known) ask_all(token, &roles);
    for (int i = 0; known && i < s.count; i++) sentences_append(&example->sentences, &token[i]);
    if (known) example_end(example);
    if (!asks)
        snprintf(example->note, sizeof example->note,
                 "these words ask nothing: they aren't of the form "
                 "\"the [adjective] noun verb the noun to the noun conjunction pronoun verb .\"");
    else if (roles.who < 0)
        snprintf(example->note, sizeof example->note,
                 "the pronoun asks nothing: it could mean none of the nouns, "
                 "or several");
    free(token);
    free(word);
    return known;
}

// ---- the task ----------------------------------------------------------------------------------

static void add_words(Vocab *vocab, const char *const *word, int count) {
    for (int i = 0; i < count; i++) vocab_add(vocab, word[i]);
}

bool pronoun_load(Task *task, const SourceOptions *options, RandomSource random,
                  char error[TASK_ERROR]) {
    (void)error;
    *task = (Task){.name = "pronoun", .asked = "which word answers each word's question?",
                   .max_length = 15, .generate = generate};
    Vocab *words = &task->vocab[FEATURE_WORD];
    add_words(words, (const char *const[]){"the", "to", "."}, 3);
    for (int class = 0; class < CLASSES; class++) add_words(words, noun[class], NOUNS);
    add_words(words, pronoun, CLASSES);
    add_words(words, adjective, COUNT(adjective));
    add_words(words, giving_verb, COUNT(giving_verb));
    add_words(words, conjunction, COUNT(conjunction));
    add_words(words, last_verb, COUNT(last_verb));
    add_words(&task->relations, relation_name, RELATIONS);
    task->cycle = grow(NULL, RELATIONS, sizeof *task->cycle);
    for (int r = 0; r < RELATIONS; r++) task->cycle[r] = r >= GIVER && r <= RECEIVER;
    for (int i = 0; i < options->held_out; i++) generate(task, random, &task->held_out);
    return true;
}
