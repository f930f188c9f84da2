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
#include "question_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "utf8.h"

enum {
    FILE_LIMIT = 1 << 26,     // bytes, so that lines and words can be counted in an int
    FIELD = 40, CONTEXT = 64  // bytes of a word in a message, of a sentence in a message
};

typedef struct Slice { const char *from, *end; } Slice;

// A line, or what `|` leaves of it, cut into words. The first arrow is a word of its own.
typedef struct Part {
    Slice word[QUESTION_MOST_WORDS + 1];  // more words than that are not cut: one is too many
    int words, arrow;                     // arrow: which word it is, or -1
} Part;

typedef struct Reader {
    Parsed *to;
    const char *file;
    bool typed;
    int line, sentence_line;  // the line that is being read, from 1; that of the open sentence
    const char *begin;        // of the line
    char *free;               // where in to->text the next string goes
    char *error;
} Reader;

// ---- messages ----------------------------------------------------------------------------------

// Counted in characters, from 1: a UTF-8 character begins where a byte isn't 10xxxxxx.
static int column_of(const Reader *r, const char *at) {
    int column = 1;
    for (const char *c = r->begin; c < at; c++) column += ((unsigned char)*c & 0xC0) != 0x80;
    return column;
}

#define refuse(r, at, ...) \
    file_refuse((r)->error, (r)->file, (r)->line, column_of(r, at), __VA_ARGS__)

// A slice as a message may carry it.
static const char *shown(char out[FIELD], Slice s) {
    char text[2 * FIELD];
    snprintf(text, sizeof text, "%.*s", (int)(s.end - s.from), s.from);
    return utf8_show(out, FIELD, text);
}
#define SHOWN(...) shown((char[FIELD]){""}, __VA_ARGS__)

// ---- words -------------------------------------------------------------------------------------

// Bytes of the blank at `at`, or 0 if there is none. Word processors and web pages write blanks of
// many widths, which nobody sees: no-break, U+2000 to U+200B, narrow, ideographic.
static size_t blank(const char *at, const char *end) {
    unsigned code = 0;
    size_t n = utf8_decode(at, (size_t)(end - at), &code);
    bool is = code == ' ' || code == '\t' || code == 0xA0 || (code >= 0x2000 && code <= 0x200B)
           || code == 0x202F || code == 0x3000 || code == 0xFEFF;
    return is ? n : 0;
}

// Bytes of the arrow at `at`, or 0: "->", or the "→" that word processors make of it.
static size_t arrow(const char *at, const char *end) {
    if (end - at >= 2 && !memcmp(at, "->", 2)) return 2;
    return end - at >= 3 && !memcmp(at, "→", 3) ? 3 : 0;
}

static void cut(Part *part, const char *at, const char *end) {
    part->words = 0;
    part->arrow = -1;
    while (at < end && part->words <= QUESTION_MOST_WORDS) {
        size_t n = blank(at, end);
        if (n) {
            at += n;
            continue;
        }
        Slice *word = &part->word[part->words++];
        word->from = at;
        if (part->arrow < 0 && (n = arrow(at, end))) {
            part->arrow = part->words - 1;
            at += n;
        } else {
            while (at < end && !blank(at, end) && (part->arrow >= 0 || !arrow(at, end))) at++;
        }
        word->end = at;
    }
}

// From the first to the last of these words.
static Slice span(const Slice *word, int n) { return (Slice){word->from, word[n - 1].end}; }

static char *keep(Reader *r, Slice s) {
    char *kept = r->free;
    size_t n = (size_t)(s.end - s.from);
    memcpy(kept, s.from, n);
    kept[n] = '\0';
    r->free += n + 1;
    return kept;
}

static bool is_form(const char *form, Slice s) {
    for (; s.from < s.end && *form && utf8_lower(*form) == utf8_lower(*s.from); form++) s.from++;
    return s.from == s.end && !*form;
}

// ---- sentences ---------------------------------------------------------------------------------

static int open_words(const Parsed *p) { return (int)(p->words - parsed_open(p)); }
static ParsedWord *open_word(const Parsed *p) { return p->word + parsed_open(p); }
static int *open_target(const Parsed *p) { return p->target + parsed_open(p); }

