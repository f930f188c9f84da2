// Texts: characters and their names, windows, and what a model of one may and may not see.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net.h"
#include "test.h"
#include "data/utf8.h"
#include "model/view/sample.h"

// A file that holds `size` bytes.
static const char *file_of(const char *bytes, size_t size) {
    static char path[512];
    snprintf(path, sizeof path, "%s/text", test_directory());
    FILE *out = fopen(path, "wb");
    CHECK(out && fwrite(bytes, 1, size, out) == size && !fclose(out), "%s: can't be written", path);
    return path;
}

static void open_text(Task *task, const char *text, int context, bool masked) {
    Rng rng = rng_new(1, 1);
    char error[TASK_ERROR];
    const SourceOptions o = {
        .file = file_of(text, strlen(text)), .context = context, .masked = masked,
        .random = random_source(&rng)};
    CHECK(text_load(task, &o, error), "%s", error);
}

static void check_name(const char *text, size_t n, const char *name, size_t length) {
    char got[8], bytes[8];
    CHECK_INT(character_name(text, n, got), length);
    CHECK_STRING(got, name);
    CHECK_INT(character_bytes(got, bytes), length);
    CHECK(!memcmp(bytes, text, length), "%s: its bytes are others", name);
}

static void names(void) {
    check_name("a<", 2, "a", 1);
    check_name("<0x0A>", 6, "<", 1);
    check_name(" ", 1, " ", 1);
    check_name("\n", 1, "<0x0A>", 1);
    check_name("\x7f", 1, "<0x7F>", 1);
    check_name("\0", 1, "<0x00>", 1);
    check_name("ß", 2, "ß", 2);
    check_name("ß", 1, "<0xC3>", 1);     // cut short
    check_name("\xff", 1, "<0xFF>", 1);
    check_name("\xf0\xa0 ", 3, "<0xF0>", 1);  // cut short, or too long, where what was read so far
    check_name("\xc0\xa0", 2, "<0xC0>", 1);   // would be a blank
    check_name("\xe0\x80\xa0", 3, "<0xE0>", 1);
    check_name("\xc2\x85", 2, "<0xC2>", 1);  // a control character of two bytes
    check_name("😀", 4, "😀", 4);
}

static void all_bytes(void) {
    char bytes[600], back[8];
    for (int i = 0; i < 600; i++) bytes[i] = (char)i;
    Task task;
    Rng rng = rng_new(1, 1);
    char error[TASK_ERROR];
    const SourceOptions o = {.file = file_of(bytes, 600), .context = 7, .random = random_source(&rng)};
    CHECK(text_load(&task, &o, error), "%s", error);
    CHECK_INT(task.corpus.count, 600);
    CHECK_INT(task.corpus.held_out, 540);
    CHECK_INT(task.vocab[FEATURE_WORD].count, 257);
    for (size_t i = 0; i < 600; i++) {
        const char *name = task.vocab[FEATURE_WORD].word[task.corpus.id[i]];
        CHECK(character_bytes(name, back) == 1 && *back == bytes[i], "byte %zu is %s", i, name);
    }
    task_free(&task);
}

// 65,535 windows of 32,768 are 2^31 - 32,768 characters, which an int counts; one more it doesn't.
static void most_windows(void) {
    char command[600], line[600], error[TASK_ERROR], *argv[16], *rest = NULL;
    const char *file = file_of("abcabcabcabc", 12);
    for (int batch = 65535; batch <= 65536; batch++) {
        Options o;
        Task task;
        int argc = 0;
        snprintf(command, sizeof command, "train text --text %s --context 32768 --batch %d", file,
                 batch);
        strcpy(line, command);
        for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            argv[argc++] = word;
        CHECK(parse_options(&o, argc, argv, error), "%s", error);
        CHECK(tasks_open(&task, &o, error) == (batch == 65535), "%s", command);
        if (batch == 65535) task_free(&task);
    }
    CHECK_STRING(error,
                 "--batch 65536: at most 65535, of up to 32768 tokens each; --accumulate adds up "
                 "more");
}

