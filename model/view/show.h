#ifndef MODEL_VIEW_SHOW_H
#define MODEL_VIEW_SHOW_H

// ./train show MODEL [SENTENCE]: argv[0] is "show". Gives the exit status (arguments.h).
int command_show(int argc, char **argv);

#endif
