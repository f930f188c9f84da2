// The command line: every mistake with its message, the defaults, and quoting.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "test.h"

typedef struct Mistake { const char *arguments, *message; } Mistake;

typedef bool Parser(Options *o, int argc, char **argv, char error[OPTIONS_ERROR]);

// Parses arguments that are separated by '|', so that they may be empty or hold spaces.
static bool parse_by(Parser *parser, Options *o, const char *arguments,
                     char error[OPTIONS_ERROR]) {
    static char text[1024];
    char *argv[64] = {"./train"};
    int argc = 1;
    snprintf(text, sizeof text, "%s", arguments);
    for (char *at = *text ? text : NULL; at; argc++) {
        char *bar = strchr(at, '|');
        argv[argc] = at;
        if (bar) *bar = '\0';
        at = bar ? bar + 1 : NULL;
    }
    return parser(o, argc, argv, error);
}

static bool parse(Options *o, const char *arguments, char error[OPTIONS_ERROR]) {
    return parse_by(parse_options, o, arguments, error);
}

static void check_mistakes(const Mistake *mistake, size_t n) {
    for (size_t i = 0; i < n; i++) {
        Options o;
        char error[OPTIONS_ERROR] = "";
        CHECK(!parse(&o, mistake[i].arguments, error), "%s: was accepted; expected \"%s\"",
              mistake[i].arguments, mistake[i].message);
        CHECK(!strcmp(error, mistake[i].message), "%s: expected \"%s\", got \"%s\"",
              mistake[i].arguments, mistake[i].message, error);
    }
}

#define CHECK_MISTAKES(list) check_mistakes(list, sizeof(list) / sizeof *(list))

static void unknown_names(void) {
    char none[200], banana[200];
    snprintf(none, sizeof none, "--arms: \"\" is not an arm; the arms are %s", setup_arms());
    snprintf(banana, sizeof banana, "--arms: \"banana\" is not an arm; the arms are %s",
             setup_arms());
    const Mistake list[] = {
        {"--stpes|5", "--stpes is not an option; did you mean --steps? (--help lists them)"},
        {"--stepz=5", "--stepz=5 is not an option; did you mean --steps? (--help lists them)"},
        {"--xyzzyxyzzy", "--xyzzyxyzzy is not an option (--help lists them)"},
        {"-s", "-s is not an option (--help lists them)"},
        {"-", "- is not an option (--help lists them)"},
        {"pronuon", "\"pronuon\" is not a task; did you mean pronoun?"},
        {"head", "\"head\" is not a task; did you mean heads?"},
        {"heads|pronoun", "pronoun: one task at a time, and it is heads"},
        {"--arms|qkvv", "--arms: \"qkvv\" is not an arm; did you mean qkv?"},
        {"--arms|xxt,banana", banana},
        {"--arms|xxt,qk,xxt", "--arms: xxt is named twice"},
        {"--arms|xxt,", none},
        {"--arms|,xxt", none},
        {"--arms| xxt", "--arms: \" xxt\" is not an arm; did you mean xxt?"},
        {"--a\nb\033[1m", "--a?b?[1m is not an option (--help lists them)"},
    };
    CHECK_MISTAKES(list);
    Options o;
    char error[OPTIONS_ERROR], expected[OPTIONS_ERROR];
    char *word[][3] = {{"./train", "--", "--steps"}, {"./train", "--", "poetry"},
                       {"./train", "--", ""}};
    for (int i = 0; i < 3; i++) {
        CHECK(!parse_options(&o, 3, word[i], error), "%s: was accepted", word[i][2]);
        snprintf(expected, sizeof expected, "\"%s\" is not a task; the tasks are %s", word[i][2],
                 setup_tasks());
        CHECK_STRING(error, expected);
    }
}

