// The reader of treebanks: what it accepts, and the exact message for everything it refuses.
#include "data/parsed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "data/morphology.h"

#define ROW(id, form, head, relation) id "\t" form "\t_\tX\t_\t_\t" head "\t" relation "\t_\t_"
#define GOOD ROW("1", "Go", "0", "root") "\n" ROW("2", "!", "1", "punct") "\n"

static const char *path_of(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    return path;
}

static const char *write_file(const char *text, size_t size) {
    const char *path = path_of("test.conllu");
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, size, f) == size && fclose(f) == 0, "%s can't be written", path);
    return path;
}

static Parsed read_good(const char *text, size_t size) {
    Parsed c;
    char error[512] = "";
    const char *path = write_file(text, size);
    CHECK(conllu_read(&c, path, error), "expected to be read, got \"%s\"", error);
    return c;
}

// What follows the name of the file in the message.
static const char *refusal_of(const char *path) {
    static char error[512];
    Parsed c;
    strcpy(error, "nothing");
    CHECK(!conllu_read(&c, path, error), "expected to be refused, was read");
    CHECK(!c.text && !c.word && !c.start && !c.words, "a refused file left something");
    CHECK(!strchr(error, '\n'), "expected one line, got \"%s\"", error);
    CHECK(!strncmp(error, path, strlen(path)), "expected \"%s...\", got \"%s\"", path, error);
    return error + strlen(path);
}

#define READ(text) read_good(text, sizeof(text) - 1)
#define CHECK_REFUSED(text, expected) \
    CHECK_STRING(refusal_of(write_file(text, sizeof(text) - 1)), expected)

static void check_good(Parsed *c, int sentences) {
    CHECK_INT((long long)c->count, sentences);
    CHECK_INT((long long)c->words, 2 * sentences);
    for (int i = 0; i < sentences; i++) {
        const ParsedWord *word = c->word + c->start[i];
        CHECK_STRING(word[0].form, "Go");
        CHECK_STRING(word[0].tag, "X");
        CHECK_STRING(word[0].relation, "root");
        CHECK_INT(c->target[c->start[i]], -1);
        CHECK_STRING(word[1].form, "!");
        CHECK_STRING(word[1].relation, "punct");
        CHECK_INT(c->target[c->start[i] + 1], 0);
    }
    parsed_free(c);
    CHECK(!c->text && !c->count, "a freed treebank is not empty");
}

static void plain(void) {
    Parsed c = READ(GOOD "\n" GOOD "\n");
    CHECK_INT(c.word[2].line, 4);
    check_good(&c, 2);
}

static void comments(void) {
    Parsed c = READ("# sent_id = 1\n" GOOD "# in between\n\n"
                    "#\n# text\twith\ttabs\n" GOOD "\n# last\n\n");
    CHECK_INT(c.word[0].line, 2);
    check_good(&c, 2);
}

static void crlf(void) {
    Parsed c = READ("# c\r\n"
                    ROW("1", "Go", "0", "root") "\r\n" ROW("2", "!", "1", "punct") "\r\n\r\n"
                    ROW("1", "Go", "0", "root") "\r\n" ROW("2", "!", "1", "punct") "\r\n\r\n");
    check_good(&c, 2);
}

static void no_end(void) {
    Parsed c = READ(GOOD);
    check_good(&c, 1);
    c = READ(GOOD "\n" ROW("1", "Go", "0", "root") "\n" ROW("2", "!", "1", "punct"));
    check_good(&c, 2);
    c = READ(GOOD "\n" ROW("1", "Go", "0", "root") "\n" ROW("2", "!", "1", "punct") "\r");
    check_good(&c, 2);
}

static void blank_lines(void) {
    Parsed c = READ("\n\n" GOOD "\n\n\n# c\n\n" GOOD "\n\n");
    check_good(&c, 2);
}

static void byte_order_mark(void) {
    Parsed c = READ("\xEF\xBB\xBF" GOOD "\n");
    check_good(&c, 1);
    c = READ("\xEF\xBB\xBF# comment\n" GOOD "\n");
    check_good(&c, 1);
}

