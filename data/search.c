// A small search engine. Each set has eight pages and eight queries: a page has a title, which
// makes it findable, and a content, which makes it worth having; a query has the term of one title.
// What is asked for is the content.
//
//     pages    bread: otter   rivers: heron   stars: badger   ...
//     queries  stars?   bread?   rivers?   ...
//
// Titles are distinct within a set. Contents are drawn independently of them, and terms are coded
// independently of titles, so that relevance has to be learned.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources.h"
#include "utf8.h"

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

static void shuffle(int *x, int n, RandomSource random) {
    for (int i = n - 1; i > 0; i--) {
        int j = random_below(random, i + 1), kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}

static Token nothing(void) {
    Token token = {.target = -1, .relation = -1};
    for (int f = 0; f < FEATURES; f++) token.feature[f] = -1;
    return token;
}

static void generate(const Task *task, RandomSource random, Sentences *out) {
    int topic[TOPICS], page[PAGES];
    (void)task;
    for (int i = 0; i < TOPICS; i++) topic[i] = i;
    shuffle(topic, TOPICS, random);  // the first eight have a page
    for (int i = 0; i < PAGES; i++) {
        Token token = nothing();
        token.feature[FEATURE_TAG] = topic[i];
        token.feature[FEATURE_WORD] = random_below(random, CONTENTS);
        sentences_append(out, &token);
        page[i] = i;
    }
    shuffle(page, PAGES, random);
    for (int i = 0; i < PAGES; i++) {
        Token token = nothing();
        token.feature[FEATURE_TERM] = topic[page[i]];
        token.target = page[i];
        token.relation = 0;
        sentences_append(out, &token);
    }
    sentences_end(out);
}

// ---- reading -----------------------------------------------------------------------------------

// "bread:" and "otter" are one page, as is "bread:otter"; "bread?" is a query.
static bool add_page(Example *example, const Task *task, char *about, char *says,
                     char error[TASK_ERROR]) {
    Token token = nothing();
    const Sentences *s = &example->sentences;
    char shown[72];
    token.form = about;
    token.feature[FEATURE_TAG] = vocab_find(&task->vocab[FEATURE_TAG], about);
    if (token.feature[FEATURE_TAG] < 0)
        return example_unknown(example, about, &task->vocab[FEATURE_TAG], 0);
    token.feature[FEATURE_WORD] = vocab_find(&task->vocab[FEATURE_WORD], says);
    if (token.feature[FEATURE_WORD] < 0)
        return example_unknown(example, says, &task->vocab[FEATURE_WORD], 0);
    for (size_t i = 0; i < s->tokens; i++)
        if (s->feature[FEATURE_TAG][i] == token.feature[FEATURE_TAG]) {
            snprintf(error, TASK_ERROR, "two pages are titled \"%s\"; expected different titles",
                     utf8_show(shown, sizeof shown, about));
            return false;
        }
    sentences_append(&example->sentences, &token);
    return true;
}

// It asks for the page of its title, if there is one.
static bool add_query(Example *example, const Task *task, char *asked) {
    Token token = nothing();
    token.form = asked;
    token.feature[FEATURE_TERM] = vocab_find(&task->vocab[FEATURE_TERM], asked);
    if (token.feature[FEATURE_TERM] < 0)
        return example_unknown(example, asked, &task->vocab[FEATURE_TERM], 0);
    int id = vocab_find_n(&task->vocab[FEATURE_TAG], asked, strlen(asked) - 1);
    for (int i = 0; i < example->key_count; i++)
        if (example->sentences.feature[FEATURE_TAG][i] == id) token.target = i;
    if (token.target >= 0) token.relation = 0;
    else snprintf(example->note, sizeof example->note, "a query whose page isn't there asks nothing");
    sentences_append(&example->sentences, &token);
    return true;
}

bool search_typed(Example *example, const Task *task, const char *text, RandomSource random,
                  char error[TASK_ERROR]) {
    enum { MOST = 256 };
    char **word, shown[72];
    int count = example_split(example, text, &word), queries = 0;
    bool good = example_fits(count, MOST, "words", error);
    (void)random;
    for (int i = 0; good && i < count; i++) {
        char *colon = strchr(word[i], ':'), *says = colon ? colon + 1 : NULL, *at = word[i];
        bool query = !colon && at[strlen(at) - 1] == '?';
        if (colon) *colon = '\0';
        if (says && !*says && i + 1 < count) says = word[++i];
        if (says && !queries) good = add_page(example, task, at, says, error), ++example->key_count;
        else if (query && example->key_count) good = add_query(example, task, at), queries++;
        else {
            snprintf(error, TASK_ERROR,
                     "\"%s\": expected pages, then queries, as in "
                     "\"bread:otter rivers:heron rivers? bread?\" (the model is of the task search)",
                     utf8_show(shown, sizeof shown, at));
            good = false;
        }
    }
    if (good && !queries) {
        snprintf(error, TASK_ERROR, "no query; expected pages, then queries, as in "
                 "\"bread:otter rivers:heron rivers? bread?\"");
        good = false;
    }
    if (good) example_end(example);
    free(word);
    return good;
}

bool search_load(Task *task, const SourceOptions *options, RandomSource random,
                 char error[TASK_ERROR]) {
    (void)error;
    *task = (Task){.name = "search",
                   .asked = "which page does each query want, and what does it say?",
                   .key_count = PAGES,
                   .generate = generate};
    for (int i = 0; i < CONTENTS; i++) vocab_add(&task->vocab[FEATURE_WORD], content[i]);
    for (int i = 0; i < TOPICS; i++) vocab_add(&task->vocab[FEATURE_TAG], title[i]);
    for (int i = 0; i < TOPICS; i++) vocab_add(&task->vocab[FEATURE_TERM], term[i]);
    vocab_add(&task->relations, "query");
    for (int i = 0; i < options->held_out; i++) generate(task, random, &task->held_out);
    return true;
}
