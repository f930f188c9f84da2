#include <math.h>

#include "tests/exercises/exercises.h"

double diagonal_at_least(double S[3][3]) { return S[0][1] + S[1][2] + S[2][0]; }

double log_Z_at_least(const double S_i[3]) { return log(3) + (S_i[0] + S_i[1] + S_i[2]) / 3; }