static void missing_and_needless_values(void) {
    const Mistake list[] = {
        {"--steps", "--steps needs a value: N"},
        {"--out", "--out needs a value: DIR"},
        {"--out|", "--out needs a value: DIR"},
        {"--out=", "--out needs a value: DIR"},
        {"--arms=", "--arms needs a value: LIST"},
        {"--steps=", "--steps : not a whole number from 1 to 1000000000"},
        {"--lr=", "--lr : not a number from 0 to 1000000000"},
        {"--seed=", "--seed : not a whole number from 0 to 18446744073709551615"},
        {"--quiet=1", "--quiet: takes no value"},
        {"--no-scale=", "--no-scale: takes no value"},
        {"--init|zero", "--init zero: it must be tied or random"},
        {"--init=", "--init : it must be tied or random"},
        {"--init|tie", "--init tie: it must be tied or random"},
        {"--optimizer|Adam", "--optimizer Adam: it must be adam or sgd"},
        {"--schedule|linear", "--schedule linear: it must be constant or cosine"},
    };
    CHECK_MISTAKES(list);
}

// Of a table with choices of two, three and one.
static void choices(void) {
    typedef enum Three { A, B, C } Three;
    typedef struct Chosen { Three two, three, one; } Chosen;
    static const Option rows[] = {
        {"--two", "yes|no", CHOICE, offsetof(Chosen, two), 0, 0, FORGOTTEN, 0, ""},
        {"--three", "constant|cosine|linear", CHOICE, offsetof(Chosen, three), 0, 0, FORGOTTEN, 0, ""},
        {"--one", "only", CHOICE, offsetof(Chosen, one), 0, 0, FORGOTTEN, 0, ""},
    };
    const OptionTable table = {rows, 3};
    static const char *const value[] = {"constant", "cosine", "linear"};
    static const char *const wrong[] = {"linea", "linear|", "cosine|linear", "", "constan"};
    char error[OPTIONS_ERROR], expected[OPTIONS_ERROR], text[32], given[32];
    char *argv[] = {"x", "--three", given, "--two", "no", "--one", "only"};
    for (int i = 0; i < 3; i++) {
        Chosen c = {B, A, B};
        snprintf(given, sizeof given, "%s", value[i]);
        CHECK(arguments_read(table, &c, 7, argv, NULL, error), "%s", error);
        CHECK_INT(c.three, i);
        CHECK_INT(c.two, B);
        CHECK_INT(c.one, A);
        CHECK_STRING(arguments_value(&rows[1], &c, text), value[i]);
        CHECK_STRING(arguments_value(&rows[0], &c, text), "no");
        CHECK_STRING(arguments_value(&rows[2], &c, text), "only");
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Chosen c;
        snprintf(given, sizeof given, "%s", wrong[i]);
        CHECK(!arguments_read(table, &c, 3, argv, NULL, error), "\"%s\" was accepted", given);
        snprintf(expected, sizeof expected, "--three %s: it must be constant, cosine or linear",
                 given);
        CHECK_STRING(error, expected);
    }
    snprintf(given, sizeof given, "other");
    argv[1] = "--one";
    CHECK(!arguments_read(table, &(Chosen){0}, 3, argv, NULL, error), "it was accepted");
    CHECK_STRING(error, "--one other: it must be only");
}

static void not_numbers(void) {
    const Mistake list[] = {
        {"--steps|ten", "--steps ten: not a whole number from 1 to 1000000000"},
        {"--steps|10x", "--steps 10x: not a whole number from 1 to 1000000000"},
        {"--steps| 10", "--steps  10: not a whole number from 1 to 1000000000"},
        {"--steps|+10", "--steps +10: not a whole number from 1 to 1000000000"},
        {"--steps|1e3", "--steps 1e3: not a whole number from 1 to 1000000000"},
        {"--steps|\033[1mé\xc2\x9b\xff", "--steps ?[1mé???: not a whole number from 1 to 1000000000"},
        // cut after 60 bytes
        {"--steps|........10........20........30........40........50.........é",
         "--steps ........10........20........30........40........50.........?: not a whole "
         "number from 1 to 1000000000"},
        {"--steps|0x10", "--steps 0x10: not a whole number from 1 to 1000000000"},
        {"--steps|1.5", "--steps 1.5: not a whole number from 1 to 1000000000"},
        {"--steps|--quiet", "--steps --quiet: not a whole number from 1 to 1000000000"},
        {"--seed|-1", "--seed -1: not a whole number from 0 to 18446744073709551615"},
        {"--seed|18446744073709551616",
         "--seed 18446744073709551616: not a whole number from 0 to 18446744073709551615"},
        {"--seed|0x1", "--seed 0x1: not a whole number from 0 to 18446744073709551615"},
        {"--lr|fast", "--lr fast: not a number from 0 to 1000000000"},
        {"--lr|0.1.2", "--lr 0.1.2: not a number from 0 to 1000000000"},
        {"--lr|0,1", "--lr 0,1: not a number from 0 to 1000000000"},
        {"--lr|nan", "--lr nan: not a number from 0 to 1000000000"},
        {"--lr|inf", "--lr inf: it must be from 0 to 1000000000"},
        {"--lr|-infinity", "--lr -infinity: it must be from 0 to 1000000000"},
        {"--lr|1e-400",
         "--lr 1e-400: too near to 0 for a number of this program; it must be 0, or 1e-307 or more"},
        {"--lr|1e400", "--lr 1e400: it must be from 0 to 1000000000"},
        {"--lr|0x1p-3", "--lr 0x1p-3: not a number from 0 to 1000000000"},
        {"--lr|0X1", "--lr 0X1: not a number from 0 to 1000000000"},
        {"--lr| 1", "--lr  1: not a number from 0 to 1000000000"},
    };
    CHECK_MISTAKES(list);
}

