// Associative recall, many questions a sequence (Arora et al. 2023, arXiv 2312.04927). Pairs of a
// key and a value, then the keys again, in another order. Each asks for the value that followed it.
//
//     joined        ba:17 ko:4 mi:60 ...  mi? ba? ko? ...
//     --separate    ba 17 ko 4 mi 60 ...  mi ba ko ...
//
// The keys of a sequence are distinct; values are drawn independently of them. A joined pair is one
// token with two features, the key in T and the value in E. A query has the key, and the value "?".
// Where key and value are two tokens, a value does not know its key. A bare head then cannot answer
// (its logits are sums over tokens, so two pairs with their values exchanged look alike to it);
// with two layers, the first can hand each key on to the value behind it.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "autograd/fatal.h"
#include "sources.h"
#include "utf8.h"

enum { KEYS = 80, VALUES = 64, FORM = 8 };  // FORM: bytes of a joined token's form

static bool is_joined(const Task *task) { return task->vocab[FEATURE_TAG].count > 0; }

static const Vocab *keys_of(const Task *task) {
    return &task->vocab[is_joined(task) ? FEATURE_TAG : FEATURE_WORD];
}

// The token of a key (-1: none) and of a value, which are ids of their features; it asks for the
// token `target`, if that is not -1.
static void append(Sentences *out, int key, int value, int target, const char *form) {
    Token token = {.target = target, .relation = target < 0 ? -1 : 0, .form = form};
    for (int f = 0; f < FEATURES; f++) token.feature[f] = -1;
    token.feature[FEATURE_TAG] = key;
    token.feature[FEATURE_WORD] = value;
    sentences_append(out, &token);
}

// A joined token has its form in Task.text; "?" is the value VALUES.
static void append_joined(const Task *task, Sentences *out, int key, int value, int target) {
    append(out, key, value, target, task->text + (key * (VALUES + 1) + value) * FORM);
}

static void generate(const Task *task, RandomSource random, Sentences *out) {
    size_t key[KEYS], place[KEYS];
    bool joined = is_joined(task);
    int pairs = task->max_length / (joined ? 2 : 3);
    for (size_t i = 0; i < KEYS; i++) key[i] = place[i] = i;
    random_shuffle(random, key, KEYS);  // the first ones are in the sequence
    for (int i = 0; i < pairs; i++) {
        int value = random_below(random, VALUES);
        if (joined) append_joined(task, out, (int)key[i], value, -1);
        else append(out, -1, (int)key[i], -1, NULL), append(out, -1, KEYS + value, -1, NULL);
    }
    random_shuffle(random, place, (size_t)pairs);
    for (int i = 0; i < pairs; i++) {
        int pair = (int)place[i], asks = (int)key[pair];
        if (joined) append_joined(task, out, asks, VALUES, pair);
        else append(out, -1, asks, 2 * pair + 1, NULL);
    }
    sentences_end(out);
}

// "ba", "be", ... "zu"; "1" to "64".
static void add_words(Vocab *keys, Vocab *words) {
    static const char consonant[] = "bdfghjklmnprstvz", vowel[] = "aeiou";
    char text[16];
    for (int i = 0; i < KEYS; i++) {
        snprintf(text, sizeof text, "%c%c", consonant[i / 5], vowel[i % 5]);
        vocab_add(keys, text);
    }
    for (int i = 1; i <= VALUES; i++) {
        snprintf(text, sizeof text, "%d", i);
        vocab_add(words, text);
    }
    if (keys != words) vocab_add(words, "?");
}

static void add_forms(Task *task) {
    char *at = task->text = zeroed(KEYS * (VALUES + 1), FORM);
    const Vocab *keys = &task->vocab[FEATURE_TAG], *values = &task->vocab[FEATURE_WORD];
    for (int i = 0; i < KEYS; i++)
        for (int j = 0; j <= VALUES; j++, at += FORM)
            snprintf(at, FORM, j < VALUES ? "%s:%s" : "%s%s", keys->word[i], values->word[j]);
}

bool recall_load(Task *task, const SourceOptions *options, char error[TASK_ERROR]) {
    bool joined = !options->separate;
    Vocab *words = &task->vocab[FEATURE_WORD];
    (void)error;
    *task = (Task){.name = "recall", .asked = "which value followed each key?", .causal = true,
                   .trains_embeddings = true, .generate = generate,
                   .max_length = options->pairs * (joined ? 2 : 3)};
    add_words(joined ? &task->vocab[FEATURE_TAG] : words, words);
    if (joined) add_forms(task);
    vocab_add(&task->relations, "query");
    for (int i = 0; i < options->held_out; i++) generate(task, options->random, &task->held_out);
    return true;
}

