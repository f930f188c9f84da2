// ./train show: a saved model on one sentence, typed or made up.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograd/fatal.h"
#include "setup.h"
#include "test.h"
#include "data/utf8.h"
#include "model/train/record.h"
#include "model/view/saved_model.h"
#include "model/view/term.h"

// A directory of this test's own, with one model of the command line's first arm, so far trained.
static const char *saved(const char *name, const char *command, int steps) {
    static char directory[300], file[400];
    Setup setup;
    Trainer trainer;
    int status;
    char error[SAFETENSORS_ERROR];
    snprintf(directory, sizeof directory, "%s/show-%s", test_directory(), name);
    test_command(&status, "rm -rf %s && mkdir %s", directory, directory);
    setup_open(&setup, command);
    trainer_init(&trainer, options_config(&setup.options), &setup.task, setup.options.arm[0]);
    trainer_run(&trainer, steps, NULL);
    ArmHistory curve = record_begin(&trainer);
    CHECK(checkpoint_save(directory, &trainer, &setup.options, &curve, command, error), "%s", error);
    free(curve.layer_of);
    snprintf(file, sizeof file, "%s/%s.safetensors", directory, setup.options.arm[0]->name);
    trainer_free(&trainer);
    setup_close(&setup);
    return file;
}

static Inspected open_model(SavedModel *m, const char *file, const char *sentence) {
    Inspected x;
    char error[SAVED_MODEL_ERROR] = "";
    CHECK(saved_model_open(m, file, error), "%s", error);
    CHECK(saved_model_inspect(m, sentence, 0, &x, error), "%s: %s",
          sentence ? sentence : "(its own)", error);
    return x;
}

// What the command prints, on a window of so many columns, without colour.
static const char *show(int expected, int columns, const char *arguments) {
    int status;
    const char *said = test_command(&status, "COLUMNS=%d LC_ALL=C.UTF-8 %s show %s", columns,
                                    test_train(), arguments);
    CHECK(status == expected, "show %s: expected status %d, got %d: %.2000s", arguments, expected,
          status, said);
    return said;
}

static void one_line(const char *arguments, const char *expected) {
    const char *said = show(2, 80, arguments), *end = strchr(said, '\n');
    CHECK(end && !end[1], "show %s: not one line: %.300s", arguments, said);
    CHECK(strstr(said, expected), "show %s: expected \"%s\", got \"%.300s\"", arguments, expected,
          said);
}

// ---- sentences ---------------------------------------------------------------------------------

// The tokens' questions, features apart: what was read is what was generated.
static void same_questions(const Sentences *got, const Sentences *all, size_t sentence) {
    size_t first = all->start[sentence], n = all->start[sentence + 1] - first;
    CHECK_INT(got->count, 1);
    CHECK_INT(got->tokens, n);
    for (size_t i = 0; i < n; i++) {
        CHECK_INT(got->target[i], all->target[first + i]);
        CHECK_INT(got->relation[i], all->relation[first + i]);
        CHECK_INT(got->feature[FEATURE_WORD][i], all->feature[FEATURE_WORD][first + i]);
    }
}

static void reads_what_was_generated(void) {
    enum { SENTENCES = 500 };
    Rng rng = rng_new(3, 0);
    Task task;
    pronoun_load(&task, &(SourceOptions){.held_out = SENTENCES, .random = random_source(&rng)}, NULL);
    for (size_t s = 0; s < SENTENCES; s++) {
        char text[300] = "", error[TASK_ERROR];
        for (size_t i = task.held_out.start[s]; i < task.held_out.start[s + 1]; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s ",
                     task_form(&task, &task.held_out, i));
        Example given = {0};
        CHECK(pronoun_typed(&given, &task, text, error), "%s: %s", text, error);
        CHECK_STRING(given.note, "");
        same_questions(&given.sentences, &task.held_out, s);
        example_free(&given);
    }
    task_free(&task);
}