// Every held-out character is the answer of one row, and what stands before it is that row.
static void held_out_windows(void) {
    Task task;
    Batch batch = {0};
    open_text(&task, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
                     "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", 4, false);
    const Corpus *c = &task.corpus;
    size_t at = c->held_out;
    CHECK_INT(c->count - at, 10);
    CHECK_INT(task_held_out(&task), 3);
    for (size_t w = 0; w < 3; w++) {
        task_batch(&task, &w, 1, &batch);
        CHECK_INT(batch.length[0], w < 2 ? 4 : 2);
        for (int i = 0; i < batch.L; i++, at++) {
            CHECK_INT(batch.answer[i], c->id[at]);
            CHECK_INT(batch.feature[FEATURE_WORD][i], c->id[at - 1]);
            CHECK_INT(batch.target[i], -1);
            CHECK_INT(batch.relation[i], 0);
        }
    }
    CHECK_INT(at, c->count);
    batch_free(&batch);
    task_free(&task);
}

static void drawn_windows(void) {
    Task task;
    Batch batch = {0};
    Sampler sampler = {0};
    Rng rng = rng_new(3, 3);
    int seen[90] = {0};
    char text[101];
    // each of the first 90 is another
    for (int i = 0; i < 100; i++) text[i] = (char)(' ' + 1 + i % 90);
    text[100] = '\0';
    open_text(&task, text, 8, false);
    for (int k = 0; k < 200; k++) {
        sampler_next(&sampler, &task, random_source(&rng), 5, &batch);
        CHECK(batch.B == 5 && batch.L == 8, "a batch of (%d, %d)", batch.B, batch.L);
        for (int r = 0; r < 40; r++) {
            CHECK_INT(batch.answer[r], batch.feature[FEATURE_WORD][r] + 1);
            CHECK(batch.answer[r] <= 90, "held-out character %d is trained on", batch.answer[r]);
            seen[batch.answer[r] - 1]++;
        }
    }
    CHECK_INT(seen[0], 0);  // nothing stands before the first
    for (int i = 1; i < 90; i++) CHECK(seen[i], "character %d never was an answer", i);
    sampler_free(&sampler);
    batch_free(&batch);
    task_free(&task);
}

static void hidden_characters(void) {
    Task task;
    Batch batch = {0};
    Sampler sampler = {0};
    Rng rng = rng_new(4, 4);
    int asked = 0;
    open_text(&task, "the quick brown fox jumps over the lazy dog and runs away from it", 16, true);
    CHECK(!task.causal, "hidden characters are to be seen from both sides");
    for (int k = 0; k < 200; k++) {
        sampler_next(&sampler, &task, random_source(&rng), 2, &batch);
        for (int b = 0; b < 2; b++) {
            int of_window = 0;
            for (int r = b * 16; r < b * 16 + 16; r++) {
                bool hidden = batch.answer[r] >= 0;
                of_window += hidden;
                CHECK(hidden == (batch.feature[FEATURE_WORD][r] == UNKNOWN_CHARACTER),
                      "what is hidden asks, and nothing else does");
            }
            CHECK(of_window, "a window in which nothing is hidden");
            asked += of_window;
        }
    }
    CHECK(asked > 0.13 * 6400 && asked < 0.18 * 6400, "%d of 6400 hidden; expected about 15 of 100",
          asked);
    sampler_free(&sampler);
    batch_free(&batch);
    task_free(&task);
}

static void check_refused(const char *text, const char *found) {
    Task task;
    Rng rng = rng_new(1, 1);
    char error[TASK_ERROR], expected[2 * TASK_ERROR];
    const char *file = file_of(text, strlen(text));
    const SourceOptions o = {.file = file, .context = 8, .random = random_source(&rng)};
    CHECK(!text_load(&task, &o, error), "\"%s\" was accepted", text);
    snprintf(expected, sizeof expected, "%s: %s", file, found);
    CHECK_STRING(error, expected);
}

