// The task of pronouns in real text: which words ask, what answers, what is held out, and what rules
// without a model have right. All figures were counted by hand.
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "stories.h"
#include "test.h"
#include "data/mentions.h"
#include "data/sources.h"

static const SourceOptions usual = {.window = 64, .tags = true, .relations = true};

// The questions, as "she-Anna(Anna,She)": what asks, what answers, and what is alike.
static const char *asked(const Task *task, const Sentences *s) {
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < s->count; i++) {
        size_t first = s->start[i], last = s->start[i + 1] - 1, n = 0;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s-%s(", i ? " " : "",
                                 task_form(task, s, last),
                                 task_form(task, s, first + (size_t)s->target[last]));
        for (size_t t = first; t <= last; t++)
            if (s->alike[t])
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", n++ ? "," : "",
                                         task_form(task, s, t));
        used += (size_t)snprintf(text + used, sizeof text - used, ")");
        for (size_t t = first; t < last; t++) CHECK_INT(s->target[t], -1);
        CHECK_STRING(s->form[first], "<start>");
    }
    return text;
}

#define PRS "PronType=Prs|"
#define SHE PRS "Number=Sing|Gender=Fem|Person=3"
#define I_ "I/PRON/2/nsubj/" PRS "Number=Sing|Person=1/(e4)"

// Anna met Bea . She liked her . Dogs ate bones with her . I saw them . I left .
static const char small[] =
    "Anna/PROPN/2/nsubj/Number=Sing/(e1) met/VERB/0/root Bea/PROPN/2/obj/Number=Sing/(e2) ./X/2/punct\n"
    "She/PRON/2/nsubj/" SHE "/(e1) liked/VERB/0/root her=she/PRON/2/obj/" SHE "/(e2) ./X/2/punct\n"
    "Dogs/NOUN/2/nsubj/Number=Plur/(e3) ate/VERB/0/root bones/NOUN/2/obj/Number=Plur with/ADP/5/case "
    "her=she/PRON/2/obl/" SHE "/(e2) ./X/2/punct\n" I_ " saw/VERB/0/root "
    "them=they/PRON/2/obj/" PRS "Number=Plur|Person=3/(e3) ./X/2/punct\n" I_ " left/VERB/0/root "
    "./X/2/punct\n";

static void nearest_noun(void) {
    const char *path = stories_write("small.conllu", small);
    Task task = setup_coref(usual, path, path);
    CHECK_STRING(asked(&task, &task.train),
                 "She-Anna(Anna) her-Bea(Bea) her-Bea(Bea,her) them-Dogs(Dogs)");
    CHECK_INT(task.train.start[1], 6);  // <start> Anna met Bea . She
    CHECK_STRING(task.relations.word[task.train.relation[5]], "she");
    CHECK(task.points_at_answer && task.alike && task.causal && task.fixed_set, "not what it should be");
    CHECK_INT(task.max_length, 65);
    task_free(&task);
    path = stories_write("two.conllu", "Ann/PROPN/2/nsubj/_/(e1) ran/VERB/0/root\n"
        "Doctors/NOUN/2/nsubj/_/(e1) ran/VERB/0/root\nshe/PRON/2/nsubj/" SHE "/(e1) ran/VERB/0/root\n");
    task = setup_coref(usual, path, path);
    CHECK_STRING(asked(&task, &task.train), "she-Doctors(Ann,Doctors)");
    task_free(&task);
}

static void nearest_mention(void) {
    const char *path = stories_write("small.conllu", small);
    SourceOptions o = usual;
    o.any_mention = true;
    Task task = setup_coref(o, path, path);
    CHECK_STRING(asked(&task, &task.train),
                 "She-Anna(Anna) her-Bea(Bea) her-her(Bea,her) them-Dogs(Dogs) I-I(I)");
    task_free(&task);
}

// `right` and `alike` of a guess, summed over its relations.
static void check_guess(const Task *task, int i, const char *name, double right, double alike) {
    CHECK_STRING(task->guess[i].name, name);
    CHECK_NEAR(task_guessed(task, task->guess[i].right), right, 1e-12);
    CHECK_NEAR(task_guessed(task, task->guess[i].alike), alike, 1e-12);
}