static void reads_pages_and_queries(void) {
    enum { SETS = 200 };
    Rng rng = rng_new(3, 0);
    Task task;
    search_load(&task, &(SourceOptions){.held_out = SETS, .random = random_source(&rng)}, NULL);
    for (size_t s = 0; s < SETS; s++) {
        char text[600] = "", error[TASK_ERROR];
        for (size_t i = 0, t = task.held_out.start[s]; i < 16; i++, t++) {
            int says = task.held_out.feature[FEATURE_WORD][t];
            snprintf(text + strlen(text), sizeof text - strlen(text), i < 8 ? "%s:%s " : "%s ",
                     task_form(&task, &task.held_out, t),
                     i < 8 ? task.vocab[FEATURE_WORD].word[says] : "");
        }
        Example given = {0};
        CHECK(search_typed(&given, &task, text, error), "%s: %s", text, error);
        CHECK_INT(given.key_count, 8);
        same_questions(&given.sentences, &task.held_out, s);
        example_free(&given);
    }
    task_free(&task);
}

// How many questions a sentence asks, and the note it comes with.
static void check_pronoun(const char *text, int questions, const char *note) {
    Rng rng = rng_new(1, 0);
    Task task;
    Example given = {0};
    char error[TASK_ERROR];
    int asked = 0;
    pronoun_load(&task, &(SourceOptions){.held_out = 1, .random = random_source(&rng)}, NULL);
    CHECK(pronoun_typed(&given, &task, text, error), "%s: %s", text, error);
    for (int i = 0; i < given.batch.L; i++) {
        asked += given.batch.answer[i] >= 0;
        CHECK_INT(given.batch.answer[i] >= 0, given.batch.target[i] >= 0);
    }
    CHECK(asked == questions, "%s: expected %d questions, got %d", text, questions, asked);
    CHECK(strstr(given.note, note) && !*note == !given.note[0], "%s: the note is \"%s\"", text,
          given.note);
    example_free(&given);
    task_free(&task);
}

static void other_orders_ask_nothing(void) {
    check_pronoun("the king gave the boat to the nun but she left .", 6, "");
    check_pronoun("The tired King gave the boat to the nun but she left.", 7, "");
    check_pronoun("the king gave the boat to the nun but they left", 5,
                  "could mean none of the nouns");
    check_pronoun("the king gave the monk to the nun but he left .", 5,
                  "could mean none of the nouns, or several");
    check_pronoun("the nun the king", 0, "ask nothing");
    check_pronoun("the king gave the boat to the nun but she left . .", 0, "ask nothing");
    check_pronoun("the the king gave the boat to the nun but she left", 0, "ask nothing");
}

// A key alone needs its pair. Where key and value are two tokens, they are two rows.
static void odd_recalls(void) {
    char file[2][400];
    SavedModel m;
    strcpy(file[0], saved("joined", "train recall --arms qkv --d-model 8", 10));
    strcpy(file[1], saved("apart", "train recall --arms qkv --d-model 8 --d-k 4 --separate", 10));
    for (int k = 0; k < 2; k++) {
        Inspected x = open_model(&m, file[k], "ba:17  ko:4 ko?  zu? ba?");
        CHECK_INT(x.rows, k ? 7 : 5);
        CHECK_INT(x.target[k ? 4 : 2], k ? 3 : 1);
        CHECK_INT(x.target[k ? 5 : 3], -1);
        CHECK_STRING(x.row_word[1], k ? "17" : "ko:4");
        saved_model_close(&m);
        char text[900];
        snprintf(text, sizeof text, "%s 'qu:1 qu?'", file[k]);
        one_line(text, "\"qu\" is unknown to the model; ");
        snprintf(text, sizeof text, "%s 'ba:17'", file[k]);
        one_line(text, "no key is asked for after its pair; expected pairs, then keys");
    }
}

