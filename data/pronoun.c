// Mini-English in which every content word asks another one something:
//
//     the tired aunt lent the dog to the old uncle so he smiled .
//
//     pronoun -> its antecedent           giver -> gift -> receiver -> giver   (the cycle)
//     adjective -> its noun               giving verb -> giver, last verb -> pronoun
//
// The three nouns are of three different classes (he, she, it, they), so that a pronoun means one of them,
// and each is any noun of its class: which gift it is can't be guessed from its giver.
#include <stdlib.h>

#include "task.h"

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
#define ANY(array) (array)[dice_roll(dice, COUNT(array))]

// A sentence as it is drawn: where each token's answer lies is known only once all are there.
typedef struct Draft {
    const Task *task;
    Token token[16];
    int count;
} Draft;

static int say(Draft *d, const char *word) {
    d->token[d->count] = (Token){.target = -1, .relation = -1};
    d->token[d->count].feature[FEATURE_WORD] = vocab_find(&d->task->vocab[FEATURE_WORD], word);
    return d->count++;
}

static void ask(Draft *d, int asks, int relation, int answers) {
    d->token[asks].relation = relation;
    d->token[asks].target = answers;
}

static int noun_phrase(Draft *d, Dice dice, int class) {
    say(d, "the");
    int described = dice_roll(dice, 2) ? say(d, ANY(adjective)) : -1;
    int at = say(d, ANY(noun[class]));
    if (described >= 0) ask(d, described, ADJECTIVE, at);
    return at;
}

static void generate(const Task *task, Dice dice, Sentences *out) {
    int class[CLASSES] = {0, 1, 2, 3};
    for (int i = 0; i < 3; i++) {  // the first three of a shuffle
        int j = i + dice_roll(dice, CLASSES - i), kept = class[i];
        class[i] = class[j];
        class[j] = kept;
    }
    Draft d = {.task = task};
    int role[3];  // giver, gift, receiver
    role[0] = noun_phrase(&d, dice, class[0]);
    int verb = say(&d, ANY(giving_verb));
    role[1] = noun_phrase(&d, dice, class[1]);
    say(&d, "to");
    role[2] = noun_phrase(&d, dice, class[2]);
    say(&d, ANY(conjunction));
    int who = dice_roll(dice, 3), they = say(&d, pronoun[class[who]]), last = say(&d, ANY(last_verb));
    say(&d, ".");
    for (int i = 0; i < 3; i++) ask(&d, role[i], GIVER + i, role[(i + 1) % 3]);
    ask(&d, verb, GIVING_VERB, role[0]);
    ask(&d, they, PRONOUN, role[who]);
    ask(&d, last, LAST_VERB, they);
    for (int i = 0; i < d.count; i++) sentences_append(out, &d.token[i]);
    sentences_end(out);
}

static void add_words(Vocab *vocab, const char *const *word, int count) {
    for (int i = 0; i < count; i++) vocab_add(vocab, word[i]);
}

void task_pronoun(Task *task, Dice dice, int held_out) {
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
    task->cycle = data_grow(NULL, RELATIONS, sizeof *task->cycle);
    for (int r = 0; r < RELATIONS; r++) task->cycle[r] = r >= GIVER && r <= RECEIVER;
    for (int i = 0; i < held_out; i++) generate(task, dice, &task->held_out);
}
