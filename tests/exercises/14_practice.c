// Exercise 14: the practice question.
// The page is 14_practice.md; check with `make exercise-14`.
#include <math.h>

#include "tests/exercises/exercises.h"

// YOURS: seven predictions. What each means stands in exercises.h; how near it must be, on the
// page.
Practice practice(void) {
    return (Practice){
        .trained = -1,
        .asymmetry = NAN,
        .on_itself = NAN,
        .accuracy = NAN,
        .comes_back = COMES_NOT_SAID,
        .point_surprise = NAN,
        .cycle_surprise = NAN,
    };
}