static void odd_searches(void) {
    const char *file = saved("search", "train search --arms qkv --d-model 8 --d-k 2", 10);
    SavedModel m;
    Inspected x = open_model(&m, file, "salt: pike  tea:owl maps:owl  tea?  roses? ");
    CHECK_INT(x.rows, 2);
    CHECK_INT(x.columns, 3);
    CHECK_INT(x.target[0], 1);
    CHECK_INT(x.target[1], -1);
    CHECK_STRING(x.column_word[2], "maps");
    CHECK_STRING(x.row_word[1], "roses?");
    CHECK(isnan(inspect_figures(&x, 0, 0, false).S.asymmetry),
          "a figure of a score that isn't square");
    saved_model_close(&m);
    char text[600];
    static const char *const wrong[][2] = {
        {"tea?", "\"tea?\": expected pages, then queries"},
        {"tea:owl", "no query"},
        {"tea:owl tea:pike tea?", "two pages are titled \"tea\""},
        {"tea:owl tea? maps:owl", "then queries"},
        {"tea:owl maps", "\"maps\": expected"},
        {"tea:owel tea?", "\"owel\" is unknown to the model; the nearest it knows: owl"},
        {"te:owl tea?", "the nearest it knows: tea"},
        {"tea:owl tee?", "nearest it knows: tea?; this works: "},
        {"''", "an empty sentence"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "%s '%s'", file,
                 i + 1 < sizeof wrong / sizeof *wrong ? wrong[i][0] : "");
        one_line(text, wrong[i][1]);
    }
}

static void unknown_words(void) {
    const char *file = saved("unknown", "train pronoun --arms qk --d-model 8 --d-k 2", 0);
    char text[700];
    static const char *const wrong[][2] = {
        {"the kign left",
         "train: \"kign\" is unknown to the model; the nearest it knows: king, kind; this works: the "},
        {"the kign left", " .; --sentences FILE trains on words of your own\n"},
        {"xyzzyx", "\"xyzzyx\" is unknown to the model; it knows 66: the, to, ., uncle, ..."},
        {"'the\x1b[31m'", "\"the\\x1b[31m\" is unknown"},
        {"the the the the the the the the the the the the the the the the",
         "16 words; the model was made for at most 15"},
        {"' '", "an empty sentence; expected 1 to 15 words"},
        {"--layer 2", "--layer 2: the model has 1, counted from 1"},
        {"--head 2", "--head 2: layer 1 has 1, counted from 1"},
        {"--layer 0", "--layer 0: it must be from 1"},
        {"--hed 1", "--hed is not an option; did you mean --head?"},
        {"--npy /dev/null/x", "/dev/null"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "%s %s", file, wrong[i][0]);
        one_line(text, wrong[i][1]);
    }
    one_line("", "show: of which model? ./train show out/qkv.safetensors");
    one_line("none.safetensors", "none.safetensors: No such file or directory");
}

static void real_sentences(void) {
    const char *file = saved("heads", "train heads --arms qk --d-model 8 --d-k 4 --suffixes", 10);
    char text[600];
    SavedModel m;
    Inspected x = open_model(&m, file, "The/DET train/NOUN zzyzx/VERB a/b/NOUN");
    CHECK_INT(x.rows, 5);
    CHECK_STRING(x.row_word[4], "a/b");
    CHECK_STRING(m.given.note, "unknown to the model: zzyzx, a/b");
    CHECK_INT(x.forward.questions, 0);
    const Vocab *tags = &m.saved.task.vocab[FEATURE_TAG];
    CHECK_INT(m.given.sentences.feature[FEATURE_TAG][2], vocab_find(tags, "NOUN"));
    saved_model_close(&m);
    x = open_model(&m, file, NULL);
    CHECK_STRING(x.row_word[1], "Yes");  // the fifth of data/english.conllu
    CHECK_STRING(m.origin, "sentence 1 of what is held out of data/english.conllu");
    for (int i = 1; i < x.rows; i++) CHECK(x.target[i] >= 0, "word %d has no head", i);
    saved_model_close(&m);
    snprintf(text, sizeof text, "%s The train/NOUN", file);
    one_line(text, "\"The\" has no part of speech; expected a word and its tag, as in dog/NOUN");
    snprintf(text, sizeof text, "%s The/DTE train/NOUN", file);
    one_line(text, "\"DTE\" is unknown to the model; the nearest it knows: DET");
    snprintf(text, sizeof text, "%s The/'<root>'", file);
    one_line(text, "\"<root>\" is unknown");
}

