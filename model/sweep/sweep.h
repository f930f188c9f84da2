#ifndef MODEL_SWEEP_SWEEP_H
#define MODEL_SWEEP_SWEEP_H

// ./train sweep [TASK] --seeds 1:20 --d-k 1,2,4 --arms xxt,qkv ...
//
// Trains every combination on its own, as ./train would, as many at once as there are threads, and
// keeps a row of each (rows.h). Gives the exit status.
int command_sweep(int argc, char **argv);

#endif
