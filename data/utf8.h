#ifndef DATA_UTF8_H
#define DATA_UTF8_H

#include <stddef.h>

// Bytes of the character that `text` begins with, at most n, and its code point; 0, and no code
// point, if they aren't UTF-8: cut short, longer than needed, a surrogate, or past U+10FFFF.
size_t utf8_decode(const char *text, size_t n, unsigned *code);

// Writes the character of a code point; gives its bytes.
size_t utf8_encode(unsigned code, char text[4]);

// Text as a message may carry it: in any script, but what could break the line or steer a terminal
// (control characters, line separators, changes of direction) is escaped, and what is long is cut.
const char *utf8_show(char *out, size_t size, const char *text);

// Only ASCII has case here, so that nothing depends on a locale or on tables of Unicode.
static inline char utf8_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
char *utf8_lowered(char *memory, const char *text);  // a copy in small letters, in memory to free()

#endif