// A note has an end, and says that it is not all.
static void many_unknown_words(void) {
    const char *file = saved("notags", "train heads --arms qk --d-model 8 --d-k 4 --no-tags", 0);
    char text[600] = "", noted[240] = "unknown to the model: ";
    SavedModel m;
    for (int i = 10; i < 23; i++) snprintf(text + strlen(text), 40, "zzyzxzzyzxzzyzx%d ", i);
    for (int i = 10; i < 19; i++) snprintf(noted + strlen(noted), 40, "zzyzxzzyzxzzyzx%d, ", i);
    strcat(noted, "...");
    Inspected x = open_model(&m, file, text);
    CHECK_INT(x.rows, 14);
    CHECK_STRING(m.given.note, noted);
    saved_model_close(&m);
}

static void one_word_alone(void) {
    char text[600];
    const char *file = saved("alone", "train --arms qk --d-model 8 --d-k 4 --mask-self", 0);
    snprintf(text, sizeof text, "%s the", file);
    one_line(text, "one word, which may not attend to itself (--mask-self); expected two or more");
}

static void missing_text(void) {
    int status;
    test_command(&status, "cp README.md build/test-output/gone.txt");
    const char *file = saved("gone-text",
                             "train text --text build/test-output/gone.txt --d-model 8 "
                             "--layers 1 --heads 2 --context 9 --arms qkv",
                             0);
    SavedModel m;
    unlink("build/test-output/gone.txt");
    Inspected x = open_model(&m, file, NULL);
    CHECK_STRING(m.origin,
                 "one of ours, as its own text can't be read (build/test-output/gone.txt: "
                 "No such file or directory; expected a text of 3 characters to 1 GiB)");
    CHECK_INT(x.rows, 9);
    CHECK_STRING(x.row_word[0], "t");
    saved_model_close(&m);
}

// The treebank that a model was trained on has other sentences by now.
static void nothing_short_enough(void) {
    int status;
    const char *treebank = "build/test-output/short.conllu";
    test_command(&status, "cp data/english.conllu %s", treebank);
    const char *file = saved("short",
                             "train heads --conllu build/test-output/short.conllu --arms qk "
                             "--no-tags --max-words 7",
                             0);
    FILE *f = fopen(treebank, "w");
    CHECK(f, "%s can't be written", treebank);
    for (int i = 0; i < 10; i++) {
        for (int w = 1; w <= 8; w++)
            fprintf(f, "%d\tw\t_\tX\t_\t_\t%d\t%s\t_\t_\n", w, w - 1, w > 1 ? "dep" : "root");
        fputc('\n', f);
    }
    CHECK(!fclose(f), "%s can't be written", treebank);
    one_line(file,
             "short.conllu: no held-out sentence of at most 7 words; give a sentence instead");
}

static void missing_treebank(void) {
    int status;
    test_command(&status, "cp data/english.conllu build/test-output/gone.conllu");
    const char *file =
        saved("gone", "train heads --conllu build/test-output/gone.conllu --arms qk --no-tags", 0);
    char text[600];
    unlink("build/test-output/gone.conllu");
    one_line(file,
             "gone.conllu: No such file or directory; expected a CoNLL-U file of at most 1 GiB; "
             "give a sentence instead");
    snprintf(text, sizeof text, "%s the train stops", file);
    CHECK(strstr(show(0, 80, text), "the train stops\n"), "the sentence isn't shown");
}

