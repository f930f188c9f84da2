// The tests, file by file. With an argument: only those whose sentence contains it, or as test_only()
// says.
#include "test.h"

#include "autograd/fatal.h"

int main(int argc, char **argv) {
    fatal_program = "train";
    test_only(argc > 1 ? argv[1] : NULL);
    tests_vocab();
    tests_sentences();
    tests_conllu();
    tests_heads();
    tests_mentions();
    tests_coref();
    tests_coref_shared();
    tests_mixed();
    tests_pronoun();
    tests_question_file();
    tests_user_sentences();
    tests_search();
    tests_recall();
    tests_view();
    tests_arena();
    tests_rng();
    tests_gemm();
    tests_ops();
    tests_wrong();
    tests_headers();
    tests_gradient();
    tests_dual();
    tests_bounds();
    tests_golden();
    tests_params();
    tests_optim();
    tests_attention();
    tests_loops();
    tests_measure();
    tests_model();
    tests_walk();
    tests_golden_model();
    tests_golden_block();
    tests_text();
    tests_show();
    tests_sampler();
    tests_trainer();
    tests_numbers();
    tests_subnormal();
    tests_options();
    tests_program();
    tests_safetensors();
    tests_safetensors_write();
    tests_checkpoint();
    tests_checkpoint_open();
    tests_sweep();
    tests_saves();
    tests_terminal();
    tests_report();
    tests_malice();
    tests_refused();
    tests_others();
    tests_graph();
    tests_pages();
    tests_house();
    tests_claims();
    return test_end();
}
