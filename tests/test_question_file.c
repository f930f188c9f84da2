// The format of sentences and questions: what is read, and the message for everything refused.
#include "data/parsed.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static const char *write_file(const char *text, size_t size) {
    const char *path = test_path("written.txt");
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, size, f) == size && fclose(f) == 0, "%s can't be written", path);
    return path;
}

// "the king slept: 1>0(who) ..." : the words of each sentence, and its questions.
static const char *told(const Parsed *w) {
    static char text[2048];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < w->count; i++)
        for (size_t k = w->start[i]; k < w->start[i + 1]; k++) {
            const ParsedWord *word = &w->word[k];
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     k > w->start[i] ? " " : i ? " / " : "", word->form);
            if (w->target[k] >= 0)
                used += (size_t)snprintf(text + used, sizeof text - used, ">%d", w->target[k]);
            if (word->relation)
                used += (size_t)snprintf(text + used, sizeof text - used, "(%s)", word->relation);
        }
    return text;
}

static void check_read(const char *text, size_t size, const char *expected) {
    Parsed w;
    char error[512] = "";
    CHECK(question_file_read(&w, write_file(text, size), error),
          "expected to be read, got \"%s\"", error);
    CHECK_STRING(told(&w), expected);
    CHECK_INT(w.open_question, -1);
    parsed_free(&w);
}
#define READS(text, expected) check_read(text, sizeof(text) - 1, expected)

// What follows the name of the file in the message.
static const char *refusal_of(const char *path) {
    static char error[512];
    Parsed w;
    strcpy(error, "nothing");
    CHECK(!question_file_read(&w, path, error), "expected to be refused, was read: %s",
          told(&w));
    CHECK(!w.text && !w.word && !w.start && !w.words, "a refused file left something");
    CHECK(!strchr(error, '\n'), "expected one line, got \"%s\"", error);
    CHECK(!strncmp(error, path, strlen(path)), "expected \"%s...\", got \"%s\"", path, error);
    return error + strlen(path);
}
#define REFUSES(text, expected)                                                                    \
    CHECK_STRING(refusal_of(write_file(text, sizeof(text) - 1)), expected)

static void lines(void) {
    READS("the king slept\n    slept -> king\n", "the king slept>1");
    READS("# one\n\nThe king slept.\n\n  # two\nslept -> King\n\n. -> slept\nshe sat\nshe -> sat\n",
          "The king slept>1 .>2 / she>1 sat");
    READS("a b\n\ta->b", "a>1 b");
    READS("a b | a -> b | b -> a\nc d |c -> d|\n", "a>1 b>0 / c>1 d");
}

static void marks(void) {
    READS("Oh, no... he said: \"go!\"\nhe -> oh\n", "Oh , no ... he>0 said : \"go!\"");
    READS("wait ... what?!\nwhat -> wait", "wait ... what>0 ?!");
}

static void names(void) {
    READS("a b c\n a -> b (x)\n b -> c  (  who   is\tit )\n", "a>1(x) b>2(who is it) c");
    READS(
        "a b\na -> b "
        "(\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
        "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4)\n",
        "a>1("
        "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"
        "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4) b");
}

static void twice(void) {
    READS("the cat saw the dog\n the/2 -> dog\n The/1 -> the/2\n cat/1 -> the/1\n",
          "the>3 cat>0 saw the>4 dog");
    READS("1/2 of 1\n 1/2 -> of\n 1/1 -> 1/2\n", "1/2>1 of 1>0");
}

// What other programs leave in a text: a byte order mark, other line ends, blanks that nobody sees,
// "→".
static void other_programs(void) {
    READS("\xEF\xBB\xBF" "a b\r\n\ta \xE2\x86\x92 b (x)\r\n\r\n", "a>1(x) b");
    READS("a\xC2\xA0" "b\xE3\x80\x80" "c\n\xC2\xA0" "a -> c\xC2\xA0\n", "a>2 b c");
    READS("K\xC3\xB6nig \xE7\x8E\x8B \xD8\xA7\nk\xC3\xB6nig -> \xE7\x8E\x8B\n",
          "K\xC3\xB6nig>1 \xE7\x8E\x8B \xD8\xA7");
}