static void characters(void) {
    const char *file = saved("text", "train text --text README.md --d-model 8 --layers 1 --heads 2 "
                             "--context 9 --arms qkv", 3);
    char text[600];
    SavedModel m;
    Inspected x = open_model(&m, file, "th\xE2\x88\x9E \xFF");
    const char *shown[] = {"t", "h", "\xE2\x88\x9E", "␣", "<0xFF>"};
    CHECK_INT(x.rows, 5);
    for (int i = 0; i < 5; i++) CHECK_STRING(x.row_word[i], shown[i]);
    CHECK_INT(m.given.batch.feature[FEATURE_WORD][4], UNKNOWN_CHARACTER);
    CHECK_INT(x.forward.questions, 5);
    CHECK_INT(m.given.open_question, 4);
    CHECK_INT(m.given.batch.answer[0], vocab_find(&m.saved.task.vocab[FEATURE_WORD], "h"));
    saved_model_close(&m);
    x = open_model(&m, file, NULL);
    CHECK_INT(x.rows, 9);
    CHECK_INT(m.given.open_question, -1);
    saved_model_close(&m);
    snprintf(text, sizeof text, "%s 'ten letter'", file);
    one_line(text, "10 characters; the model was made for at most 9");
    snprintf(text, sizeof text, "%s a", file);
    show(0, 80, text);
}

static void masked_characters(void) {
    const char *file =
        saved("masked",
              "train text --text README.md --objective masked --d-model 8 --layers 1 "
              "--heads 2 --context 9 --arms sym",
              3);
    SavedModel m;
    open_model(&m, file, "the value");
    int hidden = 0;
    for (int i = 0; i < 9; i++) {
        if (m.given.batch.answer[i] < 0) continue;
        hidden++;
        CHECK_INT(m.given.batch.feature[FEATURE_WORD][i], UNKNOWN_CHARACTER);
        const char letter[] = {"the value"[i], '\0'};
        CHECK_STRING(m.saved.task.vocab[FEATURE_WORD].word[m.given.batch.answer[i]], letter);
    }
    CHECK(hidden >= 1, "nothing is hidden");
    saved_model_close(&m);
}

// ---- figures -----------------------------------------------------------------------------------

// What is shown is what the trainer measures on the same sentence, from the same weights.
static void check_figures(const char *command) {
    Setup setup;
    Trainer trainer;
    SavedModel m;
    Inspected x = open_model(&m, saved("figures", command, 30), NULL);
    setup_open(&setup, command);
    trainer_init(&trainer, options_config(&setup.options), &setup.task, setup.options.arm[0]);
    trainer_run(&trainer, 30, NULL);
    Measurement point = evaluate(&trainer, 1, NULL);
    int layer = x.layers - 1, H = inspect_heads(&x, layer);
    double asymmetry = 0, circulation = 0, nll = 0;
    int found = 0, pointed = 0;
    for (int h = 0; h < H; h++) {
        HeadFigures f = inspect_figures(&x, layer, h, true);
        size_t n = (size_t)x.rows, D = (size_t)setup.options.d_model;
        Direction d = measure_direction(inspect_scores(&x, layer, h), n, n);
        CHECK_NEAR(f.S.asymmetry, d.asymmetry, 0);
        asymmetry += f.S.asymmetry / H;
        circulation += f.S.circulation / H;
        double *M = grow(NULL, D * D, sizeof *M), *value = grow(NULL, D, sizeof *value);
        attention_m(model_layer(&trainer.model, layer), h, M);
        CHECK_NEAR(f.symmetry, measure_symmetry(M, D), 0);
        measure_singular_values(M, D, value);
        for (size_t i = 0; i < D; i++) CHECK_NEAR(f.singular[i], value[i], 0);
        CHECK(!f.d_k || f.rank <= f.d_k, "a rank of %d, and d_k is %d", f.rank, f.d_k);
        free(M);
        free(value);
    }
    CHECK_NEAR(asymmetry, point.asymmetry, 1e-6);
    CHECK_NEAR(circulation, point.circulation, 1e-6);
    const float *A = inspect_attention(&x, layer, ALL_HEADS);
    for (int i = 0; i < x.rows; i++) {
        int target = x.target[i], relation = m.given.batch.relation[i];
        if (target < 0 || (m.saved.task.cycle[1] && !m.saved.task.cycle[relation])) continue;
        pointed++;
        nll += inspect_nll(&x, layer, ALL_HEADS, i, target);
        found += (int)measure_argmax(A + i * x.columns, (size_t)x.columns) == target;
    }
    CHECK_NEAR(nll / pointed, point.attention_nll, 1e-5);
    if (!m.saved.task.cycle[1]) CHECK_NEAR((double)found / pointed, point.attention_accuracy, 0);
    trainer_free(&trainer);
    setup_close(&setup);
    saved_model_close(&m);
}

