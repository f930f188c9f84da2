#ifndef MODEL_WEB_ANSWER_H
#define MODEL_WEB_ANSWER_H

#include <stdint.h>

// What a report calls, beside exchange.h, which says how texts come and go. One instance of the
// module has one trained arm.

// Opens the .safetensors file of that name. Gives the words that can be typed.
const char *answer_open(char *name);

// A typed sentence, read as `./train show` reads it: its words, attention and answers.
const char *answer_typed(char *sentence);

// Begins a text, as `./train sample` does: which of its characters the arm never saw.
const char *answer_prompt(char *text, double temperature, uint64_t seed);
// Goes on with it: so many characters more.
const char *answer_more(int characters);

#endif
