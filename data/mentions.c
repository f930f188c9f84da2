// Reads mentions in the scheme of CorefUD: Entity=... in the column MISC of a treebank. Read
// mentions.h before, and parsed.h.
//
//     # global.Entity = eid-etype     names the fields of a mention; the first is the entity
//     Entity=(e1-person               a mention of e1 begins at this word
//     Entity=e1)                      the mention of e1 that began last ends with this word
//     Entity=(e2-place)               a mention of this word alone
//     Entity=(e1-person(e2-place)     one mention inside another
//     Entity=(e3[1/2]-thing ...       the first of two parts: words between the parts are outside
//
// https://ufal.mff.cuni.cz/~popel/corefud-1.0/. Nothing is repaired. What is at odds with itself is
// refused, since it would make questions whose answers are wrong.
#include "mentions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "utf8.h"
#include "vocab.h"

enum { SHOWN_KEY = 40, MOST_PARTS = 64 };

// What stands behind a bracket: "e1", or "e1[1/2]".
typedef struct Key {
    const char *text;
    size_t length;
    int entity, part, parts;  // 1 and 1 of a mention in one part
} Key;

typedef struct Span { size_t first, last; } Span;  // words
typedef struct Open { Key key; size_t first; } Open;

// A mention whose parts have not all been read.
typedef struct Pieces { Key key; size_t last; int read; Span span[MOST_PARTS]; } Pieces;

typedef struct Reader {
    const Parsed *bank;
    const char *file;
    char *error;
    Mentions *to;
    size_t word;              // that is being read
    const size_t *parent;     // (words) the word that each depends on, or NO_WORD
    Vocab entity;             // of the document
    Open *open;
    Pieces *pieces;
    size_t opened, unfinished;
} Reader;

static const size_t NO_WORD = (size_t)-1;

static const char *shown(char text[SHOWN_KEY], Key key) {
    char whole[SHOWN_KEY];
    snprintf(whole, sizeof whole, "%.*s", (int)(key.length < 32 ? key.length : 32), key.text);
    return utf8_show(text, SHOWN_KEY, whole);
}

// Refuses what stands at a word. The format has one %s, for the key.
#define refuse(r, at, key, format) \
    file_refuse_at((r)->error, (r)->file, (r)->bank->word[at].line, 0, format, \
                   shown((char[SHOWN_KEY]){0}, key))

// ---- a bracket ---------------------------------------------------------------------------------

// "[1/2]" to part 1 of 2; "" to 1 of 1.
static bool read_part(const char *text, size_t n, Key *key) {
    int used = 0;
    key->part = key->parts = 1;
    if (!n) return true;
    return n < 12 && sscanf(text, "[%2d/%2d]%n", &key->part, &key->parts, &used) == 2
        && (size_t)used == n && key->part >= 1 && key->part <= key->parts
        && key->parts <= MOST_PARTS && key->parts > 1;
}

static bool read_key(Reader *r, const char *text, size_t n, Key *key) {
    const char *bracket = memchr(text, '[', n);
    size_t name = bracket ? (size_t)(bracket - text) : n;
    *key = (Key){.text = text, .length = n};
    if (!name)
        return refuse(r, r->word, *key, "Entity: \"%s\" names no entity; expected one, as in (e1)");
    if (!read_part(text + name, n - name, key))
        return refuse(r, r->word, *key,
                      "Entity: \"%s\"; expected its part as in e1[1/2], of at most 64");
    key->entity = vocab_add_n(&r->entity, text, name);
    return true;
}

static bool same_key(Key a, Key b) {
    return a.entity == b.entity && a.part == b.part && a.parts == b.parts;
}

// ---- a mention that has been read whole --------------------------------------------------------

static bool is_inside(const Span *span, int spans, size_t word) {
    for (int i = 0; i < spans; i++)
        if (word >= span[i].first && word <= span[i].last) return true;
    return false;
}

// Words depend on each other in trees, so that one of a mention's words depends on none of them.
static size_t find_head(const Reader *r, const Span *span, int spans) {
    const Span *at = span;
    size_t w = at->first;
    while (r->parent[w] != NO_WORD && is_inside(span, spans, r->parent[w]))
        w = w < at->last ? w + 1 : (++at)->first;
    return w;
}

static bool add_mention(Reader *r, Key key, const Span *span, int spans) {
    Mentions *to = r->to;
    const Mention new = {.first = span[0].first, .last = span[spans - 1].last,
                         .head = find_head(r, span, spans), .entity = key.entity};
    size_t begin = r->to->document[r->to->documents];
    for (size_t i = to->count; i-- && to->mention[i].last == new.last && new.last >= begin;)
        if (to->mention[i].entity == new.entity && to->mention[i].first == new.first)
            return refuse(r, r->word, key,
                          "Entity: two mentions of \"%s\" by the same words; expected one");
    to->mention = grow_one(to->mention, to->count, sizeof *to->mention);
    to->mention[to->count++] = new;
    return true;
}

static bool add_piece(Reader *r, Key key, Span span) {
    Pieces *p = r->pieces;
    size_t i = 0;
    while (i < r->unfinished && p[i].key.entity != key.entity) i++;
    bool begun = i < r->unfinished;
    if (key.part != (begun ? p[i].read + 1 : 1) || (begun && p[i].key.parts != key.parts))
        return refuse(r, r->word, key,
                      "Entity: \"%s\" is not the next part of its mention; expected [1/2], then "
                      "[2/2]");
    if (begun && span.first <= p[i].last)
        return refuse(r, r->word, key,
                      "Entity: \"%s\" overlaps the part before it; expected parts side by side");
    if (!begun) {
        p = r->pieces = grow_one(p, r->unfinished++, sizeof *p);
        p[i] = (Pieces){.key = key};
    }
    p[i].span[p[i].read++] = span;
    p[i].last = span.last;
    if (p[i].read < key.parts) return true;
    const Pieces whole = p[i];
    p[i] = p[--r->unfinished];
    return add_mention(r, key, whole.span, whole.read);
}