static void guesses(void) {
    const char *path = stories_write("small.conllu", small);
    SourceOptions o = usual;
    Task task = setup_coref(o, path, path);
    CHECK_INT(task.guesses, 3);
    check_guess(&task, 0, "nearest noun", 1 / 4.0, 1 / 4.0);
    check_guess(&task, 1, "nearest subject", 2 / 4.0, 2 / 4.0);
    check_guess(&task, 2, "nearest that agrees", 2 / 4.0, 2 / 4.0);
    task_free(&task);
    o.any_mention = true;
    task = setup_coref(o, path, path);
    CHECK_INT(task.guesses, 4);
    check_guess(&task, 0, "nearest noun", 1 / 5.0, 1 / 5.0);
    check_guess(&task, 1, "nearest subject", 2 / 5.0, 2 / 5.0);
    check_guess(&task, 2, "nearest that agrees", 2 / 5.0, 2 / 5.0);
    check_guess(&task, 3, "same word", 2 / 5.0, 2 / 5.0);
    CHECK_INT(task.guess[3].right[vocab_find(&task.relations, "i")], 1);
    CHECK_INT(task.guess[3].right[vocab_find(&task.relations, "them")], 0);
    task_free(&task);
}

// A window of five words, with the pronoun: "Anna" is the first of "Anna met Bea . She".
static void windows(void) {
    const char *path = stories_write("small.conllu", small);
    SourceOptions o = usual;
    o.window = 5;
    Task task = setup_coref(o, path, path);
    CHECK_STRING(asked(&task, &task.train), "She-Anna(Anna) her-Bea(Bea)");
    CHECK_INT(task.max_length, 6);
    CHECK_STRING(task_form(&task, &task.train, task.train.start[1] + 1), "Bea");
    task_free(&task);
    o.any_mention = true;
    task = setup_coref(o, path, path);
    CHECK_STRING(asked(&task, &task.train), "She-Anna(Anna) her-Bea(Bea) I-I(I)");
    task_free(&task);
    // The mention "Ann with a dog" reaches into the window of "she", its head doesn't.
    path = stories_write("reach.conllu", "Bea/PROPN/2/nsubj/_/(e2) saw/VERB/0/root "
        "her/PRON/2/obj/" SHE "/(e2)\nAnn/PROPN/5/nsubj/_/(e1 with/ADP/4/case a/DET/4/det "
        "dog/NOUN/1/nmod/_/e1) ran/VERB/0/root ./X/5/punct\nshe/PRON/2/nsubj/" SHE
        "/(e1) ran/VERB/0/root\n");
    task = setup_coref(o, path, path);
    CHECK_STRING(asked(&task, &task.train), "her-Bea(Bea)");
    task_free(&task);
}

// "(Ann with her dog)": the mention has not ended where "her" stands, nor has "(Eve with her)".
static void what_asks(void) {
    const char *path = stories_write("asks.conllu",
        "Ann/PROPN/5/nsubj/Number=Sing/(e1 with/ADP/4/case her/PRON/4/nmod/" SHE "/(e1) "
        "dog/NOUN/1/nmod/Number=Sing/e1) ran/VERB/0/root\n"
        "Eve/PROPN/0/root/Number=Sing/(e2 with/ADP/3/case her/PRON/1/nmod/" SHE "/e2)(e2)\n"
        "she/PRON/2/nsubj/" SHE "/_ ran/VERB/0/root\n"                // no mention
        "she/PRON/2/nsubj/" SHE "/(e1 ran/VERB/0/root/_/e1)\n"        // not by itself
        "this/PRON/2/nsubj/PronType=Dem|Person=3/(e1) ran/VERB/0/root\n"
        "who/PRON/2/nsubj/PronType=Prs/(e1) ran/VERB/0/root\n"        // no person
        "she/PRON/2/nsubj/" SHE "/(e1) ran/VERB/0/root\n");
    Task task = setup_coref(usual, path, path);
    CHECK_STRING(asked(&task, &task.train), "she-Ann(Ann,her,ran,this,who)");
    task_free(&task);
}

// Where Penn tags are, they say what a pronoun is.
static void penn_tags(void) {
    const char *path = stories_write("penn.conllu",
        "Ann/PROPN/0/root/Number=Sing/(e1)\n"
        "she=she=XX/PRON/0/root/" SHE "/(e1)\n"
        "her=her=PRP$/X/0/root/Person=3/(e1)\n"
        "she=she=PRP/X/0/root/Person=3/(e1)\n");
    Task task = setup_coref(usual, path, path);
    CHECK_STRING(asked(&task, &task.train), "her-Ann(Ann,she) she-Ann(Ann,she,her)");
    task_free(&task);
}