static void no_words(void) {
    Parsed c = READ("1-2\tGo!\t_\t_\t_\t_\t_\t_\t_\t_\n" ROW("1", "Go", "0", "root") "\n"
                    "1.1\tnow\t_\t_\t_\t_\t_\t_\t0:root\t_\n1.12\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
                    ROW("2", "!", "1", "punct") "\n\n"
                    "0.1\tnow\t_\t_\t_\t_\t_\t_\t_\t_\n" GOOD);
    check_good(&c, 2);
}

static void scripts(void) {
    Parsed c = READ(ROW("1", "猫が", "2", "nsubj") "\n" ROW("2", "говорит", "0", "root") "\n"
                    ROW("3", "😀", "2", "discourse:emo") "\n" ROW("4", "new york", "2", "obj") "\n"
                    ROW("5", "_", "2", "dep") "\n" ROW("6", "\"", "2", "punct") "\n");
    CHECK_STRING(c.word[0].form, "猫が");
    CHECK_STRING(c.word[1].form, "говорит");
    CHECK_STRING(c.word[2].form, "😀");
    CHECK_STRING(c.word[2].relation, "discourse");
    CHECK_STRING(c.word[3].form, "new york");
    CHECK_STRING(c.word[4].form, "_");
    CHECK_STRING(c.word[5].form, "\"");
    parsed_free(&c);
    c = READ(ROW("1", "\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"
                 "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", "0", "root"));  // the first and last by length
    parsed_free(&c);
}

static void no_tag(void) {
    Parsed c = READ("1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n");
    CHECK_STRING(c.word[0].tag, "_");
    parsed_free(&c);
}

// Two chains of 100,000 words, one whose first word is the root and one whose last is: a check of
// trees that recursed, or walked to the root from every word, would not come back.
static void deep(void) {
    enum { N = 100000 };
    size_t capacity = 2 * N * 64, used = 0;
    char *text = malloc(capacity);
    CHECK(text, "no memory");
    for (int id = 1; id <= N; id++)
        used += (size_t)snprintf(text + used, capacity - used, ROW("%d", "w", "%d", "dep") "\n", id,
                                 id - 1);
    text[used++] = '\n';
    for (int id = 1; id <= N; id++)
        used += (size_t)snprintf(text + used, capacity - used, ROW("%d", "w", "%d", "dep") "\n", id,
                                 id == N ? 0 : id + 1);
    Parsed c = read_good(text, used);
    free(text);
    CHECK_INT((long long)c.words, 2 * N);
    CHECK_INT((long long)c.count, 2);
    parsed_free(&c);
}

static void no_file(void) {
    CHECK_STRING(refusal_of(path_of("no such file.conllu")),
                 ": No such file or directory; expected a CoNLL-U file of at most 1 GiB");
}

static void directory(void) {
    CHECK_STRING(refusal_of(test_directory()),
                 ": Is a directory; expected a CoNLL-U file of at most 1 GiB");
}

static void empty(void) {
    CHECK_REFUSED("", ":1: an empty file; expected sentences in CoNLL-U");
    CHECK_REFUSED("\xEF\xBB\xBF", ":1: an empty file; expected sentences in CoNLL-U");
}

static void no_sentence(void) {
    CHECK_REFUSED("# a comment\n\n", ":2: a file without a word; expected sentences in CoNLL-U");
    CHECK_REFUSED("\n", ":1: a file without a word; expected sentences in CoNLL-U");
}

static void nul(void) {
    CHECK_REFUSED(GOOD "\n# a \0 here\n", ":4: byte \\x00; expected text in UTF-8");
    CHECK_REFUSED("1\tG\0o\n", ":1: byte \\x00; expected text in UTF-8");
    CHECK_REFUSED("\0", ":1: byte \\x00; expected text in UTF-8");
}

