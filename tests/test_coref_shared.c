// coref --shared: one head for three questions of the same texts. Which of them a token asks, and
// that the model is told; what must not be learned.
#include <stdio.h>
#include <string.h>

#include "setup.h"
#include "stories.h"
#include "test.h"
#include "data/sources.h"

static const SourceOptions usual = {.window = 64, .tags = true, .relations = true, .shared = true};

#define SHE "PronType=Prs|Number=Sing|Gender=Fem|Person=3"
#define I_ "I/PRON/2/nsubj/PronType=Prs|Number=Sing|Person=1/(e4)"

// Anna met Bea . She liked her . Dogs ate bones with her . I saw them . I left .
static const char small[] =
    "Anna/PROPN/2/nsubj/Number=Sing/(e1) met/VERB/0/root Bea/PROPN/2/obj/Number=Sing/(e2) ./X/2/punct\n"
    "She/PRON/2/nsubj/" SHE "/(e1) liked/VERB/0/root her=she/PRON/2/obj/" SHE "/(e2) ./X/2/punct\n"
    "Dogs/NOUN/2/nsubj/Number=Plur/(e3) ate/VERB/0/root bones/NOUN/2/obj/Number=Plur with/ADP/5/case "
    "her=she/PRON/2/obl/" SHE "/(e2) ./X/2/punct\n" I_ " saw/VERB/0/root "
    "them=they/PRON/2/obj/PronType=Prs|Number=Plur|Person=3/(e3) ./X/2/punct\n" I_ " left/VERB/0/root "
    "./X/2/punct\n";

// Each sequence as "question: word-answer word-answer ...", after what its asking tokens ask.
static const char *all_asked(const Task *task, const Sentences *s) {
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < s->count; i++) {
        size_t first = s->start[i];
        const int *question = s->feature[FEATURE_QUESTION];
        const char *name = task->vocab[FEATURE_QUESTION].word[question[s->start[i + 1] - 1]];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:", i ? "\n" : "", name);
        for (size_t t = first; t < s->start[i + 1]; t++) {
            CHECK((s->target[t] < 0) == !question[t], "token %zu: a question without an answer", t);
            if (s->target[t] >= 0)
                used += (size_t)snprintf(text + used, sizeof text - used, " %s-%s",
                                         task_form(task, s, t),
                                         task_form(task, s, first + (size_t)s->target[t]));
        }
    }
    return text;
}

#define SMALL_HEADS "head: Anna-met met-<start> Bea-met .-met\n" \
                    "head: She-liked liked-<start> her-liked .-liked\n"
#define ALL_HEADS SMALL_HEADS "head: Dogs-ate ate-<start> bones-ate with-her her-ate .-ate\n" \
                  "head: I-saw saw-<start> them-saw .-saw\nhead: I-left left-<start> .-left"

// A pronoun is asked twice, in two sequences, and its head in a third; what is measured is the
// question that was chosen. A sentence longer than the window is left out.
static void shared(void) {
    const char *path = stories_write("small.conllu", small);
    SourceOptions o = usual;
    Task task = setup_coref(o, path, path);
    CHECK_STRING(all_asked(&task, &task.train),
        "noun: She-Anna\nnearest: She-Anna\nnoun: her-Bea\nnearest: her-Bea\nnoun: her-Bea\n"
        "nearest: her-her\nnoun: them-Dogs\nnearest: them-Dogs\nnearest: I-I\n" ALL_HEADS);
    CHECK_STRING(all_asked(&task, &task.held_out),
                 "noun: She-Anna\nnoun: her-Bea\nnoun: her-Bea\nnoun: them-Dogs");
    CHECK(!task.causal, "a word could not ask for a later one");
    task_free(&task);
    o.any_mention = true;
    o.window = 5;
    task = setup_coref(o, path, path);
    CHECK_STRING(all_asked(&task, &task.train),
        "nearest: She-Anna\nnoun: She-Anna\nnearest: her-Bea\nnoun: her-Bea\nnearest: I-I\n"
        SMALL_HEADS "head: I-saw saw-<start> them-saw .-saw\nhead: I-left left-<start> .-left");
    CHECK_STRING(all_asked(&task, &task.held_out),
                 "nearest: She-Anna\nnearest: her-Bea\nnearest: I-I");
    task_free(&task);
}

// Of five documents the last is held out: none of its sentences is learned, and none of its other
// questions.
static void shared_holds_out(void) {
    char text[2048] = "";
    for (int i = 0; i < 5; i++)
        sprintf(text + strlen(text), "##\nAnn/PROPN/0/root/Number=Sing/(e1) w%d/VERB/1/x\n"
                "she/PRON/2/nsubj/" SHE "/(e1) slept/VERB/0/root\n", i);
    Task task = setup_coref(usual, stories_write("five.conllu", text), NULL);
    CHECK_INT((long long)task.train.count, 4 * 4);
    for (size_t t = 0; t < task.train.tokens; t++)
        CHECK(strcmp(task_form(&task, &task.train, t), "w4"), "a held-out word is trained on");
    CHECK_STRING(all_asked(&task, &task.held_out), "noun: she-Ann");
    task_free(&task);
}

// A file that asks only the other question does not train the one that is measured.
static void shared_is_refused(void) {
    const char *train = stories_write("i.conllu", I_ " saw/VERB/0/root\n" I_ " left/VERB/0/root\n");
    char error[TASK_ERROR] = "";
    Task task;
    SourceOptions o = usual;
    o.file = train;
    o.dev = stories_write("she.conllu", small);
    CHECK(!coref_load(&task, &o, error), "a task without a question to train on");
    CHECK(strstr(error, "i.conllu: no pronoun of the third person"), "got \"%s\"", error);
    o.any_mention = true;
    CHECK(coref_load(&task, &o, error), "expected a task, got \"%s\"", error);
    task_free(&task);
}

// The same window scores otherwise where its pronoun asks the other question. In a typed text the
// last word asks the question that is measured.
static void asks_what_was_chosen(void) {
    Setup s;
    Trainer t;
    Batch batch = {0};
    char error[TASK_ERROR] = "";
    setup_open(&s, "train coref --shared --arms qk --steps 60 --d-model 16 --d-k 8");
    trainer_init(&t, options_config(&s.options), &s.task, s.options.arm[0]);
    trainer_run(&t, 60, NULL);
    batch_fill(&batch, &s.task.held_out, &(size_t){0}, 1, 0);
    float score[2];
    int *question = &batch.feature[FEATURE_QUESTION][batch.L - 1];
    CHECK_INT(*question, 1);
    for (int asks = 1; asks <= 2; asks++) {
        *question = asks;
        tape_reset(&t.measuring);
        Forward f = model_forward(&t.model, &t.measuring, &batch);
        score[asks - 1] = f.attended.masked->data[(size_t)((batch.L - 1) * batch.L + 1)];
    }
    CHECK(score[0] != score[1], "both score %g", score[0]);
    Example g = {0};
    CHECK(coref_typed(&g, &s.task, "box/NOUN she/PRON", error), "%s", error);
    CHECK_INT(g.batch.feature[FEATURE_QUESTION][2], 1);
    CHECK_INT(g.batch.feature[FEATURE_QUESTION][1], 0);
    example_free(&g);
    batch_free(&batch);
    trainer_free(&t);
    setup_close(&s);
}

void tests_coref_shared(void) {
    test("with --shared a pronoun is asked twice, and each word for its head", shared);
    test("with --shared nothing of a held-out document is learned", shared_holds_out);
    test("with --shared the question that is measured must be trained, too", shared_is_refused);
    test("with --shared the asking token says what is asked", asks_what_was_chosen);
}
