#ifndef MODEL_VIEW_SWEEP_VIEW_H
#define MODEL_VIEW_SWEEP_VIEW_H

// ./train sweep [TASK] --seeds 1:20 --d-k 1,2,4 --arms xxt,qkv ...: runs a sweep (model/sweep/) and
// shows how far it is, then its medians. Gives the exit status.
int command_sweep(int argc, char **argv);

#endif