static void not_utf8(void) {
    CHECK_REFUSED(ROW("1", "\xFF", "0", "root"), ":1: byte \\xff; expected text in UTF-8");
    CHECK_REFUSED("# \x80", ":1: byte \\x80; expected text in UTF-8");
    CHECK_REFUSED("# \xC0\xAF", ":1: byte \\xc0; expected text in UTF-8");
    CHECK_REFUSED("# \xC1\xBF", ":1: byte \\xc1; expected text in UTF-8");
    CHECK_REFUSED("# \xE0\x9F\xBF", ":1: byte \\xe0; expected text in UTF-8");
    CHECK_REFUSED("# \xF0\x8F\xBF\xBF", ":1: byte \\xf0; expected text in UTF-8");
    CHECK_REFUSED("# \xED\xA0\x80", ":1: byte \\xed; expected text in UTF-8");
    CHECK_REFUSED("# \xED\xBF\xBF", ":1: byte \\xed; expected text in UTF-8");
    CHECK_REFUSED("# \xF4\x90\x80\x80", ":1: byte \\xf4; expected text in UTF-8");
    CHECK_REFUSED("# \xF8\x88\x80\x80\x80", ":1: byte \\xf8; expected text in UTF-8");
    CHECK_REFUSED("# \xE7\x8C\n\xAB", ":1: byte \\xe7; expected text in UTF-8");
    CHECK_REFUSED("# \xE7\x8C", ":1: byte \\xe7; expected text in UTF-8");
}

static void columns(void) {
    CHECK_REFUSED(GOOD "\n1\tGo\t_\tX",
                  ":4: a row of 4 columns; expected 10, with tabs between them");
    CHECK_REFUSED(ROW("1", "Go", "0", "root") "\t_\n",
                  ":1: a row of 11 columns; expected 10, with tabs between them");
    CHECK_REFUSED("1 Go _ X _ _ 0 root _ _\n",
                  ":1: a row of 1 column; expected 10, with tabs between them");
    CHECK_REFUSED("1-2\tGo\n", ":1: a row of 2 columns; expected 10, with tabs between them");
    CHECK_REFUSED(GOOD " \n", ":3: a row of 1 column; expected 10, with tabs between them");
    CHECK_REFUSED("\xEF\xBB\xBF\xEF\xBB\xBF" GOOD, ":1: word id \"\xEF\xBB\xBF" "1\"; expected 1");
}

static void ids(void) {
    CHECK_REFUSED(ROW("2", "Go", "0", "root"), ":1: word id \"2\"; expected 1");
    CHECK_REFUSED(ROW("0", "Go", "0", "root"), ":1: word id \"0\"; expected 1");
    CHECK_REFUSED(GOOD ROW("2", "!", "1", "punct"), ":3: word id \"2\"; expected 3");
    CHECK_REFUSED(GOOD ROW("4", "!", "1", "punct"), ":3: word id \"4\"; expected 3");
    CHECK_REFUSED(GOOD GOOD, ":3: word id \"1\"; expected 3");
    CHECK_REFUSED(ROW("", "Go", "0", "root"), ":1: word id \"\"; expected 1");
    CHECK_REFUSED(ROW("01", "Go", "0", "root"), ":1: word id \"01\"; expected 1");
    CHECK_REFUSED(ROW("1-", "Go", "0", "root"), ":1: word id \"1-\"; expected 1");
    CHECK_REFUSED(ROW("1.2.3", "Go", "0", "root"), ":1: word id \"1.2.3\"; expected 1");
    CHECK_REFUSED(ROW("-1", "Go", "0", "root"), ":1: word id \"-1\"; expected 1");
    CHECK_REFUSED(ROW("one", "Go", "0", "root"), ":1: word id \"one\"; expected 1");
    CHECK_REFUSED(ROW("4294967297", "Go", "0", "root"), ":1: word id \"4294967297\"; expected 1");
}