static void short_texts(void) {
    check_refused("", "it is empty; expected a text of 3 characters to 1 GiB");
    check_refused("ab", "it is too short; expected a text of 3 characters to 1 GiB");
    check_refused("ß€", "it is too short; expected a text of 3 characters to 1 GiB");
}

static const char *command_of(const char *options) {
    static char command[1024];
    snprintf(command, sizeof command, "train text --text %s/text %s", test_directory(), options);
    return command;
}

// Three characters: one trained on, one held out.
static void three_characters(void) {
    const char *objective[] = {"causal", "masked"};
    for (int k = 0; k < 2; k++) {
        Setup s;
        Trainer t;
        char options[128];
        file_of("abc", 3);
        snprintf(options, sizeof options, "--context 8 --d-model 8 --steps 5 --objective %s",
                 objective[k]);
        setup_open(&s, command_of(options));
        trainer_init(&t, options_config(&s.options), &s.task, arm_find("qkv"));
        trainer_run(&t, 5, NULL);
        CHECK_STRING(t.failure, "");
        Measurement p = evaluate(&t, 100, NULL);
        CHECK(isfinite(p.loss) && isnan(p.attention_accuracy), "loss %g, attention accuracy %g",
              p.loss, p.attention_accuracy);
        trainer_free(&t);
        setup_close(&s);
    }
}

#define SMALL "--layers 2 --heads 2 --d-model 16 --context 12 --batch 4 "

// Later characters are changed; what an earlier row makes of its own past keeps its bits.
static void later_characters_are_not_seen(void) {
    const char *arms[] = {"xxt", "tied", "sym", "qk", "kv", "qkv"};
    for (int k = 0; k < 6; k++) {
        Net n;
        net_open(&n, "train text --text README.md " SMALL "--positions sinusoidal --relative 3",
                 arms[k], 4);
        net_forward(&n);
        size_t V = (size_t)n.f.logits->shape[2];
        float *before = malloc(n.f.logits->size * sizeof *before);
        memcpy(before, n.f.logits->data, n.f.logits->size * sizeof *before);
        for (int changed = 1; changed < n.batch.L; changed += 5) {
            int *id = &n.batch.feature[FEATURE_WORD][2 * n.batch.L + changed], kept = *id;
            *id = kept == 1 ? 2 : 1;
            net_forward(&n);
            size_t own = (size_t)(2 * n.batch.L + changed) * V;
            setup_same_bits(arms[k], n.f.logits->data, before, own);
            CHECK(memcmp(n.f.logits->data + own, before + own, V * sizeof *before),
                  "nobody sees %d", changed);
            *id = kept;
        }
        free(before);
        net_close(&n);
    }
}

// Not with --init tied: there values are handed over as they are, and
// characters do recur (4.62 against 4.88).
static void first_loss(void) {
    const char *readout[] = {"", "--readout own", "--layers 0 --heads 1", "--objective masked",
                             "--layers 1"};
    for (int k = 0; k < 5; k++) {
        Setup s;
        Trainer t;
        char command[256];
        snprintf(command, sizeof command, "train text --text README.md %s", readout[k]);
        setup_open(&s, command);
        trainer_init(&t, options_config(&s.options), &s.task, arm_find("qkv"));
        double V = s.task.vocab[FEATURE_WORD].count;
        CHECK_NEAR(evaluate(&t, 16, NULL).loss, log(V), 0.05 * log(V));
        trainer_free(&t);
        setup_close(&s);
    }
}

static void train(Trainer *t, Setup *s, const char *command, int steps) {
    setup_open(s, command);
    trainer_init(t, options_config(&s->options), &s->task, s->options.arm[0]);
    trainer_run(t, steps, NULL);
    CHECK_STRING(t->failure, "");
}