static void figures(void) {
    check_figures("train pronoun --arms qkv --d-model 9 --d-k 3 --d-v 5 --held-out 1");
    check_figures(
        "train pronoun --arms sym --d-model 8 --d-k 4 --held-out 1 --mask-self --no-scale");
    check_figures("train pronoun --arms tied --d-model 8 --layers 2 --heads 2 --held-out 1");
    check_figures("train pronoun --arms xxt --d-model 7 --held-out 1");
    check_figures("train pronoun --arms qk --d-model 8 --d-k 1 --relative 3 --held-out 1");
}

static void a_symmetric_score_is_shown_as_one(void) {
    const char *file = saved("tied", "train pronoun --arms tied --d-model 8 --d-k 4", 50);
    const char *said = show(0, 80, file);
    CHECK(strstr(said, "(S-Sᵀ)/2, 0 to 0"), "the antisymmetric half isn't 0:\n%s", said);
    CHECK(strstr(said, "\n1         1          0            0     1.000    4     4\n"),
          "figures:\n%s", said);
}

static void no_one_writes_too_wide(void) {
    static const char *const command[] = {
        "train pronoun --arms qkv --d-model 8 --d-k 4",
        "train heads --arms qk --d-model 8 --d-k 4 --layers 1",
        "train search --arms kv --d-model 8 --d-k 4 --heads 2",
        "train text --text README.md --arms qkv --d-model 12 --layers 2 --heads 3 --context 40"};
    for (int i = 0; i < 4; i++) {
        char file[400];
        strcpy(file, saved("wide", command[i], 5));
        for (int columns = 40; columns <= 120; columns += i ? 40 : 8) {
            const char *said = show(0, columns, file);
            for (const char *line = said; *line; line += strcspn(line, "\n") + 1) {
                char text[1024];
                size_t n = strcspn(line, "\n");
                CHECK(n < sizeof text, "a line of %zu bytes", n);
                memcpy(text, line, n);
                text[n] = '\0';
                CHECK(term_width(text, 1) <= columns, "%d columns in %d: %s", term_width(text, 1),
                      columns, text);
            }
            CHECK(!strchr(said, '\033') && !strstr(said, "nan"),
                  "an escape or a NaN in a pipe:\n%s", said);
        }
    }
}

static void layers_and_heads(void) {
    const char *file =
        saved("layers", "train pronoun --arms qkv --d-model 8 --layers 3 --heads 2", 5);
    char text[500];
    const char *said = show(0, 80, file);
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "%d.%d after softmax", i / 2 + 1, i % 2 + 1);
        CHECK(strstr(said, text), "%s isn't shown:\n%s", text, said);
    }
    CHECK(!strstr(said, "S before mask"), "scores of many heads");
    snprintf(text, sizeof text, "%s --layer 2 --head 1", file);
    said = show(0, 80, text);
    CHECK(strstr(said, "2.1 after softmax") && !strstr(said, "2.2 after")
              && strstr(said, "S before mask"),
          "another head, or no scores:\n%s", said);
    snprintf(text, sizeof text, "%s --head 2", file);
    said = show(0, 80, text);
    CHECK(strstr(said, "1.2 after") && strstr(said, "3.2 after") && !strstr(said, "3.1 after"),
          "heads:\n%s", said);
}

// ---- files -------------------------------------------------------------------------------------

