// The report, as the program writes it: what is put into the page, what can't get out of it, what
// is refused. How it looks and works in a browser, tests/report.mjs sees to.
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "setup.h"
#include "test.h"
#include "model/train/record.h"
#include "model/view/report/report.h"
#include "model/view/report/snapshots.h"
#include "model/view/report/weights.h"

#define TINY "--quiet --steps 12 --held-out 8 --arms xxt,qk"

// A run into a directory of its own, which is given.
static const char *run(const char *arguments) {
    static char out[300];
    int status;
    snprintf(out, sizeof out, "%s/out", test_directory());
    const char *said =
        test_command(&status, "rm -rf %s; %s %s --out %s", out, test_train(), arguments, out);
    CHECK(status == 0, "%s: status %d: %s", arguments, status, said);
    return out;
}

// A file as a string, which the caller frees; NULL if there is none.
static char *slurp(const char *directory, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *in = fopen(path, "rb");
    if (!in) return NULL;
    char *text = malloc(8 << 20);
    size_t size = fread(text, 1, (8 << 20) - 1, in);
    text[size] = '\0';
    fclose(in);
    return text;
}

static void spit(const char *directory, const char *name, const char *bytes, size_t size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *out = fopen(path, "wb");
    CHECK(out && fwrite(bytes, 1, size, out) == size && !fclose(out), "%s: can't be written", path);
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

// What stands in the page's script element of that id, with \u003c turned back; the caller frees
// it.
static char *embedded(const char *page, const char *id) {
    char head[128];
    snprintf(head, sizeof head, "<script type=\"application/json\" id=\"%s\">\n", id);
    const char *at = strstr(page, head), *end = at ? strstr(at, "\n</script>") : NULL;
    CHECK(end, "the page has no %s", id);
    char *text = malloc((size_t)(end - at) + 1), *to = text;
    for (at += strlen(head); at < end; )
        if (!strncmp(at, "\\u003c", 6)) *to++ = '<', at += 6;
        else *to++ = *at++;
    *to = '\0';
    return text;
}

static void holds_json(const char *out, const char *page, const char *id) {
    char name[64];
    snprintf(name, sizeof name, "%s.json", id);
    char *file = slurp(out, name), *found = embedded(page, id);
    CHECK(!json_wrong(file), "%s is no JSON", name);
    CHECK(!strncmp(file, found, strlen(found)) && strlen(file) <= strlen(found) + 1,
          "%s: the page has another", name);
    free(file);
    free(found);
}

// A CSV is there as one string: \n between its lines.
static void holds_csv(const char *out, const char *page, const char *name, const char *id) {
    char *file = slurp(out, name), *found = embedded(page, id), *at = found + 1;
    for (const char *c = file; *c; c++, at++)
        if (*c == '\n') {
            CHECK(!strncmp(at, "\\u000a", 6), "%s: the page has another", name);
            at += 5;
        } else CHECK(*at == *c, "%s: the page has another", name);
    CHECK_STRING(at, "\"");
    free(file);
    free(found);
}

static void page_holds_files(void) {
    const char *out = run("pronoun " TINY);
    char *page = slurp(out, "report.html");
    CHECK(page, "there is no report.html");
    holds_json(out, page, "summary");
    holds_json(out, page, "snapshots");
    holds_csv(out, page, "metrics.csv", "metrics");
    holds_csv(out, page, "symmetry.csv", "symmetry");
    CHECK(!strstr(page, "http://") ||
              count(page, "http://") == count(page, "http://www.w3.org/2000/svg"),
          "the page names an address");
    CHECK_INT(count(page, "https://"), page_module[0] ? 2 : 0);  // in the licences alone
    free(page);
}

static void made_again(void) {
    int status;
    const char *out = run("search " TINY);
    char *first = slurp(out, "report.html");
    const char *said = test_command(&status, "rm %s/report.html; %s report %s", out, test_train(),
                                    out);
    CHECK(status == 0, "status %d: %s", status, said);
    CHECK(strstr(said, "report.html"), "it doesn't say where: %s", said);
    char *again = slurp(out, "report.html");
    CHECK(again && !strcmp(first, again), "another page");
    free(first);
    free(again);
}

static void no_report(void) {
    static const char *const name[] = {"report.html", "snapshots.json", "loss.svg",
                                       "attention.svg"};
    const char *out = run("pronoun --no-report " TINY);
    for (int i = 0; i < 4; i++) CHECK(!slurp(out, name[i]), "%s was written", name[i]);
    char *metrics = slurp(out, "metrics.csv");
    CHECK(metrics, "metrics.csv wasn't");
    free(metrics);
}

// ---- tokens ------------------------------------------------------------------------------------

static const char treebank[] =
    "1\ta<b\ta\tNOUN\t_\t_\t3\tnsubj\t_\t_\n2\t&amp;\ta\tNOUN\t_\t_\t1\tconj\t_\t_\n"
    "3\t<script>\ta\tVERB\t_\t_\t0\troot\t_\t_\n4\t\"'\ta\tNOUN\t_\t_\t3\tobj\t_\t_\n"
    "5\t</script>\ta\tNOUN\t_\t_\t3\tobl\t_\t_\n6\t<!--\ta\tNOUN\t_\t_\t3\tobl\t_\t_\n"
    "7\t\\u003c\ta\tNOUN\t_\t_\t3\tobl\t_\t_\n8\tß😀\ta\tNOUN\t_\t_\t3\tobl\t_\t_\n\n";

static void tokens_stay_tokens(void) {
    char arguments[600];
    spit(test_directory(), "t.conllu", treebank, strlen(treebank));
    snprintf(arguments, sizeof arguments, "heads --conllu %s/t.conllu --dev %s/t.conllu " TINY,
             test_directory(), test_directory());
    const char *out = run(arguments);
    char *page = slurp(out, "report.html"), *picture = slurp(out, "attention.svg");
    char *snapshots = embedded(page, "snapshots");
    bool answers = page_module[0];
    CHECK_INT(count(page, "</script>"), answers ? 9 : 5);  // files and programs
    CHECK_INT(count(page, "<!--"), 0);
    CHECK_INT(count(page, "\\u003c/script>"), 2);  // among the rows and among the columns
    const char *expected = "\"a<b\", \"&amp;\", \"<script>\", \"\\\"'\", \"</script>\", \"<!--\", ";
    CHECK(strstr(snapshots, expected), "the tokens are others: %.400s", snapshots);
    CHECK(strstr(picture, ">a&lt;b<") && strstr(picture, ">&amp;amp;<") &&
              strstr(picture, ">&lt;script&gt;<"),
          "the picture has other words");
    CHECK(!strstr(picture, "<script"), "a token became an element");
    free(page);
    free(picture);
    free(snapshots);
}

// ---- weights -----------------------------------------------------------------------------------

static char *weights_in(const char *directory) {
    char *summary = slurp(directory, "summary.json"), *snapshots = slurp(directory, "snapshots.json");
    char *text = weights_of(directory, summary, snapshots);
    CHECK(!json_wrong(text), "no JSON: %.80s", json_wrong(text));
    free(summary);
    free(snapshots);
    return text;
}

// As base64, by RFC 4648; the caller frees it.
static char *encode(const unsigned char *x, size_t n) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc(n / 3 * 4 + 5), *to = text;
    for (size_t bit = 0; bit < 8 * n; bit += 6) {
        unsigned pair = (unsigned)x[bit / 8] << 8 | (bit / 8 + 1 < n ? x[bit / 8 + 1] : 0u);
        *to++ = digit[pair >> (10 - bit % 8) & 63];
    }
    while ((to - text) % 4) *to++ = '=';
    *to = '\0';
    return text;
}

