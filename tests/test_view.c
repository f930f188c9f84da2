// The terminal views, rendered into memory: what may reach a terminal, and what the figures may
// claim.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net.h"
#include "test.h"
#include "model/view/canvas.h"
#include "model/view/chart.h"
#include "model/view/claim.h"
#include "model/view/live.h"
#include "model/view/map.h"
#include "model/view/sample.h"
#include "model/view/signals.h"
#include "model/view/table.h"

enum { ARMS = 7, POINTS = 6, RELATIONS = 24 };

// A made-up run, which a test may bend before it is drawn.
typedef struct Run {
    Measurement point[ARMS][POINTS];
    RelationScore relation[ARMS][RELATIONS];
    ArmHistory arm[ARMS];
    History history;
} Run;

static void make_run(Run *run, bool has_cycle) {
    static const char *name[ARMS] = {"xxt", "xxt-v", "tied", "sym", "qk", "kv", "qkv"};
    static const char *relation[RELATIONS] = {
        "pronoun", "giver", "gift", "receiver", "adjective", "giving verb", "last verb", "nsubj",
        "obj", "iobj", "det", "amod", "nmod", "obl", "case", "mark", "cc", "conj", "root", "punct",
        "advmod", "aux", "cop", "xcomp"};
    memset(run, 0, sizeof *run);
    for (int i = 0; i < ARMS; i++) {
        double found = i < 2 ? 0 : i < 4 ? 0.5 : 1, loss = i < 4 ? 1.21 : 0.05;
        for (int j = 0; j < POINTS; j++)
            run->point[i][j] = (Measurement){200 * j,
                                       6 - j * (6 - loss) / 5,
                                       found * j / 5,
                                       has_cycle ? found * j / 5 : NAN,
                                       4 - j * (4 - loss) / 5,
                                       i < 4 ? 0 : 0.1 * j,
                                       i < 4 ? 0 : 0.08 * j,
                                       i < 4 ? 1 : 1 - 0.2 * j,
                                       has_cycle ? found * j / 5 : NAN, 1.5 * j};
        for (int j = 0; j < RELATIONS; j++) {
            int cycle = has_cycle && j > 0 && j < 4;
            run->relation[i][j] = (RelationScore){relation[j], cycle, 100 + j, found, found, loss};
        }
        run->arm[i] = (ArmHistory){
            .name = name[i], .symmetric = arm_find(name[i])->score->symmetric,
            .value = arm_find(name[i])->value, .formula = "(X W_Q)(X W_K)ᵀ, X W_V", .parameters = 4096 * i,
            .count = POINTS, .point = run->point[i],
            .relation = run->relation[i], .relations = has_cycle ? 7 : RELATIONS,
            .cycle_attention_accuracy = has_cycle ? found : NAN,
            .cycle_accuracy = has_cycle ? found : NAN};
    }
    run->history = (History){.task = "pronoun",
                             .seed = 7,
                             .steps = 1000,
                             .has_cycle = has_cycle,
                             .bound = has_cycle ? 2.0 / 3 : 0,
                             .points_at_answer = !has_cycle,
                             .arms = ARMS,
                             .arm = run->arm,
                             .random_low = 0.69,
                             .random_high = 0.72,
                             .baselines = has_cycle ? 0 : 2,
                             .baseline = {0.1, 0.3},
                             .baseline_name = {"previous word", "next word"}};
}

static Term window(int width, int height, int colours, bool utf8) {
    return (Term){.fd = -1, .tty = true, .width = width, .height = height, .colours = colours,
                  .utf8 = utf8};
}