static void numbers_out_of_range(void) {
    const Mistake list[] = {
        {"--steps|0", "--steps 0: it must be from 1 to 1000000000"},
        {"--steps|-5", "--steps -5: it must be from 1 to 1000000000"},
        {"--steps|1000000001", "--steps 1000000001: it must be from 1 to 1000000000"},
        {"--steps|99999999999999999999",
         "--steps 99999999999999999999: it must be from 1 to 1000000000"},
        {"--steps|-99999999999999999999",
         "--steps -99999999999999999999: it must be from 1 to 1000000000"},
        {"--batch|0", "--batch 0: it must be from 1 to 1048576"},
        {"--batch|-1", "--batch -1: it must be from 1 to 1048576"},
        {"--d-model|0", "--d-model 0: it must be from 1 to 16384"},
        {"--d-k|0", "--d-k 0: it must be from 1 to 16384"},
        {"--d-k|16385", "--d-k 16385: it must be from 1 to 16384"},
        {"--d-v|-2", "--d-v -2: it must be from 1 to 16384"},
        {"--held-out|0", "--held-out 0: it must be from 1 to 1048576"},
        {"--threads|0", "--threads 0: it must be from 1 to 1024"},
        {"--warmup|-1", "--warmup -1: it must be from 0 to 1000000000"},
        {"heads|--epochs|0", "--epochs 0: it must be from 1 to 1048576"},
        {"heads|--max-words|0", "--max-words 0: it must be from 1 to 4096"},
        {"--relative|-1", "--relative -1: it must be from 0 to 4096"},
        {"--lr|-0.1", "--lr -0.1: it must be from 0 to 1000000000"},
        {"--lr|1e30", "--lr 1e30: it must be from 0 to 1000000000"},
        {"--momentum|1.5", "--momentum 1.5: it must be from 0 to 1"},
        {"--decay|-1", "--decay -1: it must be from 0 to 1000000000"},
        {"--clip|-1", "--clip -1: it must be from 0 to 1000000000"},
        {"--pace|-1", "--pace -1: it must be from 0 to 1000000"},
    };
    CHECK_MISTAKES(list);
}