// A file of the format 1.0 with this shape; gives its floats.
static float *read_npy(const char *directory, const char *name, const char *shape, size_t count) {
    char path[400], header[300];
    snprintf(path, sizeof path, "%s/%s.npy", directory, name);
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s isn't there", path);
    unsigned char start[10];
    CHECK_INT(fread(start, 1, 10, file), 10);
    CHECK(!memcmp(start, "\x93NUMPY\x01\x00", 8), "%s doesn't begin as NumPy's files do", path);
    size_t n = start[8] + 256u * start[9];
    CHECK(n < sizeof header && (10 + n) % 64 == 0, "a header of %zu bytes", n);
    CHECK_INT(fread(header, 1, n, file), n);
    CHECK_INT(header[n - 1], '\n');
    header[n - 1] = '\0';
    for (size_t end = n - 1; header[end - 1] == ' '; ) header[--end] = '\0';
    char expected[200];
    snprintf(expected, sizeof expected, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }",
             shape);
    CHECK_STRING(header, expected);
    float *x = grow(NULL, count + 1, sizeof *x);
    CHECK_INT(fread(x, sizeof *x, count + 1, file), count);
    fclose(file);
    return x;
}

static void arrays(void) {
    char file[400], text[1000], directory[300];
    strcpy(file, saved("npy", "train pronoun --arms qk --d-model 9 --d-k 3 --layers 1", 20));
    snprintf(directory, sizeof directory, "%s/show-npy/of it", test_directory());
    snprintf(text, sizeof text, "%s --npy '%s' the king gave the nun", file, directory);
    const char *said = show(0, 80, text);
    CHECK(strstr(said, "of it: S and A (5, 5), M (9, 9), singular (9,), as NAME.1.1.npy\n"),
          "said:\n%s", said);
    SavedModel m;
    Inspected x = open_model(&m, file, "the king gave the nun");
    HeadFigures f = inspect_figures(&x, 0, 0, true);
    float *got = read_npy(directory, "S.1.1", "(5, 5)", 25);
    setup_same_bits("S", got, inspect_scores(&x, 0, 0), 25);
    free(got);
    got = read_npy(directory, "A.1.1", "(5, 5)", 25);
    setup_same_bits("A", got, inspect_attention(&x, 0, 0), 25);
    free(got);
    double M[81];
    attention_m(model_layer(&m.model, 0), 0, M);
    got = read_npy(directory, "M.1.1", "(9, 9)", 81);
    for (int i = 0; i < 81; i++) CHECK_NEAR(got[i], (float)M[i], 0);
    free(got);
    got = read_npy(directory, "singular.1.1", "(9,)", 9);
    for (int i = 0; i < 9; i++) CHECK_NEAR(got[i], (float)f.singular[i], 0);
    free(got);
    saved_model_close(&m);
}

static void directories(void) {
    char file[400], text[1000];
    int status;
    strcpy(file, saved("directory", "train pronoun --arms qk --d-model 4 --d-k 2", 0));
    snprintf(text, sizeof text, "%s/show-directory", test_directory());
    show(0, 80, text);
    test_command(&status, "cp %s %s/a.safetensors", file, text);
    one_line(text, "2 models in that directory; expected the name of one, such as ");
    test_command(&status, "rm %s/*", text);
    one_line(text, "no model in it; expected the .safetensors file of a run");
}

// ---- damage ------------------------------------------------------------------------------------

// The file with one text of its metadata replaced, or, with key NULL, one weight.
static void damaged(const char *command, const char *key, const char *value, const char *expected) {
    char file[400], error[SAFETENSORS_ERROR];
    Safetensors s, changed = {0};
    strcpy(file, saved("damage", command, 0));
    CHECK(safetensors_read(&s, file, error), "%s", error);
    for (int i = 0; i < s.key.count; i++)
        safetensors_note(&changed, s.key.word[i],
                         key && !strcmp(s.key.word[i], key) ? value : s.value[i]);
    if (key && vocab_find(&s.key, key) < 0) safetensors_note(&changed, key, value);
    for (int i = 0; i < s.name.count; i++) {
        const float put = strcmp(expected, "scores") ? NAN : 3e38f;
        if (!key && !strcmp(s.name.word[i], value))
            for (size_t k = 0; k < 4; k++) memcpy((float *)s.tensor[i].data + k, &put, sizeof put);
        safetensors_add(&changed, s.name.word[i], s.tensor[i]);
    }
    CHECK(safetensors_write(&changed, file, error), "%s", error);
    safetensors_free(&changed);
    safetensors_free(&s);
    one_line(file, expected);
}

