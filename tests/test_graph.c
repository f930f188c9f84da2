// ./train graph: its numbers against a hand's, its text in windows of all kinds, its picture.
#include "model/view/graph.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

// ---- numbers -----------------------------------------------------------------------------------

static const StepNode *node(const TinyStep *g, const char *name) {
    for (int i = 0; i < STEP_NODES; i++)
        if (!strcmp(g->node[i].name, name)) return &g->node[i];
    test_fail(__FILE__, __LINE__, "no node is called %s", name);
}

static void near(const char *name, const char *what, const float *got, const double *expected,
                 size_t n) {
    for (size_t i = 0; i < n; i++)
        CHECK(fabs((double)got[i] - expected[i]) <= 1e-6 || (double)got[i] == expected[i],
              "%s of %s [%zu]: expected %.9g, got %.9g", what, name, i, expected[i],
              (double)got[i]);
}

typedef struct Expected {
    const char *name;
    double value[4], gradient[4];
} Expected;

// By hand. Row 2 scores both tokens alike, so it weighs each by 1/2, and Y is the mean of [0, 2]
// and [2, 1]. The second of the logits [1, 1.5] has the share p = 1 / (1 + e^-0.5), and the first
// is right: dY = [-p, p]. From there on all is p times something simple, from P up times c =
// 1/sqrt(2).
static void by_hand(void) {
    double p = 1 / (1 + exp(-0.5)), c = 1 / sqrt(2), s = 0.75 * p, t = c * s;
    const Expected expected[] = {
        {"X", {0, 1, 1, 0.5}, {t / 2 - p, t + p, -p, p - 2 * t}},
        {"W_Q", {1, 0, 0, 1}, {t / 2, -t, t / 4, -t / 2}},
        {"W_K", {0, 1, 1, 0}, {-t, -t / 2, t / 2, t / 4}},
        {"W_V", {2, 0, 0, 2}, {-p / 2, p / 2, -s, s}},
        {"Q", {0, 1, 1, 0.5}, {0, 0, t / 2, -t}},
        {"K", {1, 0, 0.5, 1}, {t, t / 2, -t, -t / 2}},
        {"V", {0, 2, 2, 1}, {-p / 2, p / 2, -p / 2, p / 2}},
        {"P", {0, 1, 1, 1}, {0, 0, t, -t}},
        {"S", {0, c, c, c}, {0, 0, s, -s}},
        {"masked", {0, -INFINITY, c, c}, {0, 0, s, -s}},
        {"A", {1, 0, 0.5, 0.5}, {0, 0, 2 * p, -p}},
        {"Y", {0, 2, 1, 1.5}, {0, 0, -p, p}},
        {"loss", {log(1 + exp(0.5))}, {1}},
    };
    TinyStep g;
    tiny_step_open(&g);
    CHECK_INT(STEP_NODES, sizeof expected / sizeof *expected);
    for (int i = 0; i < STEP_NODES; i++) {
        const Expected *e = &expected[i];
        CHECK_STRING(g.node[i].name, e->name);
        near(e->name, "value", g.node[i].x->data, e->value, g.node[i].x->size);
        near(e->name, "gradient", g.node[i].x->grad, e->gradient, g.node[i].x->size);
    }
    tiny_step_close(&g);
}

// The loss of the same head in plain C: of X, W_Q, W_K, W_V, 4 numbers each.
static double plain_loss(const double *at, double S[2][2]) {
    double p[3][2][2], first, Y[2];  // p: Q, K, V
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                p[k][i][j] = at[2 * i] * at[4 + 4 * k + j] + at[2 * i + 1] * at[6 + 4 * k + j];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            S[i][j] = (p[0][i][0] * p[1][j][0] + p[0][i][1] * p[1][j][1]) / sqrt(2);
    first = 1 / (1 + exp(S[1][1] - S[1][0]));  // what row 2 weighs row 1
    for (int j = 0; j < 2; j++) Y[j] = first * p[2][0][j] + (1 - first) * p[2][1][j];
    return log(1 + exp(Y[1] - Y[0]));
}

