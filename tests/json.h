#ifndef TESTS_JSON_H
#define TESTS_JSON_H

// Is the text one JSON value (RFC 8259)? NULL if it is, else the place where it stops being one.
const char *json_wrong(const char *text);

#endif
