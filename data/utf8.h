#ifndef DATA_UTF8_H
#define DATA_UTF8_H

#include <stdbool.h>
#include <stddef.h>

// Bytes of the character at `text`, of which n are left; `code` gets its code point. Gives 0 if the
// bytes aren't UTF-8: cut short, longer than needed, a surrogate, or past U+10FFFF.
size_t utf8_decode(const char *text, size_t n, unsigned *code);

// Is the character no control character?
static inline bool utf8_prints(unsigned code) {
    return code >= ' ' && (code < 0x7F || code >= 0xA0);
}

// Writes the character of a code point, without a NUL; gives its bytes.
size_t utf8_encode(unsigned code, char text[4]);

// Text as a message may carry it, in any script. Characters that could break the line or steer a
// terminal (control characters, line separators, changes of direction) are escaped; long text is
// cut.
const char *utf8_show(char *out, size_t size, const char *text);

// Only ASCII has case here, so that nothing depends on a locale or on tables of Unicode.
static inline char utf8_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
char *utf8_lowered(const char *text);  // a copy in small letters, which the caller frees

// Any bytes as characters with names that print: a character of UTF-8 is named by itself, any other
// byte by its number, as in <0x0A>. No byte is lost: names can be turned back into bytes.

enum { UNKNOWN_CHARACTER };  // the id of <unk>: a character new to training, or a hidden one

// Bytes of the character at `text`, of which n are left; `name` gets its name.
size_t character_name(const char *text, size_t n, char name[8]);
size_t character_count(const char *text, size_t n);  // characters of n bytes

const char *character_shown(const char *name);  // the name, with a sign for what would be invisible
size_t character_bytes(const char *name, char bytes[8]);  // the inverse of character_name: 1 to 4

#endif