static void heads(void) {
    CHECK_REFUSED(ROW("1", "Go", "x", "root"), ":1: head \"x\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "", "root"), ":1: head \"\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "_", "root"), ":1: head \"_\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "-1", "root"), ":1: head \"-1\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "inf", "root"),
                  ":1: head \"inf\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "nan", "root"),
                  ":1: head \"nan\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "1e999", "root"),
                  ":1: head \"1e999\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "+0", "root"), ":1: head \"+0\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "00", "root"), ":1: head \"00\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "0 ", "root"), ":1: head \"0 \"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "1.1", "root"),
                  ":1: head \"1.1\"; expected the id of a word, or 0");
}

static void absurd_numbers(void) {
    CHECK_REFUSED(ROW("1", "Go", "4294967296", "root"),
                  ":1: head \"4294967296\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "99999999999999999999999999999999999999999999999999", "root"),
                  ":1: head \"99999999999999999999999999999999999999999999...\";"
                  " expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "999999999", "root"),
                  ":1: head 999999999; expected at most 1, the last word");
}

static void head_outside(void) {
    CHECK_REFUSED("# c\n" ROW("1", "Go", "0", "root") "\n" ROW("2", "!", "3", "punct") "\n\n" GOOD,
                  ":3: head 3; expected at most 2, the last word");
}

static void own_head(void) {
    CHECK_REFUSED(ROW("1", "Go", "0", "root") "\n" ROW("2", "!", "2", "punct") "\n",
                  ":2: word 2 as its own head; expected another word, or 0");
}

static void no_root(void) {
    CHECK_REFUSED(GOOD "\n# c\n" ROW("1", "a", "2", "dep") "\n" ROW("2", "b", "1", "dep") "\n",
                  ":5: no root; expected one word with head 0");
}

static void two_roots(void) {
    CHECK_REFUSED(GOOD ROW("3", "Go", "0", "root") "\n",
                  ":3: word 3 as a second root, beside word 1; expected one root");
}

static void cycle(void) {
    CHECK_REFUSED(GOOD "\n# c\n" ROW("1", "a", "0", "root") "\n" ROW("2", "b", "3", "dep") "\n"
                  ROW("3", "c", "4", "dep") "\n" ROW("4", "d", "3", "dep") "\n",
                  ":5: a cycle, from word 3 back to it; expected a tree");
    CHECK_REFUSED(ROW("1", "a", "2", "dep") "\n" ROW("2", "b", "3", "dep") "\n"
                  ROW("3", "c", "1", "dep") "\n" ROW("4", "d", "0", "root") "\n",
                  ":1: a cycle, from word 1 back to it; expected a tree");
}

static void empty_form(void) {
    CHECK_REFUSED(ROW("1", "", "0", "root"), ":1: form \"\"; expected the word as it is written");
}

static void empty_tag(void) {
    CHECK_REFUSED("1\tGo\t_\t\t_\t_\t0\troot\t_\t_",
                  ":1: tag \"\"; expected a part of speech, or _ for none");
}

static void relations(void) {
    CHECK_REFUSED(ROW("1", "Go", "0", ""),
                  ":1: relation \"\"; expected a name such as nsubj or root");
    CHECK_REFUSED(ROW("1", "Go", "0", "_"),
                  ":1: relation \"_\"; expected a name such as nsubj or root");
    CHECK_REFUSED(ROW("1", "Go", "0", ":x"),
                  ":1: relation \":x\"; expected a name such as nsubj or root");
    CHECK_REFUSED(ROW("1", "Go", "0", "_:x"),
                  ":1: relation \"_:x\"; expected a name such as nsubj or root");
}

static void escapes(void) {
    CHECK_REFUSED(ROW("1", "Go", "\033[31m\r\x7F", "root"),
                  ":1: head \"\\x1b[31m\\x0d\\x7f\"; expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "\xC2\x85\xE2\x80\xA8\xE2\x80\xAE", "root"),
                  ":1: head \"\\xc2\\x85\\xe2\\x80\\xa8\\xe2\\x80\\xae\";"
                  " expected the id of a word, or 0");
    CHECK_REFUSED(ROW("1", "Go", "猫é", "root"), ":1: head \"猫é\"; expected the id of a word, or 0");
}

