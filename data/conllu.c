// Reads CoNLL-U, the format of Universal Dependencies: a row of ten tab-separated columns for each
// word, a blank line after each sentence, comments from '#'. Fields stay where they are in the text
// of the file and are ended there by a NUL. Nothing is repaired: what isn't trees of words in UTF-8
// is refused, since a model that learned from it would say nothing about grammar.
// https://universaldependencies.org/format.html
#include "conllu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "file.h"
#include "utf8.h"

enum { ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC, COLUMNS };

enum {
    FILE_LIMIT = 1 << 30,  // bytes: what is counted in lines or words of a file fits an int
    SHOWN_FIELD = 48       // bytes of a message for a field, with what ends the string
};

typedef struct Reader {
    Conllu *to;
    const char *file;
    int line;              // that is being read, from 1
    char *error;
    size_t error_size;
} Reader;

#define refuse(r, line, ...) \
    file_refuse((r)->error, (r)->error_size, (r)->file, line, 0, __VA_ARGS__)

// Refuses a field of the row that is being read.
static bool refuse_field(const Reader *r, const char *what, const char *field,
                         const char *expected) {
    char shown[SHOWN_FIELD];
    utf8_show(shown, sizeof shown, field);
    return refuse(r, r->line, "%s \"%s\"; expected %s", what, shown, expected);
}

// The number that `text` is: digits alone, without a leading zero and nine at most, so that it fits
// an int. -1 if it isn't one.
static int number(const char *text) {
    int n = 0, digits = 0;
    for (; *text >= '0' && *text <= '9' && digits < 9; text++, digits++) n = 10 * n + (*text - '0');
    bool leading_zero = digits > 1 && text[-digits] == '0';
    return digits && !*text && !leading_zero ? n : -1;
}

// A multiword token ("3-4") or an empty node ("5.1"): rows that are no word and have no head.
static bool is_no_word(const char *id) {
    size_t before = strspn(id, "0123456789"), after = 0;
    if (before && (id[before] == '-' || id[before] == '.'))
        after = strspn(id + before + 1, "0123456789");
    return after && !id[before + 1 + after];
}

// Ends each column of the row with a NUL; gives how many there are, the first ten in column[].
static int split(char *row, char *column[COLUMNS]) {
    int columns = 1;
    column[0] = row;
    for (char *c = row; *c; c++) {
        if (*c != '\t') continue;
        *c = '\0';
        if (columns < COLUMNS) column[columns] = c + 1;
        columns++;
    }
    return columns;
}

static size_t open_start(const Conllu *c) { return c->sentences ? c->start[c->sentences] : 0; }

static void append(Conllu *c, ConlluWord word) {
    if (c->words == c->word_capacity) {
        c->word_capacity = c->words ? 2 * c->words : 256;
        c->word = grow(c->word, c->word_capacity, sizeof *c->word);
    }
    c->word[c->words++] = word;
}

static bool read_row(Reader *r, char *row) {
    char *column[COLUMNS], next[16];
    int columns = split(row, column);
    if (columns != COLUMNS)
        return refuse(r, r->line, "a row of %d column%s; expected 10, with tabs between them",
                      columns, columns == 1 ? "" : "s");
    if (is_no_word(column[ID])) return true;
    int id = (int)(r->to->words - open_start(r->to)) + 1;
    snprintf(next, sizeof next, "%d", id);
    if (strcmp(column[ID], next)) return refuse_field(r, "word id", column[ID], next);
    if (!*column[FORM]) return refuse_field(r, "form", "", "the word as it is written");
    if (!*column[UPOS]) return refuse_field(r, "tag", "", "a part of speech, or _ for none");
    int head = number(column[HEAD]);
    if (head < 0) return refuse_field(r, "head", column[HEAD], "the id of a word, or 0");
    const char *relation = column[DEPREL];
    if (!*relation || *relation == ':' || !strcmp(relation, "_"))
        return refuse_field(r, "relation", relation, "a name such as nsubj or root");
    append(r->to, (ConlluWord){column[FORM], column[UPOS], relation, head, r->line});
    return true;
}

