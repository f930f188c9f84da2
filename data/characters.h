#ifndef DATA_CHARACTERS_H
#define DATA_CHARACTERS_H

#include <stddef.h>

// Any bytes as characters with names that print: a character of UTF-8 is named by itself, any other
// byte by its number, as in <0x0A>. No byte is lost: names can be turned back into bytes.

enum { UNKNOWN_CHARACTER };  // the id of <unk>: a character new to training, or a hidden one

// Bytes of the character at `text`, of which n are left; `name` gets its name.
size_t character_name(const char *text, size_t n, char name[8]);
size_t character_count(const char *text, size_t n);  // characters of n bytes

const char *character_shown(const char *name);  // the name, with a sign for what would be invisible
size_t character_bytes(const char *name, char bytes[8]);  // the inverse of character_name: 1 to 4

#endif