static void cuts(void) {
    CHECK_REFUSED(ROW("1", "Go", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa猫猫猫", "root"),
                  ":1: head \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa猫...\";"
                  " expected the id of a word, or 0");
}

// Names of files are as hostile as what they hold.
static void file_names(void) {
    Parsed c;
    char error[512], name[2048], expected[512];
    CHECK(!conllu_read(&c, "no\nsuch\xFF", error), "expected to be refused");
    CHECK_STRING(error, "no\\x0asuch\\xff: No such file or directory; "
                        "expected a CoNLL-U file of at most 1 GiB");
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    CHECK(!conllu_read(&c, name, error), "expected to be refused");
    snprintf(expected, sizeof expected, "%.316s...: %s; expected a CoNLL-U file of at most 1 GiB",
             name, strerror(ENAMETOOLONG));  // musl has another sentence for it
    CHECK_STRING(error, expected);
}

static void real(void) {
    static const struct { const char *file; long long sentences; } bank[] = {
        {"train.conllu", 12544},
        {"dev.conllu", 2001}};
    for (int i = 0; i < 2; i++) {
        Parsed c;
        char error[512];
        CHECK(conllu_read(&c, test_treebank(bank[i].file), error), "%s", error);
        CHECK_INT((long long)c.count, bank[i].sentences);
        parsed_free(&c);
    }
}

static void features(void) {
    const ParsedWord her = {.features = "Gender[psor]=Fem|Number=Sing|Person=3"},
                     all = {.features = "Number=Sing,Plur"}, none = {.features = "_"};
    size_t n = 0;
    CHECK(!feature_value(&her, "Gender", &n), "the possessor's gender is not the word's");
    CHECK(feature_is(&her, "Number", "Sing") && feature_is(&her, "Person", "3"), "of the others");
    CHECK(!feature_is(&her, "Number", "Si") && !feature_is(&all, "Number", "Sing"), "a part of it");
    CHECK(features_differ(&her, &all, "Number") && features_differ(&all, &her, "Number"),
          "values that begin alike are the same");
    CHECK(!features_differ(&her, &her, "Number") && !features_differ(&her, &none, "Number"),
          "equal or unknown values differ");
}

void tests_conllu(void) {
    test("sentences of a treebank are read with their words, tags, heads and relations", plain);
    test("comments may stand anywhere", comments);
    test("lines may end as on Windows", crlf);
    test("the last sentence may lack its blank line, and its last newline", no_end);
    test("blank lines may come in numbers", blank_lines);
    test("a byte order mark at the start is passed over", byte_order_mark);
    test("multiword tokens and empty nodes are passed over", no_words);
    test("words may be of any script, and hold spaces, quotes or an underscore", scripts);
    test("a word may lack a tag", no_tag);
    test("trees may be 100,000 words deep", deep);
    test("a treebank that isn't there is refused", no_file);
    test("a directory is refused", directory);
    test("an empty treebank is refused", empty);
    test("a treebank without a sentence is refused", no_sentence);
    test("a NUL byte is refused", nul);
    test("bytes that aren't UTF-8 are refused", not_utf8);
    test("a row that hasn't ten columns is refused", columns);
    test("word ids other than 1, 2, 3 in order are refused", ids);
    test("a head that is no number is refused", heads);
    test("numbers of absurd length are refused", absurd_numbers);
    test("a head outside its sentence is refused", head_outside);
    test("a word that is its own head is refused", own_head);
    test("a sentence without a root is refused", no_root);
    test("a sentence with two roots is refused", two_roots);
    test("a sentence with a cycle is refused", cycle);
    test("an empty form is refused", empty_form);
    test("an empty tag is refused", empty_tag);
    test("a feature is known by its whole name and its whole value", features);
    test("an empty relation, or none, is refused", relations);
    test("what a message quotes is escaped where it could harm, and kept where it can be read",
         escapes);
    test("what a message quotes is cut between characters", cuts);
    test("a message stays one line of bounded length whatever the name of the file", file_names);
    test("the English Web Treebank is read: 12544 and 2001 sentences", real);
}