static void documents_apart(void) {
    char text[2048] = "";
    for (int i = 0; i < 5; i++)
        strcat(text, "##\nAnn/PROPN/0/root/Number=Sing/(e1) ran/VERB/1/x\n"
                     "she/PRON/2/nsubj/" SHE "/(e1) slept/VERB/0/root\n");
    strcat(text, "##\nshe/PRON/2/nsubj/" SHE "/(e1) slept/VERB/0/root\n");
    Task task = setup_coref(usual, stories_write("five.conllu", text), NULL);
    CHECK_INT((long long)task.train.count, 4);
    CHECK_INT((long long)task.held_out.count, 1);
    CHECK_STRING(asked(&task, &task.held_out), "she-Ann(Ann)");
    task_free(&task);
}

static const char *feature(const Task *task, int f, size_t t) {
    return task->vocab[f].count ? task->vocab[f].word[task->train.feature[f][t]] : "";
}

static void features(void) {
    const char *path = stories_write("small.conllu", small);
    SourceOptions o = usual;
    Task task = setup_coref(o, path, path);
    const size_t she = 5;
    CHECK_STRING(feature(&task, FEATURE_WORD, 0), "<start>");
    CHECK_STRING(feature(&task, FEATURE_WORD, she), "<unk>");  // it stands there once
    CHECK_STRING(feature(&task, FEATURE_WORD, 4), ".");
    CHECK_STRING(feature(&task, FEATURE_TAG, she), "PRON");
    CHECK_STRING(feature(&task, FEATURE_DEPREL, she), "nsubj");
    CHECK_STRING(feature(&task, FEATURE_AGREEMENT, she), "Sing.Fem.3");
    CHECK_STRING(feature(&task, FEATURE_AGREEMENT, 1), "Sing");
    CHECK_STRING(feature(&task, FEATURE_AGREEMENT, 2), "_");
    task_free(&task);
    o.tags = o.relations = false;
    task = setup_coref(o, path, path);
    CHECK_STRING(feature(&task, FEATURE_TAG, she), "");
    CHECK_STRING(feature(&task, FEATURE_DEPREL, she), "");
    CHECK_STRING(feature(&task, FEATURE_AGREEMENT, she), "Sing.Fem.3");
    task_free(&task);
}

static void check_refused(const char *train, const char *dev, bool any, const char *message) {
    char error[TASK_ERROR] = "nothing";
    SourceOptions o = usual;
    Task task;
    o.file = train;
    o.dev = dev;
    o.any_mention = any;
    CHECK(!coref_load(&task, &o, error), "expected to be refused, was read");
    CHECK(!task.name && !task.train.count && !task.text, "a refused task left something");
    const char *file = strstr(error, ".conllu");
    CHECK_STRING(file ? file + strlen(".conllu") : error, message);
}

static void nothing_left(void) {
    const char *good = stories_write("small.conllu", small);
    const char *bad = stories_write("none.conllu", "Ann/PROPN/0/root/Number=Sing/(e1)\n");
    const char *broken = stories_write("broken.conllu", "Ann/PROPN/0/root/Number=Sing/(e1\n");
    check_refused(good, NULL, true, ": no pronoun whose entity was mentioned before, within 64 words, "
                  "in every fifth document, which are held out; expected one to measure on");
    check_refused(good, bad, true, ": no pronoun whose entity was mentioned before, within 64 words; "
                  "expected one to measure on");
    check_refused(bad, good, false, ": no pronoun of the third person whose noun or name stands "
                  "before it, within 64 words; expected one to train on");
    check_refused(good, broken, false, ":2: Entity: \"(e1\" never ends; expected its \")\" before the "
                  "document ends");
    check_refused(broken, good, false, ":2: Entity: \"(e1\" never ends; expected its \")\" before the "
                  "document ends");
}

// ---- our own stories ---------------------------------------------------------------------------

static void drop_alike(char *text) {
    char *to = text;
    for (const char *at = text; *at; at++)
        if (*at == '(') at = strchr(at, ')');
        else *to++ = *at;
    *to = '\0';
}

