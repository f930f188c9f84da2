// Folders made by somebody else.
#include "test.h"
void tests_malice(void) {}
