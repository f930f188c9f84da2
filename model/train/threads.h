#ifndef MODEL_TRAIN_THREADS_H
#define MODEL_TRAIN_THREADS_H

// OpenMP's threads, or the one that there is without it.
int threads_most(void);           // that work side by side
void threads_set(int most);       // 0: as many as OMP_NUM_THREADS or the processor has
int threads_for(int parts);       // the same, but at most `parts`
int threads_self(void);           // the number of the thread that asks, from 0

// Lets threads that wait for work sleep, unless OMP_WAIT_POLICY or GOMP_SPINCOUNT is set. Comes
// first in main(): it may start the program once more.
void threads_wait_asleep(char **argv);

#endif