static void best_baselines(void) {
    static Run run;
    Chart chart[CHARTS];
    make_run(&run, false);
    const double accuracy[] = {0.2, 0.4, 0.1, 0.4};
    const char *name[] = {"a", "b", "c", "d"};
    run.history.baselines = 4;
    memcpy(run.history.baseline, accuracy, sizeof accuracy);
    memcpy(run.history.baseline_name, name, sizeof name);
    chart_choose(&run.history, chart);
    CHECK_INT(chart[0].rules, 2);
    CHECK_STRING(chart[0].rule[0].label[0], "b");
    CHECK_STRING(chart[0].rule[1].label[0], "d");
    CHECK_NEAR(chart[0].rule[1].low, 0.4, 0);
    run.history.baseline[2] = 0.5;
    chart_choose(&run.history, chart);
    CHECK_INT(chart[0].rules, 2);
    CHECK_STRING(chart[0].rule[0].label[0], "b");
    CHECK_STRING(chart[0].rule[1].label[0], "c");
}

static char *frame_of(const History *history, Term term, int *lines) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    *lines = live_frame(out, term, 0, history, (Progress){0.6, 600, 1000, "steps", 12, 8}, NULL,
                        NULL);
    fclose(out);
    return text;
}

static char *table_of(const History *history, Term term) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    table_print_details(out, term, history);
    table_print(out, term, history);
    fclose(out);
    return text;
}

static char *map_of(const Map *map, Term term) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    map_print(out, term, map);
    fclose(out);
    return text;
}

// Takes the colours out, then measures every line; gives the number of lines.
static int check_lines(char *text, int width) {
    char *to = text;
    for (const char *from = text; *from; ) {
        if (*from == '\033') from += strcspn(from, "m") + 1;
        else *to++ = *from++;
    }
    *to = '\0';
    int lines = 0;
    for (char *line = text; *line; lines++) {
        char *end = strchr(line, '\n');
        CHECK(end, "the last line isn't ended");
        *end = '\0';
        int columns = term_width(line, 1);
        CHECK(columns <= width, "%d columns in %d: %s", columns, width, line);
        line = end + 1;
    }
    return lines;
}

static void widths(void) {
    CHECK_INT(term_width("señor", 1), 5);
    CHECK_INT(term_width("sen\xCC\x83or", 1), 5);
    CHECK_INT(term_width("日本語", 1), 6);
    CHECK_INT(term_width("X Xᵀ", 1), 4);
    CHECK_INT(term_width("X Xᵀ", 0), 5);  // X X^T
    CHECK_INT(term_width("\xFF\xC3", 1), 2);
}

static void clipping(void) {
    for (int utf8 = 0; utf8 < 2; utf8++)
        for (int width = 1; width < 16; width++) {
            char *text;
            size_t size;
            FILE *out = open_memstream(&text, &size);
            Canvas canvas = canvas_new(window(width, 2, 0, utf8), 1);
            canvas_text(&canvas, 0, 0, width, STYLE_PLAIN, "ñ日n\xCC\x83本ᵀ語X");
            canvas_print(&canvas, out, 0);
            fclose(out);
            CHECK(!utf8 == !!strchr(text, '?'), "a cut character in \"%s\"", text);
            check_lines(text, width);
            free(text);
        }
}

static void hostile_words(void) {
    const char *word[] = {"\033[31mred", "a\nb\r\t", "\xC2\x9BJ", "\xE2\x80\xAEx"};
    float weight[16] = {0};
    Map map = {.rows = 4, .columns = 4, .row_word = word, .column_word = word, .pictures = 1,
               .title = {"\033]0;title\a"}, .weight = {weight}};
    char *text = map_of(&map, window(80, 24, 0, 1));
    for (const char *c = text; *c; c++)
        CHECK(*c == '\n' || (unsigned char)*c >= 32, "byte %d got through", *c);
    CHECK(!strstr(text, "\xC2\x9B") && !strstr(text, "\xE2\x80\xAE"), "a control got through");
    free(text);
}