// The tensors of the arm's model, each once in the list of all, and named in the arm's header.
static void has_weights(const char *out, const char *text, const char *arm, const char *numbers) {
    char path[400], error[SAFETENSORS_ERROR], part[200];
    Safetensors file;
    snprintf(path, sizeof path, "%s/%s.safetensors", out, arm);
    CHECK(safetensors_read(&file, path, error), "%s", error);
    snprintf(part, sizeof part, "\"%s\": {\"header\": \"{\\\"__metadata__\\\":{\\\"format", arm);
    const char *at = strstr(text, part), *end = at ? strchr(at, '\n') : NULL;
    CHECK(end, "%s has no weights: %.300s", arm, text);
    snprintf(part, sizeof part, "\"tensors\": [%s]}%s", numbers, end[-1] == ',' ? "," : "");
    CHECK(!strncmp(end - strlen(part), part, strlen(part)), "%s: not the tensors %s", arm, part);
    for (int i = 0; i < file.name.count; i++) {
        const SafeTensor *x = &file.tensor[i];
        const char *name = file.name.word[i], *named;
        bool kept = !strcmp(x->dtype, "F32") && !strstr(name, "optimizer.");
        char *data = encode(x->data, (size_t)x->bytes);
        snprintf(part, sizeof part, "\\\"%s\\\":{\\\"dtype", name);
        named = strstr(at, part);
        CHECK(kept == (named && named < end), "%s of %s: %s", name, arm, kept ? "not named" : "named");
        CHECK(!kept || count(text, data) == 1, "%s of %s is there %d times", name, arm,
              count(text, data));
        free(data);
    }
    safetensors_free(&file);
}

