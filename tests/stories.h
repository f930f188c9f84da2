#ifndef TESTS_STORIES_H
#define TESTS_STORIES_H

// Writes a treebank with coreference for a test, into the folder of the running test, and gives its
// path (one of eight static buffers). A line of `text` is a sentence of words
//
//     FORM/TAG/HEAD/RELATION/FEATURES/ENTITY        the last two may be left out; FORM may be
//                                                   FORM=LEMMA or FORM=LEMMA=OWN_TAG
//
// FEATURES and ENTITY are as in CoNLL-U, and "Entity=" is added unless a '=' is there. A line "##"
// begins a document. "# global.Entity" comes first.
const char *stories_write(const char *name, const char *text);
const char *stories_raw(const char *name, const char *text);  // the text as it is

// A file of the GUM corpus, "train.conllu" or "dev.conllu": in QKV_GUM, or where that is not set in
// ../shared/data/gum-coref. Skips the test that runs where it isn't there.
const char *stories_gum(const char *file);
const char *stories_find_gum(const char *file);  // NULL where it isn't there

#endif
