// Reads sentences and their questions, in a format that people can type:
//
//     # a comment
//     The king gave the queen a crown, and she smiled.
//         she -> queen (means)
//         the/2 -> queen
//
// A line without an arrow is a sentence. Blanks separate its words; a punctuation mark at the end
// of a word is a word of its own. A line with an arrow is a question: the word that asks, the word
// that answers, and, in brackets, the name of this kind of question. `the/2` is the second "the".
// Capital and small letters are the same, in ASCII (utf8.h). `|` ends a part of a line as the end
// of the line does, so that a sentence and its questions may share a line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "parsed.h"
#include "utf8.h"

enum {
    FILE_LIMIT = 1 << 26,     // bytes, so that lines and words can be counted in an int
    FIELD = 40, CONTEXT = 64  // bytes of a word in a message, of a sentence in a message
};

// A word of a line, and where it stands in it: characters from 1.
typedef struct Word { char *text; int column; } Word;

typedef struct Reader {
    Parsed *to;
    const char *file;
    char *error;
    bool typed;
    int line, sentence_line;  // the line that is being read, from 1; that of the open sentence
    char *free;               // where in to->text the next string goes
    // A line, or what `|` leaves of it, cut into words, of which the first arrow is one. More words
    // than a sentence may have are not cut: one is too many.
    Word word[QUESTION_MOST_WORDS + 1];
    int words, arrow;         // arrow: which word it is, or -1
} Reader;

#define refuse(r, column, ...) \
    file_refuse_at((r)->error, (r)->file, (r)->line, column, __VA_ARGS__)
#define SHOWN(text) utf8_show((char[FIELD]){""}, FIELD, text)

// ---- words -------------------------------------------------------------------------------------

// A UTF-8 character begins where a byte isn't 10xxxxxx.
static int characters(const char *at, const char *end) {
    int n = 0;
    for (; at < end; at++) n += ((unsigned char)*at & 0xC0) != 0x80;
    return n;
}

// Bytes of the blank at `at`, or 0 if there is none. Word processors and web pages write blanks of
// many widths, which nobody sees: no-break, U+2000 to U+200B, narrow, ideographic.
static size_t blank(const char *at) {
    unsigned code = 0;
    size_t n = utf8_decode(at, 4, &code);  // a NUL ends it sooner
    bool is = code == ' ' || code == '\t' || code == 0xA0 || (code >= 0x2000 && code <= 0x200B)
           || code == 0x202F || code == 0x3000 || code == 0xFEFF;
    return is ? n : 0;
}

// Bytes of the arrow at `at`, or 0: "->", or the "→" that word processors make of it.
static size_t arrow(const char *at) {
    return !strncmp(at, "->", 2) ? 2 : !strncmp(at, "→", 3) ? 3 : 0;
}

static char *keep(Reader *r, const char *text, size_t n) {
    char *kept = memcpy(r->free, text, n);
    kept[n] = '\0';
    r->free += n + 1;
    return kept;
}

// Cuts the part of the line that begins at `at` into words. They are kept one behind the other.
static void cut(Reader *r, const char *line, const char *at) {
    r->words = 0;
    r->arrow = -1;
    while (r->words <= QUESTION_MOST_WORDS) {
        size_t n;
        while ((n = blank(at))) at += n;
        if (!*at) return;
        if (r->arrow < 0 && (n = arrow(at))) r->arrow = r->words;
        else while (at[n] && !blank(at + n) && (r->arrow >= 0 || !arrow(at + n))) n++;
        r->word[r->words++] = (Word){keep(r, at, n), 1 + characters(line, at)};
        at += n;
    }
}

// Makes one text of n words, in their place.
static char *join(const Word *word, int n) {
    for (int i = 1; i < n; i++) word[i].text[-1] = ' ';
    return word->text;
}

static bool same(const char *a, const char *b) {
    while (*a && utf8_lower(*a) == utf8_lower(*b)) a++, b++;
    return !*a && !*b;
}

// ---- sentences ---------------------------------------------------------------------------------

static int open_words(const Parsed *p) { return (int)(p->words - parsed_open(p)); }
static ParsedWord *open_word(const Parsed *p) { return p->word + parsed_open(p); }
static int *open_target(const Parsed *p) { return p->target + parsed_open(p); }