static void weights_are_there(void) {
    const char *out = run("pronoun " TINY);
    char *text = weights_in(out);
    has_weights(out, text, "qk", "0,1,2,3");  // E, P, W_Q, W_K
    has_weights(out, text, "xxt", "0,1");     // the same E and P
    CHECK_INT(count(strstr(text, "\n  \"tensors\""), "\n    \""), 4);
    free(text);
}

static void weights_missing(void) {
    int status;
    char said[400];
    const char *out = run("pronoun " TINY " --seed 2");
    test_command(&status, "cp %s/xxt.safetensors %s/old; rm %s/qk.safetensors", out,
                 test_directory(), out);
    char *text = weights_in(out);
    snprintf(said, sizeof said, "\"qk\": {\"missing\": \"%s/qk.safetensors: No such file", out);
    CHECK(strstr(text, said), "it doesn't say that qk is missing: %.300s", text);
    has_weights(out, text, "xxt", "0,1");
    free(text);
    run("pronoun " TINY);
    test_command(&status, "mv %s/old %s/xxt.safetensors", test_directory(), out);
    text = weights_in(out);
    CHECK(strstr(text, "\"xxt\": {\"missing\": \"its file is of another run\"}"),
          "a file of another seed is in the page: %.300s", text);
    free(text);
    // Two arms are too large; qk is of the pair in the heading, and gets the room.
    out = run("pronoun --quiet --steps 1 --held-out 8 --arms qk,qkv,xxt --d-model 900 --d-k 300");
    text = weights_in(out);
    CHECK(strstr(text, "\"qk\": {\"header\""), "qk isn't there: %.300s", text);
    CHECK(strstr(text, "\"qkv\": {\"missing\": \"it needs another 5.4 MB, and a page has room for "
                       "4.0 MB of weights\"}"), "qkv is: %.300s", text);
    free(text);
    test_command(&status, "truncate -s 64000001 %s/qk.safetensors", out);
    text = weights_in(out);
    CHECK(strstr(text, "\"qk\": {\"missing\": \"its file has 64.0 MB, and a page has room for 4.0 MB of "
                       "weights\"}"), "a large file is: %.300s", text);
    CHECK(strstr(text, "\"xxt\": {\"header\""), "the small one isn't there: %.300s", text);
    free(text);
}

// A name is part of a path: a summary that somebody else wrote reads no file beside its own.
static void weights_of_arms_alone(void) {
    int status;
    const char *out = run("pronoun " TINY);
    test_command(&status, "mkdir -p %s/made; cp %s/* %s/made; sed -i 's|{\"name\": \"qk\"|{\"name\": "
                 "\"../qk\"|' %s/made/summary.json", out, out, out, out);
    char made[400];
    snprintf(made, sizeof made, "%s/made", out);
    char *text = weights_in(made);
    CHECK(!strstr(text, "../qk"), "it looked for ../qk.safetensors: %.300s", text);
    has_weights(made, text, "xxt", "0,1");
    free(text);
}