static void damaged_files(void) {
    const char *pronoun = "train pronoun --arms qk --d-model 4 --d-k 2",
               *task = "other vocabularies; expected those that ";
    damaged(pronoun, NULL, "W_Q", "tensor \"W_Q\": number 1 of 8 is nan; expected finite ones");
    damaged(pronoun, NULL, "E", "tensor \"E\": number 1 of ");
    damaged(pronoun, NULL, "W_K", "scores");
    damaged(pronoun, "vocabulary.term", "a\n", task);
    damaged(pronoun, "--layers", "1024", "bytes of tensors; expected");
    damaged(pronoun, "--d-k", "4", "tensor \"W_Q\" is F32 (4, 2); expected F32 (4, 4)");
    damaged(pronoun, "task", "search", task);
    damaged("train search --arms qk --d-model 4 --d-k 2", "vocabulary.term", "", task);
    damaged("train heads --arms qk --d-model 4 --d-k 2", "vocabulary.tag", "a\n", task);
}

// Cut, or with bytes changed, a file may still be a model; whatever it is, it ends with 0, or 2 and
// one line.
static void broken_bytes(void) {
    char file[400], broken[410];
    strcpy(file, saved("bytes", "train pronoun --arms qk --d-model 4 --d-k 2", 0));
    snprintf(broken, sizeof broken, "%s.broken", file);
    FILE *in = fopen(file, "rb");
    static char bytes[1 << 17], changed[1 << 17];
    size_t n = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    Rng rng = rng_new(5, 0);
    for (int i = 0; i < 60; i++) {
        size_t length = i < 20 ? rng_below(&rng, (uint32_t)n) : n;
        memcpy(changed, bytes, n);
        for (int k = 0; i >= 20 && k < 4; k++)
            changed[rng_below(&rng, i < 45 ? 6000 : (uint32_t)n)] = (char)rng_below(&rng, 256);
        FILE *out = fopen(broken, "wb");
        CHECK_INT(fwrite(changed, 1, length, out), length);
        fclose(out);
        int status;
        const char *said = test_command(&status, "%s show %s", test_train(), broken),
                   *end = strchr(said, '\n');
        CHECK(status == 0 || (status == 2 && end && !end[1]), "%d: status %d: %.300s", i, status,
              said);
    }
}

static void helps(void) {
    const char *said = show(0, 80, "--help");
    CHECK(strstr(said, "--layer N") && strstr(said, "bread:otter"), "help:\n%s", said);
}

void tests_show(void) {
    test("a sentence that the generator says is read back with its questions",
         reads_what_was_generated);
    test("pages and queries are read back with their questions", reads_pages_and_queries);
    test("words in another order than the grammar's ask nothing", other_orders_ask_nothing);
    test("any number of pages and queries is shown, and what is neither is refused", odd_searches);
    test("pairs and keys of recall are shown, as one token or two", odd_recalls);
    test("an unknown word names itself and the nearest known ones", unknown_words);
    test("real sentences are shown, typed with tags or out of the treebank", real_sentences);
    test("a note of unknown words has an end", many_unknown_words);
    test("a word alone that may not attend to itself is refused", one_word_alone);
    test("without its treebank a model asks for a sentence", missing_treebank);
    test("a treebank without a sentence short enough is refused", nothing_short_enough);
    test("without its text a model is shown one of ours", missing_text);
    test("a text's characters are shown, known or not", characters);
    test("a masked model is asked for masked characters", masked_characters);
    test("the figures shown are those that are measured", figures);
    test("a symmetric score has no antisymmetric half", a_symmetric_score_is_shown_as_one);
    test("show fits the window, from 40 to 120 columns", no_one_writes_too_wide);
    test("every layer and head is shown, or the one that is asked for", layers_and_heads);
    test("arrays for NumPy hold S, A, M and its singular values", arrays);
    test("a directory stands for the one model in it", directories);
    test("a damaged model is refused in one line", damaged_files);
    test("no bytes of a file make show crash", broken_bytes);
    test("show has a help of its own", helps);
}