static void mistakes(void) {
    REFUSES("a b\na -> c", ":2:6: \"c\" isn't in the sentence; expected a word of: a b");
    REFUSES("a b\n  c -> b", ":2:3: \"c\" isn't in the sentence; expected a word of: a b");
    REFUSES("a b a\na -> b", ":2:1: \"a\" occurs 2 times; expected a number, as in a/2");
    REFUSES("a b a\na/3 -> b",
            ":2:1: \"a/3\": the word occurs 2 times; expected a number from 1 to 2");
    REFUSES("a b a\nb -> a/0",
            ":2:6: \"a/0\": the word occurs 2 times; expected a number from 1 to 2");
    REFUSES("a b c\na -> b\n\na -> c",
            ":4:1: \"a\" already asks on line 2; expected one question a word");
    REFUSES("a b\na -> b\na -> b",
            ":3:1: \"a\" already asks on line 2; expected one question a word");
    REFUSES("a b\na -> a", ":2:6: \"a\" as its own answer; expected another word");
    REFUSES("a b\na b -> a",
            ":2:1: \"a b\" before the arrow; expected one word, as in she -> queen");
    REFUSES("a b\n -> a", ":2:2: no word before the arrow; expected the word that asks");
    REFUSES("a b\na ->", ":2:5: no word after the arrow; expected the word that answers");
    REFUSES("a b\na -> ?", ":2:6: \"?\" isn't in the sentence; expected a word of: a b");
    REFUSES("a -> b", ":1:1: a question before any sentence; expected the sentence first");
    REFUSES("a b\n  a - b",
            ":2:3: \"a - b\" has no arrow; expected a question, such as she -> queen (a sentence "
            "begins its line)");
    REFUSES("a b | c", ":1:7: \"c\" has no arrow; expected a question, such as she -> queen (a "
                       "sentence begins its line)");
    REFUSES("a b\na -> b\nc d\n\n# end",
            ":3:1: a sentence without a question; expected one on the line below it, "
            "such as she -> queen");
    REFUSES("a b\nc d\nc -> d",
            ":1:1: a sentence without a question; expected one on the line below it, such as "
            "she -> queen");
    REFUSES("a\na -> a",
            ":1:1: a sentence of one word; expected a word that asks and a word that answers");
}

static void broken_names(void) {
#define BROKEN "after the answer; expected nothing, or a name in brackets, as in (means)"
    REFUSES("a b\na -> b c", ":2:8: \"c\" " BROKEN);
    REFUSES("a b\na -> b -> a", ":2:8: \"-> a\" " BROKEN);
    REFUSES("a b\na -> b ()", ":2:8: \"()\" " BROKEN);
    REFUSES("a b\na -> b ( )", ":2:8: \"( )\" " BROKEN);
    REFUSES("a b\na -> b (", ":2:8: \"(\" " BROKEN);
    REFUSES("a b\na -> b (c) d", ":2:8: \"(c) d\" " BROKEN);
    REFUSES("a b\na -> b ((c))", ":2:8: \"((c))\" " BROKEN);
    REFUSES("a b\na -> b (123456789012345678901234567890123)",
            ":2:9: a name of 33 characters; expected at most 32");
}

// Columns are counted in characters, whatever their bytes.
static void rubbish(void) {
    REFUSES("", ": no sentence; expected some, each with its questions on the lines below");
    REFUSES("\xEF\xBB\xBF",
            ": no sentence; expected some, each with its questions on the lines below");
    REFUSES("# a b\n\n #\n|\n",
            ": no sentence; expected some, each with its questions on the lines below");
    REFUSES("\xC3\xA4\xC3\xA4\xFF b", ":1:3: byte \\xff; expected text in UTF-8");
    REFUSES("a b\n\xC3", ":2:1: byte \\xc3; expected text in UTF-8");
    REFUSES("a b\n#\0", ":2:2: the control character U+0000; expected text");
    REFUSES("a b\rc d\r", ":1:4: the control character U+000D; expected text");
    REFUSES("a \033[1m", ":1:3: the control character U+001B; expected text");
    REFUSES("a \xC2\x9B", ":1:3: the control character U+009B; expected text");
    CHECK_STRING(refusal_of(test_directory()),
                 ": Is a directory; expected a text of at most 64 MiB");
    CHECK_STRING(refusal_of("build/nowhere"),
                 ": No such file or directory; expected a text of at most 64 MiB");
}