// "wept..." becomes "wept" and "...". A word of marks alone stays whole.
static void append(Reader *r, Slice word) {
    const char *mark = word.end;
    while (mark > word.from && strchr(".,;:!?", mark[-1])) mark--;
    const Slice half[] = {{word.from, mark}, {mark, word.end}};
    for (int i = 0; i < 2; i++)
        if (half[i].from < half[i].end)
            parsed_append(r->to, (ParsedWord){.form = keep(r, half[i])}, -1);
}

static bool end_sentence(Reader *r) {
    int n = open_words(r->to), asking = 0;
    for (int i = 0; i < n; i++) asking += open_target(r->to)[i] >= 0;
    if (n && !asking && !r->typed)
        return file_refuse(r->error, r->file, r->sentence_line, 1,
                           "a sentence without a question; expected one on the line below it, "
                           "such as she -> queen");
    parsed_end(r->to);
    return true;
}

static bool read_sentence(Reader *r, const Part *part) {
    const char *begin = part->word[0].from;
    if (r->typed && open_words(r->to))
        return refuse(r, begin, "a second sentence; expected one, and its questions");
    if (!end_sentence(r)) return false;
    r->sentence_line = r->line;
    for (int i = 0; i < part->words; i++) {
        append(r, part->word[i]);
        if (open_words(r->to) > QUESTION_MOST_WORDS)
            return refuse(r, part->word[i].from,
                          "a sentence of more than %d words; expected a shorter one",
                          QUESTION_MOST_WORDS);
    }
    return open_words(r->to) > 1
        || refuse(r, begin,
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
static int count_form(const Reader *r, Slice form, int nth, int *place) {
    int count = 0;
    for (int i = 0; i < open_words(r->to); i++)
        if (is_form(open_word(r->to)[i].form, form) && ++count == nth) *place = i;
    return count;
}

// "the/12": the form, and 12. -1: nothing of that kind.
static int numbered(Slice word, Slice *form) {
    const char *digit = word.end;
    int n = 0;
    while (digit > word.from && digit[-1] >= '0' && digit[-1] <= '9') digit--;
    if (digit < word.from + 2 || digit[-1] != '/' || digit == word.end || word.end - digit > 3)
        return -1;
    for (const char *c = digit; c < word.end; c++) n = 10 * n + (*c - '0');
    *form = (Slice){word.from, digit - 1};
    return n;
}

// Finds the word of the open sentence that is meant. A form that occurs as it is written comes
// first, so that "1/2" can be a word.
static bool find_word(const Reader *r, Slice word, int *place) {
    const char *as_written = SHOWN(word);
    char sentence[CONTEXT];
    Slice form;
    int count = count_form(r, word, 1, place);
    if (count == 1) return true;
    if (count > 1)
        return refuse(r, word.from, "\"%s\" occurs %d times; expected a number, as in %s/2",
                      as_written, count, as_written);
    int nth = numbered(word, &form);
    count = nth < 0 ? 0 : count_form(r, form, nth, place);
    if (nth > 0 && nth <= count) return true;
    if (count)
        return refuse(r, word.from, "\"%s\": the word occurs %d times; expected a number from 1 "
                      "to %d", as_written, count, count);
    return refuse(r, word.from, "\"%s\" isn't in the sentence; expected a word of: %s", as_written,
                  sentence_shown(r, sentence));
}

// The name of the question, "(who is it)", from n words; none gives NULL.
static bool read_name(Reader *r, const Slice *word, int n, const char **name) {
    *name = NULL;
    if (!n) return true;
    Slice all = span(word, n), inside = {all.from + 1, all.end - 1};
    Part part;
    bool brackets = *all.from == '(' && *inside.end == ')' && inside.from <= inside.end;
    for (const char *c = inside.from; c < inside.end; c++) brackets &= *c != '(' && *c != ')';
    if (brackets) cut(&part, inside.from, inside.end);
    if (!brackets || !part.words)
        return refuse(r, all.from, "\"%s\" after the answer; expected nothing, or a name in "
                      "brackets, as in (means)", SHOWN(all));
    inside = span(part.word, part.words);
    int length = column_of(r, inside.end) - column_of(r, inside.from);
    if (length > QUESTION_NAME / 4)
        return refuse(r, inside.from, "a name of %d characters; expected at most %d", length,
                      QUESTION_NAME / 4);
    *name = r->free;
    for (int i = 0; i < part.words; i++) {
        if (i) r->free[-1] = ' ';
        keep(r, part.word[i]);
    }
    return true;
}

// Which word answers; -1: a typed "?", the answer that nobody knows.
static bool read_answer(Reader *r, int asks, Slice word, int *answers) {
    *answers = -1;
    if (r->typed && is_form("?", word)) {
        if (r->to->open_question >= 0)
            return refuse(r, word.from, "a second \"?\"; expected only one");
        r->to->open_question = asks;
        return true;
    }
    if (!find_word(r, word, answers)) return false;
    return *answers != asks
        || refuse(r, word.from, "\"%s\" as its own answer; expected another word", SHOWN(word));
}

static bool read_question(Reader *r, const Part *part) {
    const Slice *word = part->word, *behind = word + part->arrow + 1;
    int left = part->arrow, right = part->words - left - 1, asks, answers;
    const char *begin = word->from, *name;
    if (!open_words(r->to))
        return refuse(r, begin, "a question before any sentence; expected the sentence first");
    if (!left) return refuse(r, begin, "no word before the arrow; expected the word that asks");
    if (left > 1)
        return refuse(r, begin, "\"%s\" before the arrow; expected one word, as in she -> queen",
                      SHOWN(span(word, left)));
    if (!right)
        return refuse(r, behind[-1].end,
                      "no word after the arrow; expected the word that answers");
    if (!find_word(r, *word, &asks)) return false;
    ParsedWord *to = &open_word(r->to)[asks];
    if (to->line)
        return refuse(r, begin, "\"%s\" already asks on line %d; expected one question a word",
                      SHOWN(*word), to->line);
    if (!read_answer(r, asks, *behind, &answers) || !read_name(r, behind + 1, right - 1, &name))
        return false;
    open_target(r->to)[asks] = answers;
    to->relation = name;
    to->line = r->line;
    return true;
}

// ---- lines -------------------------------------------------------------------------------------

static bool check_characters(const Reader *r, Slice line) {
    for (size_t n = 0; line.from < line.end; line.from += n) {
        unsigned code = 0, byte = (unsigned char)*line.from;
        n = utf8_decode(line.from, (size_t)(line.end - line.from), &code);
        if (!n) return refuse(r, line.from, "byte \\x%02x; expected text in UTF-8", byte);
        if ((code < ' ' && code != '\t') || (code >= 0x7F && code < 0xA0))
            return refuse(r, line.from, "the control character U+%04X; expected text", code);
    }
    return true;
}

static bool read_line(Reader *r, Slice line) {
    Part part;
    r->begin = line.from;
    if (!check_characters(r, line)) return false;
    for (const char *at = line.from, *stop; at < line.end; at = stop + 1) {
        stop = memchr(at, '|', (size_t)(line.end - at));
        if (!stop) stop = line.end;
        cut(&part, at, stop);
        if (!part.words) continue;
        const char *from = part.word[0].from;
        if (at == line.from && *from == '#' && !r->typed) return true;
        if (part.arrow >= 0) {
            if (!read_question(r, &part)) return false;
        } else if (from == line.from || (r->typed && at == line.from)) {
            if (!read_sentence(r, &part)) return false;
        } else {
            return refuse(r, from, "\"%s\" has no arrow; expected a question, such as she -> queen "
                          "(a sentence begins its line)", SHOWN(span(part.word, part.words)));
        }
    }
    return true;
}

static bool read_text(Reader *r, char *text, size_t size) {
    char *line, *line_end;
    r->free = r->to->text = grow(NULL, size + 1, 2);  // each byte may be a word, with its NUL
    for (char *next = file_begin(text); (line = file_line(&next, text + size, &line_end));) {
        r->line++;
        if (!read_line(r, (Slice){line, line_end})) return false;
    }
    if (!end_sentence(r)) return false;
    return r->to->count
        || file_refuse(r->error, r->file, 0, 0,
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
    char *text = file_read(file, FILE_LIMIT, &size);
    if (text) return read_all((Reader){.to = to, .file = file, .error = error}, text, size);
    *to = (Parsed){.open_question = -1};
    return file_refuse(error, file, 0, 0, "%s; expected a text of at most 64 MiB",
                       strerror(errno));
}

bool question_file_typed(Parsed *to, const char *text, char error[FILE_ERROR]) {
    size_t size = strlen(text);
    return read_all((Reader){.to = to, .file = "sentence", .typed = true, .error = error},
                    memcpy(grow(NULL, size + 1, 1), text, size + 1), size);
}
