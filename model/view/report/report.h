#ifndef MODEL_VIEW_REPORT_REPORT_H
#define MODEL_VIEW_REPORT_REPORT_H

#include "model/save/results.h"

// The page that people open after a run: one file that needs no network. The files of the run are
// put into it unchanged, and a script in the page draws them. Files of another layout (an older
// version's) are refused with one line. A file that is damaged inside is refused by the page.

// These return an exit status: DONE, MISUSED if a file isn't right, FAILED if the page can't be
// written; then `error` says why.

// DIRECTORY/report.html, from its summary.json, metrics.csv, symmetry.csv and snapshots.json; and, if
// there is a module, from its arms' weights.
int report_write(const char *directory, char error[RESULTS_ERROR]);

// DIR/NAME.html from a sweep's DIR/NAME.csv; `written` gets its path.
int report_sweep(const char *csv, char written[4096], char error[RESULTS_ERROR]);

// model/view/report/, a line each and then NULL; the Makefile makes page.c from it.
extern const char *const page_html[], *const page_css[], *const page_script[];
// The C that answers in the page what its reader types, as base64 of gzip: nothing, unless `make
// playground` has built it. Its worker, and the licences of what is linked in.
extern const char *const page_module[], *const page_worker[], *const page_notices[];

#endif