static void page_answers(void) {
    const char *out = run("pronoun " TINY);
    char *page = slurp(out, "report.html");
    bool answers = page_module[0];
    CHECK_INT(count(page, "id=\"weights\""), answers);
    CHECK_INT(count(page, "id=\"answer.wasm\""), answers);
    CHECK_INT(count(page, "script-src 'unsafe-inline'\n'wasm-unsafe-eval'; worker-src blob:\n\">"),
              answers);
    CHECK_INT(count(page, "script-src 'unsafe-inline'\n\">"), !answers);
    free(page);
}

// ---- sizes -------------------------------------------------------------------------------------

// The number after `name` in a JSON text.
static long number_after(const char *text, const char *name) {
    const char *at = strstr(text, name);
    CHECK(at, "no %s", name);
    return strtol(at + strlen(name), NULL, 10);
}

static void long_sentence(void) {
    enum { WORDS = 511 };
    char arguments[600], *text = malloc(WORDS * 64), *at = text;
    for (int i = 1; i <= WORDS; i++)
        at += sprintf(at, "%d\tw%d\tw\tNOUN\t_\t_\t%d\t%s\t_\t_\n", i, i % 50, i - 1,
                      i > 1 ? "obj" : "root");
    at += sprintf(at, "\n");
    spit(test_directory(), "long.conllu", text, (size_t)(at - text));
    snprintf(arguments, sizeof arguments,
             "heads --conllu %s/long.conllu --dev %s/long.conllu --max-words 600 "
             "--steps 2 --quiet --arms xxt,qk",
             test_directory(), test_directory());
    const char *out = run(arguments);
    char *page = slurp(out, "report.html"), *snapshots = slurp(out, "snapshots.json");
    CHECK_INT(number_after(snapshots, "\"queries\": "), 512);
    long fold = number_after(snapshots, "\"fold\": ");
    CHECK(fold > 1, "a map of 512 words isn't folded");
    CHECK(strlen(page) < 1 << 20, "%zu bytes", strlen(page));
    const char *map =
        strstr(snapshots, "\"attention\": [\n     [[") + strlen("\"attention\": [\n     [[");
    long sum = 0, columns = (512 + fold - 1) / fold;
    for (long j = 0; j < columns; j++) {
        char *end;
        sum += strtol(map, &end, 10);
        map = end + 1;
    }
    CHECK(sum > 10000 - columns && sum < 10000 + columns, "a folded row sums to %ld of 10000", sum);
    free(text);
    free(page);
    free(snapshots);
}

static void many_snapshots(void) {
    int steps[200], n = 0;
    const char *out = run("pronoun --quiet --steps 300 --held-out 4 --arms xxt");
    char *snapshots = slurp(out, "snapshots.json"), *at = strstr(snapshots, "\"steps\": [") + 10;
    for (; n < 200 && *at != ']'; at += *at == ',') steps[n++] = (int)strtol(at, &at, 10);
    CHECK(n >= 60, "%d snapshots", n);
    CHECK_INT(steps[0], 0);
    CHECK_INT(steps[n - 1], 300);
    for (int i = 2; i + 1 < n; i++)
        CHECK(steps[i] - steps[i - 1] >= steps[i - 1] - steps[i - 2],
              "later ones are closer, at step %d", steps[i]);
    free(snapshots);
}

