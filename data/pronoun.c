// Mini-English in which every content word asks for another one:
//
//     the tired aunt lent the dog to the old uncle so he smiled .
//
//     pronoun -> its antecedent           giver -> gift -> receiver -> giver   (the cycle)
//     adjective -> its noun               giving verb -> giver, last verb -> pronoun
//
// The three nouns are of three different classes (he, she, it, they), so that a pronoun means one
// of them, and each is any noun of its class: the gift can't be guessed from the giver.
//
// The grammar is a row of slots. The generator chooses a word for each, the reader finds out which
// words were chosen, and ask() says for both which word asks for which.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "sources.h"
#include "utf8.h"

enum { PRONOUN, GIVER, GIFT, RECEIVER, ADJECTIVE, GIVING_VERB, LAST_VERB, RELATIONS };
enum { CLASSES = 4, NOUNS = 8 };  // classes of nouns, nouns of a class

static const char *const relation_name[RELATIONS] = {
    "pronoun", "giver", "gift", "receiver", "adjective", "giving verb", "last verb",
};
// The words, list after list, in the order of their ids.
enum { THE, TO, FULL_STOP, NOUN, PRONOUNS, ADJECTIVES, GIVE, CONJUNCTION, LAST, LISTS };
enum { MOST_WORDS = CLASSES * NOUNS };
static const char *const list_of[LISTS][MOST_WORDS + 1] = {
    [THE] = {"the"}, [TO] = {"to"}, [FULL_STOP] = {"."},
    [NOUN] = {  // class after class
        "uncle", "king", "monk", "brother", "prince", "wizard", "father", "groom",
        "aunt", "queen", "nun", "sister", "princess", "witch", "mother", "bride",
        "dog", "lamp", "book", "horse", "boat", "clock", "piano", "goose",
        "twins", "pirates", "farmers", "nurses", "cousins", "sailors", "bakers", "judges"},
    [PRONOUNS] = {"he", "she", "it", "they"},  // of each class
    [ADJECTIVES] = {
        "tired", "old", "young", "happy", "quiet", "proud", "tall", "kind", "small", "clever"},
    [GIVE] = {"lent", "gave", "sold", "sent", "showed", "brought"},
    [CONJUNCTION] = {"and", "but", "so"},
    [LAST] = {"smiled", "laughed", "waited", "left", "slept", "sang", "wept", "nodded"},
};

// The id of each list's first word; a test compares them with the vocabulary.
static const int first_id[LISTS + 1] = {0, 1, 2, 3, 35, 39, 49, 55, 58, 66};

// Three noun phrases (giver, gift, receiver), a word after each, and the end: a list for each slot.
enum { THE_SLOT, ADJECTIVE_SLOT, NOUN_SLOT, VERB_SLOT, PHRASE,  // slots from phrase to phrase
       PRONOUN_SLOT = 3 * PHRASE, LAST_SLOT, STOP_SLOT, SLOTS };
static const int grammar[SLOTS] = {
    THE, ADJECTIVES, NOUN, GIVE, THE, ADJECTIVES, NOUN, TO, THE, ADJECTIVES, NOUN, CONJUNCTION,
    PRONOUNS, LAST, FULL_STOP,
};
static int noun_slot(int phrase) { return NOUN_SLOT + PHRASE * phrase; }

// The words of a sentence by slot: the place in the slot's list, and the token; -1: no word.
typedef struct Draft { int word[SLOTS], token[SLOTS]; } Draft;

// The phrase that the pronoun means; -1: none of the nouns is of its class, or several are.
static int antecedent(const Draft *d) {
    int means = -1, count = 0;
    for (int i = 0; i < 3; i++)
        if (d->word[noun_slot(i)] / NOUNS == d->word[PRONOUN_SLOT]) means = i, count++;
    return count == 1 ? means : -1;
}

static void ask_one(Token *token, const Draft *d, int slot, int relation, int answer) {
    int asks = d->token[slot];
    if (asks < 0) return;
    token[asks].relation = relation;
    token[asks].target = d->token[answer];
}

// The one place that says which word asks for which.
static void ask(Token *token, const Draft *d) {
    int means = antecedent(d);
    for (int i = 0; i < 3; i++) {
        ask_one(token, d, noun_slot(i), GIVER + i, noun_slot((i + 1) % 3));
        ask_one(token, d, ADJECTIVE_SLOT + PHRASE * i, ADJECTIVE, noun_slot(i));
    }
    ask_one(token, d, VERB_SLOT, GIVING_VERB, noun_slot(0));
    ask_one(token, d, LAST_SLOT, LAST_VERB, PRONOUN_SLOT);
    if (means >= 0) ask_one(token, d, PRONOUN_SLOT, PRONOUN, noun_slot(means));
}

