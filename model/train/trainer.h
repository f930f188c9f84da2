#ifndef MODEL_TRAIN_TRAINER_H
#define MODEL_TRAIN_TRAINER_H

#include <signal.h>

#include "data/sampler.h"
#include "model/model.h"
#include "model/train/history.h"
#include "model/train/options.h"

// What a thread of its own needs for a part of a batch.
typedef struct Shard {
    Model model;           // over the trainer's weights
    Tape tape, measuring;
    Batch batch;
} Shard;

// One arm in training. Arms share nothing that is written, so each may run on a thread of its own.
typedef struct Trainer {
    const Options *options;
    const Task *task;
    Model model;
    Tape tape, measuring;  // a step; a batch of a measurement
    Optim optim;
    Rng rng;               // of the batches: the same for every arm
    Sampler sampler;
    Batch batch;
    int shards;             // parts that a large batch is split into, whatever the number of threads
    Shard *shard;            // (shards - 1) beside the four above, which are the first's
    size_t *order;         // (task_held_out) to measure in
    int step;              // taken
    int64_t tokens;        // trained on
    double seconds;        // training alone
    double trained_loss;   // nats, summed over the questions trained on since it was last cleared
    long trained;          // those questions
    char failure[256];     // which step, arm and tensor were not finite; "" while all is well
} Trainer;

// A step that multiplies its weights more often than that is split by sentence into SHARDS parts,
// always alike, so that sums are the same on one thread and on many.
enum { SHARDS = 4, WORTH_SPLITTING = 50000000 };
void trainer_split(Trainer *t, int shards);  // into so many from now on, at most SHARDS and a batch

void trainer_init(Trainer *t, const Options *options, const Task *task, const Arm *arm);
void trainer_free(Trainer *t);

// When trainer_run comes back before its step, after at least one: once *stop is set, or the clock
// (clock.h) has passed `until`.
typedef struct Pause {
    const volatile sig_atomic_t *stop;
    double until;   // seconds
} Pause;

// Trains until `step` steps are taken; `pause` NULL: without a break. Stops before an update whose
// loss or gradient isn't finite or, with Adam, whose squared gradient overflows, and says so in
// `failure`.
void trainer_run(Trainer *t, int step, const Pause *pause);

// Measures the first `sentences` held-out ones; a loss or a weight that isn't finite is a failure
// too. With `arm` its relations and its cycle's figures are filled in too.
Measurement trainer_measure(Trainer *t, size_t sentences, ArmHistory *arm);

// A history of this arm without a point yet; the next point of one:
// measured, with each head's symmetry.
ArmHistory trainer_history(const Trainer *t);
void trainer_note(Trainer *t, size_t sentences, ArmHistory *arm);

// The asymmetry of scores where W_Q and W_K are independent draws: mean -+ 2 standard deviations.
void trainer_random_band(const Options *options, const Task *task, double *low, double *high);

// M's symmetry at the end: of the last layer's first head.
double trainer_symmetry(const Trainer *t);

// Fills in what the end is like: M's symmetry and singular values, tokens, memory.
void trainer_describe(const Trainer *t, ArmHistory *arm);

// How an arm of these options is built.
ModelConfig trainer_config(const Options *options, const Task *task);

#endif