static void our_stories(void) {
    char text[4096];
    Task task = setup_coref(usual, "data/stories.conllu", NULL);
    snprintf(text, sizeof text, "%s", asked(&task, &task.train));
    drop_alike(text);
    CHECK_STRING(text,
        "he-Tomas its-lighthouse His-Tomas him-Tomas She-daughter it-lamp their-ships it-drum "
        "their-sailors they-sailors her-Ines them-sailors his-Tomas "
        "her-Berta It-goat she-Berta its-goat his-farmer it-goat he-farmer him-farmer he-farmer "
        "it-loaf They-farmer her-Berta "
        "he-Ravi his-Ravi his-Emil he-Emil it-queen his-Emil them-brothers her-woman She-woman "
        "he-Ravi her-woman he-Emil his-Emil it-train "
        "They-students it-robot its-robot they-roses He-gardener it-machine his-gardener it-storm "
        "them-hens their-hens he-gardener his-gardener");
    snprintf(text, sizeof text, "%s", asked(&task, &task.held_out));
    drop_alike(text);
    CHECK_STRING(text, "her-Lena them-letters She-woman they-flowers Her-Lena it-box her-grandmother "
                       "She-grandmother her-grandmother itself-cat her-Lena it-box");
    task_free(&task);
}

// Every personal pronoun of ours is a mention, and so are most nouns.
static void our_annotation(void) {
    Parsed bank;
    Mentions m;
    char error[FILE_ERROR] = "";
    const char *file = "data/stories.conllu";
    CHECK(conllu_read(&bank, file, error) && mentions_read(&m, &bank, file, error), "%s", error);
    CHECK_INT((long long)bank.count, 40);
    CHECK_INT((long long)m.documents, 5);
    for (size_t w = 0; w < bank.words; w++) {
        size_t found = 0;
        for (size_t i = 0; i < m.count; i++) found += m.mention[i].head == w;
        CHECK(found || strcmp(bank.word[w].tag, "PRON"), "%s:%d: \"%s\" is no mention", file,
              bank.word[w].line, bank.word[w].form);
    }
    mentions_free(&m);
    parsed_free(&bank);
}

// ---- one example -------------------------------------------------------------------------------

static void typed(void) {
    const char *path = stories_write("small.conllu", small);
    char error[TASK_ERROR] = "";
    Task task = setup_coref(usual, path, path);
    Example g = {0};
    CHECK(coref_typed(&g, &task, "Bea/PROPN/obj/Sing slept ./X she/PRON/nsubj/Sing.Fem.3", error),
          "%s", error);
    const Sentences *s = &g.sentences;
    CHECK_INT((long long)s->tokens, 5);
    CHECK_STRING(task.vocab[FEATURE_DEPREL].word[s->feature[FEATURE_DEPREL][1]], "obj");
    CHECK_STRING(task.vocab[FEATURE_TAG].word[s->feature[FEATURE_TAG][2]], "<unk>");
    CHECK_STRING(task.vocab[FEATURE_AGREEMENT].word[s->feature[FEATURE_AGREEMENT][4]], "Sing.Fem.3");
    CHECK_STRING(task.vocab[FEATURE_WORD].word[s->feature[FEATURE_WORD][3]], ".");
    CHECK_INT(g.open_question, 4);
    CHECK(g.batch.answer[4] >= 0 && g.batch.target[4] == -1, "the last word asks, and nobody knows");
    CHECK_STRING(g.note, "unknown to the model: Bea, slept, she");
    example_free(&g);
    static const struct { const char *text, *unknown; } bad[] = {
        {"she/NONE", "NONE"}, {"she/PRON/none", "none"}, {"she/PRON/nsubj/Dual", "Dual"},
        {"she/PRON/nsubj/Sing/more", "more"}, {"she/", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!coref_typed(&g, &task, bad[i].text, error), "%s: was read", bad[i].text);
        CHECK_STRING(g.unknown, bad[i].unknown);
        example_free(&g);
    }
    CHECK(!coref_typed(&g, &task, "  ", error), "was read");
    CHECK_STRING(error, "an empty sentence; expected 1 to 64 words");
    example_free(&g);
    task_free(&task);
}

static void held_out(void) {
    SourceOptions o = usual;
    char error[TASK_ERROR] = "";
    Task task = setup_coref(o, "data/stories.conllu", NULL);
    o.file = "data/stories.conllu";
    for (size_t number = 0; number < 13; number++) {
        Example g = {0};
        CHECK(coref_held_out(&g, &task, &o, number, error), "%s", error);
        size_t i = number % 12, n = g.sentences.tokens;
        CHECK_INT((long long)n, sentences_length(&task.held_out, i));
        CHECK_INT(g.sentences.target[n - 1], task.held_out.target[task.held_out.start[i + 1] - 1]);
        CHECK_INT(g.open_question, -1);
        example_free(&g);
    }
    Example g = {0};
    task.max_length = 2;  // a shorter window than any question has
    CHECK(!coref_held_out(&g, &task, &o, 0, error), "expected to be refused");
    CHECK_STRING(error, "data/stories.conllu: no held-out question of at most 1 words");
    o.file = "nowhere.conllu";
    CHECK(!coref_held_out(&g, &task, &o, 0, error), "expected to be refused");
    CHECK_STRING(error, "nowhere.conllu: No such file or directory; expected a CoNLL-U file of at "
                        "most 1 GiB");
    example_free(&g);
    task_free(&task);
}