static void options_that_do_not_go_together(void) {
    const Mistake list[] = {
        {"--conllu|x", "--conllu belongs to heads and coref, and the task is pronoun"},
        {"--dev|x", "--dev belongs to heads and coref, and the task is pronoun"},
        {"search|--epochs|2", "--epochs belongs to heads and coref, and the task is search"},
        {"--max-words|9", "--max-words belongs to heads, and the task is pronoun"},
        {"--no-tags", "--no-tags belongs to heads and coref, and the task is pronoun"},
        {"--suffixes", "--suffixes belongs to heads, and the task is pronoun"},
        {"text|--text|x|--capitals", "--capitals belongs to heads, and the task is text"},
        {"--freeze-embeddings", "--freeze-embeddings belongs to heads and coref, and the task is pronoun"},
        {"--text|x", "--text belongs to text, and the task is pronoun"},
        {"heads|--context|5", "--context belongs to text, and the task is heads"},
        {"--objective|masked", "--objective belongs to text, and the task is pronoun"},
        {"text", "text needs a file to read: --text FILE"},
        {"text|--text|x|--mask-self",
         "--mask-self: a text's first character would have nothing to attend to"},
        {"heads|--readout|own", "--readout own: heads points at its answers and reads none"},
        {"search|--positions|sinusoidal",
         "search: pages and queries have no order, and none is itself: --relative, --positions and "
         "--mask-self belong to the other tasks"},
        {"heads|--d-v|4", "--d-v 4: a bare head that points has no value"},
        {"--d-v|4|heads", "--d-v 4: a bare head that points has no value"},
        {"heads|--arms|xxt,qkv",
         "--arms qkv: a bare head that points has no value; did you mean qk, which scores alike?"},
        {"heads|--arms|kv",
         "--arms kv: a bare head that points has no value; did you mean qk, which scores alike?"},
        {"heads|--arms|xxt-v",
         "--arms xxt-v: a bare head that points has no value; did you mean xxt-x, which scores alike?"},
        {"--d-k|65",
         "--d-k 65: at most d_model / heads, 64, for orthonormal columns; --init random takes any"},
        {"--d-model|8|--d-k|9",
         "--d-k 9: at most d_model / heads, 8, for orthonormal columns; --init random takes any"},
    };
    CHECK_MISTAKES(list);
    Options o;
    char error[OPTIONS_ERROR];
    CHECK(parse(&o, "--d-model|8|--d-k|9|--init|random", error), "%s", error);
    CHECK(parse(&o, "--d-model|8|--d-k|8", error), "%s", error);
}

