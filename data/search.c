// A small search engine. A "sentence" is eight pages and eight queries. A page has a title, by
// which it is found, and a content, which is read. A query has the term of one title and asks for
// the content of that page.
//
//     pages    bread: otter   rivers: heron   stars: badger   ...
//     queries  stars?   bread?   rivers?   ...
//
// The titles of a sentence are distinct. Contents are drawn independently of titles, and terms have
// a vocabulary of their own, so that which term fits which title has to be learned.
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
static const char *const content[CONTENTS] = {
    "otter", "heron", "badger", "lynx", "raven", "trout", "weasel", "falcon",
    "beaver", "toad", "marten", "stork", "pike", "hare", "owl", "adder",
    "maple", "birch", "willow", "aspen", "cedar", "elder", "hazel", "rowan",
    "amber", "indigo", "scarlet", "ochre", "teal", "ivory", "umber", "violet",
};

static Token nothing(void) {
    Token token = {.target = -1, .relation = -1};
    for (int f = 0; f < FEATURES; f++) token.feature[f] = -1;
    return token;
}

static void generate(const Task *task, RandomSource random, Sentences *out) {
    size_t topic[TOPICS], page[PAGES];
    (void)task;
    for (size_t i = 0; i < TOPICS; i++) topic[i] = i;
    random_shuffle(random, topic, TOPICS);  // the first eight have a page
    for (size_t i = 0; i < PAGES; i++) {
        Token token = nothing();
        token.feature[FEATURE_TAG] = (int)topic[i];
        token.feature[FEATURE_WORD] = random_below(random, CONTENTS);
        sentences_append(out, &token);
        page[i] = i;
    }
    random_shuffle(random, page, PAGES);
    for (size_t i = 0; i < PAGES; i++) {
        Token token = nothing();
        token.feature[FEATURE_TERM] = (int)topic[page[i]];
        token.target = (int)page[i];
        token.relation = 0;
        sentences_append(out, &token);
    }
    sentences_end(out);
}

// ---- reading -----------------------------------------------------------------------------------

#define FORM "expected pages, then queries, as in \"bread:otter rivers:heron rivers? bread?\""

// The id of a word in one of the vocabularies; false: it is unknown.
static bool look_up(Example *example, const Task *task, int feature, const char *word, int *id) {
    *id = vocab_find(&task->vocab[feature], word);
    return *id >= 0 || example_unknown(example, word, &task->vocab[feature], 0);
}

static bool add_page(Example *example, const Task *task, const char *about, const char *says,
                     char error[TASK_ERROR]) {
    Token token = nothing();
    const Sentences *s = &example->sentences;
    char shown[72];
    token.form = about;
    if (!look_up(example, task, FEATURE_TAG, about, &token.feature[FEATURE_TAG])
        || !look_up(example, task, FEATURE_WORD, says, &token.feature[FEATURE_WORD]))
        return false;
    for (size_t i = 0; i < s->tokens; i++)
        if (s->feature[FEATURE_TAG][i] == token.feature[FEATURE_TAG]) {
            snprintf(error, TASK_ERROR, "two pages are titled \"%s\"; expected different titles",
                     utf8_show(shown, sizeof shown, about));
            return false;
        }
    sentences_append(&example->sentences, &token);
    example->key_count++;
    return true;
}

// A query asks for the page of its title, if there is one.
static bool add_query(Example *example, const Task *task, const char *term) {
    Token token = nothing();
    token.form = term;
    if (!look_up(example, task, FEATURE_TERM, term, &token.feature[FEATURE_TERM])) return false;
    int id = vocab_find_n(&task->vocab[FEATURE_TAG], term, strlen(term) - 1);
    for (int i = 0; i < example->key_count; i++)
        if (example->sentences.feature[FEATURE_TAG][i] == id) token.target = i;
    if (token.target >= 0) token.relation = 0;
    else snprintf(example->note, sizeof example->note, "a query without its page asks nothing");
    sentences_append(&example->sentences, &token);
    return true;
}

// A page may be two words: "bread: otter" is "bread:otter".
bool search_typed(Example *example, const Task *task, const char *text, char error[TASK_ERROR]) {
    enum { MOST = 256 };
    int count = example_split(example, text), queries = 0;
    char **word = example->word, shown[72];
    bool good = example_fits(count, MOST, "words", error);
    for (int i = 0; good && i < count; i++) {
        char *at = word[i], *colon = strchr(at, ':'), *says = colon ? colon + 1 : NULL;
        bool query = !colon && at[strlen(at) - 1] == '?';
        if (colon) *colon = '\0';
        if (says && !*says && i + 1 < count) says = word[++i];
        if (says && !queries) {
            good = add_page(example, task, at, says, error);
        } else if (query && example->key_count) {
            good = add_query(example, task, at);
            queries++;
        } else {
            snprintf(error, TASK_ERROR, "\"%s\": " FORM " (the model is of the task search)",
                     utf8_show(shown, sizeof shown, at));
            good = false;
        }
    }
    if (good && !queries) snprintf(error, TASK_ERROR, "no query; " FORM);
    if (!good || !queries) return false;
    example_end(example);
    return true;
}

bool search_load(Task *task, const SourceOptions *options, char error[TASK_ERROR]) {
    char term[16];
    (void)error;
    *task = (Task){.name = "search", .key_count = PAGES, .generate = generate,
                   .asked = "which page does each query want, and what does it say?"};
    for (int i = 0; i < CONTENTS; i++) vocab_add(&task->vocab[FEATURE_WORD], content[i]);
    for (int i = 0; i < TOPICS; i++) {
        vocab_add(&task->vocab[FEATURE_TAG], title[i]);
        snprintf(term, sizeof term, "%s?", title[i]);
        vocab_add(&task->vocab[FEATURE_TERM], term);
    }
    vocab_add(&task->relations, "query");
    for (int i = 0; i < options->held_out; i++) generate(task, options->random, &task->held_out);
    return true;
}