static void long_lines(void) {
    size_t size = 1 << 20;
    char *text = malloc(size + 16);
    CHECK(text, "out of memory");
    for (size_t i = 0; i < size; i++) text[i] = i % 2 ? ' ' : 'w';
    CHECK_STRING(refusal_of(write_file(text, size)),
                 ":1:257: a sentence of more than 128 words; expected a shorter one");
    check_read("a b\na -> b", 10, "a>1 b");
    memset(text, 'w', size);
    memcpy(text, "a b\n", 4);
    memcpy(text + size, " -> a", 5);
    CHECK_STRING(refusal_of(write_file(text, size + 5)),
                 ":2:1: \"wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww...\" "
                 "isn't in the sentence; expected a word of: a b");
    free(text);
}

static void most_words(void) {
    char text[600], *at = text;
    for (int i = 0; i < QUESTION_MOST_WORDS; i++) at += sprintf(at, "%s%d", i ? " " : "", i);
    at += sprintf(at, "\n1 -> 127\n");
    Parsed w;
    char error[512] = "";
    CHECK(question_file_read(&w, write_file(text, (size_t)(at - text)), error), "%s",
          error);
    CHECK_INT(w.words, QUESTION_MOST_WORDS);
    CHECK_INT(w.target[1], 127);
    parsed_free(&w);
}

static void typed(void) {
    static const struct { const char *text, *told; int open;
    } good[] = {{"a b c", "a b c", -1},
                {" a b | b -> a (x)", "a b>0(x)", -1},
                {"a b | b -> ? | a->b", "a>1 b", 1},
                {"a b | b -> ? (so  named)", "a b(so named)", 1}};
    static const struct { const char *text, *message;
    } wrong[] = {{"a b | b -> ? | a -> ?", "sentence:1:21: a second \"?\"; expected only one"},
                 {"a b | c", "sentence:1:7: \"c\" has no arrow; expected a question, such as she "
                             "-> queen (a sentence begins "
                             "its line)"},
                 {"a b\nc d", "sentence:2:1: a second sentence; expected one, and its questions"},
                {"a b | a -> ? b", "sentence:1:14: \"b\" after the answer; expected nothing, or a "
                                   "name in brackets, as in (means)"},
                {"a b | a -> b | a -> ?",
                 "sentence:1:16: \"a\" already asks on line 1; expected one question a word"},
                {"a b | a -> ? | a -> b",
                 "sentence:1:16: \"a\" already asks on line 1; expected one question a word"}};
    char error[512] = "";
    Parsed w;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK(question_file_typed(&w, good[i].text, error), "%s: %s", good[i].text, error);
        CHECK_STRING(told(&w), good[i].told);
        CHECK_INT(w.open_question, good[i].open);
        parsed_free(&w);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!question_file_typed(&w, wrong[i].text, error), "%s was read", wrong[i].text);
        CHECK_STRING(error, wrong[i].message);
    }
}

void tests_question_file(void) {
    test("question file: a line is a sentence, a line with an arrow its question", lines);
    test("question file: marks at the end of a word are words", marks);
    test("question file: a question has a name or none", names);
    test("question file: a word that occurs twice has a number", twice);
    test("question file: what other programs leave in a text is read", other_programs);
    test("question file: each mistake is refused with its line and column", mistakes);
    test("question file: what follows an answer is a name or refused", broken_names);
    test("question file: rubbish is refused", rubbish);
    test("question file: a line of a megabyte is refused in one line", long_lines);
    test("question file: the longest sentence is read", most_words);
    test("question file: one that is typed may ask nothing, or ?", typed);
}