// More pages than `search` itself makes.
static void many_pages(void) {
    enum { PAGES = 70, QUERIES = 2 };
    Setup setup;
    Snapshots snapshots = {0};
    Trainer trainer;
    char error[RESULTS_ERROR] = "", expected[64];
    setup_open(&setup, "train search --arms qk --steps 1");
    Task *task = &setup.task;
    sentences_clear(&task->held_out);
    task->key_count = PAGES;
    for (int i = 0; i < PAGES + QUERIES; i++) {
        Token token = {.feature = {-1, -1, -1, -1, -1}, .target = -1, .relation = -1};
        token.feature[i < PAGES ? FEATURE_TAG : FEATURE_TERM] = i % task->vocab[FEATURE_TAG].count;
        if (i < PAGES) token.feature[FEATURE_WORD] = i % task->vocab[FEATURE_WORD].count;
        else token.target = i - PAGES, token.relation = 0;
        sentences_append(&task->held_out, &token);
    }
    sentences_end(&task->held_out);
    trainer_init(&trainer, options_config(&setup.options), task, setup.options.arm[0]);
    ArmHistory arm = record_begin(&trainer);
    History history = {.task = task->name, .command = "", .arms = 1, .arm = &arm};
    snapshots_add(&snapshots, &trainer);
    CHECK(snapshots_write(test_directory(), &trainer, &snapshots, &history, (Making){.threads = 1},
                          error), "%s", error);
    char *text = slurp(test_directory(), "snapshots.json");
    CHECK(!json_wrong(text), "no JSON: %.80s", json_wrong(text));
    CHECK_INT(number_after(text, "\"fold\": "), 2);
    char *titles = strstr(text, "\"titles\": ["), *end = strchr(titles, ']');
    *end = '\0';
    CHECK_INT(count(titles, ", ") + 1, PAGES / 2);
    snprintf(expected, sizeof expected, ", \"%s\"", task->vocab[FEATURE_TAG].word[68 % 16]);
    CHECK_STRING(end - strlen(expected), expected);
    free(text);
    snapshots_free(&snapshots);
    free(arm.layer_of);
    trainer_free(&trainer);
    setup_close(&setup);
}

// ---- what is refused ---------------------------------------------------------------------------

static void refused(const char *what, const char *path, const char *part) {
    int status;
    const char *said = test_command(&status, "%s report %s", test_train(), path);
    CHECK(status == 2, "%s: expected status 2, got %d: %s", what, status, said);
    CHECK(strstr(said, part), "%s: expected \"%s\" in: %s", what, part, said);
    CHECK(count(said, "\n") == 1, "%s: more than a line: %s", what, said);
}

// The file cut after `size` bytes, then as it was.
static void cut(const char *out, const char *name, size_t size, const char *part) {
    char *whole = slurp(out, name);
    spit(out, name, whole, size);
    refused(name, out, part);
    spit(out, name, whole, strlen(whole));
    free(whole);
}

static void damaged(void) {
    int status;
    const char *out = run("pronoun " TINY);
    char *page = slurp(out, "report.html"), *summary = slurp(out, "summary.json");
    cut(out, "summary.json", 300, "summary.json: it ends too early");
    cut(out, "summary.json", 0, "it ends too early");
    cut(out, "snapshots.json", 4000, "it ends too early");
    cut(out, "metrics.csv", 400, "metrics.csv: it ends too early");
    cut(out, "symmetry.csv", 40, "symmetry.csv: it ends too early");
    cut(out, "symmetry.csv", 29, "no line after the header");
    spit(out, "summary.json", "{\"task\": 1}\0", 12);
    refused("a zero byte", out, "zero byte");
    test_command(&status, "sed -i 's/\"seed\": \"1\",/\"seed\": \"2\",/' %s/snapshots.json", out);
    spit(out, "summary.json", summary, strlen(summary));
    refused("another run", out, "are of different runs");
    test_command(&status, "rm %s/summary.json", out);
    refused("no summary", out, "summary.json: No such file or directory");
    refused("no directory", "build/nowhere", "No such file or directory");
    refused("two", "a b", "one at a time");
    refused("an option", "--nothing", "not an option");
    const char *left = test_command(&status, "find %s -name '*.part'", out);
    CHECK(!*left, "left behind: %s", left);
    char *after = slurp(out, "report.html");
    CHECK(!strcmp(page, after), "a page was written");
    free(page);
    free(summary);
    free(after);
}

