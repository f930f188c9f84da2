#include <math.h>

#include "tests/exercises/exercises.h"

// X Xᵀ has no parameter, is symmetric, and tends to its diagonal: each token gets itself back.
// Where X learns, one token may point, since softmax is by row; three in a cycle come to ln 3 at
// best, as 2 x_i·x_j <= x_i·x_i + x_j·x_j.
Practice practice(void) {
    return (Practice){
        .trained = 0,
        .asymmetry = 0,
        .on_itself = 1,
        .accuracy = 0,
        .comes_back = COMES_ITSELF,
        .point_surprise = 0,
        .cycle_surprise = log(3),
    };
}