static Token token_of(int word) {
    Token token = {.target = -1, .relation = -1};
    token.feature[FEATURE_WORD] = word;
    return token;
}

// ---- generating --------------------------------------------------------------------------------

// A word of the slot's list; -1: none. `class` has the classes of the three nouns.
static int choose(int slot, const int *class, RandomSource random) {
    int list = grammar[slot], count = first_id[list + 1] - first_id[list];
    if (list == NOUN) return class[slot / PHRASE] * NOUNS + random_below(random, NOUNS);
    if (list == PRONOUNS) return class[random_below(random, 3)];
    if (list == ADJECTIVES && !random_below(random, 2)) return -1;
    return count == 1 ? 0 : random_below(random, count);
}

static void generate(const Task *task, RandomSource random, Sentences *out) {
    (void)task;
    int class[CLASSES] = {0, 1, 2, 3}, count = 0;
    for (int i = 0; i < 3; i++) {  // three classes of four: a shuffle that stops early
        int j = i + random_below(random, CLASSES - i), kept = class[i];
        class[i] = class[j];
        class[j] = kept;
    }
    Draft d = {0};
    Token token[SLOTS];
    for (int s = 0; s < SLOTS; s++) {
        int word = d.word[s] = choose(s, class, random);
        d.token[s] = word < 0 ? -1 : count;
        if (word >= 0) token[count++] = token_of(first_id[grammar[s]] + word);
    }
    ask(token, &d);
    for (int i = 0; i < count; i++) sentences_append(out, &token[i]);
    sentences_end(out);
}

// ---- reading -----------------------------------------------------------------------------------

// Whether the words are what the generator could have written, with or without the full stop. (Or
// nearly: several nouns may be of one class; then their pronoun means none of them.)
static bool parse(char *const *word, int count, Draft *d) {
    int at = 0;
    for (int s = 0; s < SLOTS; s++) {
        const char *const *list = list_of[grammar[s]];
        int n = 0;
        while (at < count && list[n] && strcmp(word[at], list[n])) n++;
        bool found = at < count && list[n];
        if (!found && grammar[s] != ADJECTIVES && grammar[s] != FULL_STOP) return false;
        d->word[s] = found ? n : -1;
        d->token[s] = found ? at++ : -1;
    }
    return at == count;
}

// In small letters, with a blank before every full stop, so that it is a word of its own.
static char *plain(const char *text) {
    char *out = grow(NULL, 2 * strlen(text) + 1, 1), *at = out;
    for (; *text; text++) {
        if (*text == '.') *at++ = ' ';
        *at++ = utf8_lower(*text);
    }
    *at = '\0';
    return out;
}

bool pronoun_typed(Example *example, const Task *task, const char *text, char error[TASK_ERROR]) {
    char *small = plain(text), **word;
    int count = example_split(example, small);
    Token *token = grow(NULL, (size_t)count, sizeof *token);
    Draft d = {0};
    free(small);
    word = example->word;
    bool good = example_fits(count, task->max_length, "words", error), asks;
    for (int i = 0; good && i < count; i++) {
        token[i] = token_of(vocab_find(&task->vocab[FEATURE_WORD], word[i]));
        token[i].form = word[i];
        good = token[i].feature[FEATURE_WORD] >= 0
            || example_unknown(example, word[i], &task->vocab[FEATURE_WORD], 0);
    }
    if (good) {
        if ((asks = parse(word, count, &d))) ask(token, &d);
        for (int i = 0; i < count; i++) sentences_append(&example->sentences, &token[i]);
        example_end(example);
        snprintf(example->note, sizeof example->note, "%s",
                 !asks ? "these words ask nothing: they aren't of the form \"the [adjective] noun "
                         "verb the noun to the noun conjunction pronoun verb .\""
                 : antecedent(&d) < 0 ? "the pronoun asks nothing: it could mean none of the "
                                        "nouns, or several"
                                      : "");
    }
    free(token);
    return good;
}

bool pronoun_load(Task *task, const SourceOptions *options, char error[TASK_ERROR]) {
    (void)error;
    *task = (Task){.name = "pronoun", .asked = "which word answers each word's question?",
                   .max_length = SLOTS, .generate = generate};
    for (int i = 0; i < LISTS; i++)
        for (const char *const *word = list_of[i]; *word; word++)
            vocab_add(&task->vocab[FEATURE_WORD], *word);
    task->cycle = grow(NULL, RELATIONS, sizeof *task->cycle);
    for (int r = 0; r < RELATIONS; r++) {
        vocab_add(&task->relations, relation_name[r]);
        task->cycle[r] = r >= GIVER && r <= RECEIVER;
    }
    for (int i = 0; i < options->held_out; i++) generate(task, options->random, &task->held_out);
    return true;
}
