#ifndef MODEL_TRAIN_TRAINER_H
#define MODEL_TRAIN_TRAINER_H

#include <stdatomic.h>

#include "autograd/optim.h"
#include "data/sampler.h"
#include "model/model.h"

typedef enum Schedule { SCHEDULE_CONSTANT, SCHEDULE_COSINE } Schedule;

// The learning rate of step 0 .. steps-1, whose highest value is lr. It first rises over `warmup`
// steps: step s has (s + 1) / (warmup + 1) of lr. Then it stays (CONSTANT), or falls along half a
// cosine to a tenth of lr at the last step, if at least 2 steps are left for it (Loshchilov and
// Hutter 2017, eq. 5, without restarts).
double schedule_lr(Schedule schedule, double lr, long step, long steps, long warmup);

// How an arm is built and trained (options_config makes it of a command line).
typedef struct TrainConfig {
    ModelConfig model;
    uint64_t seed;           // of the weights and the batches
    int batch, accumulate;   // sentences a batch, batches a step
    int steps, warmup;       // of the learning rate's schedule
    Schedule schedule;
    OptimKind optimizer;
    double lr, momentum, decay;
    double clip;             // limit to the norm of a step's gradient; 0: none
} TrainConfig;

// What a thread needs for its part of a batch.
typedef struct Shard {
    Model model;
    Tape tape, measuring;    // of a step; of a batch that is measured
    Batch batch;
} Shard;

enum { TRAINER_SHARDS = 4 };  // at most

// One arm in training. Arms share nothing that is written, so each may run on a thread of its own.
typedef struct Trainer {
    TrainConfig config;
    const Task *task;
    union {
        Shard shard[TRAINER_SHARDS];
        struct { Model model; Tape tape, measuring; Batch batch; };  // shard[0]: owns the weights
    };
    int shards;              // in use
    Optim optim;
    Rng rng;                 // of the batches: the same for every arm
    Sampler sampler;
    int step;                // taken
    int64_t tokens;          // trained on
    double seconds;          // training alone
    double trained_loss;     // nats, summed over the questions trained on since it was last cleared
    long trained;            // those questions
    char failure[256];       // which step, arm and tensor were not finite; "" while all is well
    // Breaks off a training or a measurement: once *stop is set, but not before the clock (clock.h)
    // has passed `grace`. NULL: nothing does.
    const atomic_int *stop;
    double grace;            // seconds
} Trainer;

// Random numbers for data/ out of one of our generators.
RandomSource random_source(Rng *rng);

void trainer_init(Trainer *t, TrainConfig config, const Task *task, const Arm *arm);
void trainer_free(Trainer *t);

// Trains until `step` steps are taken, or, if `until` is not NULL, until the clock has passed it:
// then at least one step is taken. A step that is broken off leaves no trace. Stops before an update
// whose loss or gradient is not finite, or, with Adam, whose squared gradient overflows; `failure`
// then says so.
void trainer_run(Trainer *t, int step, const double *until);
bool trainer_stopped(const Trainer *t);  // is it to be broken off?

// A batch is cut into so many parts from now on, at most TRAINER_SHARDS, of a sentence or more.
// trainer_init chooses; the tests compare.
void trainer_split(Trainer *t, int shards);

// Notes a failure: "step 4, arm qk: the WHAT is not finite, first in W_Q (64, 16)". False.
bool trainer_fail(Trainer *t, int step, const char *what, const Tensor *where);

// The first weight that is not finite, else the oldest such tensor on the tape, or NULL.
const Tensor *trainer_not_finite(const Trainer *t, const Tape *tape);

#endif