// "wept..." becomes "wept" and "...". A word of marks alone stays whole.
static void append(Reader *r, char *word) {
    char *mark = word + strlen(word);
    while (mark > word && strchr(".,;:!?", mark[-1])) mark--;
    char *marks = mark > word && *mark ? keep(r, mark, strlen(mark)) : NULL;
    if (marks) *mark = '\0';
    parsed_append(r->to, (ParsedWord){.form = word}, -1);
    if (marks) parsed_append(r->to, (ParsedWord){.form = marks}, -1);
}

static bool end_sentence(Reader *r) {
    int n = open_words(r->to), asking = 0;
    for (int i = 0; i < n; i++) asking += open_target(r->to)[i] >= 0;
    if (n && !asking && !r->typed)
        return file_refuse_at(r->error, r->file, r->sentence_line, 1,
                              "a sentence without a question; expected one on the line below it, "
                              "such as she -> queen");
    parsed_end(r->to);
    return true;
}

static bool read_sentence(Reader *r) {
    if (r->typed && open_words(r->to))
        return refuse(r, r->word->column, "a second sentence; expected one, and its questions");
    if (!end_sentence(r)) return false;
    r->sentence_line = r->line;
    for (int i = 0; i < r->words; i++) {
        append(r, r->word[i].text);
        if (open_words(r->to) > QUESTION_MOST_WORDS)
            return refuse(r, r->word[i].column,
                          "a sentence of more than %d words; expected a shorter one",
                          QUESTION_MOST_WORDS);
    }
    return open_words(r->to) > 1
        || refuse(r, r->word->column,
                  "a sentence of one word; expected a word that asks and a word that answers");
}

// ---- questions ---------------------------------------------------------------------------------

// The open sentence, for a message.
static const char *sentence_shown(const Reader *r, char out[CONTEXT]) {
    char text[4 * CONTEXT] = "";
    for (int i = 0; i < open_words(r->to) && strlen(text) < CONTEXT; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.80s", i ? " " : "",
                 open_word(r->to)[i].form);
    return utf8_show(out, CONTEXT, text);
}

// How often a form occurs in the open sentence, and where it does so for the nth time, from 1.
static int count_form(const Reader *r, const char *form, int nth, int *place) {
    int count = 0;
    for (int i = 0; i < open_words(r->to); i++)
        if (same(open_word(r->to)[i].form, form) && ++count == nth) *place = i;
    return count;
}

// Finds the word of the open sentence that is meant. A form that occurs as it is written comes
// first, so that "1/2" can be a word; then "the/12" is the twelfth "the".
static bool find_word(const Reader *r, Word word, int *place) {
    const char *as_written = SHOWN(word.text);
    char sentence[CONTEXT], *slash = strrchr(word.text, '/');
    int count = count_form(r, word.text, 1, place);
    if (count == 1) return true;
    if (count > 1)
        return refuse(r, word.column, "\"%s\" occurs %d times; expected a number, as in %s/2",
                      as_written, count, as_written);
    size_t digits = slash > word.text ? strspn(slash + 1, "0123456789") : 0;
    if (digits >= 1 && digits <= 3 && !slash[1 + digits]) {
        int nth = atoi(slash + 1);
        *slash = '\0';
        count = count_form(r, word.text, nth, place);
        *slash = '/';
        if (nth > 0 && nth <= count) return true;
    }
    if (count)
        return refuse(r, word.column, "\"%s\": the word occurs %d times; expected a number from 1 "
                      "to %d", as_written, count, count);
    return refuse(r, word.column, "\"%s\" isn't in the sentence; expected a word of: %s",
                  as_written, sentence_shown(r, sentence));
}

// The name of the question, "(who is it)", from n words; none gives NULL.
static bool read_name(const Reader *r, const Word *word, int n, const char **name) {
    *name = NULL;
    if (!n) return true;
    char *all = join(word, n), *from = all + 1, *end = strpbrk(from, "()");
    bool good = *all == '(' && end && *end == ')' && !end[1];
    if (good && *from == ' ') from++;
    if (good && end[-1] == ' ') end--;
    if (!good || from >= end)
        return refuse(r, word->column, "\"%s\" after the answer; expected nothing, or a name in "
                      "brackets, as in (means)", SHOWN(all));
    if (characters(from, end) > QUESTION_NAME / 4)
        return refuse(r, word->column + 1, "a name of %d characters; expected at most %d",
                      characters(from, end), QUESTION_NAME / 4);
    *end = '\0';
    *name = from;
    return true;
}

