#ifndef MODEL_WEB_WEB_H
#define MODEL_WEB_WEB_H

#include <stddef.h>

// What the playground calls, beside exchange.h, which says how texts come and go. One instance of
// the module trains one arm.

// Reads a command line, a word a line, without the program's name. Gives every option with its
// value, the arms, and all arms that there are.
const char *web_parse(char *words);

// Makes the task that was parsed, and that arm of it. Gives the arm, the sentence that is shown and
// its attention, and the words that can be typed.
const char *web_open(int arm);

// Trains until `step`, or some milliseconds; gives the step reached. It doesn't get further once a
// number was not finite: then web_look says so.
int web_train(int step);
// The step at which ./train measures next.
int web_next(int step, int steps);

// The held-out sentences measured as in ./train, a point of its curve; the attention of the sentence
// that is shown.
const char *web_look(void);
// M: by kind of question, its symmetry, its singular values.
const char *web_inside(void);
// A typed sentence: its words, attention and answers.
const char *web_typed(char *sentence);

// The trained tensors: names, shapes, and where in the memory their floats stand.
const char *web_tensors(void);

#endif