// Each with what is refused, and, alike, what has an effect. Sweeps and saved models may have both.
static void options_without_effect(void) {
#define NO_SCORE " has no effect: no arm has a matrix for its scores, as tied, sym and qk do"
    static const struct { const char *idle, *message, *good; } list[] = {
        {"--momentum|0.5",
         "--momentum has no effect: it belongs to --optimizer sgd, and the optimiser is adam",
         "--momentum|0.5|--optimizer|sgd"},
        {"--momentum=0.9|--optimizer|adam",
         "--momentum has no effect: it belongs to --optimizer sgd, and the optimiser is adam",
         "--optimizer|adam"},
        {"heads|--steps|5|--epochs|2",
         "--epochs has no effect: --steps says how long to train; give one of them",
         "heads|--steps|5"},
        {"--arms|xxt,xxt-v|--d-k|4", "--d-k" NO_SCORE, "--arms|xxt,sym|--d-k|4"},
        {"--arms|xxt|--relative|2", "--relative" NO_SCORE, "--arms|tied|--relative|2"},
        {"--arms|qk,kv,xxt|--d-v|4", "--d-v has no effect: no arm has a W_V, as qkv does",
         "--arms|xxt-v|--d-v|4"},
        {"--d-ff|9", "--d-ff has no effect: without --layers there is no MLP", "--d-ff|9|--layers|1"},
        {"--arms|xxt|--init|random", "--init has no effect: no arm has a matrix that starts as it "
         "says", "--arms|xxt-v|--init|random"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        Options o;
        char error[OPTIONS_ERROR] = "";
        CHECK(!parse_by(parse_command, &o, list[i].idle, error), "%s was accepted", list[i].idle);
        CHECK_STRING(error, list[i].message);
        CHECK(parse(&o, list[i].idle, error), "%s: %s", list[i].idle, error);
        CHECK(parse_by(parse_command, &o, list[i].good, error), "%s: %s", list[i].good, error);
    }
    Options o;
    char error[OPTIONS_ERROR];
    CHECK(parse(&o, "--optimizer|sgd", error), "%s", error);
    CHECK_NEAR(o.momentum, 0.9, 0);
}

static void help_fits(void) {
    static const char *const command[] = {"", "show", "sample", "sweep", "report", "graph"};
    for (size_t i = 0; i < sizeof command / sizeof *command; i++) {
        int status;
        const char *at = test_command(&status, "%s %s --help", test_train(), command[i]);
        CHECK_INT(status, 0);
        CHECK(strchr(at, '\n'), "%s --help says nothing", command[i]);
        for (size_t length; *at; at += length + (at[length] == '\n')) {
            int columns = 0;
            length = strcspn(at, "\n");
            for (size_t k = 0; k < length; k++)  // first bytes of characters
                columns += ((unsigned char)at[k] & 0xC0) != 0x80;
            CHECK(columns <= 80, "%s --help: %.*s", command[i], (int)length, at);
        }
    }
}

static void defaults(void) {
    Options o;
    char error[OPTIONS_ERROR];
    CHECK(parse(&o, "", error), "%s", error);
    CHECK_STRING(o.task->name, "pronoun");
    CHECK_STRING(o.arm_list, "xxt,xxt-v,tied,sym,qk,qkv");
    CHECK_STRING(o.out, "out");
    CHECK_INT(o.arms, 6);
    CHECK_INT(o.seed, 1);
    CHECK_INT(o.steps, 1000);
    CHECK_INT(o.batch, 32);
    CHECK_INT(o.held_out, 512);
    CHECK_INT(o.d_model, 64);
    CHECK_INT(o.d_k, 16);
    CHECK_INT(o.d_v, 64);
    CHECK_NEAR(o.lr, 0.03, 0);
    CHECK_INT(o.optimizer, OPTIM_ADAM);
    CHECK_INT(o.schedule, SCHEDULE_COSINE);
    CHECK_INT(o.init, START_TIED);
    CHECK_INT(o.mask_self, false);
    CHECK(parse(&o, "heads", error), "%s", error);
    CHECK_STRING(o.arm_list, "xxt,tied,sym,qk");
    CHECK_STRING(o.conllu, "data/english.conllu");
    CHECK_INT(o.d_k, 32);
    CHECK_INT(o.epochs, 16);
    CHECK_INT(o.max_words, 128);
    CHECK_INT(o.mask_self, true);
    CHECK_NEAR(o.lr, 0.005, 0);
    CHECK(parse(&o, "heads|--conllu|x", error), "%s", error);
    CHECK_INT(o.epochs, 8);
    CHECK(parse(&o, "text|--text|x", error), "%s", error);
    CHECK_STRING(o.arm_list, "qkv");
    CHECK_INT(o.layers, 4);
    CHECK_INT(o.heads, 4);
    CHECK_INT(o.d_model, 128);
    CHECK_INT(o.d_k, 32);
    CHECK_INT(o.context, 64);
    CHECK_INT(o.batch, 12);
    CHECK_INT(o.steps, 2000);
    CHECK_INT(o.warmup, 100);
    CHECK_INT(o.init, START_RANDOM);
    CHECK_NEAR(o.embed_rms, 0.25, 0);
    CHECK_NEAR(o.lr, 0.001, 0);
    CHECK_NEAR(o.decay, 0.1, 0);
    CHECK_NEAR(o.clip, 1, 0);
    CHECK(parse(&o, "text|--text|x|--steps|50|--layers|0|--clip|0", error), "%s", error);
    CHECK_INT(o.warmup, 5);
    CHECK_INT(o.layers, 0);
    CHECK_NEAR(o.clip, 0, 0);
    CHECK(parse(&o, "--d-model|5", error), "%s", error);
    CHECK_INT(o.d_k, 5);
    CHECK_INT(o.d_v, 5);
}

// "(A; TASK B, TASK C)" behind an option of --help is what the rows of the tasks say.
static void help_tells_the_defaults(void) {
    int status;
    const char *help = test_command(&status, "%s --help", test_train());
    static const char *const line[] = {"--steps N ", "(1000; search 1500, recall 3000, text 2000)", "--layers N ",
                                       "(0; text 4)", "--init tied|random ", "(tied; text random)",
                                       "--lr X ",
                                       "(0.03; recall, heads, coref 0.005, text 0.001)",
                                       "--context N ", "(64)"};
    CHECK_INT(status, 0);
    for (int i = 0; i < task_count; i++) {
        CHECK(strstr(help, task_table[i].asks), "%s is not in --help", task_table[i].name);
        CHECK(strstr(help, task_table[i].defaults.arm_list), "nor are its arms");
    }
    for (size_t i = 0; i < sizeof line / sizeof *line; i += 2) {
        const char *at = strstr(help, line[i]), *end = at ? strstr(at, "\n  --") : NULL;
        const char *usual = at ? strstr(at, line[i + 1]) : NULL;
        CHECK(usual && usual < end, "%s: expected %s", line[i], line[i + 1]);
    }
    CHECK(!strncmp(test_command(&status, "%s --version", test_train()), "qkv ", 4), "no version");
    CHECK_INT(status, 0);
}

// What the row of a task says of a Task is true of that which its source makes.
static void rows_are_true(void) {
    for (int i = 0; i < task_count; i++) {
        const TaskKind *kind = &task_table[i];
        Setup s;
        char command[100];
        snprintf(command, sizeof command, "train %s --held-out 9%s", kind->name,
                 kind->is_text ? " --text README.md" : "");
        setup_open(&s, command);
        Task *t = &s.task;
        CHECK(tasks_find(kind->name) == kind && s.options.task == kind, "%s isn't found", kind->name);
        CHECK_STRING(t->name, kind->name);
        for (int change = 0; change < 3; change++) {
            Task r = {.relations = t->relations};  // as a saved model gives it
            memcpy(r.vocab, t->vocab, sizeof r.vocab);
            if (change == 1) r.vocab[FEATURE_WORD].count = 0;
            if (change == 2) r.vocab[FEATURE_TERM].count = kind->has_keys ? 0 : 5;
            CHECK(tasks_restore(&r, &s.options) == !change, "%s, change %d", kind->name, change);
            CHECK_STRING(r.name, t->name);
            CHECK_INT(r.is_text, t->is_text);
            CHECK_INT(r.causal, t->causal);
            CHECK_INT(r.points_at_answer, t->points_at_answer);
            CHECK_INT(r.alike, t->alike);
            CHECK_INT(r.trains_embeddings, t->trains_embeddings);
            CHECK_INT(task_has_keys(&r), task_has_keys(t));
        }
        setup_close(&s);
    }
}

// Runs of a sweep share the data where these say that it is the same.
static void data_that_is_the_same(void) {
    static const struct { const char *a, *b; bool same; } pair[] = {
        {"--lr|1", "--steps|5|--d-k|4", true}, {"--seed|1", "--seed|2", false},
        {"--held-out|5", "--held-out|6", false}, {"pronoun", "search", false},
        {"--sentences|x", "--sentences|x|--held-out|7", true}, {"--sentences|x", "", false},
        {"--sentences|x|--seed|2", "--sentences|x", false},
        {"heads|--seed|2|--held-out|9", "heads", true}, {"heads|--no-tags", "heads", false},
        {"heads|--dev|x", "heads", false}, {"heads|--conllu|x", "heads|--conllu|y", false},
        {"coref|--seed|2|--held-out|9", "coref", true}, {"coref|--window|9", "coref", false},
        {"coref|--antecedent|nearest", "coref", false}, {"coref|--no-relations", "coref", false},
        {"coref|--shared", "coref", false},
        {"recall|--lr|1", "recall|--layers|2", true}, {"recall|--pairs|9", "recall", false},
        {"recall|--separate", "recall", false}, {"recall|--seed|2", "recall", false},
        {"text|--text|x|--seed|2", "text|--text|x", true},
        {"text|--text|x|--context|9", "text|--text|x", false},
        {"text|--text|x|--objective|masked", "text|--text|x", false},
        {"text|--text|x|--objective|masked", "text|--text|x|--objective|masked|--seed|2", false},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        Options a, b;
        char error[OPTIONS_ERROR], first[100];
        snprintf(first, sizeof first, "%s", pair[i].a);
        CHECK(parse(&a, first, error), "%s", error);
        a.text = a.text ? "x" : NULL;  // parse() has one text
        a.sentences = a.sentences ? "x" : NULL;
        a.conllu = strstr(first, "--conllu") ? "x" : a.conllu;
        a.dev = a.dev ? "x" : NULL;
        CHECK(parse(&b, pair[i].b, error), "%s", error);
        CHECK(tasks_same(&a, &b) == pair[i].same && tasks_same(&b, &a) == pair[i].same,
              "%s and %s: expected %s data", pair[i].a, pair[i].b,
              pair[i].same ? "the same" : "different");
    }
}

static void values_that_are_given(void) {
    Options o;
    char error[OPTIONS_ERROR];
    const char *given = "--steps=7|--lr|1e-3|pronoun|--arms|qkv,xxt|--seed|18446744073709551615|"
                        "--optimizer=sgd|--schedule|constant|--init|random|--no-scale|--quiet|"
                        "--out|a b|--steps|9";
    CHECK(parse(&o, given, error), "%s", error);
    CHECK_INT(o.steps, 9);
    CHECK_NEAR(o.lr, 1e-3, 0);
    CHECK(o.seed == 18446744073709551615u, "seed %llu", (unsigned long long)o.seed);
    CHECK_INT(o.arms, 2);
    CHECK_STRING(o.arm[0]->name, "qkv");
    CHECK_STRING(o.arm[1]->name, "xxt");
    CHECK_INT(o.optimizer, OPTIM_SGD);
    CHECK_INT(o.schedule, SCHEDULE_CONSTANT);
    CHECK_INT(o.init, START_RANDOM);
    CHECK(o.no_scale && o.quiet && !o.mask_self, "a flag was mistaken");
    CHECK_STRING(o.out, "a b");
    CHECK(parse(&o, "--lr|0", error), "%s", error);
    CHECK_NEAR(o.lr, 0, 0);
    CHECK(parse(&o, "--help|--d-k|999", error) && o.help, "--help doesn't come first: %s", error);
    CHECK(parse(&o, "-h", error) && o.help, "-h is not --help: %s", error);
    CHECK(parse(&o, "help", error) && o.help, "help is not --help: %s", error);
    CHECK(parse(&o, "--version", error) && o.version && !o.help, "%s", error);
}

static void commands_survive_a_shell(void) {
    char *argv[] = {"./train", "--out", "a b", "", "it's", "'", "$HOME", "`id`", "a\\b", "\"", "*",
                    "~", "#x", "a=b", "two\nlines", "x;y", "!", "\xc3\x9f", "-", "%s%d",
                    "a&b", "(", "\t"};
    enum { COUNT = sizeof argv / sizeof *argv };
    int status;
    char expected[1024] = "";
    char *command = arguments_command(COUNT, argv);
    for (int i = 1; i < COUNT; i++) snprintf(expected + strlen(expected), 64, "<%s>", argv[i]);
    CHECK(!strncmp(command, "./train --out 'a b' '' ", 23), "%s", command);
    CHECK_STRING(test_command(&status, "printf '<%%s>' %s", command + strlen("./train ")),
                 expected);
    CHECK_INT(status, 0);
    free(command);
}

static void nearest_names(void) {
    const char *const known[] = {"alpha", "beta", "gamma", "--d-k", "--d-v"};
    const Names names = {known, sizeof *known, 5};
    CHECK_STRING(nearest("alpha", names), "alpha");
    CHECK_STRING(nearest("aplha", names), "alpha");   // a swap is one change
    CHECK_STRING(nearest("bet", names), "beta");
    CHECK_STRING(nearest("betta", names), "beta");
    CHECK_STRING(nearest("--dk", names), "--d-k");
    CHECK_STRING(nearest("--d-w", names), "--d-k");   // the first of equals
    CHECK(!nearest("", names), "a nearest name of nothing");
    CHECK(!nearest("zzzzz", names), "a nearest name of zzzzz");
    CHECK(!nearest("alpha", (Names){known, sizeof *known, 0}), "a nearest of none");
    CHECK(!nearest("a very long word that no table of names could ever hold", names),
          "of a long word");
}

void tests_options(void) {
    test("unknown options, tasks and arms are named with the nearest known one", unknown_names);
    test("a value that is missing, empty, needless or no choice is refused",
         missing_and_needless_values);
    test("what isn't a number is refused: hexadecimal, infinite, overflowing", not_numbers);
    test("numbers out of their range are refused with the range", numbers_out_of_range);
    test("options that don't go together are refused", options_that_do_not_go_together);
    test("an option that was given and has no effect is refused", options_without_effect);
    test("options have the defaults that --help tells", defaults);
    test("what the row of a task says is true of its data", rows_are_true);
    test("it is known which options have the same data", data_that_is_the_same);
    test("a choice may be of any number of values", choices);
    test("--help tells the defaults of every task", help_tells_the_defaults);
    test("no line of a --help is wider than 80 columns", help_fits);
    test("options take their values from either side of the task, the last one wins",
         values_that_are_given);
    test("a command line as text survives a shell", commands_survive_a_shell);
    test("the nearest name is a few edits away, or there is none", nearest_names);
}