static void frames_fit(void) {
    static const int width[] = {20, 29, 30, 40, 71, 72, 80, 120, 200};
    Run run[2];
    make_run(&run[0], 0);
    make_run(&run[1], 1);
    for (int i = 0; i < 9 + 181; i++)
        for (int height = i < 9 ? 5 : 24; height <= (i < 9 ? 60 : 24); height++) {
            int columns = i < 9 ? width[i] : 20 + (i - 9), lines;
            Term term = window(columns, height, 256 * (i % 3), i / 2 % 2);
            char *text = frame_of(&run[i % 2].history, term, &lines);
            CHECK_INT(check_lines(text, columns), lines);
            CHECK(lines <= height - 1, "%d lines in a window of %d", lines, height);
            free(text);
        }
}

// Draws one frame of a run in a terminal; gives what was sent.
static char *drawn(Run *run, Term term, int frames, int step) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    Live live = live_begin(out, term);
    const Progress p = {step / 1000.0, step, 1000, "steps", 1, 1};
    for (int i = 0; i < frames; i++) live_draw(&live, &run->history, p);
    fclose(out);
    return text;
}

static void no_colour(void) {
    Run run;
    make_run(&run, true);
    char *text = drawn(&run, window(80, 24, 0, 1), 1, 500);
    for (const char *c = text; (c = strchr(c, '\033')); c++)
        CHECK(c[1] == '[' && c[2 + strspn(c + 2, "?0123456789;")] != 'm', "a colour was set");
    free(text);
}

static void no_escapes(void) {
    Run run;
    make_run(&run, true);
    Term pipe_term = window(80, 24, 0, 1);
    pipe_term.tty = 0;
    char *text = drawn(&run, pipe_term, 2, 500);
    CHECK(!strchr(text, '\033'), "an escape in a pipe");
    CHECK_INT(check_lines(text, 80), 3 + ARMS);  // and the same step only once
    free(text);
    setenv("TERM", "dumb", 1);
    Term dumb = term_of(stdout);
    CHECK(!dumb.tty && !dumb.colours, "a dumb terminal is taken for a clever one");
}

static void dropped_frames(void) {
    Run run;
    make_run(&run, true);
    Term term = window(80, 24, 0, 1);
    char *one = drawn(&run, term, 1, 500), *many = drawn(&run, term, 9, 500);
    char *last = drawn(&run, term, 2, 1000);
    CHECK(strlen(many) == strlen(one), "a frame was drawn too soon");
    CHECK(strstr(last, "\033[23A"), "the last frame was dropped");
    free(one);
    free(many);
    free(last);
}

static void cursor(void) {
    int ends[2];
    char sent[64] = "";
    CHECK(!pipe(ends), "no pipe");
    Term term = window(80, 24, 0, 1);
    term.fd = ends[1];
    signals_show_cursor();  // nothing is hidden yet
    signals_hide_cursor(&term);
    signals_show_cursor();
    signals_show_cursor();
    CHECK(read(ends[0], sent, sizeof sent - 1) > 0, "nothing sent");
    CHECK_STRING(sent, "\033[?25l\033[0m\033[?7h\033[?25h");
}

static void odd_runs(void) {
    Run run;
    make_run(&run, true);
    run.history.steps = 0;
    run.history.random_low = run.history.random_high = NAN;
    run.arm[0].count = 0;
    for (int i = 0; i < POINTS; i++) run.point[1][i].loss = run.point[2][i].attention_nll = NAN;
    run.point[3][2].loss = INFINITY;
    for (int arms = 0; arms <= ARMS; arms++) {
        int lines;
        run.history.arms = arms;
        free(frame_of(&run.history, window(80, 24, 256, 1), &lines));
        free(table_of(&run.history, window(80, 24, 256, 1)));
    }
    char *text = table_of(&run.history, window(100, 24, 0, 1));
    CHECK(strstr(text, " - "), "a NaN isn't shown as -");
    CHECK(!strstr(text, "nan"), "a NaN is shown as such");
    free(text);
}

