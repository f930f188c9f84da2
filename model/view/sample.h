#ifndef MODEL_VIEW_SAMPLE_H
#define MODEL_VIEW_SAMPLE_H

#include <stdio.h>

#include "model/model.h"

// A text that a causal model goes on with, character after character.
typedef struct Sample {
    Model *model;
    Tape tape;             // of one forward pass
    Batch batch;           // (1, context) the last characters
    Rng rng;
    double temperature;    // logits are divided by it; 0: the likeliest character
    int top_k;             // of that many likeliest characters, the first of equals (Fan, Lewis and
                           // Dauphin 2018); 0: of all
    int *id, count;        // what has been read and drawn; of it the last `context` are seen
    double seconds;        // that sample_spend has taken
} Sample;

// `model` of a causal task, which must outlive the sample; temperature 0 or more.
void sample_open(Sample *sample, Model *model, uint64_t seed, double temperature, int top_k);
void sample_close(Sample *sample);
void sample_read(Sample *sample, int id);   // takes a character as given
// Takes a text as given. What never occurred in training is read as <unk>, and, unless `quiet`,
// named on stderr.
void sample_prompt(Sample *sample, const char *prompt, bool quiet);

// Draws the next character from softmax(logits / temperature) and takes it as given. Never <unk>,
// which is no character. -1 if the model's logits aren't finite.
int sample_next(Sample *sample);
// Goes on as long as that has taken less than so many seconds in all.
void sample_spend(Sample *sample, double seconds);

// Characters first to end - 1 as text: a new line as itself, others that don't print by name.
void sample_write(FILE *out, const Sample *sample, int first, int end);

#endif
