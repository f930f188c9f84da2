// A treebank: what is read is trees, gives the same trees when it is written and read again, and
// makes a task whose sentences and batches are in range.
#include <string.h>

#include "fuzz.h"
#include "data/parsed.h"
#include "data/sources.h"
#include "data/utf8.h"

static void check_tree(const Parsed *bank, size_t i) {
    const ParsedWord *word = bank->word + bank->start[i];
    const int *target = bank->target + bank->start[i];
    int n = (int)(bank->start[i + 1] - bank->start[i]), roots = 0;
    HOLDS(n >= 1);
    for (int w = 0; w < n; w++) {
        int at = w, steps = 0;
        HOLDS(*word[w].form && *word[w].tag && *word[w].relation && word[w].line >= 1);
        HOLDS(target[w] >= -1 && target[w] < n);
        roots += target[w] < 0;
        for (; at >= 0 && steps <= n; steps++) at = target[at];
        HOLDS(at < 0);
    }
    HOLDS(roots == 1);
}

static void write_bank(const char *path, const Parsed *bank) {
    FILE *f = fopen(path, "wb");
    HOLDS(f);
    for (size_t i = 0; i < bank->count; i++) {
        for (size_t w = bank->start[i]; w < bank->start[i + 1]; w++)
            fprintf(f, "%zu\t%s\t_\t%s\t_\t_\t%d\t%s\t_\t_\n", w - bank->start[i] + 1,
                    bank->word[w].form, bank->word[w].tag, bank->target[w] + 1,
                    bank->word[w].relation);
        fputc('\n', f);
    }
    HOLDS(!fclose(f));
}

static void check_again(const Parsed *bank) {
    const char *path = fuzz_path("again.conllu");
    char error[TASK_ERROR];
    Parsed again;
    write_bank(path, bank);
    HOLDS(conllu_read(&again, path, error));
    HOLDS(again.words == bank->words && again.count == bank->count);
    HOLDS(!memcmp(again.start, bank->start, (bank->count + 1) * sizeof *bank->start));
    for (size_t w = 0; w < bank->words; w++) {
        const ParsedWord *a = &again.word[w], *b = &bank->word[w];
        HOLDS(!strcmp(a->form, b->form) && !strcmp(a->tag, b->tag));
        HOLDS(!strcmp(a->relation, b->relation) && again.target[w] == bank->target[w]);
    }
    parsed_free(&again);
}

static void check_batches(const Task *task, const Sentences *s) {
    Batch batch = {0};
    for (size_t i = 0; i < s->count; i++) {
        size_t which[2] = {i, s->count - 1 - i};
        batch_fill(&batch, s, which, 2, (int)(i % 3));
        fuzz_batch(task, &batch);
    }
    batch_free(&batch);
}

// Which features, and how long a sentence may be, follow from the length of the input.
static void check_task(const char *path, size_t size, bool is_bank) {
    const SourceOptions options = {
        .file = path, .dev = size & 8 ? path : NULL, .max_words = size % 5 ? 4096 : 3,
        .tags = size & 1, .suffixes = size & 2, .shapes = size & 4};
    char error[TASK_ERROR] = "";
    Task task;
    if (!heads_load(&task, &options, error)) {
        fuzz_refused(error, "; expected ");
        HOLDS(!task.train.count && !task.vocab[FEATURE_WORD].count && !task.text);
        return;
    }
    HOLDS(is_bank && task.train.count && task.held_out.count);
    fuzz_sentences(&task, &task.train);
    fuzz_sentences(&task, &task.held_out);
    check_batches(&task, &task.train);
    check_batches(&task, &task.held_out);
    Baselines share = task_baselines(&task.held_out);
    HOLDS(share.previous >= 0 && share.previous <= 1 && share.next >= 0 && share.next <= 1);
    task_free(&task);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_path("input.conllu");
    char error[TASK_ERROR] = "";
    Parsed bank;
    fuzz_write(path, data, size);
    bool read = conllu_read(&bank, path, error);
    if (read) {
        HOLDS(bank.count && bank.start[bank.count] == bank.words);
        for (size_t i = 0; i < bank.count; i++) check_tree(&bank, i);
        check_again(&bank);
        parsed_free(&bank);
    } else {
        fuzz_refused(error, "; expected ");
        HOLDS(!strncmp(error, path, strlen(path)) && !bank.text && !bank.word && !bank.start);
    }
    check_task(path, size, read);
    return 0;
}