static void ln2_line(void) {
    for (int has_cycle = 0; has_cycle < 2; has_cycle++) {
        Run run;
        int lines;
        make_run(&run, has_cycle);
        run.history.steps = 2000;  // room on the right for the labels
        char *text = frame_of(&run.history, window(80, 24, 0, 1), &lines);
        CHECK_INT(strstr(text, "ln 2") != NULL, has_cycle);
        CHECK_INT(strstr(text, "previous word") != NULL, !has_cycle);
        free(text);
    }
}

static void tables_fit(void) {
    for (int i = 0; i < 4 * 181; i++) {
        Run run;
        make_run(&run, i % 2);
        char *text = table_of(&run.history, window(20 + i / 4, 24, 0, i / 2 % 2));
        check_lines(text, 20 + i / 4);
        free(text);
    }
    Run run;
    make_run(&run, true);
    char *text = table_of(&run.history, window(80, 24, 0, 0));
    CHECK(strstr(text, " circ  sec\n"), "columns are missing at 80:\n%s", text);
    CHECK(strstr(text, "attn acc: attention accuracy"), "a head isn't explained:\n%s", text);
    CHECK(strstr(text, "receiver * "), "the cycle isn't marked:\n%s", text);
    free(text);
    make_run(&run, false);
    text = table_of(&run.history, window(80, 24, 0, 1));
    CHECK(strstr(text, "others"), "relations past twenty aren't summed");
    free(text);
}

// The claim contains, or with `not` doesn't contain, this text.
static void check_claim(const Run *run, bool has, const char *part) {
    int pair[2];
    char *text = claim_of(&run->history, pair);
    CHECK(!has == !strstr(text, part), "%s\"%s\" in the claim \"%s\"", has ? "no " : "", part,
          text);
    free(text);
}

static void check_pair(const Run *run, const char *left, const char *right) {
    int pair[2];
    free(claim_of(&run->history, pair));
    CHECK_STRING(run->arm[pair[0]].name, left);
    CHECK_STRING(run->arm[pair[1]].name, right);
}

static void claims(void) {
    Run run;
    int pair[2];
    make_run(&run, true);
    char *text = claim_of(&run.history, pair);
    CHECK_STRING(text, "A head with separate queries and keys (qkv) is right on 100% of the "
                 "questions that form a cycle; the best symmetric head (sym) stops at 50%, and no symmetric "
                 "head can pass 66.7%. The attention NLL of qkv is 0.050 nats; the lowest "
                 "of a symmetric arm is 1.210 (sym), and no symmetric head can get below ln 2 = 0.693.");
    free(text);
    check_pair(&run, "sym", "qkv");
    for (int i = 4; i < ARMS; i++) {
        run.arm[i].cycle_attention_accuracy = 0.4;
        run.point[i][POINTS - 1].attention_nll = 1;
    }
    check_claim(&run, true, "(qkv) has learned only 40% of the questions that form a cycle; ");
    check_claim(&run, false, "is right on");
    run.arm[3].cycle_attention_accuracy = 0.9;
    check_claim(&run, true, "But sym, whose scores are symmetric, has 90% and 1.210 nats: something "
                "here is wrong");
    check_claim(&run, false, "stops at");

    make_run(&run, false);
    check_claim(&run, true, "100.0% of the questions; the best symmetric arm, sym, for 50.0%: "
                "clearly less");
    for (int i = 4; i < ARMS; i++) run.point[i][POINTS - 1].attention_accuracy = 0.51;
    check_claim(&run, true, "sym, for 50.0%: no clear difference");
    check_pair(&run, "sym", "qkv");
}

