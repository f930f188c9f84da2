// Reads CoNLL-U, the format of Universal Dependencies: a row of ten tab-separated columns for each
// word, a blank line after each sentence, comments from '#'. Fields stay where they are in the text
// of the file; a NUL ends each. Nothing is repaired: what isn't trees of words in UTF-8 is refused,
// since a model that learned from it would say nothing about grammar.
// https://universaldependencies.org/format.html
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "cycle.h"
#include "parsed.h"
#include "utf8.h"

enum { ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC, COLUMNS };

enum {
    FILE_LIMIT = 1 << 30,  // bytes, so that lines and words can be counted in an int
    SHOWN_FIELD = 48       // bytes of a field in a message, with the NUL
};

typedef struct Reader {
    Parsed *to;
    const char *file;
    int line;              // that is being read, from 1
    bool new_document;     // has a line "# newdoc" been read since the last word?
    char *error;
} Reader;

#define refuse(r, line, ...) file_refuse_at((r)->error, (r)->file, line, 0, __VA_ARGS__)

// Refuses a field of the row that is being read.
static bool refuse_field(const Reader *r, const char *what, const char *field,
                         const char *expected) {
    char shown[SHOWN_FIELD];
    utf8_show(shown, sizeof shown, field);
    return refuse(r, r->line, "%s \"%s\"; expected %s", what, shown, expected);
}

static const char digits[] = "0123456789";

// The number that `text` is: digits alone, without a leading zero, and nine at most, so that it
// fits an int. -1 if it isn't one.
static int number(const char *text) {
    size_t n = strspn(text, digits);
    bool leading_zero = n > 1 && *text == '0';
    return n && n <= 9 && !text[n] && !leading_zero ? atoi(text) : -1;
}

// A multiword token ("3-4") or an empty node ("5.1"): its row is no word and has no head.
static bool is_no_word(const char *id) {
    size_t n = strspn(id, digits);
    if (!n || (id[n] != '-' && id[n] != '.')) return false;
    const char *behind = id + n + 1;
    return *behind && !behind[strspn(behind, digits)];
}

// Ends each column of the row with a NUL; gives their number, and the first ten in column[].
static int split(char *row, char *column[COLUMNS]) {
    int columns = 0;
    for (char *at = row; at; columns++) {
        if (columns < COLUMNS) column[columns] = at;
        at = strchr(at, '\t');
        if (at) *at++ = '\0';
    }
    return columns;
}

static bool read_row(Reader *r, char *row) {
    char *column[COLUMNS], next[16];
    int columns = split(row, column);
    if (columns != COLUMNS)
        return refuse(r, r->line, "a row of %d column%s; expected 10, with tabs between them",
                      columns, columns == 1 ? "" : "s");
    if (is_no_word(column[ID])) {
        if (!r->to->stray_entity && strstr(column[MISC], "Entity=")) r->to->stray_entity = r->line;
        return true;
    }
    snprintf(next, sizeof next, "%zu", r->to->words - parsed_open(r->to) + 1);
    if (strcmp(column[ID], next)) return refuse_field(r, "word id", column[ID], next);
    if (!*column[FORM]) return refuse_field(r, "form", "", "the word as it is written");
    if (!*column[UPOS]) return refuse_field(r, "tag", "", "a part of speech, or _ for none");
    int head = number(column[HEAD]);
    if (head < 0) return refuse_field(r, "head", column[HEAD], "the id of a word, or 0");
    char *relation = column[DEPREL];
    size_t n = strcspn(relation, ":");  // without what follows a colon, as in nsubj:pass
    if (!n || (n == 1 && *relation == '_'))
        return refuse_field(r, "relation", relation, "a name such as nsubj or root");
    relation[n] = '\0';
    const ParsedWord word = {
        .form = column[FORM], .tag = column[UPOS], .relation = relation, .line = r->line,
        .lemma = column[LEMMA], .own_tag = column[XPOS], .features = column[FEATS],
        .misc = column[MISC], .opens_document = r->new_document};
    parsed_append(r->to, word, head - 1);
    r->new_document = false;
    return true;
}

// Of the comments only those count that coreference needs (mentions.c).
static bool read_comment(Reader *r, const char *line) {
    static const char document[] = "# newdoc", entity[] = "# global.Entity";
    const char *behind = line + sizeof document - 1;
    if (!strncmp(line, document, sizeof document - 1) && (!*behind || *behind == ' '))
        r->new_document = true;
    if (!strncmp(line, entity, sizeof entity - 1)) r->to->names_entities = true;
    return true;
}

static bool check_tree(const Reader *r, const ParsedWord *word, const int *target, int n) {
    int root = 0;
    for (int id = 1; id <= n; id++) {
        int head = target[id - 1] + 1, line = word[id - 1].line;
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
    bool *in_cycle = grow(NULL, (size_t)n, sizeof *in_cycle);
    int cycles = cycle_find(target, n, 1, in_cycle), id = 1;
    while (cycles && !in_cycle[id - 1]) id++;
    free(in_cycle);
    return !cycles
        || refuse(r, word->line, "a cycle, from word %d back to it; expected a tree", id);
}

static bool end_sentence(Reader *r) {
    Parsed *p = r->to;
    size_t start = parsed_open(p), n = p->words - start;
    if (n && !check_tree(r, p->word + start, p->target + start, (int)n)) return false;
    parsed_end(p);
    return true;
}

static bool read_line(Reader *r, char *line, char *end) {
    size_t length = 0;
    for (const char *at = line; at < end; at += length) {
        unsigned code = 0;
        length = utf8_decode(at, (size_t)(end - at), &code);
        if (!length || !code)
            return refuse(r, r->line, "byte \\x%02x; expected text in UTF-8", (unsigned char)*at);
    }
    *end = '\0';
    if (*line == '\0') return end_sentence(r);
    return *line == '#' ? read_comment(r, line) : read_row(r, line);
}

static bool read_text(Reader *r, char *text, size_t size) {
    char *line, *line_end;
    for (char *next = text; (line = file_line(&next, text + size, &line_end));) {
        r->line++;
        if (!read_line(r, line, line_end)) return false;
    }
    if (!r->line) return refuse(r, 1, "an empty file; expected sentences in CoNLL-U");
    if (!end_sentence(r)) return false;
    return r->to->count
        || refuse(r, r->line, "a file without a word; expected sentences in CoNLL-U");
}

bool conllu_read(Parsed *bank, const char *file, char error[FILE_ERROR]) {
    size_t size = 0;
    *bank = (Parsed){.open_question = -1,
                     .text = file_text(file, FILE_LIMIT, &size, "a CoNLL-U file of at most 1 GiB",
                                       error)};
    if (!bank->text) return false;
    Reader reader = {.to = bank, .file = file, .error = error};
    bool good = read_text(&reader, bank->text, size);
    if (!good) parsed_free(bank);
    return good;
}