static void read_all(const TinyStep *g, double at[16], double gradient[16]) {
    static const char *const name[] = {"X", "W_Q", "W_K", "W_V"};
    for (int i = 0; i < 16; i++) {
        const Tensor *x = node(g, name[i / 4])->x;
        at[i] = (double)x->data[i % 4];
        gradient[i] = (double)x->grad[i % 4];
    }
}

static void by_differences(void) {
    TinyStep g;
    double at[16], gradient[16], S[2][2], h = 1e-5;
    tiny_step_open(&g);
    read_all(&g, at, gradient);
    CHECK_NEAR(plain_loss(at, S), (double)g.loss->data[0], 1e-6);
    for (int i = 0; i < 16; i++) {
        double kept = at[i];
        at[i] = kept + h;
        double high = plain_loss(at, S);
        at[i] = kept - h;
        CHECK_NEAR(gradient[i], (high - plain_loss(at, S)) / (2 * h), 1e-6);
        at[i] = kept;
    }
    for (int i = 4; i < 16; i++) at[i] -= gradient[i];
    Direction after;
    CHECK_NEAR(tiny_step_update(&g, 1, &after), plain_loss(at, S), 1e-6);
    double n = S[0][1] - S[1][0];
    double norm = S[0][0] * S[0][0] + S[0][1] * S[0][1] + S[1][0] * S[1][0] + S[1][1] * S[1][1];
    CHECK_NEAR(after.asymmetry, sqrt(n * n / 2 / norm), 1e-6);
    CHECK(after.asymmetry > 0.1, "S is as good as symmetric: %g", after.asymmetry);
    tiny_step_close(&g);
}

// ---- text --------------------------------------------------------------------------------------

static char *print(const TinyStep *g, int width, int utf8) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    CHECK(out, "no memory");
    graph_print(out, (Term){.fd = -1, .width = width, .height = 50, .utf8 = utf8}, g);
    fclose(out);
    return text;
}

// Every line fits, and every number stands in it, with its neighbours, in the order of the tape.
static void windows(void) {
    TinyStep g;
    tiny_step_open(&g);
    for (int width = 46; width <= 130; width++)
        for (int utf8 = 0; utf8 < 2; utf8++) {
            char *text = print(&g, width, utf8), *at = text;
            for (char *c = text; *c && !utf8; c++)
                CHECK((unsigned char)*c < 0x80, "not ASCII: %.20s", c);
            for (int k = 0; k < 2 * STEP_NODES; k++) {
                const Tensor *x = g.node[k < STEP_NODES ? k : 2 * STEP_NODES - 1 - k].x;
                for (size_t i = 0; i < x->size; i++) {
                    char figure[32];
                    tiny_step_figure(k < STEP_NODES ? x->data[i] : x->grad[i], figure);
                    at = strstr(at, figure);
                    CHECK(at, "%d columns: %s of %s is missing in\n%s", width, figure, x->name,
                          text);
                    at += strlen(figure);
                }
            }
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                CHECK(term_width(line, utf8) <= width, "wider than %d: %s", width, line);
            free(text);
        }
    tiny_step_close(&g);
}

// What a view views; anything else is itself.
static const Tensor *viewed(const Tensor *x) {
    while (!x->backward && x->in[0]) x = x->in[0];
    return x;
}

// A node is called by the op that made it from the nodes that it names, and its gradient by those of
// the nodes that read it.
static void words(void) {
    TinyStep g;
    tiny_step_open(&g);
    for (int i = 0; i < STEP_NODES; i++) {
        const StepNode *n = &g.node[i];
        char call[64], gradient[32];
        snprintf(call, sizeof call, n->inputs ? "%s(" : "given", n->x->name);
        for (int k = 0; k < n->inputs; k++) {
            const StepNode *from = &g.node[n->in[k]];
            CHECK(viewed(n->x->in[k]) == from->x, "input %d of %s isn't %s", k + 1, n->name,
                  from->name);
            CHECK(from->depth < n->depth, "%s isn't below %s", n->name, from->name);
            snprintf(call + strlen(call), sizeof call - strlen(call), k ? ", %s" : "%s",
                     from->name);
            snprintf(gradient, sizeof gradient, "d%s", n->name);
            CHECK(strstr(from->gradient, gradient) || !strcmp(n->name, "loss"),
                  "%s isn't in d%s = %s", gradient, from->name, from->gradient);
        }
        CHECK(n->inputs == 3 || !n->x->in[n->inputs], "%s has more inputs", n->name);
        CHECK(!strncmp(n->call, call, strlen(call)), "%s = %s, and the tape says %s", n->name,
              n->call, call);
    }
    tiny_step_close(&g);
}