// qkv is named if it passes both bounds, even where another arm passes them by more; what W_V does
// is said where qk passes them too. A loss isn't said to be 0 if it isn't.
static void claims_prefer_all_three_matrices(void) {
    Run run;
    make_run(&run, true);
    run.arm[6].cycle_attention_accuracy = 0.9;
    run.point[6][POINTS - 1].loss = 0.0001;
    check_claim(&run, true, "(qkv) is right on 90% of");
    check_claim(&run, true, "W_V was not needed for this: qk, which has none, is right on 100%. It "
                "lowers the loss, from 0.050 to below 0.001.");
    run.arm[6].cycle_attention_accuracy = 0.6;
    check_claim(&run, true, "(kv) is right on");
    check_claim(&run, false, "W_V");
    check_pair(&run, "sym", "kv");
}

// Accuracy and NLL are two claims; where nothing is pointed at, what is answered counts.
static void claims_by_one_figure(void) {
    Run run;
    make_run(&run, true);
    for (int i = 4; i < ARMS; i++) run.point[i][POINTS - 1].attention_nll = 1;
    check_claim(&run, true, "(qkv) is right on 100% of the questions that form a cycle; ");
    check_claim(&run, true, "The attention NLL of qkv is 1.000 nats");
    make_run(&run, true);
    for (int i = 4; i < ARMS; i++) run.arm[i].cycle_attention_accuracy = 0.4;
    check_claim(&run, true, "(qkv) has learned only 40%");

    make_run(&run, false);
    for (int i = 0; i < ARMS; i++) {
        run.point[i][POINTS - 1].attention_accuracy = NAN;
        run.point[i][POINTS - 1].accuracy = i == 5 ? 0.25 : 0.75;
    }
    check_claim(&run, true, "qkv answers 75% of the questions; kv, whose key serves as its value, "
                "answers 25%. qk, which has no W_V and passes on X, answers 75%: so narrow a key "
                "cannot also be the value.");
    check_pair(&run, "kv", "qkv");
    run.point[5][POINTS - 1].accuracy = 0.75;
    check_claim(&run, false, "narrow");
    // The same where the arms point at their answers, too, as in `recall`.
    make_run(&run, false);
    for (int i = 0; i < ARMS; i++) run.point[i][POINTS - 1].accuracy = i == 5 ? 0.25 : 0.75;
    check_claim(&run, true, "kv, whose key serves as its value, answers 25%");
}

// Three symmetric heads can go round a cycle in turns: for them together there is no bound.
static void claims_of_several_heads(void) {
    Run run;
    make_run(&run, true);
    run.history.bound = 0;
    check_claim(&run, true, "qkv answers 100% of the cycle's questions; sym, whose heads are "
                "symmetric, answers ");
    check_claim(&run, true, "but several together can");
    check_claim(&run, false, "wrong");
}

static void claims_of_symmetric_arms_alone(void) {
    Run run;
    int pair[2];
    make_run(&run, true);
    run.history.arms = 4;
    char *text = claim_of(&run.history, pair);
    CHECK(!strncmp(text, "The best symmetric head (sym) stops at 50%, and no symmetric head can pass "
                   "66.7%. The lowest attention NLL of a symmetric arm is 1.210 (sym), and ", 120),
          "%s", text);
    free(text);
    run.history.arms = 1;
    check_pair(&run, run.arm[0].name, run.arm[0].name);
}

static void charts_of_a_text(void) {
    Run run;
    int lines;
    make_run(&run, false);
    run.history.text = 1;
    run.history.asked = "which character comes next?";
    char *text = frame_of(&run.history, window(160, 50, 0, 0), &lines);
    const char *shown[] = {"pronoun - which character comes next? - seed 7", "bits a character, held out",
                           "accuracy", "symmetry of M, median of all heads"};
    for (int i = 0; i < 4; i++)
        CHECK(strstr(text, shown[i]), "\"%s\" is missing:\n%s", shown[i], text);
    free(text);
}

// The frame of a run with this beside its curves; `text` is the caller's.
static char *frame_with(Term term, const Map *map, const Sample *sample) {
    Run run;
    char *text, *copy;
    size_t size;
    make_run(&run, true);
    run.history.arms = sample ? 1 : ARMS;
    FILE *out = open_memstream(&text, &size);
    live_frame(out, term, false, &run.history, (Progress){0.6, 600, 1000, "steps", 12, 8}, map,
               sample);
    fclose(out);
    copy = strdup(text);
    check_lines(copy, term.width);
    free(copy);
    return text;
}