// Of a version whose columns had other names.
static void older(void) {
    static const char metrics[] = "step,arm,loss,found,answered,asymmetry,circulation,surprise,"
                                  "seconds\n0,qk,4.1,0.2,0.1,0,0,2.1,0\n";
    static const char summary[] = "{\n  \"task\": \"pronoun\",\n  \"arms\": []\n}\n";
    const char *out = run("pronoun " TINY);
    spit(out, "metrics.csv", metrics, strlen(metrics));
    refused("old columns", out,
            "metrics.csv: another layout, as of an older version; expected the columns step,arm,"
            "loss,attention_accuracy,accuracy,asymmetry,circulation,attention_nll,"
            "cycle_attention_accuracy,seconds; write the file again with this ./train\n");
    spit(out, "summary.json", summary, strlen(summary));
    refused("old JSON", out,
            "summary.json: another layout, as of an older version; expected \"format\": \"qkv "
            "results 4\"; write the file again with this ./train\n");
}

static const char sweep[] =
    "task,arm,seed,d_k,parameters,steps,loss,attention_accuracy,accuracy,cycle_attention_accuracy,"
    "cycle_accuracy,attention_nll,asymmetry,circulation,symmetry\n"
    "pronoun,qkv,1,2,4352,1000,1.5,0.7,0.8,,,0.4,0.5,0.4,0.1\n"
    "pronoun,qkv,2,2,4352,1000,1.4,0.7,0.8,,,0.4,0.5,0.4,0.1\n";

static void sweeps(void) {
    int status;
    char path[400], *page;
    spit(test_directory(), "s.csv", sweep, strlen(sweep));
    snprintf(path, sizeof path, "%s/s.csv", test_directory());
    const char *said = test_command(&status, "%s report %s", test_train(), path);
    CHECK(status == 0 && strstr(said, "/s.html\n"), "status %d: %s", status, said);
    page = slurp(test_directory(), "s.html");
    CHECK(page, "%s: it isn't there", said);
    holds_csv(test_directory(), page, "s.csv", "sweep");
    free(page);
}

static void sweeps_damaged(void) {
    char path[400];
    snprintf(path, sizeof path, "%s/s.csv", test_directory());
    spit(test_directory(), "s.csv", sweep, strlen(sweep) - 10);
    refused("a cut line", path, "s.csv: it ends too early");
    spit(test_directory(), "s.csv", "a,b\n1,2\n", 8);
    refused("another table", path, "expected the columns task,arm,seed,");
    spit(test_directory(), "s.csv", "task,arm,seed,d_k\n", 18);
    refused("heads alone", path, "no line after the header");
    spit(test_directory(), "s.csv", "task,arm,seed,d_k\npronoun,qkv,1,2\n", 34);
    refused("no figures", path, "then parameters,steps,loss,attention_accuracy,accuracy; write");
    static const char old[] = "task,arm,seed,parameters,steps,loss,found,answered\n"
                              "pronoun,qk,1,64,9,1,0.5,0.5\n";
    spit(test_directory(), "s.csv", old, strlen(old));
    refused("old columns", path, "s.csv: another layout, as of an older version; expected");
    refused("none", "build/none.csv", "No such file or directory");
}

// ---- seeds -------------------------------------------------------------------------------------

#define SEED "18446744073709551615"

// JavaScript's numbers would make 18446744073709552000 of it.
static void large_seeds(void) {
    static const char *const id[] = {"summary", "snapshots"};
    const char *out = run("pronoun " TINY " --seed " SEED);
    char *page = slurp(out, "report.html"), *rows, *description;
    for (int i = 0; i < 2; i++) {
        char *text = embedded(page, id[i]);
        CHECK(strstr(text, "\"seed\": \"" SEED "\""), "%s: no exact seed as a text", id[i]);
        CHECK(!strstr(text, "\"seed\": 1"), "%s: a seed that is a number", id[i]);
        free(text);
    }
    free(page);
    int status;
    const char *said = test_command(&status, "rm -rf %s; %s sweep " TINY " --d-model 8 --seeds "
                                    "18446744073709551614:" SEED " --out %s", out, test_train(), out);
    CHECK(!status, "%s", said);
    rows = slurp(out, "sweep.csv");
    CHECK(strstr(rows, "\npronoun,qk," SEED ","), "%s", rows);
    description = slurp(out, "sweep.json");
    CHECK(strstr(description, "\"seed\": [\"18446744073709551614\", \"" SEED "\"]"), "%s",
          description);
    page = slurp(out, "sweep.html");
    holds_csv(out, page, "sweep.csv", "sweep");
    free(page);
    free(rows);
    free(description);
}

