// The reader of coreference: what counts as a mention, where its head is, and the exact message for
// each annotation that is refused.
#include "data/mentions.h"

#include <string.h>

#include "stories.h"
#include "test.h"

static Mentions read_good(Parsed *bank, const char *text) {
    char error[FILE_ERROR] = "";
    const char *path = stories_write("mentions.conllu", text);
    Mentions m;
    CHECK(conllu_read(bank, path, error) && mentions_read(&m, bank, path, error),
          "expected to be read, got \"%s\"", error);
    return m;
}

// What follows the name of the file in the message.
static const char *refusal_of_file(const char *path) {
    static char error[FILE_ERROR];
    Parsed bank;
    Mentions m;
    CHECK(conllu_read(&bank, path, error), "expected trees, got \"%s\"", error);
    strcpy(error, "nothing");
    CHECK(!mentions_read(&m, &bank, path, error), "expected to be refused, was read");
    CHECK(!m.mention && !m.document && !m.count && !m.documents, "a refused file left something");
    CHECK(!strncmp(error, path, strlen(path)), "expected \"%s...\", got \"%s\"", path, error);
    parsed_free(&bank);
    return error + strlen(path);
}

static const char *refusal(const char *text) {
    return refusal_of_file(stories_write("mentions.conllu", text));
}

static void check_mentions(const char *text, const Mention *expected, size_t count) {
    Parsed bank;
    Mentions m = read_good(&bank, text);
    CHECK_INT((long long)m.count, (long long)count);
    for (size_t i = 0; i < count; i++) {
        const Mention *a = &m.mention[i], *b = &expected[i];
        CHECK(a->first == b->first && a->last == b->last && a->head == b->head
                  && a->entity == b->entity,
              "mention %zu: expected words %zu to %zu, head %zu, entity %d; got %zu to %zu, %zu, %d",
              i, b->first, b->last, b->head, b->entity, a->first, a->last, a->head, a->entity);
    }
    mentions_free(&m);
    parsed_free(&bank);
}

// The old king of France (e1) and France (e2) in it; he (e1) is a word by himself.
static void nested(void) {
    check_mentions("The/DET/3/det/_/(e1-person old/ADJ/3/amod king/NOUN/6/nsubj of/ADP/5/case "
                   "France/PROPN/3/nmod/_/(e2-place)e1) slept/VERB/0/root\n"
                   "he/PRON/2/nsubj/_/(e1-person) snored/VERB/0/root\n",
                   (const Mention[]){{4, 4, 4, 1}, {0, 4, 2, 0}, {6, 6, 6, 0}}, 3);
    check_mentions("a/X/2/x/_/(e1(e2 b/X/0/root/_/e2)(e3) c/X/2/x/_/e1)\n",
                   (const Mention[]){{0, 1, 1, 1}, {1, 1, 1, 2}, {0, 2, 1, 0}}, 3);
}

// The mention of e1 that began last is the one that ends first.
static void same_entity_inside(void) {
    check_mentions("a/X/0/root/_/(e1 b/X/1/x/_/(e1 c/X/2/x/_/e1) d/X/1/x/_/e1)\n",
                   (const Mention[]){{1, 2, 1, 0}, {0, 3, 0, 0}}, 2);
}

// Mentions may cross each other, and the end of a sentence.
static void crossing(void) {
    check_mentions("a/X/0/root/_/(e1 b/X/1/x/_/(e2 c/X/2/x/_/e1)\nd/X/0/root/_/e2)\n",
                   (const Mention[]){{0, 2, 0, 0}, {1, 3, 1, 1}}, 2);
}

// Parts of a mention: "b" lies between them, and "c" depends on "a", which is inside.
static void in_parts(void) {
    check_mentions("a/X/2/x/_/(e1[1/2]-thing) b/X/0/root/_/(e2) c/X/1/x/_/(e1[2/2]-thing)\n",
                   (const Mention[]){{1, 1, 1, 1}, {0, 2, 0, 0}}, 2);
    check_mentions("a/X/2/x/_/(e1[1/3] b/X/4/x/_/e1[1/3]) c/X/4/x d/X/0/root/_/(e1[2/3]) e/X/4/x "
                   "f/X/4/x/_/(e1[3/3] g/X/6/x/_/e1[3/3])\n",
                   (const Mention[]){{0, 6, 3, 0}}, 1);
}

static void other_fields(void) {
    check_mentions("a/X/0/root/_/Bridge=x|Entity=(e1-a-b-c)|SpaceAfter=No b/X/1/x/_/Entities=(e2 "
                   "c/X/1/x/_/SpaceAfter=No\n",
                   (const Mention[]){{0, 0, 0, 0}}, 1);
}

// Each document numbers its entities anew; a file without "# newdoc" is one document.
static void documents(void) {
    Parsed bank;
    Mentions m = read_good(&bank, "a/X/0/root/_/(e9)\n##\nb/X/0/root/_/(e7)\nc/X/0/root\n##\n"
                                  "d/X/0/root/_/(e9)\n");
    CHECK_INT((long long)m.documents, 3);
    const size_t start[] = {0, 1, 3, 4};
    for (int i = 0; i <= 3; i++) CHECK_INT((long long)m.document[i], (long long)start[i]);
    for (int i = 0; i < 3; i++) CHECK_INT(m.mention[i].entity, 0);
    mentions_free(&m);
    parsed_free(&bank);
    m = read_good(&bank, "a/X/0/root/_/(e1)\nb/X/0/root\n");
    CHECK_INT((long long)m.documents, 1);
    CHECK_INT((long long)m.document[1], 2);
    mentions_free(&m);
    parsed_free(&bank);
}

#define NEXT "is not the next part of its mention; expected [1/2], then [2/2]"

