#ifndef MODEL_VIEW_REPORT_WEIGHTS_H
#define MODEL_VIEW_REPORT_WEIGHTS_H

// The trained weights of a run's arms, from DIRECTORY/ARM.safetensors, as JSON that the page turns
// back into such files, without what only training needs:
//
//     {"most": 4000000,
//      "arms": {"qkv": {"header": "...", "tensors": [0, 2]}, "tied": {"missing": "..."}},
//      "tensors": ["base64", ...]}
//
// A tensor that several arms have stands there once. "missing" says why an arm's weights aren't
// there: they are too large, or not of this run.

// All weights of a page together have at most so many bytes: the default `text` model has 3.3
// million.
enum { WEIGHTS_MOST = 4000000 };

// `summary` and `snapshots` are the run's files as text. The caller frees what is given.
char *weights_of(const char *directory, const char *summary, const char *snapshots);

#endif