// The page, its block taken out: that has to be what the program prints.
static char *read_page(const char *printed) {
    static const char command[] = "    $ ./train graph\n";
    static char page[1 << 16];
    page[test_read("model/one_step.md", (unsigned char *)page, sizeof page - 1)] = '\0';
    char *block = strstr(page, command), *line = block;
    CHECK(block, "model/one_step.md has no%s", command);
    for (line += sizeof command - 1; *printed; printed += strcspn(printed, "\n") + 1) {
        size_t length = strcspn(printed, "\n"), indent = length ? 4 : 0;
        CHECK(strspn(line, " ") >= indent && !strncmp(line + indent, printed, length + 1),
              "model/one_step.md: expected \"%.*s\", got \"%.*s\"", (int)length, printed,
              (int)strcspn(line, "\n"), line);
        line += indent + length + 1;
    }
    memmove(block, line, strlen(line) + 1);
    return page;
}

static void page(void) {
    int status, numbers = 0;
    const char *printed = test_command(&status,
                                       "train=$(realpath %s) && cd %s && LC_ALL=C.UTF-8 COLUMNS=80 "
                                       "NO_COLOR=1 \"$train\" graph",
                                       test_train(), test_directory());
    CHECK(status == 0, "%s", printed);
    for (char *at = read_page(printed), *end; *at; at = end) {
        char figure[32];
        end = at + 1;
        if (!isdigit((unsigned char)*at)) continue;
        size_t n = strspn(at, "0123456789.");
        end = at + n;
        if (at[n - 1] == '.') n--;
        if (n < 5 || n > 30 || !memchr(at, '.', n)) continue;  // whole ones, 0.5
        snprintf(figure, sizeof figure, "%.*s", (int)n, at);
        CHECK(strstr(printed, figure),
              "model/one_step.md walks through %s, which the program doesn't print", figure);
        numbers++;
    }
    CHECK(numbers >= 8, "model/one_step.md walks through %d numbers", numbers);
}

// ---- picture -----------------------------------------------------------------------------------

static char *draw(const TinyStep *g) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    CHECK(out, "no memory");
    graph_svg(out, g);
    fclose(out);
    return text;
}

// Past an element's tag: its attributes are NAME="VALUE", a blank before each.
static const char *past_tag(const char *at, int *closed) {
    while (*at != '>' && *at != '/') {
        CHECK(*at == ' ', "a tag that goes on with %.30s", at);
        size_t name = strspn(++at, "abcdefghijklmnopqrstuvwxyzBV-0123456789");
        CHECK(name && at[name] == '=' && at[name + 1] == '"', "an attribute %.30s", at);
        at += name + 2;
        size_t value = strcspn(at, "\"<&");
        CHECK(at[value] == '"', "a value %.30s", at);
        at += value + 1;
    }
    *closed = *at == '/';
    at += *closed;
    CHECK(*at == '>', "a tag that ends in %.30s", at);
    return at + 1;
}