static void refused(void) {
    static const struct { const char *entity[2], *message; } row[] = {
        {{"(e1", ""}, ":2: Entity: \"(e1\" never ends; expected its \")\" before the document ends"},
        {{"e1)", ""}, ":2: Entity: \"e1)\" ends a mention that has not begun; expected \"(\" before it"},
        {{"(e1)", "e1)"},
         ":3: Entity: \"e1)\" ends a mention that has not begun; expected \"(\" before it"},
        {{"(e1", "e2)"},
         ":3: Entity: \"e2)\" ends a mention that has not begun; expected \"(\" before it"},
        {{"e1", ""}, ":2: Entity: \"e1\" without a bracket; expected (e1-..., e1) or (e1-...)"},
        {{"[e1]", ""}, ":2: Entity: \"[e1]\" without a bracket; expected (e1-..., e1) or (e1-...)"},
        {{"(e1)x", ""}, ":2: Entity: \"x\" without a bracket; expected (e1-..., e1) or (e1-...)"},
        {{"x(e1)", ""}, ":2: Entity: \"x\" without a bracket; expected (e1-..., e1) or (e1-...)"},
        {{"()", ""}, ":2: Entity: \"\" names no entity; expected one, as in (e1)"},
        {{"(-person)", ""}, ":2: Entity: \"\" names no entity; expected one, as in (e1)"},
        {{"(e1)", ")"}, ":3: Entity: \"\" names no entity; expected one, as in (e1)"},
        {{"([1/2])", ""}, ":2: Entity: \"[1/2]\" names no entity; expected one, as in (e1)"},
        {{"(e1)(e1)", ""}, ":2: Entity: two mentions of \"e1\" by the same words; expected one"},
        {{"(e1(e1", "e1)e1)"}, ":3: Entity: two mentions of \"e1\" by the same words; expected one"},
        {{"(e1[1/2])", ""}, ":2: Entity: \"e1[1/2]\" is the last of its parts; expected the others"},
        {{"(e1[2/2])", ""}, ":2: Entity: \"e1[2/2]\" " NEXT},
        {{"(e1[1/2])", "(e1[1/2])"}, ":3: Entity: \"e1[1/2]\" " NEXT},
        {{"(e1[1/2])", "(e1[2/3])"}, ":3: Entity: \"e1[2/3]\" " NEXT},
        {{"(e1[1/2])(e1[2/2])", ""},
         ":2: Entity: \"e1[2/2]\" overlaps the part before it; expected parts side by side"},
        {{"(e1[1/2]", "e1)"},
         ":3: Entity: \"e1)\" ends a mention that has not begun; expected \"(\" before it"},
        {{"(e1[1/1])", ""}, ":2: Entity: \"e1[1/1]\"; expected its part as in e1[1/2], of at most 64"},
        {{"(e1[0/2])", ""}, ":2: Entity: \"e1[0/2]\"; expected its part as in e1[1/2], of at most 64"},
        {{"(e1[3/2])", ""}, ":2: Entity: \"e1[3/2]\"; expected its part as in e1[1/2], of at most 64"},
        {{"(e1[1/2]x)", ""}, ":2: Entity: \"e1[1/2]x\"; expected its part as in e1[1/2], of at most 64"},
        {{"(e1[1/99])", ""}, ":2: Entity: \"e1[1/99]\"; expected its part as in e1[1/2], of at most 64"},
        {{"(e1[", ""}, ":2: Entity: \"e1[\"; expected its part as in e1[1/2], of at most 64"},
        {{"Entity=|X=y", ""}, ":2: Entity: \"\" is empty; expected (e1-..., e1) or (e1-...)"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[200];
        snprintf(text, sizeof text, "a/X/0/root/_/%s b/X/1/x/_/%s\n", row[i].entity[0],
                 *row[i].entity[1] ? row[i].entity[1] : "_");
        CHECK_STRING(refusal(text), row[i].message);
    }
    CHECK_STRING(refusal("a/X/0/root/_/(e1\n##\nb/X/0/root/_/e1)\n"),
                 ":2: Entity: \"(e1\" never ends; expected its \")\" before the document ends");
    CHECK_STRING(refusal("a/X/0/root\n"), ": no Entity=... in the last column; expected mentions, as "
                                          "in Entity=(e1-person)");
}

#define ROW(id, form, head, misc) id "\t" form "\t_\tX\t_\t_\t" head "\tx\t_\t" misc "\n"

static void refused_files(void) {
    const char *file = "raw.conllu";
    CHECK_STRING(refusal_of_file(stories_raw(file, ROW("1", "a", "0", "Entity=(e1)") "\n")),
                 ": no line \"# global.Entity = ...\"; expected one that names the fields of "
                 "Entity=(...)");
    CHECK_STRING(refusal_of_file(stories_raw(file, "# global.Entity = eid\n"
                                 ROW("1", "a", "0", "Entity=(e1)") ROW("1.1", "b", "_", "Entity=(e2)")
                                 "\n")),
                 ":3: Entity=... in a row that is no word; expected it at words");
}

void tests_mentions(void) {
    test("a mention has its words, its entity, and the word whose head lies outside", nested);
    test("of two mentions of one entity, the one that began last ends first", same_entity_inside);
    test("mentions may cross each other and the end of a sentence", crossing);
    test("the parts of a mention are one mention; what lies between them is outside", in_parts);
    test("Entity= is found among other fields, and further fields are passed over", other_fields);
    test("each document has entities of its own; without # newdoc there is one document", documents);
    test("brackets that don't fit together are refused, with file, line and what was expected",
         refused);
    test("a treebank without # global.Entity, or with mentions beside the words, is refused",
         refused_files);
}