// The same sentences, in one batch or in four: the same gradient but for the order of sums.
static void accumulation(void) {
    const char *base[] = {"train text --text README.md " SMALL, "train --arms qkv --d-model 16 "};
    for (int k = 0; k < 2; k++) {
        Setup s[2];
        Trainer t[2];
        char command[512];
        snprintf(command, sizeof command, "%s --optimizer sgd --batch 8", base[k]);
        train(&t[0], &s[0], command, 3);
        snprintf(command, sizeof command, "%s --optimizer sgd --batch 2 --accumulate 4", base[k]);
        train(&t[1], &s[1], command, 3);
        const Params *p = &t[0].model.params, *q = &t[1].model.params;
        CHECK_INT(t[0].tokens, t[1].tokens);
        for (size_t i = 0; i < p->size; i++)
            CHECK_NEAR(q->data[i], p->data[i], 2e-6 * (1 + fabs((double)p->data[i])));
        for (int i = 0; i < 2; i++) trainer_free(&t[i]), setup_close(&s[i]);
    }
}

static void memory(void) {
    Setup s;
    Trainer t;
    train(&t, &s,
          "train text --text README.md --layers 1 --heads 2 --d-model 8 --context 8 --batch 2", 1);
    evaluate(&t, 16, NULL);
    size_t step = t.tape.arena.peak, measured = t.measuring.arena.peak;
    for (int i = 1; i <= 10; i++) {
        trainer_run(&t, 100 * i, NULL);
        evaluate(&t, 16, NULL);
    }
    CHECK_INT(t.tape.arena.peak, step);
    CHECK_INT(t.measuring.arena.peak, measured);
    trainer_free(&t);
    setup_close(&s);
}

static void sinusoids(void) {
    const int widths[] = {6, 7};
    for (int k = 0; k < 2; k++) {
        Net n;
        char command[128];
        int D = widths[k];
        snprintf(command, sizeof command,
                 "train text --text README.md --layers 1 --heads 1 --embed-rms 3 --positions "
                 "sinusoidal --d-model %d",
                 D);
        net_open(&n, command, "qkv", 1);
        CHECK(!n.model.P->grad, "sinusoids train");
        for (int i = 0; i < 64; i += 9)
            for (int j = 0; j < D; j++) {
                double angle = i * pow(10000, -(j / 2 * 2.0) / D);
                CHECK_NEAR(n.model.P->data[i * D + j],
                           3 * sqrt(2.0 / D) * (j % 2 ? cos(angle) : sin(angle)), 1e-6);
            }
        net_close(&n);
    }
}

// ---- sampling ----------------------------------------------------------------------------------

// The share of 4,000 draws that each id gets from a model whose logits are
// those of one fixed context.
static void draws(Net *n, double temperature, int top_k, double *share, int V) {
    Sample s;
    for (int i = 0; i < V; i++) share[i] = 0;
    sample_open(&s, &n->model, 5, temperature, top_k);
    for (int k = 0; k < 4000; k++) {
        s.count = 0;
        sample_read(&s, 3);
        share[sample_next(&s)] += 1 / 4000.0;
    }
    sample_close(&s);
}

static void softmax_of(const float *logits, int V, double temperature, double *p) {
    double total = 0;
    p[0] = 0;
    for (int i = 1; i < V; i++) total += p[i] = exp(logits[i] / temperature);
    for (int i = 1; i < V; i++) p[i] /= total;
}