// Which word answers; -1: a typed "?", the answer that nobody knows.
static bool read_answer(Reader *r, int asks, Word word, int *answers) {
    *answers = -1;
    if (r->typed && same("?", word.text)) {
        if (r->to->open_question >= 0)
            return refuse(r, word.column, "a second \"?\"; expected only one");
        r->to->open_question = asks;
        return true;
    }
    if (!find_word(r, word, answers)) return false;
    return *answers != asks
        || refuse(r, word.column, "\"%s\" as its own answer; expected another word",
                  SHOWN(word.text));
}

static bool read_question(Reader *r) {
    const Word *word = r->word, *behind = word + r->arrow + 1;
    int left = r->arrow, right = r->words - left - 1, begin = word->column, asks, answers;
    const char *name;
    if (!open_words(r->to))
        return refuse(r, begin, "a question before any sentence; expected the sentence first");
    if (!left) return refuse(r, begin, "no word before the arrow; expected the word that asks");
    if (left > 1)
        return refuse(r, begin, "\"%s\" before the arrow; expected one word, as in she -> queen",
                      SHOWN(join(word, left)));
    if (!right)
        return refuse(r, behind[-1].column + characters(behind[-1].text, r->free - 1),
                      "no word after the arrow; expected the word that answers");
    if (!find_word(r, *word, &asks)) return false;
    ParsedWord *to = &open_word(r->to)[asks];
    if (to->line)
        return refuse(r, begin, "\"%s\" already asks on line %d; expected one question a word",
                      SHOWN(word->text), to->line);
    if (!read_answer(r, asks, *behind, &answers) || !read_name(r, behind + 1, right - 1, &name))
        return false;
    open_target(r->to)[asks] = answers;
    to->relation = name;
    to->line = r->line;
    return true;
}

// ---- lines -------------------------------------------------------------------------------------

static bool check_characters(const Reader *r, const char *line, const char *end) {
    size_t n;
    for (const char *at = line; at < end; at += n) {
        unsigned code = 0, byte = (unsigned char)*at;
        n = utf8_decode(at, (size_t)(end - at), &code);
        if (n && (utf8_prints(code) || code == '\t')) continue;
        int column = 1 + characters(line, at);
        return n ? refuse(r, column, "the control character U+%04X; expected text", code)
                 : refuse(r, column, "byte \\x%02x; expected text in UTF-8", byte);
    }
    return true;
}

static bool read_line(Reader *r, char *line, char *end) {
    if (!check_characters(r, line, end)) return false;
    *end = '\0';
    for (char *at = line, *bar; at; at = bar) {
        bar = strchr(at, '|');
        if (bar) *bar++ = '\0';
        cut(r, line, at);
        if (!r->words) continue;
        int column = r->word->column;
        if (at == line && *r->word->text == '#' && !r->typed) return true;
        if (r->arrow < 0 && column > 1 && !(r->typed && at == line))
            return refuse(r, column, "\"%s\" has no arrow; expected a question, such as she -> "
                          "queen (a sentence begins its line)", SHOWN(join(r->word, r->words)));
        if (!(r->arrow >= 0 ? read_question(r) : read_sentence(r))) return false;
    }
    return true;
}

static bool read_text(Reader *r, char *text, size_t size) {
    char *line, *line_end;
    r->free = r->to->text = grow(NULL, size + 1, 2);  // each byte may be a word, with its NUL
    for (char *next = text; (line = file_line(&next, text + size, &line_end));) {
        r->line++;
        if (!read_line(r, line, line_end)) return false;
    }
    if (!end_sentence(r)) return false;
    return r->to->count
        || file_refuse(r->error, r->file,
                       "no sentence; expected some, each with its questions on the lines below");
}

// Reads the text and frees it.
static bool read_all(Reader r, char *text, size_t size) {
    *r.to = (Parsed){.open_question = -1};
    bool good = read_text(&r, text, size);
    free(text);
    if (!good) parsed_free(r.to);
    return good;
}

bool question_file_read(Parsed *to, const char *file, char error[FILE_ERROR]) {
    size_t size = 0;
    char *text = file_text(file, FILE_LIMIT, &size, "a text of at most 64 MiB", error);
    if (text) return read_all((Reader){.to = to, .file = file, .error = error}, text, size);
    *to = (Parsed){.open_question = -1};
    return false;
}

bool question_file_typed(Parsed *to, const char *text, char error[FILE_ERROR]) {
    size_t size = strlen(text);
    return read_all((Reader){.to = to, .file = "sentence", .typed = true, .error = error},
                    memcpy(grow(NULL, size + 1, 1), text, size + 1), size);
}