// The id of a word that its heads lead back to, or 0. A walk ends where an earlier one came by, so
// that each word is passed once, however deep the tree.
static int find_cycle(const ConlluWord *word, int n) {
    int *walk = zeroed((size_t)n + 1, sizeof *walk);  // that came by first, 0: none yet
    int cycle = 0;
    for (int id = 1; id <= n && !cycle; id++) {
        int at = id;
        for (; at && !walk[at]; at = word[at - 1].head) walk[at] = id;
        if (at && walk[at] == id) cycle = at;
    }
    free(walk);
    return cycle;
}

static bool check_tree(const Reader *r, const ConlluWord *word, int n) {
    int root = 0;
    for (int id = 1; id <= n; id++) {
        int head = word[id - 1].head, line = word[id - 1].line;
        if (head > n)
            return refuse(r, line, "head %d; expected at most %d, the last word", head, n);
        if (head == id)
            return refuse(r, line, "word %d as its own head; expected another word, or 0", id);
        if (head == 0 && root)
            return refuse(r, line, "word %d as a second root, beside word %d; expected one root",
                          id, root);
        if (head == 0) root = id;
    }
    if (!root) return refuse(r, word->line, "no root; expected one word with head 0");
    int cycle = find_cycle(word, n);
    if (cycle)
        return refuse(r, word->line, "a cycle, from word %d back to it; expected a tree", cycle);
    return true;
}

static bool end_sentence(Reader *r) {
    Conllu *c = r->to;
    size_t start = open_start(c);
    if (c->words == start) return true;
    if (!check_tree(r, c->word + start, (int)(c->words - start))) return false;
    if (c->sentences == c->sentence_capacity) {
        c->sentence_capacity = c->sentences ? 2 * c->sentences : 64;
        c->start = grow(c->start, c->sentence_capacity + 1, sizeof *c->start);
        c->start[0] = 0;
    }
    c->start[++c->sentences] = c->words;
    return true;
}

static bool read_line(Reader *r, char *line, char *end) {
    for (size_t length = 0, left = (size_t)(end - line); left; left -= length) {
        const char *at = end - left;
        unsigned code = 0;
        length = utf8_decode(at, left, &code);
        char byte[2] = {*at, '\0'};
        if (length == 0) return refuse_field(r, "byte", byte, "text in UTF-8");
        if (code == 0) return refuse(r, r->line, "a NUL byte; expected text in UTF-8");
    }
    *end = '\0';
    if (*line == '\0') return end_sentence(r);
    return *line == '#' || read_row(r, line);
}

static bool read_text(Reader *r, char *text, size_t size) {
    char *end = text + size, *next = text;
    if (!strncmp(text, "\xEF\xBB\xBF", 3)) next += 3;  // the byte order mark
    while (next < end) {
        char *line = next, *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        if (!stop) stop = end;
        if (stop > line && stop[-1] == '\r') stop--;
        r->line++;
        if (!read_line(r, line, stop)) return false;
    }
    if (!r->line) return refuse(r, 1, "an empty file; expected sentences in CoNLL-U");
    if (!end_sentence(r)) return false;
    if (!r->to->sentences)
        return refuse(r, r->line, "a file without a word; expected sentences in CoNLL-U");
    return true;
}

bool conllu_read(Conllu *conllu, const char *file, char *error, size_t error_size) {
    *conllu = (Conllu){0};
    size_t size = 0;
    conllu->text = file_read(file, FILE_LIMIT, &size);
    if (!conllu->text)
        return file_refuse(error, error_size, file, 0, 0,
                           "%s; expected a CoNLL-U file of at most 1 GiB", strerror(errno));
    Reader reader = {conllu, file, 0, error, error_size};
    bool good = read_text(&reader, conllu->text, size);
    if (!good) conllu_free(conllu);
    return good;
}

void conllu_free(Conllu *conllu) {
    free(conllu->start);
    free(conllu->word);
    free(conllu->text);
    *conllu = (Conllu){0};
}