static void sampling(void) {
    Net n;
    double share[256], expected[256];
    net_open(&n, "train text --text LICENSE --embed-rms 8 " SMALL, "qkv", 1);
    int V = n.setup.task.vocab[FEATURE_WORD].count, best = 1;
    n.batch.L = n.batch.length[0] = 1;
    n.batch.feature[FEATURE_WORD][0] = 3;
    net_forward(&n);
    float logits[256];
    memcpy(logits, n.f.logits->data, (size_t)V * sizeof *logits);
    for (int i = 1; i < V; i++) best = logits[i] > logits[best] ? i : best;
    const double temperatures[] = {1, 0.5, 3};
    for (int k = 0; k < 3; k++) {
        softmax_of(logits, V, temperatures[k], expected);
        draws(&n, temperatures[k], 0, share, V);
        for (int i = 0; i < V; i++)  // five standard deviations of a share of 4,000
            CHECK_NEAR(share[i], expected[i], 5 * sqrt((expected[i] + 1e-4) / 4000));
    }
    draws(&n, 0, 0, share, V);
    CHECK_NEAR(share[best], 1, 1e-9);
    draws(&n, 1, 1, share, V);
    CHECK_NEAR(share[best], 1, 1e-9);
    draws(&n, 1e-300, 0, share, V);
    CHECK_NEAR(share[best], 1, 1e-9);
    draws(&n, 1, 3, share, V);
    int drawn = 0;
    for (int i = 0; i < V; i++) drawn += share[i] > 0;
    CHECK_INT(drawn, 3);
    net_close(&n);
}

// It has a tape and random numbers of its own.
static void sampling_while_it_trains(void) {
    Setup s;
    Trainer t[2];
    setup_open(&s, "train text --text LICENSE " SMALL);
    for (int k = 0; k < 2; k++) {
        Sample sample;
        trainer_init(&t[k], options_config(&s.options), &s.task, arm_find("qkv"));
        sample_open(&sample, &t[k].model, 1, 0.8, 0);
        sample_prompt(&sample, "\n", true);
        for (int step = 1; step <= 12; step++) {
            trainer_run(&t[k], step, NULL);
            for (int i = 0; k && i < step; i++) CHECK(sample_next(&sample) > 0, "nothing drawn");
        }
        CHECK_INT(sample.count, k ? 1 + 78 : 1);
        sample_spend(&sample, 0);
        CHECK_INT(sample.count, k ? 1 + 78 : 1);
        sample_spend(&sample, 1e-9);
        CHECK_INT(sample.count, k ? 1 + 79 : 2);
        sample_close(&sample);
    }
    const Params *a = &t[0].model.params, *b = &t[1].model.params;
    setup_same_bits("the weights", b->data, a->data, a->size);
    CHECK(!memcmp(&t[0].rng, &t[1].rng, sizeof t[0].rng), "the batches' random numbers differ");
    Measurement x = evaluate(&t[0], 4, NULL), y = evaluate(&t[1], 4, NULL);
    CHECK_NEAR(x.loss, y.loss, 0);
    CHECK_INT(t[0].measuring.arena.peak, t[1].measuring.arena.peak);
    for (int k = 0; k < 2; k++) trainer_free(&t[k]);
    setup_close(&s);
}

void tests_text(void) {
    test("every character of a text has a name that gives its bytes back", names);
    test("a text may hold any byte", all_bytes);
    test("a batch of more tokens than an int counts is refused by name", most_windows);
    test("each held-out character is the answer of one row", held_out_windows);
    test("windows are drawn from all that is trained on, and from nothing else", drawn_windows);
    test("about 15 of 100 characters are hidden, one at least in each window", hidden_characters);
    test("a text of less than three characters is refused", short_texts);
    test("three characters are enough, whatever the context", three_characters);
    test("no bit of a causal model's logits comes from later characters",
         later_characters_are_not_seen);
    test("a text's first loss is about ln V", first_loss);
    test("batches that add up to a larger one give its gradient", accumulation);
    test("a thousand steps take the memory of one", memory);
    test("sinusoidal positions are sines and cosines, for odd widths too", sinusoids);
    test("what is sampled while a model trains changes no bit of it", sampling_while_it_trains);
    test("characters are drawn as softmax(logits / temperature) of the likeliest says", sampling);
}
