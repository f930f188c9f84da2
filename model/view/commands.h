#ifndef MODEL_VIEW_COMMANDS_H
#define MODEL_VIEW_COMMANDS_H

// The commands that train nothing, or train many times: ./train NAME ..., with argv[0] "NAME". Each
// has a --help, and gives the exit status (model/train/arguments.h).
int command_show(int argc, char **argv);    // what a saved model attends to: show.c
int command_sample(int argc, char **argv);  // text from a saved model: sample.c
int command_sweep(int argc, char **argv);   // many trainings, and their medians: sweep_view.c
int command_report(int argc, char **argv);  // the page of a run or of a sweep: report/report.c
int command_graph(int argc, char **argv);   // one tiny step: graph.c

#endif