// Elements nest and close, and text escapes what has a meaning (XML 1.0, as much of it as is used).
static void well_formed(void) {
    TinyStep g;
    tiny_step_open(&g);
    char *text = draw(&g), open[16][16];
    int depth = 0, closed = 0, elements = 0;
    for (const char *at = text; *at;) {
        if (*at == '&') {
            CHECK(!strncmp(at, "&lt;", 4) || !strncmp(at, "&gt;", 4) || !strncmp(at, "&amp;", 5),
                  "%.10s", at);
            at++;
        } else if (*at != '<') {
            CHECK(depth || *at == '\n', "text outside: %.20s", at++);
            at++;
        } else if (at[1] == '/') {
            size_t n = strcspn(at, ">");
            CHECK(depth && strlen(open[depth - 1]) == n - 2 &&
                      !strncmp(open[depth - 1], at + 2, n - 2),
                  "%.*s> closes %s", (int)n, at, depth ? open[depth - 1] : "nothing");
            depth--;
            at += n + 1;
        } else {
            size_t n = strspn(++at, "abcdefghijklmnopqrstuvwxyz");
            CHECK(n && n < 16 && depth < 16, "an element %.20s", at);
            snprintf(open[depth], sizeof open[depth], "%.*s", (int)n, at);
            at = past_tag(at + n, &closed);
            depth += !closed;
            elements++;
        }
    }
    CHECK_INT(depth, 0);
    CHECK(elements > 100, "%d elements", elements);
    free(text);
    tiny_step_close(&g);
}

static void drawn_whole(void) {
    TinyStep g;
    tiny_step_open(&g);
    char *text = draw(&g);
    for (int i = 0; i < STEP_NODES; i++) {
        char label[128];
        const Tensor *x = g.node[i].x;
        snprintf(label, sizeof label, ">d%s = %s<", g.node[i].name, g.node[i].gradient);
        const char *at = strstr(text, label);
        CHECK(at, "%s is not in the picture", label);
        for (size_t k = 0; k < 2 * x->size; k++) {
            char figure[40] = ">", number[32];
            tiny_step_figure(k < x->size ? x->data[k] : x->grad[k - x->size], number);
            snprintf(figure, sizeof figure, ">%s<", number);
            CHECK(strstr(text, figure), "%s of %s is not in the picture", figure, g.node[i].name);
        }
    }
    free(text);
    tiny_step_close(&g);
}

static void picture_of_page(void) {
    int status;
    const char *said = test_command(&status,
                                    "%s graph --out %s >/dev/null && "
                                    "cmp %s/graph.svg tests/pictures/graph.svg",
                                    test_train(), test_directory(), test_directory());
    CHECK(status == 0, "%s; if the picture is meant to change, ./train graph draws it anew", said);
}

// ---- the command -------------------------------------------------------------------------------

static void refused(const char *arguments, const char *says) {
    int status;
    const char *said = test_command(&status, "%s graph %s", test_train(), arguments);
    CHECK(status == 2, "%s: expected status 2, got %d: %s", arguments, status, said);
    CHECK(!strncmp(said, "train: ", 7) && strstr(said, says) && strchr(said, '\n')[1] == '\0',
          "%s: expected a line with \"%s\", got %s", arguments, says, said);
}

static void command(void) {
    int status;
    const char *out = test_fresh("new");
    refused("again", "graph: again: it takes options alone");
    refused("--ouf x", "did you mean --out?");
    refused("--out README.md", "README.md");
    const char *help = test_command(&status, "%s graph --help", test_train());
    CHECK(strstr(help, "--out DIR"), "graph --help says %s", help);
    help = test_command(&status, "%s --help", test_train());
    CHECK(strstr(help, "./train graph "), "--help says %s", help);
    const char *left =
        test_command(&status, "%s graph --out %s >/dev/null && ls %s", test_train(), out, out);
    CHECK_STRING(left, "graph.svg\n");
}

void tests_graph(void) {
    test("the worked step's values and gradients are those found by hand", by_hand);
    test(
        "the worked step's gradients, and the loss after it, are those of the same head in plain C",
        by_differences);
    test("the graph's text holds every number in windows of 46 to 130 columns, in UTF-8 and ASCII",
         windows);
    test("the words of the worked step are those of its tape", words);
    test("model/one_step.md walks through the graph that the program prints", page);
    test("the graph's picture is well-formed", well_formed);
    test("the graph's picture holds every value and gradient", drawn_whole);
    test("the picture of model/one_step.md is what the program draws", picture_of_page);
    test("graph refuses what it doesn't know in a line, and writes graph.svg alone", command);
}