// Of 13 words, as the one that a default run shows.
static void map_beside_curves(void) {
    const char *word[] = {"the", "tired", "twins", "gave", "the", "wizard", "to", "the", "mother",
                          "so", "she", "sang", "."};
    float weight[169] = {0};
    int target[13];
    for (int i = 0; i < 13; i++) weight[14 * i] = 0.8f, target[i] = i;
    Map map = {.rows = 13, .columns = 13, .row_word = word, .column_word = word, .pictures = 1,
               .target = target, .title = {"qkv, after softmax"}, .weight = {weight}};
    for (int width = 20; width < 180; width++)
        for (int height = 15; height < 30; height++) {
            char *text = frame_with(window(width, height, 0, false), &map, NULL);
            bool fits = width >= 32 + 3 + 6 + 1 + 26 && height >= 3 + 1 + 3 + 13 + 1;
            CHECK(!strstr(text, "qkv, after softmax") == !fits, "%d x %d:\n%s", width, height,
                  text);
            CHECK(!strstr(text, "* right  o missed  . wrong") == !fits, "no legend:\n%s", text);
            CHECK(!fits || strstr(text, "attention NLL on the cycle"), "no curves:\n%s", text);
            CHECK(!fits || strstr(text, "qkv    "), "no table:\n%s", text);
            free(text);
        }
    char *text = frame_with(window(80, 24, 0, false), &map, NULL);
    CHECK(strstr(text, " i w g   z     t     s\n"), "the words above are cut:\n%s", text);
    CHECK(strstr(text, "wizard           8*"), "no row of the map:\n%s", text);
    free(text);
    text = frame_with(window(80, 21, 0, false), &map, NULL);
    CHECK(strstr(text, "t t t g t w   t m   s s\n"), "the words above aren't cut:\n%s", text);
    free(text);
}

// The end of what a model has written stands below the table, and breaks between words.
static void sample_below_table(void) {
    Net n;
    Sample s;
    net_open(&n, "train text --text LICENSE --layers 1 --heads 1 --d-model 8", "qkv", 1);
    sample_open(&s, &n.model, 1, 1, 0);
    sample_prompt(&s, "\nThis is to be cut\nthe Software is provided \"as is\",", NULL);
    for (int k = 0; k < 40; k++) sample_prompt(&s, " without warranty of any kind", NULL);
    sample_prompt(&s, "\nin no event", NULL);
    for (int width = 20; width < 180; width++)
        for (int height = 9; height < 30; height++)
            free(frame_with(window(width, height, 256 * (width % 2), true), NULL, &s));
    char *text = frame_with(window(80, 24, 0, false), NULL, &s);
    CHECK(strstr(text, "text that qkv writes as it trains\n"), "no title:\n%s", text);
    CHECK(strstr(text, " kind without warranty of any kind\n"), "the text is missing:\n%s", text);
    CHECK(strstr(text, " in no event\n"), "its end is missing:\n%s", text);
    CHECK(!strstr(text, "This is to be cut"), "its beginning is there:\n%s", text);
    free(text);
    sample_close(&s);
    net_close(&n);
}

