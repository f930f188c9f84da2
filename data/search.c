// A small search engine. Each set has eight pages and eight queries: a page has a title, which makes it
// findable, and a content, which makes it worth having; a query has the term of one title. What is asked
// for is the content.
//
//     pages    bread: otter   rivers: heron   stars: badger   ...
//     queries  stars?   bread?   rivers?   ...
//
// Titles are distinct within a set. Contents are drawn independently of them, and terms are coded
// independently of titles, so that relevance has to be learned.
#include <stdlib.h>

#include "task.h"

enum { TOPICS = 16, CONTENTS = 32, PAGES = 8 };

static const char *const title[TOPICS] = {
    "bread", "rivers", "stars", "chess", "trains", "salt", "violins", "maps",
    "storms", "roses", "bridges", "coins", "whales", "kites", "clocks", "tea",
};
static const char *const term[TOPICS] = {
    "bread?", "rivers?", "stars?", "chess?", "trains?", "salt?", "violins?", "maps?",
    "storms?", "roses?", "bridges?", "coins?", "whales?", "kites?", "clocks?", "tea?",
};
static const char *const content[CONTENTS] = {
    "otter", "heron", "badger", "lynx", "raven", "trout", "weasel", "falcon",
    "beaver", "toad", "marten", "stork", "pike", "hare", "owl", "adder",
    "maple", "birch", "willow", "aspen", "cedar", "elder", "hazel", "rowan",
    "amber", "indigo", "scarlet", "ochre", "teal", "ivory", "umber", "violet",
};

static void shuffle(int *x, int n, Dice dice) {
    for (int i = n - 1; i > 0; i--) {
        int j = dice_roll(dice, i + 1), kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}

static Token nothing(void) {
    Token token = {.target = -1, .relation = -1};
    for (int f = 0; f < FEATURES; f++) token.feature[f] = -1;
    return token;
}

static void generate(const Task *task, Dice dice, Sentences *out) {
    int topic[TOPICS], page[PAGES];
    (void)task;
    for (int i = 0; i < TOPICS; i++) topic[i] = i;
    shuffle(topic, TOPICS, dice);  // the first eight have a page
    for (int i = 0; i < PAGES; i++) {
        Token token = nothing();
        token.feature[FEATURE_TAG] = topic[i];
        token.feature[FEATURE_WORD] = dice_roll(dice, CONTENTS);
        sentences_append(out, &token);
        page[i] = i;
    }
    shuffle(page, PAGES, dice);
    for (int i = 0; i < PAGES; i++) {
        Token token = nothing();
        token.feature[FEATURE_TERM] = topic[page[i]];
        token.target = page[i];
        token.relation = 0;
        sentences_append(out, &token);
    }
    sentences_end(out);
}

void task_search(Task *task, Dice dice, int held_out) {
    *task = (Task){.name = "search", .asked = "which page does each query want, and what does it say?",
                   .keys = PAGES, .generate = generate};
    for (int i = 0; i < CONTENTS; i++) vocab_add(&task->vocab[FEATURE_WORD], content[i]);
    for (int i = 0; i < TOPICS; i++) vocab_add(&task->vocab[FEATURE_TAG], title[i]);
    for (int i = 0; i < TOPICS; i++) vocab_add(&task->vocab[FEATURE_TERM], term[i]);
    vocab_add(&task->relations, "query");
    for (int i = 0; i < held_out; i++) generate(task, dice, &task->held_out);
}