static bool end_mention(Reader *r, Key key, size_t first) {
    const Span span = {first, r->word};
    return key.parts > 1 ? add_piece(r, key, span) : add_mention(r, key, &span, 1);
}

// ---- the brackets of a word --------------------------------------------------------------------

// Behind "(": the key, more fields, and perhaps ")". Moves *at behind them.
static bool read_opening(Reader *r, const char **at, const char *end) {
    const char *text = *at;
    size_t all = 0, n = 0;
    Key key;
    while (text + all < end && text[all] != '(' && text[all] != ')') all++;
    while (n < all && text[n] != '-') n++;
    if (!read_key(r, text, n, &key)) return false;
    *at = text + all;
    if (*at < end && **at == ')') {
        ++*at;
        return end_mention(r, key, r->word);
    }
    r->open = grow_one(r->open, r->opened, sizeof *r->open);
    r->open[r->opened++] = (Open){key, r->word};
    return true;
}

// "e1)": ends the mention with that key which began last.
static bool read_closing(Reader *r, const char **at, const char *end) {
    const char *text = *at;
    size_t n = 0;
    Key key;
    while (text + n < end && text[n] != '(' && text[n] != ')') n++;
    if (text + n == end || text[n] == '(')
        return refuse(r, r->word, ((Key){.text = text, .length = n}),
                      "Entity: \"%s\" without a bracket; expected (e1-..., e1) or (e1-...)");
    if (!read_key(r, text, n, &key)) return false;
    *at = text + n + 1;
    size_t i = r->opened;
    while (i && !same_key(r->open[i - 1].key, key)) i--;
    if (!i)
        return refuse(r, r->word, key,
                      "Entity: \"%s)\" ends a mention that has not begun; expected \"(\" before "
                      "it");
    size_t first = r->open[i - 1].first;
    memmove(r->open + i - 1, r->open + i, (r->opened-- - i) * sizeof *r->open);
    return end_mention(r, key, first);
}

// The value of NAME=VALUE|NAME=VALUE, or NULL; `end` is where it ends.
static const char *entity_of(const char *misc, const char **end) {
    for (const char *at = misc; *at; at = *end + (**end == '|')) {
        *end = at + strcspn(at, "|");
        if (!strncmp(at, "Entity=", 7)) return at + 7;
    }
    return NULL;
}

static bool read_word(Reader *r) {
    const char *end = NULL, *at = entity_of(r->bank->word[r->word].misc, &end);
    if (at && at == end)
        return refuse(r, r->word, ((Key){.text = ""}),
                      "Entity: \"%s\" is empty; expected (e1-..., e1) or (e1-...)");
    while (at && at < end) {
        bool opens = *at == '(';
        at += opens;
        if (!(opens ? read_opening(r, &at, end) : read_closing(r, &at, end))) return false;
    }
    return true;
}

// ---- documents ---------------------------------------------------------------------------------

static bool end_document(Reader *r) {
    if (r->opened) {
        const Open *open = &r->open[r->opened - 1];
        return refuse(r, open->first, open->key,
                      "Entity: \"(%s\" never ends; expected its \")\" before the document ends");
    }
    if (r->unfinished)
        return refuse(r, r->pieces[0].last, r->pieces[0].key,
                      "Entity: \"%s\" is the last of its parts; expected the others");
    vocab_free(&r->entity);
    r->to->document = grow_one(r->to->document, ++r->to->documents, sizeof *r->to->document);
    r->to->document[r->to->documents] = r->word;
    return true;
}

static bool read_documents(Reader *r) {
    const Parsed *bank = r->bank;
    r->to->document = grow_one(NULL, 0, sizeof *r->to->document);
    r->to->document[0] = 0;
    for (r->word = 0; r->word < bank->words; r->word++) {
        if (r->word && bank->word[r->word].opens_document && !end_document(r)) return false;
        if (!read_word(r)) return false;
    }
    return end_document(r);
}

static size_t *parents(const Parsed *bank) {
    size_t *parent = grow(NULL, bank->words, sizeof *parent);
    for (size_t i = 0; i < bank->count; i++)
        for (size_t w = bank->start[i]; w < bank->start[i + 1]; w++)
            parent[w] = bank->target[w] < 0 ? NO_WORD : bank->start[i] + (size_t)bank->target[w];
    return parent;
}

bool mentions_read(Mentions *to, const Parsed *bank, const char *file, char error[FILE_ERROR]) {
    *to = (Mentions){0};
    if (!bank->names_entities)
        return file_refuse(error, file, "no line \"# global.Entity = ...\"; expected one that "
                                        "names the fields of Entity=(...)");
    if (bank->stray_entity)
        return file_refuse_at(error, file, bank->stray_entity, 0,
                              "Entity=... in a row that is no word; expected it at words");
    size_t *parent = parents(bank);
    Reader r = {.bank = bank, .file = file, .error = error, .to = to, .parent = parent};
    bool good = read_documents(&r);
    if (good && !to->count)
        good = file_refuse(error, file, "no Entity=... in the last column; expected mentions, as "
                                        "in Entity=(e1-person)");
    vocab_free(&r.entity);
    free(r.open);
    free(r.pieces);
    free(parent);
    if (!good) mentions_free(to);
    return good;
}

void mentions_free(Mentions *m) {
    free(m->mention);
    free(m->document);
    *m = (Mentions){0};
}