// ---- what is measured --------------------------------------------------------------------------

// A pronoun sees what stands before it and neither itself nor what comes later; <start> sees itself.
static void check_mask(const float *masked, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            CHECK((masked[i * n + j] == -INFINITY) == !(j < i || (i == 0 && j == 0)),
                  "row %zu, column %zu of %zu", i, j, n);
}

// Attention accuracy and accuracy, from one forward pass a question.
static void accuracies(void) {
    Setup s;
    Trainer t;
    Batch batch = {0};
    int exact = 0, alike = 0;
    setup_open(&s, "train coref --arms tied --steps 60 --d-model 16 --d-k 8");
    trainer_init(&t, options_config(&s.options), &s.task, s.options.arm[0]);
    trainer_run(&t, 60, NULL);
    Measurement m = evaluate(&t, 1000, NULL);
    const Sentences *held = &s.task.held_out;
    for (size_t i = 0; i < held->count; i++) {
        batch_fill(&batch, held, &i, 1, 0);
        tape_reset(&t.measuring);
        Forward f = model_forward(&t.model, &t.measuring, &batch);
        size_t n = (size_t)batch.L, most = 0, first = held->start[i];
        const float *row = f.attended.masked->data + (n - 1) * n;
        check_mask(f.attended.masked->data, n);
        for (size_t j = 0; j < n; j++) most = row[j] > row[most] ? j : most;
        exact += (int)most == held->target[first + n - 1];
        alike += held->alike[first + most];
    }
    CHECK_NEAR(m.attention_accuracy, exact / 12.0, 1e-12);
    CHECK_NEAR(m.accuracy, alike / 12.0, 1e-12);
    CHECK(alike > exact && exact, "expected some, got %d exact and %d alike", exact, alike);
    batch_free(&batch);
    trainer_free(&t);
    setup_close(&s);
}

// ---- real text ---------------------------------------------------------------------------------

// A prototype in another language counted the same, but for one question less about the nearest noun.
static void real(void) {
    const char *train = stories_gum("train.conllu"), *dev = stories_gum("dev.conllu");
    SourceOptions o = usual;
    Task task = setup_coref(o, train, dev);
    CHECK_INT((long long)task.train.count, 2268);
    CHECK_INT((long long)task.held_out.count, 364);
    CHECK_NEAR(task_guessed(&task, task.guess[0].right), 0.212, 0.001);
    CHECK_NEAR(task_guessed(&task, task.guess[1].right), 0.354, 0.001);
    CHECK_NEAR(task_guessed(&task, task.guess[2].right), 0.313, 0.001);
    task_free(&task);
    o.any_mention = true;
    task = setup_coref(o, train, dev);
    CHECK_INT((long long)task.train.count, 6279);
    CHECK_INT((long long)task.held_out.count, 978);
    CHECK_NEAR(task_guessed(&task, task.guess[0].right), 0.084, 0.001);
    CHECK_NEAR(task_guessed(&task, task.guess[3].right), 0.463, 0.001);
    task_free(&task);
}

void tests_coref(void) {
    test("a pronoun of the third person asks for the nearest noun or name of its entity", nearest_noun);
    test("with --antecedent nearest any pronoun asks for the nearest mention", nearest_mention);
    test("rules without a model are right as often as was counted by hand", guesses);
    test("a window has so many words, with the pronoun", windows);
    test("what asks is a personal pronoun that is a mention by itself, once a mention has ended",
         what_asks);
    test("where a treebank has Penn tags, PRP and PRP$ are the pronouns", penn_tags);
    test("documents are apart; without a file to measure on every fifth is held out", documents_apart);
    test("a token has its word, tag, relation, and number, gender and person", features);
    test("a treebank without a question to train or to measure on is refused", nothing_left);
    test("our stories ask what was written down by hand", our_stories);
    test("our stories are 40 sentences in five documents, and each pronoun is a mention",
         our_annotation);
    test("a typed text asks with its last word, and has the features that it names", typed);
    test("held-out questions can be looked at by number", held_out);
    test("accuracy counts every earlier mention, attention accuracy the right word alone", accuracies);
    test("the GUM corpus has as many questions as were counted elsewhere", real);
}
