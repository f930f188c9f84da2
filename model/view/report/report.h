#ifndef MODEL_VIEW_REPORT_REPORT_H
#define MODEL_VIEW_REPORT_REPORT_H

#include "model/save/results.h"

// The page that people open after a run: one file that needs no network. What the run left is put
// into it as it is, and drawn by the page itself, so that here nothing is parsed, only looked at:
// is it whole?

// These give an exit status: DONE, MISUSED if what the page is made from isn't right, FAILED if the
// page can't be written; then `error` says why.

// DIRECTORY/report.html, from its summary.json, metrics.csv, symmetry.csv and snapshots.json.
int report_write(const char *directory, char error[RESULTS_ERROR]);

// DIR/NAME.html from a sweep's DIR/NAME.csv; `written` gets its path.
int report_sweep(const char *csv, char written[4096], char error[RESULTS_ERROR]);

// The command: ./train report [DIR | SWEEP.csv]
int command_report(int argc, char **argv);

#endif