// The page's own reader of a CSV.
static void page_reads_large_seeds(void) {
    int status;
    test_command(&status, "node --version");
    if (status) test_skip("no node here");
    const char *said = test_command(&status,
        "node -e \"const text = require('fs').readFileSync('model/view/report/data.js', 'utf8');"
        "const readCsv = new Function(text + '; return readCsv')();"
        "const csv = 'seed,loss\\n" SEED ",0.25\\n9007199254740993,1e20\\n7,\\n';"
        "console.log(JSON.stringify(readCsv(csv, 'it')))\"");
    CHECK_STRING(said, "[{\"seed\":\"" SEED "\",\"loss\":0.25},"
                       "{\"seed\":\"9007199254740993\",\"loss\":100000000000000000000},"
                       "{\"seed\":7,\"loss\":null}]\n");
}

// ---- pictures ----------------------------------------------------------------------------------

// Is there a number at `at`?
static int is_number(const char *at, double *x, char **end) {
    if (!strchr("-.0123456789", *at)) return 0;
    *x = strtod(at, end);
    return *end != at;
}

// The same text, numbers within `near` of each other.
#define SMALL_RUN "pronoun --quiet --arms sym,xxt,tied,qk,qkv --steps 250 --held-out 512"

static void same_picture(const char *name, const char *got, const char *expected, double near) {
    int line = 1;
    while (*got && *expected) {
        double a, b;
        char *after_a, *after_b;
        line += *got == '\n';
        if (is_number(got, &a, &after_a) && is_number(expected, &b, &after_b)) {
            CHECK(fabs(a - b) <= near,
                  "%s:%d: expected %g, got %g; if the picture is meant to change, "
                  "QKV_KERNELS=plain ./train " SMALL_RUN " draws it anew",
                  name, line, b, a);
            got = after_a;
            expected = after_b;
        } else {
            CHECK(*got == *expected, "%s:%d: expected %.40s, got %.40s", name, line, expected, got);
            got++;
            expected++;
        }
    }
    CHECK(*got == *expected, "%s: one is longer", name);
}

// The kernels are named: with others the last digits differ, and a training makes much of that.
static void pictures(void) {
    static const char *const name[] = {"loss.svg", "attention.svg"};
    setenv("QKV_KERNELS", "plain", 1);
    const char *out = run(SMALL_RUN);
    for (int i = 0; i < 2; i++) {
        char *got = slurp(out, name[i]), *expected = slurp("tests/pictures", name[i]);
        CHECK(got && expected, "%s is not there", name[i]);
        same_picture(name[i], got, expected, 1.0);
        free(got);
        free(expected);
    }
}

void tests_report(void) {
    test("a report holds the files of its run as they are", page_holds_files);
    test("report makes the same page again from what a run left", made_again);
    test("--no-report writes no page, no snapshots and no pictures", no_report);
    test("tokens such as <script> stay tokens, in the page and in the picture", tokens_stay_tokens);
    test("of the weights of all arms, each tensor goes into the page once", weights_are_there);
    test("weights that are missing, of another run or too large are left out, and the page says so",
         weights_missing);
    test("no file is read for an arm that a run's summary only pretends to have", weights_of_arms_alone);
    test("a page lets WebAssembly run only where it has weights and a module", page_answers);
    test("a sentence of 512 words is folded, and its rows still sum to 1", long_sentence);
    test("there are 60 snapshots, the early ones closer together", many_snapshots);
    test("missing or damaged files of a run are refused in a line, and nothing is written",
         damaged);
    test("files of an older version are refused, and the line says what is right", older);
    test("search with more than 64 pages writes the title and content of each", many_pages);
    test("a sweep gets a page of its own, beside it", sweeps);
    test("a damaged sweep is refused in a line", sweeps_damaged);
    test("seeds that JavaScript would round are text in the pages of a run and of a sweep",
         large_seeds);
    test("the page of a sweep reads them as they are", page_reads_large_seeds);
    test("the pictures of the README are what the program draws", pictures);
}
