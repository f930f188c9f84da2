#include "setup.h"
#include "test.h"

enum { SETS = 512, PAGES = 8 };

static int feature(const Task *task, size_t set, int token, int which) {
    return task->held_out.feature[which][task->held_out.start[set] + (size_t)token];
}

static int target(const Task *task, size_t set, int token) {
    return task->held_out.target[task->held_out.start[set] + (size_t)token];
}

static void titles_are_distinct_and_each_is_asked_once(void) {
    Setup s;
    setup_open(&s, "train search");
    const Task *task = &s.task;
    CHECK_INT(task->held_out.count, SETS);
    for (size_t set = 0; set < SETS; set++) {
        int titles = 0, asked = 0;
        CHECK_INT(sentences_length(&task->held_out, set), 2 * PAGES);
        for (int i = 0; i < PAGES; i++) {
            int title = feature(task, set, i, FEATURE_TAG), page = target(task, set, PAGES + i);
            CHECK_INT(target(task, set, i), -1);
            CHECK(title >= 0 && title < 16 && !(titles >> title & 1),
                  "set %zu: title %d stands twice", set, title);
            CHECK(page >= 0 && page < PAGES, "set %zu: query %d wants page %d", set, i, page);
            CHECK_INT(feature(task, set, PAGES + i, FEATURE_TERM),
                      feature(task, set, page, FEATURE_TAG));
            titles |= 1 << title;
            asked |= 1 << page;
        }
        CHECK_INT(asked, (1 << PAGES) - 1);
    }
    setup_close(&s);
}

static void contents_are_independent_of_titles(void) {
    Setup s;
    setup_open(&s, "train search --held-out 4000");
    int count[16][2] = {{0}};
    for (size_t set = 0; set < s.task.held_out.count; set++)
        for (int i = 0; i < PAGES; i++)
            count[feature(&s.task, set, i, FEATURE_TAG)]
                 [feature(&s.task, set, i, FEATURE_WORD) < 16]++;
    for (int t = 0; t < 16; t++)
        CHECK_NEAR(count[t][1] / (double)(count[t][0] + count[t][1]), 0.5, 0.05);
    setup_close(&s);
}

static void queries_attend_to_pages_alone(void) {
    Setup s;
    Model model;
    Tape tape = {0};
    Batch batch = {0};
    setup_open(&s, "train search --held-out 3");
    model_init(&model, &s.task, arm_find("qkv"), options_config(&s.options).model, 1);
    setup_batch(&s, &batch, 3, 0);
    Forward f = model_forward(&model, &tape, &batch);
    const int expected[] = {3, 1, PAGES, PAGES};
    for (int i = 0; i < 4; i++) CHECK_INT(f.attended.A->shape[i], expected[i]);
    CHECK_INT(f.questions, 3 * PAGES);
    for (int q = 0; q < f.questions; q++) {
        int row = f.row[q], set = row / batch.L;
        CHECK_INT(f.answer[q], batch.feature[FEATURE_WORD][set * batch.L + batch.target[row]]);
    }
    batch_free(&batch);
    tape_free(&tape);
    model_free(&model);
    setup_close(&s);
}

static double answered(const Setup *s, const char *arm) {
    Trainer t;
    trainer_init(&t, options_config(&s->options), &s->task, arm_find(arm));
    trainer_run(&t, s->options.steps, NULL);
    double share = evaluate(&t, SIZE_MAX, NULL).accuracy;
    trainer_free(&t);
    return share;
}

static void a_key_that_is_the_value_runs_out_of_room(void) {
    Setup s;
    setup_open(&s, "train search --d-k 4");
    double kv = answered(&s, "kv"), qkv = answered(&s, "qkv");
    CHECK(kv < 0.6, "at d_k 4 kv answered %g; expected less than 0.6", kv);
    CHECK(qkv > 0.98, "at d_k 4 qkv answered %g; expected more than 0.98", qkv);
    setup_close(&s);
    setup_open(&s, "train search --d-k 8");
    kv = answered(&s, "kv");
    CHECK(kv > 0.9, "at d_k 8 kv answered %g; expected more than 0.9", kv);
    setup_close(&s);
}

void tests_search(void) {
    test("search asks for each of eight distinct titles once",
         titles_are_distinct_and_each_is_asked_once);
    test("search has contents that say nothing of titles", contents_are_independent_of_titles);
    test("search is cross-attention: queries attend to pages alone", queries_attend_to_pages_alone);
    test("search: at d_k 4 the key can't also be the value, at d_k 8 it can",
         a_key_that_is_the_value_runs_out_of_room);
}