static void maps(void) {
    const char *word[] = {"he", "saw", "señora"};
    const float weight[] = {0.1f, 0.8f, 0.1f, 0.7f, 0.2f, 0.1f, 0.3f, 0.3f, 0.4f};
    const int target[] = {1, 2, -1};
    Map map = {.rows = 3,
               .columns = 3,
               .row_word = word,
               .column_word = word,
               .target = target,
               .pictures = 1,
               .title = {"xxt: softmax of X Xᵀ", "xxt: softmax of X Xᵀ"},
               .weight = {weight, weight}};
    Map two = map;
    two.pictures = 2;
    char *text = map_of(&map, window(80, 24, 0, 0));
    CHECK(strstr(text, "he 1 8*1\n"), "the right word isn't marked:\n%s", text);
    CHECK(strstr(text, "7.2 1o"), "the wrong argmax isn't marked:\n%s", text);
    CHECK(strstr(text, "3 3 4\n"), "a row that asks nothing is marked:\n%s", text);
    free(text);
    text = map_of(&map, window(80, 24, 1 << 24, 1));
    CHECK(strstr(text, "◆") && strstr(text, "◇") && strstr(text, "·"), "marks are missing");
    free(text);
    for (int width = 12; width < 100; width++) {
        text = map_of(&two, window(width, 24, width % 2 * 256, 1));
        check_lines(text, width);
        free(text);
    }
    text = map_of(&map, window(9, 24, 0, 1));
    CHECK(strstr(text, "first 2 o"), "columns were left out silently:\n%s", text);
    free(text);
}

// Tenths of the largest with their sign; in colour, white at 0 and the ends of the palette at the
// ends.
static void signed_maps(void) {
    const char *word[] = {"he", "saw"};
    const float score[] = {-8, 0.3f, 0, 4};
    Map map = {.rows = 2, .columns = 2, .row_word = word, .column_word = word, .pictures = 1, .most = 8,
               .title = {"S"}, .weight = {score}};
    char *text = map_of(&map, window(80, 24, 0, 0));
    CHECK(strstr(text, " he -9\nsaw    5\n"), "the digits are wrong:\n%s", text);
    CHECK(strstr(text, "tenths of 8,"), "no scale:\n%s", text);
    free(text);
    text = map_of(&map, window(80, 24, 1 << 24, 1));
    CHECK(strstr(text, "48;2;179;88;6m  "), "-8 isn't the orange end");
    CHECK(strstr(text, "48;2;247;247;247m  "), "0 isn't white");
    CHECK(strstr(text, "score -8 ") && strstr(text, " 8\n"), "no scale:\n%s", text);
    free(text);
    CHECK_INT(map_diverging(0), 0xF7F7F7);
    CHECK_INT(map_diverging(NAN), 0xF7F7F7);
    CHECK_INT(map_diverging(9), 0x2166AC);
}

void tests_view(void) {
    test("a text's width counts columns, not bytes", widths);
    test("clipping never cuts a character", clipping);
    test("a control character in a word never reaches the terminal", hostile_words);
    test("of four baselines the best two are drawn, in their order", best_baselines);
    test("no frame is wider or higher than its window", frames_fit);
    test("without colour the cursor may move but no colour is set", no_colour);
    test("a pipe or a dumb terminal gets no escape sequence", no_escapes);
    test("frames that come too soon are dropped, the last one never", dropped_frames);
    test("the cursor is given back, once, and only if it was hidden", cursor);
    test("a run without steps, points or finite figures can be drawn", odd_runs);
    test("the line at ln 2 is drawn only where there is a cycle", ln2_line);
    test("the tables fit the window, with seven arms in 80 columns", tables_fit);
    test("nothing is said to be barred where several heads are measured", claims_of_several_heads);
    test("a sentence claims only what the figures say", claims);
    test("the claim names qkv where it passes both bounds, and says what W_V is for",
         claims_prefer_all_three_matrices);
    test("one figure of the two is a claim too, and so is what is answered", claims_by_one_figure);
    test("where all arms are symmetric, the bound is said all the same",
         claims_of_symmetric_arms_alone);
    test("the charts of a text are of bits a character, answers and symmetry", charts_of_a_text);
    test("the live view has a map beside its curves, from 80 x 24 on", map_beside_curves);
    test("the live view of a text ends with what the model writes", sample_below_table);
    test("a map marks the right word, found or not", maps);
    test("a map of scores has its middle at 0", signed_maps);
}