// ---- reading -----------------------------------------------------------------------------------

#define EXPECTED "expected pairs, then keys, as in \"ba:17 ko:4 ko? ba?\""

static bool is_value(const char *word) { return isdigit((unsigned char)*word); }

static bool refuse(char error[TASK_ERROR], const char *word) {
    char shown[72];
    snprintf(error, TASK_ERROR, "\"%s\": " EXPECTED " (the model is of the task recall)",
             utf8_show(shown, sizeof shown, word));
    return false;
}

static bool look_up(Example *example, const Vocab *known, const char *word, int *id) {
    *id = vocab_find(known, word);
    return *id >= 0 || example_unknown(example, word, known, 0);
}

// The token that says the value of that key, -1: none does.
static int find_answer(const Task *task, const Sentences *s, int key) {
    size_t after = !is_joined(task);
    const int *known = s->feature[after ? FEATURE_WORD : FEATURE_TAG];
    char *const *word = task->vocab[FEATURE_WORD].word;
    for (size_t i = 0; i + after < s->tokens; i++)
        if (known[i] == key && is_value(word[s->feature[FEATURE_WORD][i + after]]))
            return (int)(i + after);
    return -1;
}

static bool add_pair(Example *example, const Task *task, int key, const char *form,
                     const char *value, char error[TASK_ERROR]) {
    const Vocab *words = &task->vocab[FEATURE_WORD];
    Sentences *s = &example->sentences;
    int id;
    if (!is_value(value)) return refuse(error, form);
    if (!look_up(example, words, value, &id)) return false;
    if (find_answer(task, s, key) >= 0) {
        snprintf(error, TASK_ERROR, "two pairs have the key of \"%s\"; expected different keys",
                 form);
        return false;
    }
    if (is_joined(task)) append(s, key, id, -1, form);
    else append(s, -1, key, -1, words->word[key]), append(s, -1, id, -1, words->word[id]);
    return true;
}

static bool add_query(Example *example, const Task *task, int key, const char *form) {
    const Vocab *words = &task->vocab[FEATURE_WORD];
    Sentences *s = &example->sentences;
    int unsaid = 0, answer = find_answer(task, s, key);
    bool joined = is_joined(task);
    if (joined && !look_up(example, words, "?", &unsaid)) return false;
    if (answer < 0)
        snprintf(example->note, sizeof example->note, "a key without its pair asks nothing");
    append(s, joined ? key : -1, joined ? unsaid : key, answer, joined ? form : words->word[key]);
    return true;
}

// Reads the word at `i` of a pair "ba:17", whose value may be a word of its own where tokens are
// separate, or of a query, "ba?" or "ba". Gives the index of the word that follows, 0: refused.
static int read_word(Example *example, const Task *task, int i, int count, char error[TASK_ERROR]) {
    char *form = example->word[i], *next = i + 1 < count ? example->word[i + 1] : "";
    size_t n = strcspn(form, ":?");
    char mark = form[n], *value = form + n + 1;
    int key;
    if (!n || is_value(form) || (mark == '?' && *value)) return refuse(error, form);
    form[n] = '\0';
    if (!look_up(example, keys_of(task), form, &key)) return 0;
    form[n] = mark;
    bool two = !mark && is_value(next) && !is_joined(task);
    if (two) value = next;
    bool good = two || mark == ':' ? add_pair(example, task, key, form, value, error)
                                   : add_query(example, task, key, form);
    return good ? i + 1 + two : 0;
}

bool recall_typed(Example *example, const Task *task, const char *text, char error[TASK_ERROR]) {
    int count = example_split(example, text);
    for (int i = 0; i < count; )
        if (!(i = read_word(example, task, i, count, error))) return false;
    const Sentences *s = &example->sentences;
    if (!example_fits((int)s->tokens, task->max_length, "tokens", error)) return false;
    bool asks = false;
    for (size_t i = 0; i < s->tokens; i++) asks |= s->target[i] >= 0;
    if (asks) example_end(example);
    else snprintf(error, TASK_ERROR, "no key is asked for after its pair; " EXPECTED);
    return asks;
}
