#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <math.h>
#include <stdio.h>

// A test is a sentence and a body. The body runs in a process of its own, so that a crash, an exit
// or a lowered limit is a failure of that test alone.
void test(const char *sentence, void (*body)(void));

// From now on only tests whose sentence contains `part`; or the one whose sentence it is, after "=";
// or none, and their sentences are printed: "--list". NULL: all.
void test_only(const char *part);
int test_end(void);                // prints how many passed; gives the exit status

// Ends the test that runs: as failed (file, line, what was expected and
// what was got), or as skipped.
_Noreturn void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void test_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define CHECK(condition, ...) \
    do { if (!(condition)) test_fail(__FILE__, __LINE__, __VA_ARGS__); } while (0)
#define CHECK_INT(got, expected) \
    do { long long g_ = (long long)(got), e_ = (long long)(expected); \
         CHECK(g_ == e_, #got ": expected %lld, got %lld", e_, g_); } while (0)
#define CHECK_NEAR(got, expected, tolerance) /* !(<=), so that a NaN fails */ \
    do { double g_ = (got), e_ = (expected); \
         CHECK(fabs(g_ - e_) <= (tolerance), #got ": expected %.9g, got %.9g", e_, g_); } while (0)
#define CHECK_STRING(got, expected) test_string(__FILE__, __LINE__, #got, got, expected)
void test_string(const char *file, int line, const char *what, const char *got,
                 const char *expected);

// Runs body(argument) in a process of its own and gives what it wrote to stderr (a static buffer)
// and, in *status, its exit status (128 + the signal if it was killed).
const char *test_stderr_of(void (*body)(void *), void *argument, int *status);

// Runs a shell command; gives its stdout and stderr together (a static buffer) and its exit status.
const char *test_command(int *status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A directory under build/ for what the running test writes, made if need be.
const char *test_directory(void);

// A path in that directory (one of eight static buffers), and the same where nothing is yet.
const char *test_path(const char *name);
const char *test_fresh(const char *name);

// Reads at most `size` bytes of a file that must be there; gives how many there were.
size_t test_read(const char *path, unsigned char *bytes, size_t size);

// A file of a corpus that isn't part of the project: in the folder that the variable of the environment
// names, or where it is not set in `usual`. Skips the test that runs where it isn't there; the first
// gives NULL then. (One of two static buffers.)
const char *test_find(const char *variable, const char *usual, const char *file);
const char *test_corpus(const char *variable, const char *usual, const char *corpus,
                        const char *file);

// A file of the English Web Treebank, "train.conllu" or "dev.conllu": in QKV_EWT, or where it is not set
// in ../shared/data/ud-english-ewt. Skips the test that runs where it isn't there.
const char *test_treebank(const char *file);

// The program that is tested: ./train, or what QKV_TRAIN names.
const char *test_train(void);

// One function a file, called by main.c.
void tests_arena(void);
void tests_vocab(void);
void tests_sentences(void);
void tests_conllu(void);
void tests_heads(void);
void tests_mentions(void);
void tests_coref(void);
void tests_coref_shared(void);
void tests_mixed(void);
void tests_pronoun(void);
void tests_question_file(void);
void tests_user_sentences(void);
void tests_search(void);
void tests_recall(void);
void tests_text(void);
void tests_view(void);
void tests_rng(void);
void tests_gemm(void);
void tests_ops(void);
void tests_wrong(void);
void tests_headers(void);
void tests_gradient(void);
void tests_dual(void);
void tests_bounds(void);
void tests_malice(void);
void tests_golden(void);
void tests_params(void);
void tests_optim(void);
void tests_attention(void);
void tests_loops(void);
void tests_measure(void);
void tests_model(void);
void tests_walk(void);
void tests_golden_model(void);
void tests_golden_block(void);
void tests_sampler(void);
void tests_trainer(void);
void tests_numbers(void);
void tests_subnormal(void);
void tests_options(void);
void tests_program(void);
void tests_safetensors(void);
void tests_safetensors_write(void);
void tests_checkpoint(void);
void tests_checkpoint_open(void);
void tests_show(void);
void tests_sweep(void);
void tests_saves(void);
void tests_claims(void);
void tests_terminal(void);
void tests_report(void);
void tests_refused(void);
void tests_others(void);
void tests_graph(void);
void tests_house(void);
void tests_pages(void);

#endif
