// Treebanks with coreference, written short.
#include "stories.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

const char *stories_raw(const char *name, const char *text) {
    const char *path = test_path(name);
    FILE *f = fopen(path, "wb");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s can't be written", path);
    return path;
}

// The part of `word` up to the next `end`, which becomes a NUL; `usual` where nothing is left.
static char *part(char **word, char end, char *usual) {
    char *from = *word, *to = from ? strchr(from, end) : NULL;
    if (to) *to++ = '\0';
    *word = to;
    return from && *from ? from : usual;
}

static void write_word(FILE *f, int id, char *word) {
    static char none[] = "_";
    char *forms = part(&word, '/', none), *form = part(&forms, '=', none);
    char *lemma = part(&forms, '=', form), *own = part(&forms, '=', none);
    char *tag = part(&word, '/', none), *head = part(&word, '/', none);
    char *relation = part(&word, '/', none), *features = part(&word, '/', none);
    const char *misc = word ? word : none;
    bool bare = strcmp(misc, "_") && !strchr(misc, '=');
    fprintf(f, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t_\t%s%s\n", id, form, lemma, tag, own, features,
            head, relation, bare ? "Entity=" : "", misc);
}

const char *stories_write(const char *name, const char *text) {
    static char copy[1 << 14], empty[] = "";
    char *at = copy, *line, *word;
    const char *path = test_path(name);
    FILE *f = fopen(path, "wb");
    CHECK(f && strlen(text) < sizeof copy, "%s can't be written", path);
    strcpy(copy, text);
    fputs("# global.Entity = eid-etype\n", f);
    while (*(line = part(&at, '\n', empty))) {
        if (!strcmp(line, "##")) {
            fputs("# newdoc\n", f);
            continue;
        }
        for (int id = 1; *(word = part(&line, ' ', empty)); id++) write_word(f, id, word);
        fputc('\n', f);
    }
    CHECK(fclose(f) == 0, "%s can't be written", path);
    return path;
}

static const char variable[] = "QKV_GUM", usual[] = "../shared/data/gum-coref";

const char *stories_gum(const char *file) {
    return test_corpus(variable, usual, "the GUM corpus with coreference", file);
}

const char *stories_find_gum(const char *file) { return test_find(variable, usual, file); }
