// Coreference. An input that begins with '(' or a letter is not a treebank but its brackets: the
// Entity= of a word a line, of a generated treebank. Anything else is a treebank as it stands. What
// is read is mentions in order, each with its head inside it, and makes a task whose questions are
// answered in their windows.
#include <string.h>

#include "fuzz.h"
#include "data/mentions.h"
#include "data/sources.h"

// Words of sentences of four: a name, a verb, a noun, a pronoun, by turns. An empty line begins a
// document.
static void write_words(const char *path, const uint8_t *data, size_t size) {
    static const char *const word[] = {
        "1\tAnn\tAnn\tPROPN\t_\tNumber=Sing\t2\tnsubj\t_\t", "2\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t",
        "3\tdogs\tdog\tNOUN\t_\tNumber=Plur\t2\tobj\t_\t",
        "4\tthem\tthey\tPRON\t_\tNumber=Plur|Person=3|PronType=Prs\t2\tobl\t_\t"};
    FILE *f = fopen(path, "wb");
    HOLDS(f);
    fputs("# global.Entity = eid\n", f);
    for (size_t at = 0, n, i = 0; at < size; at += n + 1, i++) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        n = end ? (size_t)(end - data) - at : size - at;
        if (i % 4 == 0) fputs(i ? "\n" : "", f);
        if (i % 4 == 0 && !n) fputs("# newdoc\n", f);
        fputs(word[i % 4], f);
        fputs(n ? "Entity=" : "_", f);
        fwrite(data + at, 1, n, f);
        fputc('\n', f);
    }
    HOLDS(!fclose(f));
}

static void check_mentions(const Parsed *bank, const Mentions *m) {
    HOLDS(m->count && m->documents >= 1 && m->document[0] == 0);
    HOLDS(m->document[m->documents] == bank->words);
    for (size_t i = 0; i < m->documents; i++) HOLDS(m->document[i] < m->document[i + 1]);
    for (size_t i = 0, d = 0; i < m->count; i++) {
        const Mention *a = &m->mention[i];
        HOLDS(a->first <= a->head && a->head <= a->last && a->last < bank->words && a->entity >= 0);
        HOLDS(!i || m->mention[i - 1].last <= a->last);
        while (a->first >= m->document[d + 1]) d++;
        HOLDS(a->last < m->document[d + 1] && a->first >= m->document[d]);
    }
}

// A sentence whose words all ask has no mention that answers.
static void check_questions(const Task *task, const Sentences *s) {
    fuzz_sentences(task, s);
    for (size_t i = 0; i < s->count; i++) {
        if (s->target[s->start[i] + 1] >= 0) continue;
        size_t first = s->start[i], last = s->start[i + 1] - 1;
        HOLDS(last > first && s->relation[last] >= 0 && !s->alike[first] && !s->alike[last]);
        HOLDS(s->target[last] >= 1 && s->target[last] < (int)(last - first));
        HOLDS(s->alike[first + (size_t)s->target[last]]);
    }
}

static void check_task(const char *path, size_t size, bool has_mentions) {
    const SourceOptions options = {
        .file = path, .dev = size & 8 ? path : NULL, .window = size % 5 ? 64 : 3,
        .tags = size & 1, .relations = size & 2, .any_mention = size & 4,
        .shared = size & 16};
    char error[TASK_ERROR] = "";
    Task task;
    if (!coref_load(&task, &options, error)) {
        fuzz_refused(error, "; expected ");
        HOLDS(!task.train.count && !task.vocab[FEATURE_WORD].count && !task.text);
        return;
    }
    HOLDS(has_mentions && task.train.count && task.held_out.count);
    check_questions(&task, &task.train);
    check_questions(&task, &task.held_out);
    for (int i = 0; i < task.guesses; i++) {
        double right = task_guessed(&task, task.guess[i].right);
        HOLDS(right >= 0 && right <= task_guessed(&task, task.guess[i].alike));
        HOLDS(task_guessed(&task, task.guess[i].alike) <= 1);
    }
    task_free(&task);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_path("input.conllu");
    char error[TASK_ERROR] = "";
    Parsed bank;
    Mentions m;
    bool brackets = size && (data[0] == '(' || (data[0] >= 'a' && data[0] <= 'z'));
    if (brackets) write_words(path, data, size);
    else fuzz_write(path, data, size);
    bool trees = conllu_read(&bank, path, error), read = trees && mentions_read(&m, &bank, path, error);
    if (read) {
        check_mentions(&bank, &m);
        mentions_free(&m);
    } else {
        fuzz_refused(error, "; expected ");
        HOLDS(!strncmp(error, path, strlen(path)));
        HOLDS(!trees || (!m.mention && !m.document));
    }
    if (trees) parsed_free(&bank);
    check_task(path, size, read);
    return 0;
}
