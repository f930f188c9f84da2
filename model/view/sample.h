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
} Sample;

// `model` of a causal task, which must outlive the sample; temperature 0 or more.
void sample_open(Sample *sample, Model *model, uint64_t seed, double temperature, int top_k);
void sample_close(Sample *sample);
void sample_read(Sample *sample, int id);   // takes a character as given
// Takes a text as given. Characters new to the model are read as <unk>, and added to `unknown`.
void sample_prompt(Sample *sample, const char *text, Vocab *unknown);
// Writes the characters read and drawn from number `from` on, before number `end`; what is no
// character of UTF-8 and no new line or tab stays a name such as <0x07>.
void sample_write(const Sample *sample, int from, int end, FILE *out);

// Draws the next character from softmax(logits / temperature) and takes it as given. Never <unk>,
// which is no character. -1 if the model's logits aren't finite.
int sample_next(Sample *sample);

#endif
